// SPDX-License-Identifier: Apache-2.0
// The score of least_conn on the host: compared exactly, whatever the values.
#include "bpf/score.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rampart::bpf_test {
namespace {

constexpr uint32_t kMost = UINT32_MAX;

// Values at the edges of both factors, and some between.
constexpr std::array<uint32_t, 9> kEdges = {1,          2,          3,         65535, 65536,
                                            0x7fffffff, 0x80000000, kMost - 1, kMost};

// L1
TEST(Score, TheSmallerQuotientPrecedes) {
  for (const uint32_t load_a : kEdges) {
    for (const uint32_t weight_a : kEdges) {
      for (const uint32_t load_b : kEdges) {
        for (const uint32_t weight_b : kEdges) {
          const score a = {load_a, weight_a, 0}, b = {load_b, weight_b, 1};
          using Wide = unsigned __int128;
          const Wide left = Wide{load_a} * weight_b, right = Wide{load_b} * weight_a;
          ASSERT_EQ(precedes(&a, &b), left <= right) << load_a << "/" << weight_a;
          ASSERT_EQ(precedes(&b, &a), right < left) << load_b << "/" << weight_b;
        }
      }
    }
  }
}

// L2
TEST(Score, WeightZeroNeverPrecedesAndIsPrecededByAnyOther) {
  for (const uint32_t load : kEdges) {
    for (const uint32_t weight : kEdges) {
      const score none = {1, 0, 0}, some = {load, weight, 7};
      EXPECT_FALSE(precedes(&none, &some));
      EXPECT_TRUE(precedes(&some, &none));
    }
  }
}

// L3
TEST(Score, EqualScoresGoByTurnFromTheStartOnAndRoundTheEnd) {
  constexpr uint32_t kMembers = 5;
  for (uint32_t start = 0; start <= kMembers; ++start) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < kMembers; ++i) order.push_back((start + i) % kMembers);
    for (size_t i = 1; i < order.size(); ++i) {
      const score earlier = {1, 1, turn_of(order[i - 1], start)};
      const score later = {1, 1, turn_of(order[i], start)};
      EXPECT_TRUE(precedes(&earlier, &later)) << start;
      EXPECT_FALSE(precedes(&later, &earlier)) << start;
    }
  }
}

TEST(Score, WhatIsInFlightIsWhatWasOpenedAndNotClosed) {
  const auto of = [](uint64_t opened, uint64_t closed) {
    const rp_flow_count count = {.opened = opened, .closed = closed, .joined = 0, .zero = 0};
    return in_flight(&count);
  };
  EXPECT_EQ(of(0, 0), 0u);
  EXPECT_EQ(of(7, 3), 4u);
  EXPECT_EQ(of(UINT64_MAX, UINT64_MAX - 1), 1u);
  EXPECT_EQ(of(3, 4), 0u);  // L7: never below 0
  EXPECT_EQ(of(0, UINT64_MAX), 0u);
  EXPECT_EQ(of(kMost - 1, 0), kMost - 1);
  EXPECT_EQ(of(kMost, 0), kMost - 1);  // one more must fit
  EXPECT_EQ(of(UINT64_MAX, 0), kMost - 1);
}

}  // namespace
}  // namespace rampart::bpf_test
