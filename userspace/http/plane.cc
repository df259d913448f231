// SPDX-License-Identifier: Apache-2.0
#include "http/plane.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <random>
#include <thread>
#include <utility>

#include "proxy/tls.h"

namespace rampart::http {

Plane::Plane(boost::asio::io_context& io, const proxy::Board& board, uint32_t workers,
             std::function<void(const TryReport&)> on_report)
    : io_(io), on_report_(std::move(on_report)) {
  const uint32_t count = workers != 0 ? workers : std::max(1u, std::thread::hardware_concurrency());
  std::random_device random;
  for (uint32_t i = 0; i < count; ++i) {
    records_.push_back(std::make_unique<Records>(
        log_, [this] { boost::asio::post(io_, [this] { take_reports(); }); }));
    const uint64_t seed = (uint64_t{random()} << 32) | random();
    workers_.push_back(std::make_unique<proxy::Worker>(seed, board, *records_.back()));
  }
}

Plane::~Plane() = default;

void Plane::take_reports() {
  for (const auto& records : records_) {
    for (const TryReport& report : records->take_reports()) on_report_(report);
  }
}

Result<Plane::Listenings> Plane::read_listenings(const control::HttpConfig& conf) const {
  Listenings listenings;
  for (const control::ListenerConfig& one : conf.listeners) {
    proxy::Listening listening{.place = {one.address, one.port},
                               .proxy_protocol = one.proxy_protocol,
                               .debug_headers = one.debug_headers,
                               .tls = nullptr};
    if (!one.tls.empty()) {
      std::vector<proxy::Certificate> certificates;
      for (const control::CertificateConfig& pair : one.tls) {
        certificates.push_back({pair.cert, pair.key});
      }
      const auto former = listenings_.find(listening.place);
      auto tls = proxy::TlsServer::make(
          certificates, former == listenings_.end() ? nullptr : former->second.tls.get());
      if (!tls) {
        return Error{Code::kInvalidConfig, "listener " +
                                               host_and_port(one.address.to_string(), one.port) +
                                               ": tls: " + tls.error().text};
      }
      listening.tls = std::move(*tls);
    }
    listenings.emplace(listening.place, std::move(listening));
  }
  return listenings;
}

Result<void> Plane::follow(const control::HttpConfig& conf) {
  auto listenings = read_listenings(conf);
  if (!listenings) return listenings.error();
  // Every socket is open before the first worker hears of one.
  std::map<proxy::Place, std::vector<Fd>> sockets;
  for (const auto& [place, listening] : *listenings) {
    if (listenings_.contains(place)) continue;
    for (size_t i = 0; i < workers_.size(); ++i) {
      auto socket = proxy::open_listener(place);
      if (!socket) return socket.error();
      sockets[place].push_back(std::move(*socket));
    }
  }
  if (auto opened = log_.configure(conf.access_log); !opened) return opened;
  drain_timeout_ = conf.drain_timeout;
  for (size_t i = 0; i < workers_.size(); ++i) {
    for (const auto& [place, listening] : *listenings) {
      const auto fresh = sockets.find(place);
      if (fresh == sockets.end()) {
        workers_[i]->change(listening);
      } else {
        workers_[i]->listen(listening, std::move(fresh->second[i]));
      }
    }
    for (const auto& [place, listening] : listenings_) {
      if (!listenings->contains(place)) workers_[i]->stop_listening(place, drain_timeout_);
    }
  }
  listenings_ = std::move(*listenings);
  return {};
}

void Plane::forget_unused_nodes() {
  for (const auto& worker : workers_) worker->forget_unused_nodes();
}

void Plane::drain(Duration patience) {
  for (const auto& worker : workers_) worker->drain(patience);
}

Plane::Figures Plane::figures() const {
  Figures sum{.log_lines_lost = log_.dropped()};
  for (const auto& worker : workers_) {
    const proxy::Worker::Figures one = worker->figures();
    sum.clients += one.clients;
    sum.kept += one.kept;
  }
  return sum;
}

RequestCounts Plane::counts() const {
  RequestCounts sum;
  for (const auto& records : records_) sum.add(records->counts());
  return sum;
}

}  // namespace rampart::http
