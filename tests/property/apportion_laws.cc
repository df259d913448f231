// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/apportion.h"
#include "property/seeded.h"

namespace rampart::engine {
namespace {

class ApportionLaws : public Seeded {
 protected:
  std::vector<Weight> any_weights(size_t most_nodes) {
    std::vector<Weight> weights(between<size_t>(1, most_nodes));
    const uint32_t largest = one_in(2) ? 100 : 65535;
    for (Weight& weight : weights) {
      if (one_in(8)) continue;
      weight = one_in(2) ? Weight::whole(between(1u, largest))
                         : Weight::fixed(between<uint64_t>(1, largest * Weight::kOne));
    }
    return weights;
  }
  uint32_t any_size() {
    constexpr uint32_t kSizes[] = {101, 251, 4093, 65537};
    return kSizes[between(0, 3)];
  }
};

uint64_t sum_of(const std::vector<Weight>& weights) {
  uint64_t sum = 0;
  for (const Weight weight : weights) sum += weight.raw();
  return sum;
}

TEST_F(ApportionLaws, SumToTheTable) {  // W5
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Weight> weights = any_weights(100);
    const uint32_t size = any_size();
    const std::vector<uint32_t> slots = apportion(weights, size);
    ASSERT_EQ(std::accumulate(slots.begin(), slots.end(), 0u), sum_of(weights) == 0 ? 0 : size);
  }
}

TEST_F(ApportionLaws, StayWithinOneOfTheQuotaUnlessANodeIsLifted) {  // W5
  using Wide = unsigned __int128;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Weight> weights = any_weights(100);
    const uint32_t size = any_size();
    const Wide total = sum_of(weights);
    const auto quota = [&](size_t i) { return Wide{weights[i].raw()} * size; };
    bool lifts = total == 0;
    for (size_t i = 0; i < weights.size(); ++i) lifts |= weights[i] > Weight() && quota(i) < total;
    if (lifts) continue;
    const std::vector<uint32_t> slots = apportion(weights, size);
    for (size_t i = 0; i < slots.size(); ++i) {
      ASSERT_GE(Wide{slots[i]} * total + total, quota(i) + 1);
      ASSERT_LE(Wide{slots[i]} * total, quota(i) + total - 1);
    }
  }
}

// Written from W5 alone: quotas, largest remainders by repeated search, then lifts one at a time.
std::vector<uint32_t> plainly_apportioned(const std::vector<Weight>& weights, uint32_t size) {
  using Wide = unsigned __int128;
  const Wide total = sum_of(weights);
  std::vector<uint32_t> slots(weights.size(), 0);
  if (total == 0) return slots;
  std::vector<Wide> remainders;
  for (size_t i = 0; i < weights.size(); ++i) {
    slots[i] = static_cast<uint32_t>(Wide{weights[i].raw()} * size / total);
    remainders.push_back(Wide{weights[i].raw()} * size % total);
  }
  for (uint32_t given = std::accumulate(slots.begin(), slots.end(), 0u); given < size; ++given) {
    const auto largest = std::max_element(remainders.begin(), remainders.end());
    ++slots[static_cast<size_t>(largest - remainders.begin())];
    *largest = 0;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] > 0 || weights[i] == Weight()) continue;
    size_t richest = 0;
    for (size_t j = 0; j < slots.size(); ++j) {
      if (slots[j] >= slots[richest]) richest = j;
    }
    --slots[richest];
    slots[i] = 1;
  }
  return slots;
}

TEST_F(ApportionLaws, AreTheLargestRemaindersAndThenTheLifts) {  // W4 W5
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Weight> weights = any_weights(100);
    const uint32_t size = any_size();
    ASSERT_EQ(apportion(weights, size), plainly_apportioned(weights, size));
  }
}

TEST_F(ApportionLaws, GiveEachNodeWithAWeightASlotAndNoOtherNode) {  // W2 W4
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Weight> weights = any_weights(101);
    const std::vector<uint32_t> slots = apportion(weights, 101);
    for (size_t i = 0; i < slots.size(); ++i) ASSERT_EQ(slots[i] > 0, weights[i] > Weight());
  }
}

TEST_F(ApportionLaws, NeverPutALighterNodeMoreThanOneSlotAhead) {  // W5
  for (int round = 0; round < 1000; ++round) {
    const std::vector<Weight> weights = any_weights(60);
    const std::vector<uint32_t> slots = apportion(weights, any_size());
    for (size_t i = 1; i < slots.size(); ++i) {
      // Ahead at all only after a lift, which takes from one of several equally rich.
      if (weights[i - 1] > weights[i]) {
        ASSERT_GE(slots[i - 1] + 1, slots[i]);
      }
    }
  }
}

TEST_F(ApportionLaws, DependOnTheOrderForEqualRemaindersOnly) {  // W9
  for (int round = 0; round < 1000; ++round) {
    std::vector<Weight> weights = any_weights(60);
    const uint32_t size = any_size();
    std::vector<uint32_t> slots = apportion(weights, size);
    std::shuffle(weights.begin(), weights.end(), random());
    std::vector<uint32_t> shuffled = apportion(weights, size);
    std::sort(slots.begin(), slots.end());
    std::sort(shuffled.begin(), shuffled.end());
    ASSERT_EQ(slots, shuffled);
  }
}

}  // namespace
}  // namespace rampart::engine
