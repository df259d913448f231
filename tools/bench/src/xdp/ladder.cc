// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/ladder.h"

#include <bpf/libbpf.h>

#include <cerrno>

#include "bench/src/xdp/shared_maps.h"
#include "ladder.skel.h"
#include "rampart/flows.h"

namespace rampart::bench {

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> all = {
      {"l2:parse", "headers down to the ports"},
      {"l2:vip", "the VIP's number, by hash"},
      {"l2:tag", "rest of the headers, clock, tag"},
      {"l2:find", "the entry, in one of two buckets"},
      {"l2:choose", "its word: live, backend, new second"},
      {"l2:forward", "next hop, port, MAC addresses"},
  };
  return all;
}

Result<std::shared_ptr<Ladder>> Ladder::load(const std::string& folder, const Setting& setting) {
  std::shared_ptr<Ladder> ladder(new Ladder());
  ladder_bpf* skeleton = ladder->skeleton_ = ladder_bpf__open();
  if (skeleton == nullptr) return system_error("open the ladder", errno);
  if (auto shared = share_maps(skeleton->obj, folder); !shared) return shared.error();
  skeleton->rodata->rp_config = {.new_flow_limit_per_cpu = setting.new_flow_limit_per_cpu,
                                 .flow_buckets = RP_FLOW_BUCKETS(setting.max_flows),
                                 .explains = 0};
  bpf_program__set_autoload(skeleton->progs.rampart_xdp, false);
  for (bpf_program* rung :
       {skeleton->progs.rung_parse, skeleton->progs.rung_vip, skeleton->progs.rung_tag,
        skeleton->progs.rung_find, skeleton->progs.rung_choose, skeleton->progs.rung_forward}) {
    bpf_program__set_autoload(rung, true);
  }
  const int failed = ladder_bpf__load(skeleton);
  if (failed != 0) return system_error("load the ladder", -failed);
  return ladder;
}

Ladder::~Ladder() {
  ladder_bpf__destroy(skeleton_);
}

std::vector<int> Ladder::program_fds() const {
  const auto& programs = skeleton_->progs;
  std::vector<int> fds;
  for (const bpf_program* rung :
       {programs.rung_parse, programs.rung_vip, programs.rung_tag, programs.rung_find,
        programs.rung_choose, programs.rung_forward}) {
    fds.push_back(bpf_program__fd(rung));
  }
  return fds;
}

}  // namespace rampart::bench
