// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/least_conn.h"
#include "engine/round_robin.h"
#include "property/seeded.h"

namespace rampart::engine {
namespace {

using Wide = __int128;

class RoundRobinLaws : public Seeded {
 protected:
  static std::string identity_of(size_t number) { return "n" + std::to_string(10000 + number); }

  // Weights of one of several kinds: few or many, equal, wide apart, fractions, some at 0.
  std::vector<RoundRobin::Node> any_nodes(size_t most) {
    const size_t count = between<size_t>(1, most);
    const int kind = between(0, 3);
    std::vector<RoundRobin::Node> nodes;
    for (size_t i = 0; i < count; ++i) {
      Weight weight = Weight::whole(between(1u, kind == 0 ? 5u : 100u));
      if (kind == 2) weight = Weight::fixed(between<uint64_t>(1, 100 * Weight::kOne));
      if (kind == 3) weight = Weight::whole(one_in(5) ? between(1u, 65535u) : between(1u, 10u));
      if (one_in(10)) weight = Weight();
      nodes.push_back({static_cast<NodeNumber>(i), identity_of(i), weight});
    }
    nodes[0].weight = std::max(nodes[0].weight, Weight::fixed(1));
    return nodes;
  }

  // Nodes that leave, join and change weight.
  std::vector<RoundRobin::Node> changed(const std::vector<RoundRobin::Node>& nodes) {
    std::map<std::string, Weight> by_identity;
    for (const auto& node : nodes) {
      if (!one_in(8)) by_identity[node.identity] = node.weight;
    }
    for (const auto& node : any_nodes(10)) {
      if (one_in(2)) by_identity[identity_of(between(0, 60))] = node.weight;
    }
    by_identity[identity_of(0)] = Weight::whole(between(1u, 100u));
    std::vector<RoundRobin::Node> next;
    for (const auto& [identity, weight] : by_identity) {
      next.push_back({static_cast<NodeNumber>(next.size()), identity, weight});
    }
    return next;
  }
};

uint64_t total_of(const std::vector<RoundRobin::Node>& nodes) {
  uint64_t total = 0;
  for (const auto& node : nodes) total += node.weight.raw();
  return total;
}

TEST_F(RoundRobinLaws, AnyPrefixHoldsEachNodeWithinOneOfItsShare) {  // P1
  for (int round = 0; round < 500; ++round) {
    const auto nodes = any_nodes(40);
    const Wide total = total_of(nodes);
    RoundRobin picker(nodes);
    std::vector<int64_t> had(nodes.size(), 0);
    for (int64_t picks = 1; picks <= 1500; ++picks) {
      ++had[*picker.pick()];
      for (size_t i = 0; i < nodes.size(); ++i) {
        const Wide ahead = had[i] * total - picks * Wide{nodes[i].weight.raw()};
        ASSERT_LT(ahead, total) << "node " << i << " of " << nodes.size() << ", pick " << picks;
        ASSERT_GT(ahead, -total) << "node " << i << " of " << nodes.size() << ", pick " << picks;
      }
    }
  }
}

TEST_F(RoundRobinLaws, AHeavyNodeRunsAtMostItsRatioPlusOne) {  // P1
  for (int round = 0; round < 500; ++round) {
    const auto nodes = any_nodes(20);
    const auto heaviest = std::max_element(nodes.begin(), nodes.end(),
                                           [](auto& a, auto& b) { return a.weight < b.weight; });
    const uint64_t rest = total_of(nodes) - heaviest->weight.raw();
    if (rest == 0) continue;
    const uint64_t bound = (heaviest->weight.raw() + rest - 1) / rest + 1;
    RoundRobin picker(nodes);
    uint64_t run = 0;
    for (int picks = 0; picks < 3000; ++picks) {
      run = *picker.pick() == heaviest->number ? run + 1 : 0;
      ASSERT_LE(run, bound) << nodes.size() << " nodes, pick " << picks;
    }
  }
}

TEST_F(RoundRobinLaws, SharesAddUpOverChangesOfWeights) {  // P1
  // What a node had stays near the sum of its shares, generation after generation. Not within one:
  // a weight that grows just before a turn brings several deadlines together unforeseen.
  for (int round = 0; round < 100; ++round) {
    auto nodes = any_nodes(20);
    RoundRobin picker(nodes);
    std::map<std::string, double> credit;
    for (int generation = 0; generation < 60; ++generation) {
      for (auto& node : nodes) {
        if (node.weight.raw() > 0) node.weight = Weight::whole(between(1u, 200u));
      }
      picker = RoundRobin(nodes, picker);
      const double total = static_cast<double>(total_of(nodes));
      for (int picks = between(0, 50); picks > 0; --picks) {
        credit[nodes[*picker.pick()].identity] -= 1;
        for (const auto& node : nodes) {
          credit[node.identity] += static_cast<double>(node.weight.raw()) / total;
          ASSERT_LT(std::abs(credit[node.identity]), 2);
        }
      }
    }
  }
}

TEST_F(RoundRobinLaws, NobodyStarvesWhileNodesComeAndGo) {  // P1
  for (int round = 0; round < 60; ++round) {
    auto nodes = any_nodes(20);
    nodes[0].weight = Weight::whole(10);
    RoundRobin picker(nodes);
    double waited = 0;  // in its own cycles
    double most = 0;
    for (int generation = 0; generation < 300; ++generation) {
      nodes = changed(nodes);
      picker = RoundRobin(nodes, picker);
      for (int picks = between(0, 5); picks > 0; --picks) {
        waited += static_cast<double>(nodes[0].weight.raw()) / total_of(nodes);
        if (*picker.pick() == 0) waited = 0;
        most = std::max(most, waited);
      }
    }
    // Leavers' turns that were due are spread over the others: a node may wait longer than a cycle.
    ASSERT_LT(most, 5) << "cycles without a pick";
  }
}

TEST_F(RoundRobinLaws, TriedNodesAreNeverPickedAndSharesComeBackAfterwards) {  // P1 P3
  for (int round = 0; round < 200; ++round) {
    const auto nodes = any_nodes(12);
    const double total = static_cast<double>(total_of(nodes));
    RoundRobin picker(nodes);
    for (int request = 0; request < 500; ++request) {
      Tried tried;
      for (int tries = between(1, 4); tries > 0; --tries) {
        const auto node = picker.pick(tried);
        if (!node) break;
        ASSERT_FALSE(tried.has(*node));
        ASSERT_GT(nodes[*node].weight, Weight());
        tried.add(*node);
      }
    }
    // From wherever the retries left it, the schedule holds everyone near its share.
    std::vector<double> ahead(nodes.size(), 0);
    for (int picks = 0; picks < 1000; ++picks) {
      ahead[*picker.pick()] += 1;
      for (size_t i = 0; i < nodes.size(); ++i) {
        ahead[i] -= static_cast<double>(nodes[i].weight.raw()) / total;
        ASSERT_LT(std::abs(ahead[i]), 3.0) << "node " << i << ", pick " << picks;
      }
    }
  }
}

// Some generations of one scope, the leases taken from them, and the obvious model: counts in a map.
class LeastConnLaws : public Seeded {
 protected:
  struct Generation {
    std::vector<PickerNode> nodes;
    std::shared_ptr<const LeastConn::Members> members;
  };
  struct Taken {
    std::string identity;
    Lease lease;
  };

  void next_generation() {
    std::vector<PickerNode> nodes;
    for (int i = 0; i < 12; ++i) {
      if (one_in(3)) continue;
      Weight weight = one_in(2) ? Weight::whole(between(1u, 4u))
                                : Weight::fixed(between<uint64_t>(1, 3 * Weight::kOne));
      if (one_in(6)) weight = Weight();
      nodes.push_back({.identity = std::string(1, static_cast<char>('a' + i)),
                       .effective = weight,
                       .ramped = weight,
                       .priority = one_in(4) ? -1 : 0,
                       .addresses = {"x"}});
    }
    std::shuffle(nodes.begin(), nodes.end(), random());
    auto members = scope_->set_nodes(nodes);
    generations_.push_back({std::move(nodes), std::move(members)});
    if (generations_.size() > 4) generations_.erase(generations_.begin());
  }

  // Picks from any living generation; the answer has the least score of those allowed.
  void pick() {
    const Generation& from = generations_[between<size_t>(0, generations_.size() - 1)];
    Tried tried;
    while (one_in(3)) tried.add(between<NodeNumber>(0, 11));
    std::optional<LeastConn::Pick> pick = scope_->pick(*from.members, tried);
    const auto allowed = [&](NodeNumber node) {
      return from.nodes[node].effective > Weight() && !tried.has(node);
    };
    if (pick) {
      ASSERT_TRUE(allowed(pick->node));
    }
    for (NodeNumber node = 0; node < from.nodes.size(); ++node) {
      if (!allowed(node)) continue;
      ASSERT_TRUE(pick.has_value());
      const PickerNode& chosen = from.nodes[pick->node];
      ASSERT_GE(chosen.priority, from.nodes[node].priority);
      if (chosen.priority > from.nodes[node].priority) continue;
      ASSERT_LE(Wide{counts_[chosen.identity] + 1} * from.nodes[node].effective.raw(),
                Wide{counts_[from.nodes[node].identity] + 1} * chosen.effective.raw());
    }
    if (!pick) return;
    const std::string& identity = from.nodes[pick->node].identity;
    ++counts_[identity];
    taken_.push_back({identity, std::move(pick->lease)});
  }

  void release() {
    if (taken_.empty()) return;
    const size_t at = between<size_t>(0, taken_.size() - 1);
    --counts_[taken_[at].identity];
    std::swap(taken_[at], taken_.back());
    taken_.pop_back();
  }

  std::shared_ptr<LeastConn> scope_ = LeastConn::create(1);
  std::vector<Generation> generations_;
  std::vector<Taken> taken_;
  std::map<std::string, int64_t> counts_;
};

TEST_F(LeastConnLaws, PicksHaveTheLeastScoreAndCountsEqualLeases) {  // L1 L2 L4 L5 L7 L8 P7
  next_generation();
  for (int step = 0; step < 60000; ++step) {
    if (one_in(50)) next_generation();
    if (between(0, 99) < (step / 5000 % 2 == 0 ? 55 : 45)) {
      ASSERT_NO_FATAL_FAILURE(pick());
    } else {
      release();
    }
    if (!one_in(20)) continue;
    for (const auto& [identity, count] : counts_) {
      ASSERT_EQ(scope_->in_flight(identity), count) << identity;
    }
  }
}

}  // namespace
}  // namespace rampart::engine
