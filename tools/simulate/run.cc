// SPDX-License-Identifier: Apache-2.0
#include "simulate/run.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "simulate/axis.h"
#include "simulate/measure.h"
#include "simulate/names.h"
#include "simulate/pool.h"
#include "simulate/traffic.h"
#include "simulate/vip_table.h"

namespace rampart::simulate {
namespace {

Duration tick_for(TimePoint until) {
  return duration_of_seconds(round_step(std::max(kShortestTick, seconds_of(until) / kTicks)));
}

class Player {
 public:
  Player(const Scenario& scenario, uint64_t seed)
      : pool_(scenario),
        table_(scenario.settings.table_size, hash64("pool", seed)),
        traffic_(scenario.settings.algorithm, table_, seed),
        tick_(tick_for(scenario.until)) {
    traffic_.set_load(pool_.settings().load, TimePoint());
    step(TimePoint());
    sample(TimePoint(), 0, {});
  }

  void play(const Moment& moment) {
    advance_to(moment.at);
    for (const engine::StepResult& last : pool_.act(moment)) take_in(last, moment.at);
    traffic_.set_load(pool_.settings().load, moment.at);
    std::vector<std::string> happened;
    for (const Action& action : moment.actions) {
      happened.push_back(action.label);
      if (action.verb == Verb::kReboot) lose_kernel();
    }
    if (!pool_.back_at()) step(moment.at);
    sample(moment.at, moment.line, happened);
    for (const Expectation& one : moment.expected) {
      const std::string text = unmet(one, run_.samples.back(), since_moment_);
      if (!text.empty()) {
        run_.failures.push_back({one.line, "at " + text_of(moment.at) + ": " + text});
      }
    }
    since_moment_ = {};
  }

  void advance_to(TimePoint until) {
    for (auto next = next_stop(); next < until; next = next_stop()) {
      traffic_.run_to(next);
      const bool is_back = pool_.back_at() == next;
      if (is_back) pool_.come_back();
      if (!pool_.back_at()) step(next);
      sample(next, 0, is_back ? std::vector<std::string>{"back"} : std::vector<std::string>{});
    }
    traffic_.run_to(until);
    if (pool_.back_at() == until) {
      pool_.come_back();
      step(until);
      sample(until, 0, {"back"});
    }
  }

  Run finish(TimePoint until) {
    advance_to(until);
    if (run_.samples.back().at < until) {
      if (!pool_.back_at()) step(until);
      sample(until, 0, {});
    }
    return std::move(run_);
  }

 private:
  // When there is something to look at again.
  TimePoint next_stop() const {
    TimePoint next = TimePoint::max();
    if (pool_.back_at()) {
      next = *pool_.back_at();
    } else if (const auto deadline = pool_.next_deadline()) {
      next = *deadline;
    }
    if (traffic_.is_some()) next = std::min(next, tick_after(run_.samples.back().at));
    return next;
  }

  TimePoint tick_after(TimePoint at) const {
    return TimePoint((at.time_since_epoch() / tick_ + 1) * tick_);
  }

  void step(TimePoint now) { take_in(pool_.step(now), now); }

  void take_in(const engine::StepResult& result, TimePoint now) {
    for (const engine::Event& event : result.events) {
      run_.happenings.push_back({now, name_of(event.kind), event.identity, event.reason});
    }
    if (!result.changed.empty() || !table_.is_made()) follow(Pool::state_in(result));
  }

  void follow(const engine::ScopeState& state) {
    if (!table_.is_made()) made_ = true;
    moved_ += table_.follow(state);
    traffic_.follow(state);
  }

  void lose_kernel() {
    table_.lose();
    traffic_.lose_flows();
  }

  void sample(TimePoint now, int line, std::vector<std::string> happened) {
    Sample sample = {.at = now, .line = line, .happened = std::move(happened)};
    sample.scope = pool_.state();
    for (const auto& [identity, node] : sample.scope.nodes) seen_.insert(identity);
    for (const Identity& node : seen_) {
      const NodeCounts counts = counts_of(node);
      since_moment_.requests[node] += counts.requests;
      if (!sample.scope.nodes.contains(node) && counts.in_flight == 0) continue;
      sample.counts[node] = counts;
      sample.slots += counts.slots;
    }
    made_ = false;
    sample.moved = std::exchange(moved_, 0);
    since_moment_.moved += sample.moved;
    sample.unserved = traffic_.unserved() - unserved_;
    unserved_ = traffic_.unserved();
    run_.samples.push_back(std::move(sample));
  }

  // Since the last call.
  NodeCounts counts_of(const Identity& node) {
    NodeCounts& before = totals_[node];
    NodeCounts now = {.slots = table_.slots_of(node), .requests = traffic_.requests_to(node)};
    const NodeCounts counts = {.slots = now.slots,
                               .gained = made_ ? 0 : int64_t{now.slots} - before.slots,
                               .requests = now.requests - before.requests,
                               .in_flight = traffic_.in_flight_at(node)};
    before = now;
    return counts;
  }

  Pool pool_;
  VipTable table_;
  Traffic traffic_;
  Duration tick_;
  Run run_;

  bool made_ = false;      // the table is new since the last sample
  uint32_t moved_ = 0;     // since the last sample
  uint64_t unserved_ = 0;  // until the last sample
  SinceMoment since_moment_;
  std::set<Identity> seen_;
  std::map<Identity, NodeCounts> totals_;
};

}  // namespace

Run run_scenario(const Scenario& scenario, uint64_t seed) {
  Player player(scenario, seed);
  for (const Moment& moment : scenario.moments) player.play(moment);
  return player.finish(scenario.until);
}

}  // namespace rampart::simulate
