// SPDX-License-Identifier: Apache-2.0
#include "support/http.h"

#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/un.h>

#include "support/sockets.h"

namespace rampart::test {
namespace {

constexpr char kEndOfHead[] = "\r\n\r\n";

bool send_all(int socket, const std::string& text) {
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t now = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += static_cast<size_t>(now);
  }
  return true;
}

// Appends what the peer sent; false at its end or on an error.
bool receive(int socket, std::string& text) {
  char buffer[4096];
  const ssize_t got = recv(socket, buffer, sizeof(buffer), 0);
  if (got <= 0) return false;
  text.append(buffer, static_cast<size_t>(got));
  return true;
}

std::optional<size_t> content_length(const std::string& head) {
  constexpr char kName[] = "content-length:";
  for (size_t line = 0; line != std::string::npos; line = head.find('\n', line)) {
    if (line > 0) ++line;
    if (strncasecmp(head.c_str() + line, kName, strlen(kName)) != 0) continue;
    return strtoul(head.c_str() + line + strlen(kName), nullptr, 10);
  }
  return std::nullopt;
}

struct Head {
  size_t size;
  std::optional<size_t> length;  // of the body
};

std::optional<Head> head_of(const std::string& text) {
  const size_t end = text.find(kEndOfHead);
  if (end == std::string::npos) return std::nullopt;
  return Head{end + strlen(kEndOfHead), content_length(text.substr(0, end))};
}

std::optional<HttpAnswer> answer_of(const std::string& text, const Head& head) {
  HttpAnswer answer;
  if (sscanf(text.c_str(), "HTTP/1.%*d %d", &answer.status) != 1) return std::nullopt;
  answer.body = text.substr(head.size);
  return answer;
}

}  // namespace

std::string http_request(const std::string& method, const std::string& target, AfterRequest after) {
  const std::string connection = after == AfterRequest::kClose ? "close" : "keep-alive";
  return method + " " + target +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: " + connection +
         kEndOfHead;
}

std::optional<HttpAnswer> whole_answer(const std::string& received) {
  const std::optional<Head> head = head_of(received);
  if (!head || !head->length || received.size() < head->size + *head->length) return std::nullopt;
  return answer_of(received, *head);
}

std::optional<HttpConnection> HttpConnection::to(const std::string& address, uint16_t port,
                                                 uint16_t from) {
  Fd socket = connected(SOCK_STREAM, address, port, from);
  if (!socket) return std::nullopt;
  return HttpConnection(std::move(socket));
}

std::optional<HttpConnection> HttpConnection::to_socket(const std::string& path) {
  Fd made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  be_patient(made);
  sockaddr_un place = {};
  place.sun_family = AF_UNIX;
  if (path.size() >= sizeof(place.sun_path)) throw BedFailure("socket path too long: " + path);
  memcpy(place.sun_path, path.c_str(), path.size());
  if (connect(made.get(), reinterpret_cast<const sockaddr*>(&place), sizeof(place)) != 0) {
    return std::nullopt;
  }
  return HttpConnection(std::move(made));
}

std::optional<HttpAnswer> HttpConnection::request(const std::string& method,
                                                  const std::string& target, After after) {
  if (!send_all(socket_.get(), http_request(method, target, after))) return std::nullopt;
  return read_answer();
}

bool HttpConnection::finish() {
  shutdown(socket_.get(), SHUT_WR);
  return wait_until([this] {
    tcp_info now = {};
    socklen_t size = sizeof(now);
    getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &now, &size);
    return now.tcpi_state == TCP_CLOSE;
  });
}

void HttpConnection::abort() {
  const linger at_once = {1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  socket_.reset();
}

std::optional<HttpAnswer> HttpConnection::read_answer() {
  std::string text;
  for (;;) {
    if (auto answer = whole_answer(text)) return answer;
    if (!receive(socket_.get(), text)) break;
  }
  const std::optional<Head> head = head_of(text);
  if (!head || head->length) return std::nullopt;
  return answer_of(text, *head);  // it ends with the connection
}

std::optional<std::string> http_ask(const std::string& address, uint16_t port) {
  std::optional<HttpConnection> connection = HttpConnection::to(address, port);
  if (!connection) return std::nullopt;
  std::optional<HttpAnswer> answer = connection->request("GET", "/", HttpConnection::After::kClose);
  if (!answer || answer->status != 200) return std::nullopt;
  return answer->body;
}

struct HttpServer::Connection {
  Fd socket;
  const std::string* name;
  std::string received;
};

HttpServer::HttpServer(const Netns& netns, std::map<uint16_t, std::string> names)
    : stop_(eventfd(0, EFD_CLOEXEC)) {
  netns.run([&] {
    for (const auto& [port, name] : names) {
      listeners_.push_back(bound(SOCK_STREAM, port));
      if (listen(listeners_.back().get(), SOMAXCONN) != 0) throw BedFailure("listen");
      names_[listeners_.back().get()] = name;
    }
  });
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void HttpServer::serve() {
  Poller poller;
  poller.add(stop_);
  for (const Fd& listener : listeners_) poller.add(listener);

  std::map<int, Connection> connections;
  for (int fd = poller.next(); fd != stop_.get(); fd = poller.next()) {
    if (const auto listener = names_.find(fd); listener != names_.end()) {
      Fd accepted(accept4(fd, nullptr, nullptr, SOCK_CLOEXEC));
      if (!accepted) continue;
      poller.add(accepted);
      const int key = accepted.get();
      connections[key] = Connection{std::move(accepted), &listener->second, ""};
    } else if (!answer(connections.at(fd))) {
      poller.remove(fd);
      connections.erase(fd);
    }
  }
}

bool HttpServer::answer(Connection& connection) {
  if (!receive(connection.socket.get(), connection.received)) return false;
  const size_t end = connection.received.find(kEndOfHead);
  if (end == std::string::npos) return true;
  const std::string head = connection.received.substr(0, end);
  connection.received.erase(0, end + strlen(kEndOfHead));
  ++requests_;
  const bool last = head.find("Connection: close") != std::string::npos;
  const std::string text =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(connection.name->size()) +
      "\r\nConnection: " + (last ? "close" : "keep-alive") + kEndOfHead + *connection.name;
  return send_all(connection.socket.get(), text) && !last;
}

}  // namespace rampart::test
