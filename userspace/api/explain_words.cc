// SPDX-License-Identifier: Apache-2.0
#include "api/explain_words.h"

#include "dataplane/flow_list.h"
#include "rampart/explanation.h"
#include "rampart/flows.h"
#include "rampart/members.h"

namespace rampart::api {
namespace {

using dataplane::Explanation;
using dataplane::KnownFlow;

const char* hashed(const Asked& asked) {
  const bool source_ip =
      asked.upstream.algorithm == RP_CHASH && asked.vip.hash_on == RP_HASH_SOURCE_IP;
  return source_ip ? "the hash of the client's address" : "the hash of the 5-tuple";
}

std::string how_chosen(const Asked& asked) {
  const std::string slot =
      "slot " + std::to_string(asked.answer.slot) + " of " + std::to_string(asked.vip.table_size);
  if (asked.answer.why & RP_WHY_BY_HASH || asked.upstream.algorithm == RP_CHASH) {
    return slot + ", by " + hashed(asked);
  }
  if (asked.upstream.algorithm == RP_ROUNDROBIN) {
    return "roundrobin, " + slot + ", which is next for CPU " + std::to_string(asked.answer.cpu) +
           " (each CPU walks over the table on its own)";
  }
  const char* among = asked.members <= RP_LEAST_ALL ? "of all nodes" : "of eight nodes drawn";
  return std::string("least_conn, ") + among + " it has the fewest flows for its weight";
}

std::string why_over(const KnownFlow& flow) {
  switch (flow.backend) {
    case KnownFlow::Backend::kGone:
      return "its backend is gone";
    case KnownFlow::Backend::kLeft:
      return "its backend is down or in maintenance";
    case KnownFlow::Backend::kThere:
      break;
  }
  if (flow.state == RP_FLOW_CLOSING) return "it was closed";
  return "it was silent for " + std::to_string(flow.idle_seconds) + " s";
}

std::string why_kept(const KnownFlow& flow) {
  return std::string("its flow is known (") + dataplane::flow_state_name(flow.state) +
         ", last packet " + std::to_string(flow.idle_seconds) +
         " s ago), and a flow keeps its backend";
}

// Why it is no more than a packet: what keeps it from an entry.
std::string why_no_entry(const Asked& asked) {
  if (asked.answer.why & RP_WHY_LIMITED) {
    return "a new flow without an entry, as bpf.new_flow_limit_per_cpu is reached on CPU " +
           std::to_string(asked.answer.cpu);
  }
  if (asked.answer.why & RP_WHY_FULL) {
    return "a new flow without an entry, as no flow where it would lie gives way (bpf.max_flows)";
  }
  return "a new flow";
}

}  // namespace

std::string reason_of(const Asked& asked) {
  const Explanation& answer = asked.answer;
  if (answer.why & RP_WHY_LIVE && answer.flow) return why_kept(*answer.flow);
  std::string text = why_no_entry(asked);
  if (answer.why & RP_WHY_DEAD && answer.flow) {
    text += " (it had one before, but " + why_over(*answer.flow) + ")";
  }
  if (answer.backend == 0) return text;
  text += ": " + how_chosen(asked);
  if (answer.why & RP_WHY_WALKED_ON) {
    text += "; nodes before it hold another flow of this client's address and port";
  }
  return text;
}

bool taken_from_slot(const Asked& asked) {
  const uint32_t why = asked.answer.why;
  if (asked.answer.backend == 0 || why & RP_WHY_LIVE) return false;
  return asked.upstream.algorithm != RP_LEAST_CONN || why & (RP_WHY_BY_HASH | RP_WHY_WALKED_ON);
}

}  // namespace rampart::api
