// SPDX-License-Identifier: Apache-2.0
#include "support/proxy_bed.h"

#include <boost/asio/ip/address_v4.hpp>
#include <utility>

#include "base/weight.h"

namespace rampart::test {
namespace {

proxy::Serving serving_of(const ProxyBedSettings& settings) {
  proxy::Serving serving;
  serving.epoch = 1;
  serving.upstreams.push_back(settings.upstream);
  serving.upstreams.back().id = "u";
  serving.routes.push_back(
      {.id = "r",
       .targets = {{.upstream = 0, .weight = 1, .timeouts = settings.timeouts}},
       .max_body = settings.max_body});
  serving.router = proxy::Router(
      {{.host = "", .uri = "/*", .methods = {}}, {.host = "", .uri = "*", .methods = {}}});
  serving.routes.push_back(serving.routes.front());
  for (const std::string& range : settings.trusted) {
    serving.trusted.push_back(IpRange::parse(range).value());
  }
  return serving;
}

std::shared_ptr<const proxy::ScopeNodes> nodes_of(const ProxyBedSettings& settings) {
  std::vector<engine::PickerNode> nodes;
  for (const std::string& name : settings.nodes) {
    nodes.push_back({.identity = name,
                     .effective = Weight::whole(1),
                     .ramped = Weight::whole(1),
                     .target = 1,
                     .priority = 0,
                     .addresses = {name + ":80"}});
  }
  auto scope = std::make_shared<proxy::ScopeNodes>();
  scope->nodes =
      engine::PickerNodes::make({.algorithm = settings.algorithm}, nodes, nullptr).value();
  uint16_t port = 80;
  for (const engine::PickerNode& node : scope->nodes->nodes()) {
    const boost::asio::ip::tcp::endpoint at(boost::asio::ip::address_v4::loopback(), port++);
    scope->addresses.push_back({{.endpoint = at, .text = node.identity, .host = node.identity}});
    scope->loads.push_back(std::make_shared<proxy::NodeLoad>());
  }
  return scope;
}

}  // namespace

ProxyBed::ProxyBed(ProxyBedSettings settings) : scope_(nodes_of(settings)) {
  auto listening = std::make_shared<proxy::Listening>();
  listening->debug_headers = settings.debug_headers;
  listening_ = std::move(listening);
  board_.publish({std::make_shared<proxy::Serving>(serving_of(settings)), {scope_}});
  site_.clock = [this] { return now_; };
}

ProxyBed::~ProxyBed() {
  close_all();
}

ProxyBed::Wire ProxyBed::connect_client() {
  Wire wire = loop_.add();
  const auto client = std::make_shared<proxy::ClientConnection>(
      site_,
      proxy::ClientPlace{.address = IpAddress::parse("192.0.2.7").value(),
                         .text = "192.0.2.7",
                         .port = 4000,
                         .listening = listening_},
      std::make_unique<MemoryStream>(wire));
  connections_.push_back(client);
  client->start();
  return wire;
}

Result<std::unique_ptr<proxy::Stream>> ProxyBed::connect(const proxy::NodeAddress&,
                                                         const proxy::TlsClient*) {
  Wire wire = loop_.add();
  node_wires_.push_back(wire);
  on_connect(*wire);
  return std::unique_ptr<proxy::Stream>(std::make_unique<MemoryStream>(wire));
}

bool ProxyBed::run() {
  constexpr int kMostRounds = 10000;
  for (int round = 0; round < kMostRounds; ++round) {
    if (!loop_.run()) return false;
    bool moved = false;
    for (size_t i = 0; on_request && i < node_wires_.size(); ++i) {
      MemoryWire& wire = *node_wires_[i];
      if (wire.closed || wire.from_proxy.empty()) continue;
      const auto before = std::pair(wire.from_proxy.size(), wire.to_proxy.size());
      on_request(wire);
      moved = moved || before != std::pair(wire.from_proxy.size(), wire.to_proxy.size());
    }
    if (!moved) return true;
  }
  return false;
}

void ProxyBed::pass(Duration time) {
  const TimePoint end = now_ + time;
  while (now_ < end) jump(std::min(proxy::kTick, end - now_));
}

void ProxyBed::jump(Duration time) {
  now_ += time;
  timers_.turn(now_);
  run();
}

void ProxyBed::drain(Duration patience) {
  for (const auto& connection : connections_) {
    if (const auto client = connection.lock()) client->drain(patience);
  }
}

void ProxyBed::close_all() {
  for (const auto& connection : connections_) {
    if (const auto client = connection.lock()) client->kill();
  }
  pool_.clear();
  loop_.run();
}

uint32_t ProxyBed::in_flight() const {
  uint32_t sum = 0;
  for (const auto& load : scope_->loads) sum += load->in_flight.load();
  for (const auto& node : scope_->nodes->nodes()) sum += scope_->nodes->in_flight(node.identity);
  return sum;
}

void ProxyBed::request_over(const proxy::RequestRecord& record) {
  requests_.push_back({.method = std::string(record.method),
                       .target = std::string(record.target),
                       .node = std::string(record.node),
                       .id = std::string(record.request_id),
                       .status = record.status,
                       .tries = record.tries,
                       .bytes_in = record.bytes_in,
                       .bytes_out = record.bytes_out,
                       .cut = record.cut});
}

void ProxyBed::try_over(const proxy::Upstream&, const Identity& node, proxy::TryEnd end,
                        int status) {
  tries_.push_back({node, end, status});
}

size_t heads_in(std::string_view bytes) {
  size_t heads = 0;
  for (size_t at = bytes.find(" HTTP/1.1\r\n"); at != std::string_view::npos;
       at = bytes.find(" HTTP/1.1\r\n", at + 1)) {
    ++heads;
  }
  return heads;
}

std::function<void(MemoryWire&)> answer_with(std::string response) {
  return [response = std::move(response)](MemoryWire& wire) {
    const std::string& sent = wire.from_proxy;
    const size_t end = sent.find("\r\n\r\n");
    if (end == std::string::npos) return;
    size_t whole = end + 4;
    if (sent.find("Transfer-Encoding: chunked") < end) {
      const size_t last = sent.find("0\r\n", whole);
      const size_t over = last == std::string::npos ? last : sent.find("\r\n\r\n", last);
      if (over == std::string::npos) return;
      whole = over + 4;
    } else if (const size_t length = sent.find("Content-Length: "); length < end) {
      whole += std::stoul(sent.substr(length + 16));
    }
    if (sent.size() < whole) return;
    wire.from_proxy.erase(0, whole);
    wire.to_proxy += response;
  };
}

void answer_each(MemoryWire& wire) {
  answer_with("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")(wire);
}

}  // namespace rampart::test
