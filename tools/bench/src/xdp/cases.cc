// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/cases.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace rampart::bench {
namespace {

constexpr char kVip[] = "10.200.1.1";
constexpr char kNobody[] = "10.99.9.9";
constexpr uint32_t kHalfOfNumbers = 1u << 27;

enum class Flag { kSyn, kAck };

// TCP to port 80; the replay stamps the source into it. Nobody looks at the checksums.
Frame frame_to(const char* address, Flag flag) {
  ethhdr eth = {};
  eth.h_dest[0] = 0x02;
  eth.h_source[0] = 0x02;
  eth.h_proto = htons(ETH_P_IP);
  iphdr ip = {};
  ip.version = 4;
  ip.ihl = 5;
  ip.ttl = 64;
  ip.protocol = IPPROTO_TCP;
  ip.tot_len = htons(kFrameBytes - sizeof eth);
  inet_pton(AF_INET, address, &ip.daddr);
  tcphdr tcp = {};
  tcp.dest = htons(80);
  tcp.doff = 5;
  tcp.syn = flag == Flag::kSyn;
  tcp.ack = flag == Flag::kAck;

  Frame frame = {};
  std::memcpy(frame.data(), &eth, sizeof eth);
  std::memcpy(frame.data() + sizeof eth, &ip, sizeof ip);
  std::memcpy(frame.data() + sizeof eth + sizeof ip, &tcp, sizeof tcp);
  return frame;
}

Case live(const std::string& name, uint32_t flows) {
  return {.name = name,
          .meaning = "ACK of a live flow, of " + std::to_string(flows),
          .stream = {.frame = frame_to(kVip, Flag::kAck), .first_flow = 0, .flows = flows},
          .is_primed = true};
}

Case fresh(const std::string& name, const std::string& meaning, Flag flag, Begins begins) {
  return {.name = name,
          .meaning = meaning,
          .stream = {.frame = frame_to(kVip, flag),
                     .first_flow = kHalfOfNumbers,
                     .flows = kHalfOfNumbers},
          .begins = begins};
}

std::vector<Case> make_cases() {
  return {
      {.name = "not_ours",
       .meaning = "TCP to an address that is no VIP",
       .stream = {.frame = frame_to(kNobody, Flag::kAck), .first_flow = 0, .flows = 1024},
       .outcome = RP_pass_no_vip},
      fresh("new", "SYN of a new flow", Flag::kSyn, Begins::kEach),
      live("live_1", 1),
      live("live_1k", 1024),
      live("live_64k", 65536),
      live("live_1m", 1048576),
      fresh("mid_stream", "ACK of a flow without an entry", Flag::kAck, Begins::kEach),
      fresh("flood", "SYN of a new flow, above new_flow_limit_per_cpu", Flag::kSyn, Begins::kFew),
  };
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = make_cases();
  return cases;
}

Result<std::vector<Case>> cases_named(const std::vector<std::string>& names) {
  std::vector<Case> found;
  for (const Case& one : all_cases()) {
    const bool is_named = std::find(names.begin(), names.end(), one.name) != names.end();
    if (names.empty() || is_named) found.push_back(one);
  }
  for (const std::string& name : names) {
    const auto is_it = [&](const Case& one) { return one.name == name; };
    if (std::any_of(found.begin(), found.end(), is_it)) continue;
    return Error{Code::kUsage, "--cases: no case '" + name + "'; --list shows them"};
  }
  return found;
}

Stream syn_of(const Case& live) {
  return {.frame = frame_to(kVip, Flag::kSyn),
          .first_flow = live.stream.first_flow,
          .flows = live.stream.flows,
          .order = Order::kInTurn};
}

}  // namespace rampart::bench
