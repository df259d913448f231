// SPDX-License-Identifier: Apache-2.0
#include "bench/src/health/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string_view>

#include "base/check.h"

namespace rampart::bench {
namespace {

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

// One request is one segment here.
void answer_http(const Fd& connection) {
  char request[1024];
  if (recv(connection.get(), request, sizeof(request), 0) <= 0) return;
  send(connection.get(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
}

}  // namespace

Peer::Peer(control::CheckType type) : type_(type) {
  socket_ = Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  socklen_t size = sizeof(place);
  RP_CHECK(bind(socket_.get(), address, size) == 0);
  RP_CHECK(getsockname(socket_.get(), address, &size) == 0);
  port_ = ntohs(place.sin_port);
  RP_CHECK(listen(socket_.get(), SOMAXCONN) == 0);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) serve();
  });
}

Peer::~Peer() {
  thread_.request_stop();
  shutdown(socket_.get(), SHUT_RDWR);  // ends accept()
}

void Peer::serve() {
  const Fd connection(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (connection && type_ == control::CheckType::kHttp) answer_http(connection);
}

}  // namespace rampart::bench
