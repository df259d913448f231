// SPDX-License-Identifier: Apache-2.0
// Each sentence of rampart explain, from what the packet program answers.
#include "api/explain_words.h"

#include <gtest/gtest.h>

#include "rampart/explanation.h"
#include "rampart/flows.h"
#include "rampart/members.h"

namespace rampart::api {
namespace {

using dataplane::Explanation;
using dataplane::KnownFlow;

// What was asked, with everything that it refers to.
struct Case {
  rp_algorithm algorithm = RP_ROUNDROBIN;
  rp_hash_on hash_on = RP_HASH_5TUPLE;
  size_t members = 2;
  Explanation answer = {.backend = 7, .slot = 5, .cpu = 1, .flow = {}};
};

template <typename Function>
auto of(const Case& one, Function function) {
  control::VipConfig vip;
  vip.table_size = 4093;
  vip.hash_on = one.hash_on;
  control::UpstreamConfig upstream;
  upstream.algorithm = one.algorithm;
  return function(
      Asked{.vip = vip, .upstream = upstream, .members = one.members, .answer = one.answer});
}

std::string reason(const Case& one) {
  return of(one, reason_of);
}
bool by_slot(const Case& one) {
  return of(one, taken_from_slot);
}

Case chash(rp_hash_on hash_on) {
  return {.algorithm = RP_CHASH, .hash_on = hash_on};
}
Case least_conn(size_t members) {
  return {.algorithm = RP_LEAST_CONN, .members = members};
}
Case because(Case one, uint32_t why) {
  one.answer.why |= why;
  return one;
}
Case with_flow(uint32_t why, uint32_t state, uint32_t idle,
               KnownFlow::Backend backend = KnownFlow::Backend::kThere) {
  Case one = because(chash(RP_HASH_5TUPLE), why);
  one.answer.flow = KnownFlow{.state = state, .idle_seconds = idle, .backend = backend};
  return one;
}
Case to_nobody(Case one) {
  one.answer.backend = 0;
  return one;
}

TEST(ExplainWords, SayHowEachAlgorithmChooses) {
  EXPECT_EQ(
      reason({}),
      "a new flow: roundrobin, slot 5 of 4093, which is next for CPU 1 (each CPU walks over the "
      "table on its own)");
  EXPECT_EQ(reason(chash(RP_HASH_5TUPLE)),
            "a new flow: slot 5 of 4093, by the hash of the 5-tuple");
  EXPECT_EQ(reason(chash(RP_HASH_SOURCE_IP)),
            "a new flow: slot 5 of 4093, by the hash of the client's address");
}

TEST(ExplainWords, LeastConnLooksAtAllNodesOrAtEightOfThem) {  // L2
  EXPECT_EQ(reason(least_conn(RP_LEAST_ALL)),
            "a new flow: least_conn, of all nodes it has the fewest flows for its weight");
  EXPECT_EQ(reason(least_conn(RP_LEAST_ALL + 1)),
            "a new flow: least_conn, of eight nodes drawn it has the fewest flows for its weight");
}

// source_ip is a word of chash: without an entry the others take the 5-tuple.
TEST(ExplainWords, WithoutAnEntryTheHashChoosesWhateverTheAlgorithm) {  // F4 F8 F9
  Case one = because(least_conn(2), RP_WHY_BY_HASH);
  one.hash_on = RP_HASH_SOURCE_IP;
  EXPECT_EQ(reason(one), "a new flow: slot 5 of 4093, by the hash of the 5-tuple");
  EXPECT_EQ(
      reason(because({}, RP_WHY_BY_HASH | RP_WHY_LIMITED)),
      "a new flow without an entry, as bpf.new_flow_limit_per_cpu is reached on CPU 1: slot 5 of "
      "4093, by the hash of the 5-tuple");
  EXPECT_EQ(
      reason(because({}, RP_WHY_BY_HASH | RP_WHY_FULL)),
      "a new flow without an entry, as no flow where it would lie gives way (bpf.max_flows): slot "
      "5 of 4093, by the hash of the 5-tuple");
}

TEST(ExplainWords, AFlowThatIsLiveKeepsItsBackend) {  // F1
  EXPECT_EQ(reason(with_flow(RP_WHY_LIVE, RP_FLOW_ESTABLISHED, 3)),
            "its flow is known (established, last packet 3 s ago), and a flow keeps its backend");
}

TEST(ExplainWords, AFlowThatIsOverIsSaidToHaveBeen) {  // F2 F3
  struct Over {
    uint32_t state;
    KnownFlow::Backend backend;
    const char* why;
  };
  for (const Over& over :
       {Over{RP_FLOW_CLOSING, KnownFlow::Backend::kThere, "it was closed"},
        Over{RP_FLOW_ESTABLISHED, KnownFlow::Backend::kThere, "it was silent for 9 s"},
        Over{RP_FLOW_CLOSING, KnownFlow::Backend::kGone, "its backend is gone"},
        Over{RP_FLOW_UDP, KnownFlow::Backend::kLeft, "its backend is down or in maintenance"}}) {
    EXPECT_EQ(reason(with_flow(RP_WHY_DEAD, over.state, 9, over.backend)),
              std::string("a new flow (it had one before, but ") + over.why +
                  "): slot 5 of 4093, by the hash of the 5-tuple");
  }
}

TEST(ExplainWords, NodesThatHoldAnotherFlowOfTheClientAreNamed) {  // F11
  EXPECT_EQ(
      reason(because(chash(RP_HASH_5TUPLE), RP_WHY_WALKED_ON)),
      "a new flow: slot 5 of 4093, by the hash of the 5-tuple; nodes before it hold another flow "
      "of this client's address and port");
}

TEST(ExplainWords, WhereNobodyIsChosenNoSlotIsNamed) {
  EXPECT_EQ(reason(to_nobody({})), "a new flow");
  EXPECT_EQ(reason(to_nobody(because({}, RP_WHY_WALKED_ON))), "a new flow");
}

TEST(ExplainWords, ASlotIsShownWhereOneWasTaken) {
  EXPECT_TRUE(by_slot({}));
  EXPECT_TRUE(by_slot(chash(RP_HASH_5TUPLE)));
  EXPECT_FALSE(by_slot(least_conn(2)));
  EXPECT_TRUE(by_slot(because(least_conn(2), RP_WHY_BY_HASH)));
  EXPECT_TRUE(by_slot(because(least_conn(2), RP_WHY_WALKED_ON)));
  EXPECT_FALSE(by_slot(with_flow(RP_WHY_LIVE, RP_FLOW_ESTABLISHED, 3)));
  EXPECT_TRUE(by_slot(with_flow(RP_WHY_DEAD, RP_FLOW_CLOSING, 3)));
  EXPECT_FALSE(by_slot(to_nobody({})));
}

}  // namespace
}  // namespace rampart::api
