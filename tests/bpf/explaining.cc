// SPDX-License-Identifier: Apache-2.0
#include "bpf/explaining.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "rampart.skel.h"

namespace rampart::bpf_test {
namespace {

Bytes bytes_of(const bpf_map* map) {
  const bool per_cpu = bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY;
  const size_t value_size = per_cpu ? (bpf_map__value_size(map) + 7) / 8 * 8 *
                                          static_cast<size_t>(libbpf_num_possible_cpus())
                                    : bpf_map__value_size(map);
  Bytes value(value_size);
  Bytes key(bpf_map__key_size(map)), next(key);
  Bytes all;
  const int fd = bpf_map__fd(map);
  bool first = true;
  while (bpf_map_get_next_key(fd, first ? nullptr : key.data(), next.data()) == 0) {
    key = next;
    first = false;
    EXPECT_EQ(bpf_map_lookup_elem(fd, key.data(), value.data()), 0);
    all.insert(all.end(), value.begin(), value.end());
  }
  return all;
}

}  // namespace

Explaining::Explaining(const PacketPath& path) : path_(path), skeleton_(rampart_bpf__open()) {
  skeleton_->rodata->rp_config = path.skeleton()->rodata->rp_config;
  skeleton_->rodata->rp_config.explains = 1;
  bpf_program__set_autoload(skeleton_->progs.rampart_xdp, false);
  bpf_program__set_autoload(skeleton_->progs.rampart_explain, true);
  share_maps(*skeleton_, *path.skeleton());
  EXPECT_EQ(rampart_bpf__load(skeleton_), 0);
}

Explaining::~Explaining() {
  rampart_bpf__destroy(skeleton_);
}

rp_explanation Explaining::ask(const Packet& packet) const {
  run_program(bpf_program__fd(skeleton_->progs.rampart_explain), packet.to_bytes(), kLoopback);
  const uint32_t zero = 0;
  rp_explanation answer = {};
  EXPECT_EQ(bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.rp_explained), &zero, &answer), 0);
  return answer;
}

std::map<std::string, Bytes> Explaining::contents() const {
  std::map<std::string, Bytes> all;
  const bpf_map* map = nullptr;
  bpf_object__for_each_map(map, path_.skeleton()->obj) {
    const std::string name = bpf_map__name(map);
    const bool skipped = bpf_map__is_internal(map) || name == "rp_explained" ||
                         bpf_map__type(map) == BPF_MAP_TYPE_QUEUE ||
                         bpf_map__type(map) == BPF_MAP_TYPE_ARRAY_OF_MAPS;
    if (!skipped) all[name] = bytes_of(map);
  }
  return all;
}

}  // namespace rampart::bpf_test
