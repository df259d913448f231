// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/shared_maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/fd.h"

namespace rampart::bench {

Result<void> share_maps(bpf_object* object, const std::string& folder) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    const Fd pinned(bpf_obj_get((folder + "/" + bpf_map__name(map)).c_str()));
    if (!pinned) continue;
    if (const int failed = bpf_map__reuse_fd(map, pinned.get()); failed != 0) {
      return system_error(std::string("share ") + bpf_map__name(map), -failed);
    }
  }
  return {};
}

}  // namespace rampart::bench
