// SPDX-License-Identifier: Apache-2.0
#include "proxy/stand.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "support/http.h"
#include "support/sockets.h"
#include "support/wait.h"

namespace rampart::test {

using nlohmann::json;

Client::Client(uint16_t port) : fd_(connected(SOCK_STREAM, "127.0.0.1", port)) {}

bool Client::send(const std::string& text) {
  return OriginConnection(fd_.get()).send(text);
}

bool Client::more() {
  char bytes[65536];
  const ssize_t got = recv(fd_.get(), bytes, sizeof bytes, 0);
  if (got > 0) read_.append(bytes, static_cast<size_t>(got));
  return got > 0;
}

std::string Client::take(size_t size) {
  while (read_.size() < size && more()) {
  }
  const std::string taken = read_.substr(0, size);
  read_.erase(0, taken.size());
  return taken;
}

std::optional<Reply> Client::read(bool to_head) {
  size_t end = 0;
  while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return std::nullopt;
  }
  Reply reply;
  reply.head = take(end + 4);
  reply.status = std::stoi(reply.head.substr(9, 3));
  const bool empty = reply.status / 100 == 1 || reply.status == 204 || reply.status == 304;
  if (to_head || empty) return reply;
  if (field_of(reply.head, "Transfer-Encoding") == "chunked") {
    while (true) {
      while ((end = read_.find("\r\n")) == std::string::npos) {
        if (!more()) return std::nullopt;
      }
      const size_t size = std::stoul(take(end + 2), nullptr, 16);
      const std::string chunk = take(size + 2);
      if (chunk.size() != size + 2) return std::nullopt;
      if (size == 0) return reply;
      reply.body += chunk.substr(0, size);
    }
  }
  const std::string length = field_of(reply.head, "Content-Length");
  if (length.empty()) {
    reply.body = read_all();
    return reply;
  }
  reply.body = take(std::stoul(length));
  return reply.body.size() == std::stoul(length) ? std::optional(reply) : std::nullopt;
}

std::optional<Reply> Client::get(const std::string& path, const std::string& fields) {
  if (!send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n")) return std::nullopt;
  return read();
}

std::string Client::read_all() {
  while (more()) {
  }
  return std::exchange(read_, {});
}

bool Client::ended() {
  return read_all().empty();
}

void Client::finish() {
  shutdown(fd_.get(), SHUT_WR);
}

void Client::reset() {
  OriginConnection(fd_.get()).reset();
  fd_.reset();
}

ProxyTest::ProxyTest() : port_(unused_port()) {
  config_ = {{"version", 1},
             {"instance", "t"},
             {"state_dir", (folder_.path() / "state").string()},
             {"control_socket", (folder_.path() / "t.sock").string()},
             {"upstreams", json::array()},
             {"routes", json::array()},
             {"http",
              {{"listeners", {{{"address", "127.0.0.1"}, {"port", port_}}}},
               {"workers", 1},
               {"drain_timeout", 2}}}};
}

void ProxyTest::serve(const std::vector<json>& nodes, const json& more) {
  json upstream = {{"id", "web"}, {"nodes", nodes}};
  upstream.update(more);
  config_["upstreams"] = json::array({upstream});
  config_["routes"] = json::array({{{"id", "all"}, {"uri", "/*"}, {"upstream_id", "web"}}});
  start();
}

void ProxyTest::write() {
  std::ofstream(folder_.path() / "rampart.yaml") << config_.dump(2);
}

void ProxyTest::start() {
  write();
  std::filesystem::create_directories(folder_.path() / "state");
  process_.emplace(Command{program("rampart-http"), "--config", folder_.path() / "rampart.yaml"});
  const bool up = wait_until([&] { return !process_->running() || !get("/v1/status").is_null(); });
  if (!up || !process_->running()) throw BedFailure("rampart-http: " + process_->output());
}

Finished ProxyTest::cli(Command verb) const {
  Command command = {program("rampart")};
  command.insert(command.end(), verb.begin(), verb.end());
  command.insert(command.end(), {"--socket", folder_.path() / "t.sock"});
  return run(command);
}

void ProxyTest::reload(const std::vector<json>& nodes) {
  config_["upstreams"][0]["nodes"] = nodes;
  write();
  const Finished done = cli({"reload", "--force"});
  if (done.exit_code != 0) throw BedFailure("reload: " + done.err);
}

std::string ProxyTest::ask(const std::string& path) const {
  const auto reply = client().get(path, "Connection: close\r\n");
  if (!reply) return "nothing";
  return reply->status == 200 ? reply->body : std::to_string(reply->status);
}

std::map<std::string, int> ProxyTest::ask_often(int times, const std::string& path) const {
  std::map<std::string, int> counts;
  for (int i = 0; i < times; ++i) ++counts[ask(path)];
  return counts;
}

json ProxyTest::get(const std::string& target) const {
  auto connection = HttpConnection::to_socket((folder_.path() / "t-http.sock").string());
  if (!connection) return nullptr;
  const auto answer = connection->request("GET", target, AfterRequest::kClose);
  if (!answer || answer->status != 200) return nullptr;
  return json::parse(answer->body, nullptr, false);
}

int ProxyTest::active() const {
  int sum = 0;
  for (const json& one : get("/v1/backends")) sum += one["flows"]["active"].get<int>();
  return sum;
}

}  // namespace rampart::test
