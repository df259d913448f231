// SPDX-License-Identifier: Apache-2.0
#include "maps/flows.h"

namespace rampart::maps {
namespace {

bool holds_flow(uint64_t word) {
  const uint32_t state = word >> RP_FLOW_STATE_SHIFT & 0xf;
  return state != RP_FLOW_FREE && state != RP_FLOW_TAKEN && state != RP_FLOW_NAMED;
}

}  // namespace

std::optional<FlowRecord> FlowTable::record(uint32_t place) const {
  const uint64_t word_then = word(place);
  if (!holds_flow(word_then)) return std::nullopt;
  const rp_flow_origin& there = origins_.at(place);
  rp_flow_origin origin = {};
  origin.tag = load(there.tag);
  origin.client = there.client;
  origin.client_port = there.client_port;
  origin.vip_port = there.vip_port;
  // What was written after the tag above belongs to an entry whose tag is written already.
  const uint64_t word_now = word(place);
  const bool is_same = holds_flow(word_now) && static_cast<uint32_t>(word_now ^ word_then) == 0;
  if (!is_same || origin.tag != static_cast<uint32_t>(tag(place))) return std::nullopt;
  return FlowRecord{.word = word_then, .origin = origin};
}

}  // namespace rampart::maps
