// SPDX-License-Identifier: Apache-2.0
#include "bench/src/veth/contestants.h"

#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <netinet/ether.h>

#include <cstring>
#include <memory>
#include <utility>

#include "bench/src/xdp/pinned.h"

namespace rampart::bench {
namespace {

constexpr char kNft[] = "nft -f -";
constexpr char kFlushRules[] = "flush ruleset\n";

uint64_t mac_word(const char* text) {
  ether_addr mac = {};
  ether_aton_r(text, &mac);
  uint64_t word = 0;
  std::memcpy(&word, mac.ether_addr_octet, sizeof mac.ether_addr_octet);
  return word;
}

Result<void> set_program(const Bed& bed, int program_fd) {
  return bed.balancer().inside([&]() -> Result<void> {
    const int vla = static_cast<int>(bed.vla());
    const int error = bpf_xdp_attach(vla, program_fd, XDP_FLAGS_DRV_MODE, nullptr);
    return error == 0 ? Result<void>() : system_error("attach to vla", -error);
  });
}

Result<Contestant> rampart_contestant(const Bed& bed, const std::vector<std::string>& backends) {
  const Setting setting = {
      .forward = RP_FORWARD_L2,
      .backends = static_cast<uint32_t>(backends.size()),
      .way_out = {
          .ifindex = bed.vlb(), .source = mac_word(kVlbMac), .neighbour = mac_word(kVbMac)}};
  auto loaded = pin_for_now(setting);
  if (!loaded) return loaded.within(kRampart);
  const auto pinned = std::make_shared<Pinned>(std::move(*loaded));
  constexpr int kNoProgram = -1;
  return Contestant{
      .name = kRampart,
      .put = [&bed, pinned] { return set_program(bed, pinned->object->program_fd()); },
      .take_away = [&bed] { return set_program(bed, kNoProgram); },
      .arrival = {}};
}

// "jhash … map { 0 : a, 1 : b }": by the flow, as a balancer has to.
std::string chosen_of(const std::vector<std::string>& values) {
  std::string text = "jhash ip saddr . udp sport mod " + std::to_string(values.size()) + " map {";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(i) + " : " + values[i];
  }
  return text + " }";
}

Contestant nft_contestant(const Bed& bed, const char* name, const std::string& table,
                          Arrival arrival) {
  const auto load = [&bed](const std::string& rules) { return bed.balancer().feed(kNft, rules); };
  return {.name = name,
          .put = [load, table] { return load(table); },
          .take_away = [load] { return load(kFlushRules); },
          .arrival = std::move(arrival)};
}

std::string netdev_table(size_t backends) {
  const std::vector<std::string> macs(backends, kVbMac);
  return "table netdev bench {\n"
         "  chain ingress {\n"
         "    type filter hook ingress device vla priority 0; policy accept;\n"
         "    ip daddr " +
         std::string(kVip) + " udp dport 80 ether saddr set " + kVlbMac + " ether daddr set " +
         chosen_of(macs) +
         " fwd to vlb\n"
         "  }\n"
         "}\n";
}

std::string dnat_table(const std::vector<std::string>& backends) {
  return "table ip bench {\n"
         "  chain prerouting {\n"
         "    type nat hook prerouting priority dstnat; policy accept;\n"
         "    ip daddr " +
         std::string(kVip) + " udp dport 80 dnat to " + chosen_of(backends) +
         "\n"
         "  }\n"
         "}\n";
}

}  // namespace

std::vector<std::string> backend_addresses(uint32_t count) {
  const control::Config config = config_of({.backends = count});
  std::vector<std::string> addresses;
  for (const control::NodeConfig& node : config.upstreams.front().nodes) {
    addresses.push_back(node.address.to_string());
  }
  return addresses;
}

Result<std::vector<Contestant>> make_contestants(const Bed& bed,
                                                 const std::vector<std::string>& backends) {
  std::vector<Contestant> contestants;
  auto rampart = rampart_contestant(bed, backends);
  if (!rampart) return rampart.error();
  contestants.push_back(std::move(*rampart));
  contestants.push_back(nft_contestant(bed, kNetdev, netdev_table(backends.size()), {}));
  contestants.push_back(nft_contestant(bed, kDnat, dnat_table(backends),
                                       {.address = "10.201.0.0", .netmask = "255.255.0.0"}));
  return contestants;
}

}  // namespace rampart::bench
