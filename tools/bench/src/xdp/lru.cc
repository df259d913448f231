// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/lru.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "bench/src/xdp/shared_maps.h"
#include "lru.skel.h"
#include "rampart/flows.h"

namespace rampart::bench {
namespace {

constexpr uint32_t kBatch = 4096;

// Fills the hash with flows that no packet of the bench belongs to.
Result<void> fill(int map, uint32_t flows) {
  std::vector<rp_tuple> keys(kBatch);
  const std::vector<rp_flow> values(kBatch);
  for (uint32_t first = 0; first < flows; first += kBatch) {
    for (uint32_t i = 0; i < kBatch; ++i) keys[i].source.word[0] = first + i + 1;
    uint32_t count = std::min(kBatch, flows - first);
    if (bpf_map_update_batch(map, keys.data(), values.data(), &count, nullptr) != 0) {
      return system_error("fill the LRU_HASH", errno);
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<LruPath>> LruPath::load(const Setting& setting) {
  Setting small = setting;
  small.max_flows = 1;
  auto pinned = pin(passing_folder(), small);
  if (!pinned) return pinned.error();
  std::shared_ptr<LruPath> path(new LruPath(std::move(*pinned)));
  lru_bpf* skeleton = path->skeleton_ = lru_bpf__open();
  Result<void> done;
  if (skeleton == nullptr) {
    done = system_error("open the program on LRU_HASH", errno);
  } else if (done = share_maps(skeleton->obj, path->pinned_.object->folder()); done) {
    bpf_map__set_max_entries(skeleton->maps.rp_lru, setting.max_flows);
    skeleton->rodata->rp_config = {.new_flow_limit_per_cpu = setting.new_flow_limit_per_cpu,
                                   .flow_buckets = RP_FLOW_BUCKETS(small.max_flows),
                                   .explains = 0};
    if (const int failed = lru_bpf__load(skeleton); failed != 0) {
      done = system_error("load the program on LRU_HASH", -failed);
    } else {
      done = fill(bpf_map__fd(skeleton->maps.rp_lru), setting.max_flows);
    }
  }
  remove_passing();
  if (!done) return done.error();
  return path;
}

LruPath::~LruPath() {
  lru_bpf__destroy(skeleton_);
}

int LruPath::program_fd() const {
  return bpf_program__fd(skeleton_->progs.rampart_xdp);
}

uint64_t LruPath::map_bytes() const {
  return bench::memory_of(bpf_map__fd(skeleton_->maps.rp_lru));
}

}  // namespace rampart::bench
