// SPDX-License-Identifier: Apache-2.0
#include "engine/least_conn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <type_traits>

namespace rampart::engine {
namespace {

struct Spec {
  Identity identity;
  uint32_t weight;
  int priority = 0;
};

std::vector<PickerNode> nodes_of(const std::vector<Spec>& specs) {
  std::vector<PickerNode> nodes;
  for (const Spec& spec : specs) {
    nodes.push_back({.identity = spec.identity,
                     .effective = Weight::whole(spec.weight),
                     .ramped = Weight::whole(spec.weight),
                     .target = spec.weight,
                     .priority = spec.priority,
                     .addresses = {spec.identity}});
  }
  return nodes;
}

// One generation, and what is taken from it: picks are held until released by name.
class Generation {
 public:
  Generation(LeastConn& scope, const std::vector<Spec>& specs)
      : scope_(scope), nodes_(nodes_of(specs)), members_(scope.set_nodes(nodes_)) {}

  std::string pick(const Tried& tried = {}) {
    auto pick = scope_.pick(*members_, tried);
    if (!pick) return "-";
    const Identity& identity = nodes_[pick->node].identity;
    leases_.emplace_back(identity, std::move(pick->lease));
    return identity;
  }
  std::string picks(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += pick();
    return all;
  }
  void release(const Identity& identity) {
    const auto lease = std::find_if(leases_.begin(), leases_.end(),
                                    [&](const auto& held) { return held.first == identity; });
    ASSERT_NE(lease, leases_.end());
    leases_.erase(lease);
  }
  void release_all() { leases_.clear(); }

 private:
  LeastConn& scope_;
  std::vector<PickerNode> nodes_;
  std::shared_ptr<const LeastConn::Members> members_;
  std::vector<std::pair<Identity, Lease>> leases_;
};

std::set<char> set_of(const std::string& letters) {
  return {letters.begin(), letters.end()};
}

class LeastConnTest : public testing::Test {
 protected:
  // REQUIRES: there is a node to pick.
  Lease take(const LeastConn::Members& members) { return std::move(scope_->pick(members)->lease); }

  std::shared_ptr<LeastConn> scope_ = LeastConn::create(0);
};

// The table of L.

TEST_F(LeastConnTest, ThreeToTwoGoesABAThenTies) {  // L1
  Generation nodes(*scope_, {{"A", 3}, {"B", 2}});
  EXPECT_EQ(nodes.picks(3), "ABA");
  EXPECT_EQ(set_of(nodes.picks(2)), set_of("AB"));
}

TEST_F(LeastConnTest, ANewcomerIsPreferredUntilItHasAsMany) {  // L4
  Generation two(*scope_, {{"A", 1}, {"B", 1}});
  two.picks(4);
  Generation three(*scope_, {{"A", 1}, {"B", 1}, {"C", 1}});
  EXPECT_EQ(three.picks(2), "CC");
  EXPECT_EQ(set_of(three.picks(3)), set_of("ABC"));
}

TEST_F(LeastConnTest, ALoneNodeIsCountedToo) {  // L6
  Generation one(*scope_, {{"A", 1}});
  EXPECT_EQ(one.picks(4), "AAAA");
  EXPECT_EQ(scope_->in_flight("A"), 4u);
  Generation two(*scope_, {{"A", 1}, {"B", 1}});
  EXPECT_EQ(two.picks(4), "BBBB");
  EXPECT_EQ(set_of(two.picks(2)), set_of("AB"));
}

TEST_F(LeastConnTest, AReweightScoresAnew) {  // L1 L4
  Generation before(*scope_, {{"A", 1}, {"B", 1}});
  before.picks(2);
  Generation after(*scope_, {{"A", 10}, {"B", 1}});
  EXPECT_EQ(after.picks(18), std::string(18, 'A'));
  EXPECT_EQ(set_of(after.picks(2)), set_of("AB"));
}

TEST_F(LeastConnTest, AReleaseThroughAnOlderGenerationIsSeen) {  // L5
  Generation two(*scope_, {{"A", 1}, {"B", 1}});
  two.picks(4);
  Generation three(*scope_, {{"A", 1}, {"B", 1}, {"C", 1}});
  two.release_all();
  EXPECT_EQ(set_of(three.picks(3)), set_of("ABC"));
}

// Weights.

TEST_F(LeastConnTest, WeightZeroIsNeverChosen) {  // L2
  Generation nodes(*scope_, {{"A", 0}, {"B", 1}});
  EXPECT_EQ(nodes.picks(50), std::string(50, 'B'));
  Generation none(*scope_, {{"A", 0}, {"B", 0}});
  EXPECT_EQ(none.pick(), "-");
  Generation nobody(*scope_, {});
  EXPECT_EQ(nobody.pick(), "-");
}

TEST_F(LeastConnTest, AColdNodeHoldsItsShareOfTheConcurrency) {  // L1
  // e of 1 against nine of 100: of 900 in flight it holds e * (n + 1) / w, rounded.
  auto nodes = nodes_of({{"cold", 1}});
  for (int i = 0; i < 9; ++i) nodes.push_back(nodes_of({{"n" + std::to_string(i), 100}})[0]);
  const auto members = scope_->set_nodes(nodes);
  std::vector<Lease> held;
  for (int i = 0; i < 900; ++i) {
    held.push_back(take(*members));
    ASSERT_LE(scope_->in_flight("cold"), (scope_->in_flight("n0") + 1) / 100 + 1);
  }
  EXPECT_LE(scope_->in_flight("cold"), 1u);
  nodes[0].effective = Weight::whole(50);
  const auto warmer = scope_->set_nodes(nodes);
  while (held.size() < 950) held.push_back(take(*warmer));
  EXPECT_NEAR(scope_->in_flight("cold"), 50, 1);
}

TEST_F(LeastConnTest, ComparesTheLargestScoresExactly) {  // L1
  // (n + 1)/w that differ in the last of 32 bits.
  auto nodes = nodes_of({{"A", 1}, {"B", 1}});
  nodes[0].effective = Weight::fixed(0xfffefffe);
  nodes[1].effective = Weight::fixed(0xfffeffff);
  const auto members = scope_->set_nodes(nodes);
  std::vector<Lease> held;
  for (int i = 0; i < 100; ++i) {
    auto pick = scope_->pick(*members);
    ASSERT_EQ(pick->node, i % 2 == 0 ? 1u : 0u);
    held.push_back(std::move(pick->lease));
  }
}

// Ties.

TEST_F(LeastConnTest, TiesRotate) {  // L3
  Generation nodes(*scope_, {{"A", 1}, {"B", 1}, {"C", 1}});
  std::string all;
  for (int i = 0; i < 6; ++i) {
    all += nodes.pick();
    nodes.release_all();
  }
  EXPECT_EQ(all, "ABCABC");
}

TEST_F(LeastConnTest, TiesRotateOnOverARebuild) {  // L3
  std::string all;
  for (int i = 0; i < 6; ++i) {
    Generation nodes(*scope_, {{"A", 1}, {"B", 1}, {"C", 1}});
    all += nodes.pick();
  }
  EXPECT_EQ(all, "ABCABC");
}

TEST(LeastConn, InstancesStartAtDifferentPlaces) {  // L3
  std::string firsts;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const auto scope = LeastConn::create(seed);
    firsts += Generation(*scope, {{"A", 1}, {"B", 1}, {"C", 1}}).pick();
  }
  EXPECT_EQ(firsts, "ABC");
}

// Generations.

TEST_F(LeastConnTest, ALeaverKeepsItsCountForItsReturn) {  // L4
  Generation two(*scope_, {{"A", 1}, {"B", 1}});
  two.picks(4);
  Generation one(*scope_, {{"A", 1}});
  EXPECT_EQ(scope_->in_flight("B"), 2u);
  two.release("B");
  Generation again(*scope_, {{"A", 1}, {"B", 1}});
  EXPECT_EQ(scope_->in_flight("B"), 1u);
  EXPECT_EQ(again.pick(), "B");
}

TEST_F(LeastConnTest, AnOlderGenerationIsNeverSentToANodeItDoesNotHave) {  // L8
  Generation older(*scope_, {{"A", 1}, {"B", 1}});
  older.picks(10);
  Generation newer(*scope_, {{"B", 1}, {"C", 1}});
  EXPECT_EQ(set_of(older.picks(10)), set_of("AB"));
}

TEST_F(LeastConnTest, AnOlderGenerationHasItsOwnWeights) {  // L8 P5
  Generation older(*scope_, {{"A", 1}, {"B", 0}});
  Generation newer(*scope_, {{"A", 0}, {"B", 1}});
  EXPECT_EQ(older.picks(5), "AAAAA");
  EXPECT_EQ(newer.picks(5), "BBBBB");
}

TEST_F(LeastConnTest, PicksOfAnOlderGenerationCountInTheCurrentOne) {  // L4
  Generation older(*scope_, {{"A", 1}, {"B", 1}});
  Generation newer(*scope_, {{"A", 1}, {"B", 1}, {"C", 1}});
  EXPECT_EQ(older.picks(4), "ABAB");
  EXPECT_EQ(newer.picks(2), "CC");
}

TEST_F(LeastConnTest, ForgetsLeaversWhenNobodyCanNameThem) {  // L4
  for (int i = 0; i < 100; ++i) {
    Generation nodes(*scope_, {{"pod" + std::to_string(i), 1}});
    nodes.picks(3);
  }
  EXPECT_EQ(scope_->known_nodes(), 1u) << "the current generation's";
}

// Retries and priorities.

TEST_F(LeastConnTest, PassesOverTriedNodes) {  // P3
  for (const bool current : {true, false}) {
    Generation nodes(*scope_, {{"A", 3}, {"B", 2}, {"C", 1}});
    std::optional<Generation> later;
    if (!current) later.emplace(*scope_, std::vector<Spec>{{"D", 9}});
    Tried tried;
    tried.add(0);
    EXPECT_EQ(nodes.pick(tried), "B");
    tried.add(1);
    EXPECT_EQ(nodes.pick(tried), "C");
    tried.add(2);
    EXPECT_EQ(nodes.pick(tried), "-");
  }
}

TEST_F(LeastConnTest, ALowerPriorityIsUsedOnlyWhenTheHigherOneIsSpent) {  // P7 W4
  for (const bool current : {true, false}) {
    Generation nodes(*scope_, {{"A", 1, -1}, {"B", 1, 2}, {"C", 0, 2}});
    std::optional<Generation> later;
    if (!current) later.emplace(*scope_, std::vector<Spec>{{"D", 9}});
    EXPECT_EQ(nodes.picks(20), std::string(20, 'B'));
    Tried tried;
    tried.add(1);
    EXPECT_EQ(nodes.pick(tried), "A");
  }
  Generation spent(*scope_, {{"A", 1, -1}, {"B", 0, 2}, {"C", 0, 2}});
  EXPECT_EQ(spent.pick(), "A");
}

// Leases.

TEST_F(LeastConnTest, ALeaseGivesBackOnce) {  // L7
  static_assert(!std::is_copy_constructible_v<Lease> && !std::is_copy_assignable_v<Lease>);
  const auto members = scope_->set_nodes(nodes_of({{"A", 1}}));
  Lease kept = take(*members);
  Lease first = take(*members);
  EXPECT_EQ(scope_->in_flight("A"), 2u);
  Lease moved = std::move(first);
  first.release();  // NOLINT: holds nothing any more
  EXPECT_EQ(scope_->in_flight("A"), 2u);
  moved.release();
  moved.release();
  EXPECT_FALSE(moved.held());
  EXPECT_EQ(scope_->in_flight("A"), 1u);
  kept = Lease();
  EXPECT_EQ(scope_->in_flight("A"), 0u);
}

TEST_F(LeastConnTest, ALeaseOutlivesItsGenerationAndItsScope) {  // L7
  Lease lease;
  {
    const auto members = scope_->set_nodes(nodes_of({{"A", 1}}));
    lease = take(*members);
  }
  scope_->set_nodes({});
  EXPECT_EQ(scope_->in_flight("A"), 1u);
  const std::weak_ptr<LeastConn> observer = scope_;
  scope_.reset();
  EXPECT_FALSE(observer.expired());
  lease.release();
  EXPECT_TRUE(observer.expired());
}

// Threads.

TEST_F(LeastConnTest, LeasesAndCountsAgreeThroughAnyInterleavingOfThreads) {  // L7
  constexpr int kThreads = 6;
  const auto specs = [](int round) {
    std::vector<Spec> all = {{"stays", 2}};
    for (int i = 0; i < 8; ++i) {
      if ((round >> (i % 4)) % 2 == 0)
        all.push_back({"n" + std::to_string(i), 1u + (round + i) % 3});
    }
    return all;
  };
  std::mutex mutex;
  std::shared_ptr<const LeastConn::Members> current = scope_->set_nodes(nodes_of(specs(0)));
  std::vector<Lease> handed_over;  // released by another thread than took them
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Lease> held;
      std::shared_ptr<const LeastConn::Members> members;
      for (int i = 0; i < 3000; ++i) {
        if (i % 7 == 0) {
          const std::lock_guard lock(mutex);
          members = current;
          std::swap(handed_over, held);
        }
        held.push_back(take(*members));
        ++taken;
        if (held.size() > 20) held.erase(held.begin(), held.begin() + 1 + (t + i) % 15);
      }
      held.clear();
    });
  }
  for (int round = 1; round < 200; ++round) {
    auto next = scope_->set_nodes(nodes_of(specs(round)));
    const std::lock_guard lock(mutex);
    current = std::move(next);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kThreads * 3000);

  const auto everyone = scope_->set_nodes(nodes_of(specs(0)));
  uint64_t counted = 0;
  for (const Spec& spec : specs(0)) counted += scope_->in_flight(spec.identity);
  EXPECT_EQ(counted, handed_over.size());
  handed_over.clear();
  for (const Spec& spec : specs(0)) EXPECT_EQ(scope_->in_flight(spec.identity), 0u);
  current.reset();
  EXPECT_EQ(scope_->known_nodes(), specs(0).size());
}

}  // namespace
}  // namespace rampart::engine
