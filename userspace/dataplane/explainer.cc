// SPDX-License-Identifier: Apache-2.0
#include "dataplane/explainer.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>

#include <cstring>
#include <utility>
#include <vector>

#include "bpf/flow_word.h"
#include "dataplane/flow_list.h"
#include "dataplane/flow_sweeper.h"
#include "dataplane/skeleton.h"
#include "maps/backend_state.h"
#include "rampart.skel.h"

namespace rampart::dataplane {
namespace {

constexpr uint8_t kTtl = 64;

template <typename Header>
void append(std::vector<uint8_t>& frame, const Header& header) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  frame.insert(frame.end(), bytes, bytes + sizeof header);
}

// Checksums are left out: the program reads none, and what it writes nobody sends.
std::vector<uint8_t> frame_of(const Probe& probe) {
  const bool is_udp = probe.protocol == IPPROTO_UDP;
  const size_t l4 = is_udp ? sizeof(udphdr) : sizeof(tcphdr);
  ether_header eth = {};
  eth.ether_type = htons(ETHERTYPE_IP);
  iphdr ip = {};
  ip.version = 4;
  ip.ihl = sizeof ip / 4;
  ip.tot_len = htons(static_cast<uint16_t>(sizeof ip + l4));
  ip.ttl = kTtl;
  ip.protocol = probe.protocol;
  ip.saddr = probe.client.v4();
  ip.daddr = probe.vip.v4();
  std::vector<uint8_t> frame;
  append(frame, eth);
  append(frame, ip);
  if (is_udp) {
    udphdr udp = {};
    udp.source = htons(probe.client_port);
    udp.dest = htons(probe.vip_port);
    udp.len = htons(sizeof udp);
    append(frame, udp);
  } else {
    tcphdr tcp = {};
    tcp.source = htons(probe.client_port);
    tcp.dest = htons(probe.vip_port);
    tcp.doff = sizeof tcp / 4;
    tcp.syn = 1;
    append(frame, tcp);
  }
  return frame;
}

Result<void> run(int program_fd, const std::vector<uint8_t>& frame, uint32_t ifindex) {
  xdp_md context = {};
  context.data_end = static_cast<uint32_t>(frame.size());
  context.ingress_ifindex = ifindex;
  bpf_test_run_opts options = {};
  options.sz = sizeof options;
  options.data_in = frame.data();
  options.data_size_in = static_cast<uint32_t>(frame.size());
  options.ctx_in = &context;
  options.ctx_size_in = sizeof context;
  const int error = bpf_prog_test_run_opts(program_fd, &options);
  if (error != 0) return system_error("run rampart_explain", -error);
  return {};
}

KnownFlow known_flow(uint64_t word, const maps::MappedArray<rp_backend>& backends) {
  const rp_backend* backend = backend_of_word(word, backends);
  KnownFlow flow{.state = word_state(word), .idle_seconds = flow_age(word, FlowSweeper::now())};
  if (backend == nullptr) {
    flow.backend = KnownFlow::Backend::kGone;
  } else if (maps::flows_move(*backend)) {
    flow.backend = KnownFlow::Backend::kLeft;
  }
  return flow;
}

}  // namespace

Explainer::Explainer(std::unique_ptr<Skeleton> skeleton) : skeleton_(std::move(skeleton)) {}
Explainer::~Explainer() = default;

Result<std::unique_ptr<Explainer>> Explainer::load(const ObjectOptions& options) {
  auto opened =
      open_skeleton(options, instance_folder(options.pin_path, options.instance), Entry::kExplain);
  if (!opened) return opened.error();
  if (auto loaded = load_skeleton(**opened); !loaded) return loaded.error();
  return std::unique_ptr<Explainer>(new Explainer(std::move(*opened)));
}

Result<Explanation> Explainer::ask(const Probe& probe,
                                   const maps::MappedArray<rp_backend>& backends) const {
  const rampart_bpf& bpf = *skeleton_->bpf;
  const int program = bpf_program__fd(bpf.progs.rampart_explain);
  if (auto done = run(program, frame_of(probe), probe.ifindex); !done) return done.error();
  const uint32_t zero = 0;
  rp_explanation answer = {};
  if (bpf_map_lookup_elem(bpf_map__fd(bpf.maps.rp_explained), &zero, &answer) != 0) {
    return system_error("read rp_explained", errno);
  }
  Explanation explanation{.outcome = static_cast<rp_outcome>(answer.outcome),
                          .backend = answer.backend,
                          .slot = answer.slot,
                          .why = answer.why,
                          .cpu = answer.cpu,
                          .flow = std::nullopt};
  if (answer.word != 0) explanation.flow = known_flow(answer.word, backends);
  return explanation;
}

}  // namespace rampart::dataplane
