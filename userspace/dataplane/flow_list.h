// SPDX-License-Identifier: Apache-2.0
// The flow table for people: each flow once, as it was at some moment while the table was read.
#ifndef RAMPART_USERSPACE_DATAPLANE_FLOW_LIST_H_
#define RAMPART_USERSPACE_DATAPLANE_FLOW_LIST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "maps/flows.h"
#include "rampart/values.h"

namespace rampart::dataplane {

// The backend that a word names; NULL if the word is stale (F3).
const rp_backend* backend_of_word(uint64_t word, const maps::MappedArray<rp_backend>& backends);

struct Flow {
  uint32_t backend = 0;  // id
  uint32_t state = 0;    // enum rp_flow_state
  uint32_t idle_seconds = 0;
  bool revived = false;  // it went on after a lone FIN or RST
  rp_flow_origin origin = {};
};

// Flows whose backend's id `wanted` accepts, at most `limit`, in the order of the table, which is none.
// Left out: reply entries, which are no flows of their own, and what is stale but not swept yet.
std::vector<Flow> list_flows(const maps::FlowTable& table,
                             const maps::MappedArray<rp_backend>& backends, uint32_t now,
                             size_t limit, const std::function<bool(uint32_t backend)>& wanted);

// "syn", "established", "closing" or "udp".
const char* flow_state_name(uint32_t state);

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_FLOW_LIST_H_
