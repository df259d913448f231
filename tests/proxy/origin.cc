// SPDX-License-Identifier: Apache-2.0
#include "proxy/origin.h"

#include <poll.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include "support/sockets.h"

namespace rampart::test {
namespace {

uint16_t port_of(const Fd& socket) {
  sockaddr_in place = {};
  socklen_t size = sizeof place;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &size);
  return ntohs(place.sin_port);
}

Fd bound_to_loopback() {
  Fd made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in place = ipv4("127.0.0.1", 0);
  if (bind(made.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
    throw BedFailure("bind to loopback");
  }
  return made;
}

}  // namespace

uint16_t unused_port() {
  return port_of(bound_to_loopback());
}

std::string OriginConnection::read_head() {
  while (true) {
    const size_t end = read_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::string head = read_.substr(0, end + 4);
      read_.erase(0, end + 4);
      return head;
    }
    char bytes[4096];
    const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) return "";
    read_.append(bytes, static_cast<size_t>(got));
  }
}

std::string OriginConnection::read_bytes(size_t size) {
  while (read_.size() < size) {
    char bytes[65536];
    const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) break;
    read_.append(bytes, static_cast<size_t>(got));
  }
  const std::string taken = read_.substr(0, size);
  read_.erase(0, taken.size());
  return taken;
}

bool OriginConnection::send(const std::string& text) {
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t put = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (put <= 0) return false;
    sent += static_cast<size_t>(put);
  }
  return true;
}

void OriginConnection::reset() {
  const linger now = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

std::string field_of(const std::string& head, const std::string& name) {
  size_t line = head.find("\r\n");
  while (line != std::string::npos && line + 2 < head.size()) {
    const size_t begin = line + 2;
    line = head.find("\r\n", begin);
    const std::string text = head.substr(begin, line - begin);
    if (text.size() > name.size() && text[name.size()] == ':' &&
        strncasecmp(text.c_str(), name.c_str(), name.size()) == 0) {
      const size_t value = text.find_first_not_of(' ', name.size() + 1);
      return value == std::string::npos ? "" : text.substr(value);
    }
  }
  return "";
}

std::string ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Origin::Origin(const std::string& name)
    : Origin([name](OriginConnection& connection, const std::string& head) {
        const std::string length = field_of(head, "Content-Length");
        if (!length.empty()) connection.read_bytes(std::stoul(length));
        return connection.send(ok(name));
      }) {}

Origin::Origin(Behaviour behaviour)
    : behaviour_(std::move(behaviour)), listener_(bound_to_loopback()) {
  listen(listener_.get(), 1024);
  port_ = port_of(listener_);
  acceptor_ = std::thread([this] { serve(); });
}

Origin::~Origin() {
  ending_ = true;
  shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

void Origin::serve() {
  while (!ending_) {
    const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { serve_one(fd); });
  }
}

void Origin::serve_one(int fd) {
  OriginConnection connection(fd);
  while (true) {
    const std::string head = connection.read_head();
    if (head.empty()) break;
    ++requests_;
    {
      const std::lock_guard lock(mutex_);
      heads_.push_back(head);
    }
    if (!behaviour_(connection, head)) break;
  }
  const std::lock_guard lock(mutex_);
  open_.remove(fd);
  close(fd);
}

std::vector<std::string> Origin::heads() const {
  const std::lock_guard lock(mutex_);
  return heads_;
}

}  // namespace rampart::test
