// SPDX-License-Identifier: Apache-2.0
// The packet path with its flows in the kernel's LRU_HASH (lru/bpf/choose.h), loaded.
//
// The hash is full from the start, as it is in operation: nothing leaves an LRU_HASH but by giving way
// to something newer.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_LRU_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_LRU_H_

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "bench/src/xdp/pinned.h"

struct lru_bpf;

namespace rampart::bench {

class LruPath {
 public:
  // Configured as the setting says; the hash has the same number of flows.
  static Result<std::shared_ptr<LruPath>> load(const Setting& setting);
  ~LruPath();
  LruPath(const LruPath&) = delete;

  int program_fd() const;
  Pinned& pinned() { return pinned_; }  // all maps but the hash
  uint64_t map_bytes() const;           // of the hash

 private:
  explicit LruPath(Pinned pinned) : pinned_(std::move(pinned)) {}

  Pinned pinned_;
  lru_bpf* skeleton_ = nullptr;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_LRU_H_
