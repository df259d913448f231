// SPDX-License-Identifier: Apache-2.0
#include "dataplane/flow_list.h"

#include "bpf/flow_word.h"

namespace rampart::dataplane {
namespace {

bool is_flow(uint64_t word) {
  return holds_flow(word) && !(word_marks(word) & RP_FLOW_REPLY);
}

}  // namespace

const rp_backend* backend_of_word(uint64_t word, const maps::MappedArray<rp_backend>& backends) {
  const uint32_t id = word_backend(word);
  if (id >= backends.size()) return nullptr;
  const rp_backend& backend = backends.at(id);
  return is_stale(word, maps::load(backend.state)) ? nullptr : &backend;
}

std::vector<Flow> list_flows(const maps::FlowTable& table,
                             const maps::MappedArray<rp_backend>& backends, uint32_t now,
                             size_t limit, const std::function<bool(uint32_t backend)>& wanted) {
  std::vector<Flow> flows;
  for (uint32_t place = 0; place < table.places() && flows.size() < limit; ++place) {
    const uint64_t word = table.word(place);
    if (!is_flow(word) || !wanted(word_backend(word))) continue;
    if (backend_of_word(word, backends) == nullptr) continue;
    const auto origin = table.origin(place, word);
    if (!origin) continue;
    flows.push_back({.backend = word_backend(word),
                     .state = word_state(word),
                     .idle_seconds = flow_age(word, now),
                     .revived = (word_marks(word) & RP_FLOW_REVIVED) != 0,
                     .origin = *origin});
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
