// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_SHARED_MAPS_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_SHARED_MAPS_H_

#include <string>

#include "base/result.h"

struct bpf_object;

namespace rampart::bench {

// Has an opened object use every map that is pinned in `folder` as it is.
Result<void> share_maps(bpf_object* object, const std::string& folder);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_SHARED_MAPS_H_
