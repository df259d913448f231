// SPDX-License-Identifier: Apache-2.0
#include "unit/engine/scenario_run.h"

#include "engine/engine.h"

namespace rampart::engine {
namespace {

constexpr const char* kPool = "pool";

class Run {
 public:
  explicit Run(const Scenario& scenario) : nodes_(scenario.pool), block_(scenario.block) {
    list(TimePoint());
  }

  void act(const Moment& moment) {
    switch (moment.verb) {
      case Verb::kNothing:
        return;
      case Verb::kPut:
        for (const auto& [node, weight] : moment.weights) nodes_[node] = weight;
        return list(moment.at);
      case Verb::kRemove:
        for (const Identity& node : moment.nodes) nodes_.erase(node);
        return list(moment.at);
      case Verb::kSet:
        block_ = moment.block;
        return list(moment.at);
      case Verb::kDown:
      case Verb::kUp:
        for (const Identity& node : moment.nodes) {
          engine_.set_health(kPool, node, moment.verb == Verb::kUp ? Health::kUp : Health::kDown,
                             moment.at);
        }
    }
  }

  // Nothing if it holds.
  std::string check(const Expectation& expected, TimePoint at) {
    const auto snapshot = engine_.step(at).snapshot;
    const auto& nodes = snapshot->scopes.at(kPool).nodes;
    const auto found = nodes.find(expected.node);
    if (found == nodes.end()) return expected.node + " is not in the pool";
    const NodeState& node = found->second;
    if (node.shown != expected.shown) {
      return expected.node + " shows " + std::to_string(node.shown) + ", not " +
             std::to_string(expected.shown) + " (" +
             why(snapshot->scopes.at(kPool), expected.node) + ")";
    }
    if (expected.state && *expected.state != name_of(node.lifecycle)) {
      return expected.node + " is " + name_of(node.lifecycle) + ", not " + *expected.state;
    }
    return "";
  }

 private:
  void list(TimePoint at) {
    Scope scope = {kPool, {}, block_};
    for (const auto& [identity, weight] : nodes_) scope.nodes.push_back({identity, weight});
    engine_.set_desired({scope}, at);
  }

  Engine engine_{EngineConfig{}};
  std::map<Identity, uint32_t> nodes_;
  std::optional<SlowStart> block_;
};

}  // namespace

std::vector<std::string> run_scenario(const Scenario& scenario) {
  Run run(scenario);
  std::vector<std::string> failures;
  for (const Moment& moment : scenario.moments) {
    run.act(moment);
    for (const Expectation& expected : moment.expected) {
      const std::string failure = run.check(expected, moment.at);
      if (!failure.empty()) {
        failures.push_back("line " + std::to_string(moment.line) + ": " + failure);
      }
    }
  }
  return failures;
}

}  // namespace rampart::engine
