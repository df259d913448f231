// SPDX-License-Identifier: Apache-2.0
// Whole deployments at the default table size, second by second: nodes join, leave and ramp, and
// every second moves exactly the fewest slots to exactly the right counts; once all is quiet the
// refill brings the table to its goal.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "engine/curve.h"
#include "property/slot_counts.h"

namespace rampart::engine {
namespace {

constexpr uint32_t kSize = 65537;
constexpr uint32_t kWeight = 100;
constexpr uint32_t kRefill = 64;  // slots a second
constexpr uint64_t kSeed = 7;
const SlowStart kBlock = {.window = std::chrono::seconds(300), .min_weight_percent = 1};

struct Lifetime {
  int from = 0;           // second at which it joins; from the start: mature
  int until = INT32_MAX;  // second at which it leaves
};

struct Deployment {
  std::string name;
  std::vector<Lifetime> nodes;
};

std::ostream& operator<<(std::ostream& stream, const Deployment& deployment) {
  return stream << deployment.name;
}

Deployment join(int others, int newcomers) {
  Deployment deployment = {std::to_string(newcomers) + "Into" + std::to_string(others), {}};
  deployment.nodes.assign(static_cast<size_t>(others), Lifetime());
  deployment.nodes.insert(deployment.nodes.end(), static_cast<size_t>(newcomers), {.from = 1});
  return deployment;
}

// Every `pause` seconds a node leaves and another takes its place.
Deployment roll(int nodes, int pause) {
  Deployment deployment = {"Rolling" + std::to_string(nodes), {}};
  for (int i = 0; i < nodes; ++i) {
    deployment.nodes.push_back({.until = 1 + i * pause});
    deployment.nodes.push_back({.from = 1 + i * pause});
  }
  return deployment;
}

Weight weight_at(const Lifetime& node, int second) {
  if (second < node.from || second >= node.until) return Weight();
  if (node.from == 0) return Weight::whole(kWeight);
  return ramped_weight(kWeight, kBlock, std::chrono::seconds(second - node.from));
}

class Rollout {
 public:
  explicit Rollout(const Deployment& deployment) : deployment_(deployment) {}

  int last_second() const {
    int last = 0;
    for (const Lifetime& node : deployment_.nodes) last = std::max(last, node.from);
    return last + 300;
  }

  // One second: what moved, and the fewest that could.
  void step(int second) {
    std::vector<Weight> now;
    for (const Lifetime& node : deployment_.nodes) now.push_back(weight_at(node, second));
    const std::vector<OwnerSlots> counts = counts_of(now, kSize);
    find_goal(now);
    const size_t fewest = fewest_moves(table_, counts);
    const size_t moved = retarget(table_, goal_, counts).size();
    ASSERT_EQ(moved, fewest) << "second " << second;
    std::map<Owner, int64_t> slots = owned(table_);
    for (const OwnerSlots& count : counts) {
      ASSERT_EQ(slots[count.owner], count.slots) << "second " << second;
    }
    moved_ += moved;
  }

  // Seconds until the table is the goal.
  size_t refill_seconds() {
    size_t seconds = 0;
    while (!refill(table_, goal_, kRefill).empty()) ++seconds;
    EXPECT_EQ(table_, goal_);
    return seconds;
  }

  size_t off_goal() const {
    size_t off = 0;
    for (size_t slot = 0; slot < kSize; ++slot) off += table_[slot] != goal_[slot];
    return off;
  }
  size_t moved() const { return moved_; }

 private:
  // Of the nodes that have a weight, at their whole weight; made anew when they change.
  void find_goal(const std::vector<Weight>& now) {
    std::vector<Weight> targets;
    for (const Weight weight : now) {
      targets.push_back(weight > Weight() ? Weight::whole(kWeight) : Weight());
    }
    if (targets == targets_) return;
    targets_ = targets;
    goal_ = goal_of(counts_of(targets, kSize), kSize, kSeed);
  }

  const Deployment& deployment_;
  std::vector<Weight> targets_;
  SlotTable goal_;
  SlotTable table_ = SlotTable(kSize, kNobody);
  size_t moved_ = 0;
};

class Deployments : public testing::TestWithParam<Deployment> {};

TEST_P(Deployments, MoveTheFewestSlotsAndEndAtTheGoal) {  // W5 W6 W7
  Rollout rollout(GetParam());
  for (int second = 0; second <= rollout.last_second(); ++second) {
    ASSERT_NO_FATAL_FAILURE(rollout.step(second));
  }
  const size_t off = rollout.off_goal();
  RecordProperty("moved", std::to_string(rollout.moved()));
  RecordProperty("off_goal", std::to_string(off));
  // Each swap takes two slots and puts at least one of them in its place.
  EXPECT_LE(rollout.refill_seconds(), off / (kRefill / 2) + 1);
}
INSTANTIATE_TEST_SUITE_P(Of, Deployments,
                         testing::Values(join(10, 1), join(50, 1), join(100, 1), join(10, 5),
                                         roll(10, 60), roll(50, 20)),
                         [](const auto& deployment) { return deployment.param.name; });

TEST(Ramp, EndsCloseToTheGoalAndTookLittleMoreThanItsShare) {  // W6 W7
  for (const int others : {10, 50, 100}) {
    const Deployment deployment = join(others, 1);
    Rollout rollout(deployment);
    rollout.step(0);
    const size_t before = rollout.moved();
    for (int second = 1; second <= rollout.last_second(); ++second) rollout.step(second);
    EXPECT_LE(rollout.off_goal(), kSize / 50);
    // Rounding moves a few slots between the others.
    const size_t share = kSize / static_cast<size_t>(others + 1);
    EXPECT_GE(rollout.moved() - before, share);
    EXPECT_LE(rollout.moved() - before, share * 3);
  }
}

}  // namespace
}  // namespace rampart::engine
