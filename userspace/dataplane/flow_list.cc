// SPDX-License-Identifier: Apache-2.0
#include "dataplane/flow_list.h"

#include "bpf/flow_word.h"

namespace rampart::dataplane {
namespace {

bool is_shown(uint64_t word, const maps::MappedArray<rp_backend>& backends) {
  if (!holds_flow(word) || word_marks(word) & RP_FLOW_REPLY) return false;
  const uint32_t id = word_backend(word);
  return id < backends.size() && !is_stale(word, maps::load(backends.at(id).state));
}

}  // namespace

std::vector<Flow> list_flows(const maps::FlowTable& table,
                             const maps::MappedArray<rp_backend>& backends, uint32_t now,
                             size_t limit, const std::function<bool(uint32_t backend)>& wanted) {
  std::vector<Flow> flows;
  for (uint32_t place = 0; place < table.places() && flows.size() < limit; ++place) {
    const uint64_t word = table.word(place);
    if (!is_shown(word, backends) || !wanted(word_backend(word))) continue;
    const auto record = table.record(place);
    if (!record || !is_shown(record->word, backends) || !wanted(word_backend(record->word)))
      continue;
    flows.push_back({.backend = word_backend(record->word),
                     .state = word_state(record->word),
                     .idle_seconds = flow_age(record->word, now),
                     .revived = (word_marks(record->word) & RP_FLOW_REVIVED) != 0,
                     .origin = record->origin});
  }
  return flows;
}

const char* flow_state_name(uint32_t state) {
  switch (state) {
    case RP_FLOW_SYN:
      return "syn";
    case RP_FLOW_ESTABLISHED:
      return "established";
    case RP_FLOW_CLOSING:
      return "closing";
    default:
      return "udp";
  }
}

}  // namespace rampart::dataplane
