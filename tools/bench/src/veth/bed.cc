// SPDX-License-Identifier: Apache-2.0
#include "bench/src/veth/bed.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/sockios.h>
#include <linux/udp.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "maps/typed_map.h"
#include "wire.skel.h"

namespace rampart::bench {
namespace {

constexpr char kVaMac[] = "02:00:00:00:0a:01";
constexpr char kVlaMac[] = "02:00:00:00:0a:02";
constexpr char kIp[] = "ip -batch -";
constexpr size_t kFrameBytes = 60;  // the smallest, as drivers see it
using Frame = std::array<uint8_t, kFrameBytes>;

uint16_t checksum_of(const iphdr& ip) {
  std::array<uint16_t, sizeof ip / 2> words;
  std::memcpy(words.data(), &ip, sizeof ip);
  uint32_t sum = 0;
  for (const uint16_t word : words) sum += word;
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~(sum + (sum >> 16)));
}

void copy_mac(uint8_t* to, const char* text) {
  ether_addr mac = {};
  ether_aton_r(text, &mac);
  std::memcpy(to, mac.ether_addr_octet, ETH_ALEN);
}

// UDP from the sender to the VIP, without a checksum of its own.
Frame frame_to_vip() {
  ethhdr eth = {};
  copy_mac(eth.h_dest, kVlaMac);
  copy_mac(eth.h_source, kVaMac);
  eth.h_proto = htons(ETH_P_IP);
  iphdr ip = {};
  ip.version = 4;
  ip.ihl = 5;
  ip.ttl = 64;
  ip.protocol = IPPROTO_UDP;
  ip.tot_len = htons(kFrameBytes - sizeof eth);
  inet_pton(AF_INET, "10.1.0.1", &ip.saddr);
  inet_pton(AF_INET, kVip, &ip.daddr);
  ip.check = checksum_of(ip);
  udphdr udp = {};
  udp.dest = htons(80);
  udp.len = htons(kFrameBytes - sizeof eth - sizeof ip);

  Frame frame = {};
  std::memcpy(frame.data(), &eth, sizeof eth);
  std::memcpy(frame.data() + sizeof eth, &ip, sizeof ip);
  std::memcpy(frame.data() + sizeof eth + sizeof ip, &udp, sizeof udp);
  return frame;
}

Result<void> turn_gro_on(const char* interface) {
  ethtool_value on = {.cmd = ETHTOOL_SGRO, .data = 1};
  ifreq request = {};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&on);
  const Fd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (ioctl(any.get(), SIOCETHTOOL, &request) == 0) return {};
  return system_error(std::string("GRO of ") + interface, errno);
}

std::string pair_of(const std::string& name, const char* mac, const std::string& peer,
                    const char* peer_mac, const Namespace& peer_home) {
  return "link add " + name + " address " + mac + " type veth peer name " + peer + " address " +
         peer_mac + " netns " + peer_home.path() + "\n";
}

}  // namespace

Bed::Bed(Namespace sender, Namespace balancer, Namespace receiver)
    : sender_(std::move(sender)), balancer_(std::move(balancer)), receiver_(std::move(receiver)) {}

Bed::~Bed() {
  wire_bpf__destroy(wire_);
}

Result<std::unique_ptr<Bed>> Bed::make(const std::vector<std::string>& backends) {
  auto sender = Namespace::make();
  if (!sender) return sender.error();
  auto balancer = Namespace::make();
  if (!balancer) return balancer.error();
  auto receiver = Namespace::make();
  if (!receiver) return receiver.error();
  std::unique_ptr<Bed> bed(new Bed(std::move(*sender), std::move(*balancer), std::move(*receiver)));
  if (auto laid = bed->lay_out(backends); !laid) return laid.error();
  if (auto loaded = bed->load(); !loaded) return loaded.error();
  if (auto attached = bed->attach_sink(); !attached) return attached.error();
  if (auto entered = bed->sender_.enter(); !entered) return entered.error();
  bed->va_ = if_nametoindex("va");
  return bed;
}

Result<void> Bed::lay_out(const std::vector<std::string>& backends) {
  std::string lines =
      "link set vla up\nlink set vlb up\naddr add 10.1.0.254/24 dev vla\n"
      "addr add 10.201.255.254/16 dev vlb\n";
  for (const std::string& backend : backends) {
    lines += "neigh add " + backend + " lladdr " + kVbMac + " dev vlb nud permanent\n";
  }
  const std::string first = pair_of("va", kVaMac, "vla", kVlaMac, balancer_);
  const std::string second = pair_of("vlb", kVlbMac, "vb", kVbMac, receiver_);
  if (auto done = sender_.feed(kIp, first + "link set va up\n"); !done) return done;
  if (auto done = balancer_.feed(kIp, second + lines); !done) return done;
  if (auto done = receiver_.feed(kIp, "link set vb up\n"); !done) return done;
  if (auto done = balancer_.set("ipv4/ip_forward", "1"); !done) return done;
  return balancer_.inside([this]() -> Result<void> {
    vla_ = if_nametoindex("vla");
    vlb_ = if_nametoindex("vlb");
    return turn_gro_on("vla");
  });
}

Result<void> Bed::load() {
  wire_ = wire_bpf__open_and_load();
  if (wire_ == nullptr) return system_error("load sender and sink", errno);
  const Frame frame = frame_to_vip();
  static_assert(sizeof wire_->bss->headers <= kFrameBytes);
  std::memcpy(wire_->bss->headers, frame.data(), sizeof wire_->bss->headers);
  copy_mac(wire_->bss->expected_mac, kVbMac);
  return {};
}

Result<void> Bed::attach_sink() {
  return receiver_.inside([this]() -> Result<void> {
    const int program = bpf_program__fd(wire_->progs.sink);
    const int vb = static_cast<int>(if_nametoindex("vb"));
    const int error = bpf_xdp_attach(vb, program, XDP_FLAGS_DRV_MODE, nullptr);
    return error == 0 ? Result<void>() : system_error("attach the sink", -error);
  });
}

Result<double> Bed::send(uint32_t frames, uint32_t flows, const Arrival& arrival) {
  auto& wire = *wire_->bss;
  wire.flow_mask = flows - 1;
  wire.expected_frames = frames;
  inet_pton(AF_INET, arrival.address.c_str(), &wire.expected_address);
  inet_pton(AF_INET, arrival.netmask.c_str(), &wire.expected_netmask);
  wire.sent = wire.received = wire.wrong = wire.sent_first_at = wire.received_last_at = 0;

  const Frame frame = frame_to_vip();
  xdp_md context = {};
  context.data_end = kFrameBytes;
  context.ingress_ifindex = va_;
  LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame.data(), .data_size_in = kFrameBytes,
              .ctx_in = &context, .ctx_size_in = sizeof context, .repeat = static_cast<int>(frames),
              .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
  const int error = bpf_prog_test_run_opts(bpf_program__fd(wire_->progs.send), &options);
  if (error != 0) return system_error("send live frames", -error);

  // The rest of the last batch may be a softirq daemon's work.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const auto arrived = [&] { return maps::load(wire.received) + maps::load(wire.wrong); };
  while (arrived() < frames && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (wire.sent != frames || wire.received != frames || wire.wrong != 0) {
    return Error{Code::kFailed, std::to_string(wire.sent) + " frames sent, " +
                                    std::to_string(wire.received) + " received, " +
                                    std::to_string(wire.wrong) + " arrived wrong"};
  }
  return frames * 1e3 / static_cast<double>(wire.received_last_at - wire.sent_first_at);
}

}  // namespace rampart::bench
