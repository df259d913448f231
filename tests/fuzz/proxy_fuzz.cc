// SPDX-License-Identifier: Apache-2.0
// Any order of what may happen to a proxy's connections: two clients and their nodes send bytes, end, fail,
// take more or less, and time passes. Whatever happens, everything ends, and what was taken is given back.
//
// The input is a list of operations: a byte that says what and of whom, and what it needs behind it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "support/proxy_bed.h"

namespace {

using rampart::test::kNoBound;
using rampart::test::MemoryWire;
using rampart::test::ProxyBed;

constexpr size_t kClients = 2;
// More does not wait to be read: an input is to stay small.
constexpr size_t kMostWaiting = 1 << 20;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  // As many as the next byte says.
  std::string_view bytes() {
    const size_t size = byte();
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view rest_;
};

class Play {
 public:
  Play() {
    bed_.on_connect = [this](MemoryWire& wire) { wire.establishing = establishing_; };
  }

  void step(Input& input) {
    const uint8_t what = input.byte();
    MemoryWire* wire = (what & 0x80) != 0 ? node(what) : &client(what);
    if (wire != nullptr) act(what & 0x0f, *wire, input);
    require(bed_.run(), "nobody spins");
    require(bed_.in_flight() <= 2 * kClients, "a client has one request at a time");
  }

  void end() {
    bed_.close_all();
    require(bed_.in_flight() == 0, "what was taken is given back");
    require(bed_.clients() == 0, "every client ends");
    require(bed_.pool().size() == 0, "every kept connection ends");
    check_records();
  }

 private:
  MemoryWire& client(uint8_t what) {
    auto& wire = clients_[(what >> 4) % kClients];
    if (!wire || wire->closed) wire = bed_.connect_client();
    return *wire;
  }
  // The newest ones; null if there is none.
  MemoryWire* node(uint8_t what) {
    const auto& wires = bed_.node_wires();
    const size_t back = (what >> 4) & 7;
    return back < wires.size() ? wires[wires.size() - 1 - back].get() : nullptr;
  }

  void act(int what, MemoryWire& wire, Input& input) {
    switch (what) {
      case 0:
      case 1:
        return append(wire, input.bytes());
      case 2:
        return append(wire, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
      case 3:
        return append(wire, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      case 4:
        return append(wire, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      case 5:
        return append(wire, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      case 6:
        return append(wire, "3;a=b\r\nabc\r\n");
      case 7:
        return append(wire, "0\r\n\r\n");
      case 8:
        wire.peer_ended = true;
        return;
      case 9:
        wire.failed = true;
        return;
      case 10:
        wire.room = input.byte();
        return;
      case 11:
        wire.room = kNoBound;
        return;
      case 12:
        wire.most_read = std::max<size_t>(input.byte(), 1);
        return;
      case 13:
        return append(wire, std::string(size_t{256} * input.byte(), 'x'));
      case 14:
        return change_establishing(wire, input.byte());
      default:
        bed_.jump(std::chrono::milliseconds(500) * input.byte());
    }
  }

  void change_establishing(MemoryWire& wire, uint8_t how) {
    using Establishing = MemoryWire::Establishing;
    constexpr Establishing kAll[] = {Establishing::kDone, Establishing::kPending,
                                     Establishing::kRefused};
    establishing_ = kAll[how % 3];
    if (wire.establishing == Establishing::kPending) wire.establishing = kAll[how / 3 % 3];
  }

  void append(MemoryWire& wire, std::string_view bytes) {
    if (wire.peer_ended || wire.to_proxy.size() > kMostWaiting) return;
    wire.to_proxy += bytes;
  }

  // Every request that was begun is told of once: those that a node saw have an id.
  void check_records() const {
    std::map<std::string, int> records;
    for (const auto& request : bed_.requests()) ++records[request.id];
    for (const auto& [id, count] : records) require(id.empty() || count == 1, "it is over once");
    for (const auto& wire : bed_.node_wires()) {
      require(wire->closed, "every node's connection ends");
      constexpr std::string_view kName = "\r\nX-Request-Id: ";
      const std::string head = wire->from_proxy.substr(0, wire->from_proxy.find("\r\n\r\n"));
      const size_t at = head.find(kName);
      if (head.size() == wire->from_proxy.size() || at == std::string::npos) continue;
      const size_t begin = at + kName.size();
      const std::string id = head.substr(begin, head.find("\r\n", begin) - begin);
      require(records.contains(id), "what a node saw is told of");
    }
  }

  ProxyBed bed_;
  ProxyBed::Wire clients_[kClients];
  MemoryWire::Establishing establishing_ = MemoryWire::Establishing::kDone;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  Input input({reinterpret_cast<const char*>(bytes), size});
  Play play;
  while (!input.empty()) play.step(input);
  play.end();
  return 0;
}
