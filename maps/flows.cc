// SPDX-License-Identifier: Apache-2.0
#include "maps/flows.h"

namespace rampart::maps {

std::optional<rp_flow_origin> FlowTable::origin(uint32_t place, uint64_t word_then) const {
  const rp_flow_origin& there = origins_.at(place);
  rp_flow_origin origin = {};
  origin.tag = load(there.tag);
  origin.client = there.client;
  origin.client_port = there.client_port;
  origin.vip_port = there.vip_port;
  // What was written after the tag above belongs to an entry whose tag is written already. An entry
  // that is free or being made names no backend.
  const bool is_same = static_cast<uint32_t>(word(place) ^ word_then) == 0;
  if (!is_same || origin.tag != static_cast<uint32_t>(tag(place))) return std::nullopt;
  return origin;
}

}  // namespace rampart::maps
