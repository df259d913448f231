// SPDX-License-Identifier: Apache-2.0
#include "engine/attempts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "unit/engine/full_node.h"

namespace rampart::engine {
namespace {

class EachAttempts : public testing::TestWithParam<Algorithm> {
 protected:
  std::shared_ptr<Picker> picker(std::vector<PickerNode> nodes) {
    const PickerSettings settings = {.algorithm = GetParam(), .chash = {.table_size = 1009}};
    return std::make_shared<Picker>(PickerNodes::make(settings, std::move(nodes), nullptr).value(),
                                    0);
  }
  // Who is tried when every try fails, in order.
  std::vector<std::string> all_failing(std::vector<PickerNode> nodes,
                                       std::optional<uint32_t> retries) {
    const auto chosen = picker(std::move(nodes));
    Attempts attempts(chosen, retries);
    std::vector<std::string> tried;
    while (const auto pick = attempts.next(7)) {
      tried.push_back(chosen->nodes().nodes()[pick->node].identity);
    }
    EXPECT_EQ(attempts.made(), tried.size());
    return tried;
  }
};

size_t distinct(const std::vector<std::string>& tried) {
  return std::set<std::string>(tried.begin(), tried.end()).size();
}

TEST_P(EachAttempts, GoesToEveryNodeOnceIfRetriesAreUnset) {  // P2 P3 P4
  const auto tried = all_failing({node_of("a", 1), node_of("b", 50), node_of("c", 1)}, {});
  EXPECT_EQ(tried.size(), 3u);
  EXPECT_EQ(distinct(tried), 3u);
}

TEST_P(EachAttempts, IsMadeRetriesAndOneTimes) {  // P2
  const std::vector<PickerNode> nodes = {node_of("a", 1), node_of("b", 1), node_of("c", 1)};
  EXPECT_EQ(all_failing(nodes, 0).size(), 1u);
  EXPECT_EQ(distinct(all_failing(nodes, 1)), 2u);
  EXPECT_EQ(all_failing(nodes, 4294967295).size(), 3u) << "each node at most once";
}

TEST_P(EachAttempts, UnsetRetriesAreTheNodesOfTheUpstreamLessOne) {  // P2
  EXPECT_EQ(all_failing({node_of("a", 1), node_of("b", 0)}, {}).size(), 2u)
      << "a node of weight 0 is a node";
}

TEST_P(EachAttempts, ALoneNodeIsTriedAgain) {  // P2 P3
  EXPECT_EQ(all_failing({node_of("a", 1)}, {}).size(), 1u);
  EXPECT_EQ(all_failing({node_of("a", 1)}, 2).size(), 3u);
  EXPECT_EQ(all_failing({node_of("a", 1), node_of("b", 0)}, 2),
            (std::vector<std::string>{"a", "a", "a"}));
}

TEST_P(EachAttempts, ANodeOfALowerPriorityIsAnotherOne) {  // P2 P7
  EXPECT_EQ(all_failing({node_of("a", 1), node_of("b", 1, -1)}, 9),
            (std::vector<std::string>{"a", "b"}));
}

TEST_P(EachAttempts, WithoutANodeNoneIsMade) {  // P4
  for (const auto& nodes : {std::vector<PickerNode>{}, {node_of("a", 0)}}) {
    EXPECT_EQ(all_failing(nodes, {}).size(), 0u);
    EXPECT_EQ(all_failing(nodes, 3).size(), 0u);
  }
}

TEST_P(EachAttempts, ReleaseBeforeARetryLeavesNoLoadBehind) {  // P3 L7
  const auto chosen = picker({node_of("a", 1), node_of("b", 1)});
  Attempts attempts(chosen, {});
  auto pick = attempts.next(7);
  while (pick) {
    pick->lease.release();
    pick = attempts.next(7);
  }
  EXPECT_EQ(chosen->nodes().in_flight("a") + chosen->nodes().in_flight("b"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EachAttempts,
                         testing::Values(Algorithm::kRoundRobin, Algorithm::kLeastConn,
                                         Algorithm::kChash));

}  // namespace
}  // namespace rampart::engine
