// SPDX-License-Identifier: Apache-2.0
#include "control/controller.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/hash.h"
#include "control/capacity.h"
#include "control/desired.h"
#include "control/plan.h"
#include "maps/backend_state.h"

namespace rampart::control {
namespace {

constexpr Duration kRefillPeriod = std::chrono::seconds(1);  // W7: slots a second

bool is_draining(const rp_backend& backend) {
  return maps::state_of(backend) == RP_BACKEND_DRAINING;
}

bool anything_leaves(const Observed& observed) {
  return !observed.retired.empty() ||
         std::any_of(observed.backends.begin(), observed.backends.end(),
                     [](const auto& entry) { return is_draining(entry.second); });
}

}  // namespace

Controller::Controller(Seams seams, TimePoint process_start)
    : seams_(seams), engine_({.process_start = process_start}) {}

Result<void> Controller::adopt() {
  auto observed = observe(seams_.store, seams_.grace);
  if (!observed) return observed.error();
  observed_ = std::move(*observed);
  return {};
}

// S3.21, last sentence: what is found in the pinned maps is the scope's snapshot. The maps hold
// hashes of identities (B3); one that the configuration does not explain is a node that left, and
// still counts: a scope whose nodes were all replaced meanwhile is no baseline.
void Controller::remember_pinned_nodes(const Config& config) {
  std::map<uint64_t, std::set<uint64_t>> pinned;  // scope hash → identity hashes
  for (const auto& [id, backend] : observed_.backends) {
    if (!is_draining(backend)) pinned[backend.scope_hash].insert(backend.identity_hash);
  }
  const std::set<ScopeId> ids = scope_ids(config, Plane::kL4);
  for (const UpstreamConfig& upstream : config.upstreams) {
    const auto found = pinned.find(hash64(upstream.id));
    if (found == pinned.end() || !ids.contains(upstream.id)) continue;
    std::set<Identity> snapshot;
    for (const NodeConfig& node : upstream.nodes) {
      const Identity identity = node.identity();
      if (found->second.erase(hash64(identity)) > 0) snapshot.insert(identity);
    }
    for (const uint64_t left : found->second) snapshot.insert("#" + std::to_string(left));
    engine_.remember(upstream.id, snapshot);
  }
}

Result<void> Controller::accept(Config config, TimePoint now) {
  if (auto fits = check_capacity(config, observed_); !fits) return fits;
  if (!config_) remember_pinned_nodes(config);
  config_ = std::move(config);
  ++epoch_;
  engine_.set_desired(scopes_of(*config_), now);
  return converge(now);
}

Result<void> Controller::tick(TimePoint now) {
  const bool due = engine_.next_deadline().value_or(TimePoint::max()) <= now;
  const bool refill = off_goal_ && now >= refill_at_;
  if (!config_ || (!due && !refill && !unfinished_ && !anything_leaves(observed_))) return {};
  return converge(now);
}

void Controller::set_health(const std::vector<engine::NodeHealth>& verdicts, TimePoint now) {
  engine_.set_health(verdicts, now);
  unfinished_ = true;
}

void Controller::set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin,
                           TimePoint now, const std::string& by) {
  engine_.set_admin(scope, identity, admin, now, by);
  unfinished_ = true;
}

void Controller::set_override(const ScopeId& scope, const Identity& identity,
                              std::optional<uint32_t> weight, TimePoint now,
                              const std::string& by) {
  engine_.set_override(scope, identity, weight, now, by);
  unfinished_ = true;
}

bool Controller::start_ramp(const ScopeId& scope, const Identity& identity, TimePoint now) {
  const bool started = engine_.start_ramp(scope, identity, now);
  unfinished_ = unfinished_ || started;
  return started;
}

Result<void> Controller::converge(TimePoint now) {
  engine::StepResult step = engine_.step(now);
  std::move(step.events.begin(), step.events.end(), std::back_inserter(events_));
  const DesiredPlane desired = desired_plane(*config_, *step.snapshot);
  forget_all_but(desired);
  PlanInputs inputs{
      .grace = seams_.grace,
      .store = seams_.store,
      .next_hop =
          [this](const BackendKey& key) { return seams_.hops.towards(key.address, key.forward); },
      .now_seconds = static_cast<uint32_t>(whole_seconds(now)),
      .refill = now >= refill_at_ ? Refill::kNow : Refill::kNotNow};
  // A plan that was applied whole can make the next one possible: a number freed, a count lowered. That
  // ends after a few; a plan that never becomes empty would be a fault of ours, not a reason to hang.
  constexpr int kMaxRounds = 8;
  unfinished_ = true;
  for (int round = 0; round < kMaxRounds; ++round) {
    Plan plan = make_plan(desired, observed_, tables_, inputs);
    off_goal_ = plan.off_goal;
    if (plan.off_goal && inputs.refill == Refill::kNow) {
      inputs.refill = Refill::kNotNow;  // once a second for each VIP (W7)
      refill_at_ = now + kRefillPeriod;
    }
    if (plan.writes.empty()) {
      unfinished_ = plan.waiting;
      return {};
    }
    const auto about_to_end = drained_by(plan, observed_, seams_.store);
    Applied applied = apply(std::move(plan), observed_, seams_.store, seams_.grace);
    for (const auto& [id, drained] : about_to_end) {
      if (!observed_.backends.contains(id)) drained_.push_back(drained);
    }
    for (const auto& [vip, moved] : applied.moved) slots_moved_[vip] += moved;
    if (!applied.outcome) return applied.outcome;
  }
  return Error{Code::kFailed, "the maps do not become what they should be: please report this"};
}

std::optional<TimePoint> Controller::next_deadline() const {
  return engine_.next_deadline();
}

Result<void> Controller::refresh_next_hops() {
  for (auto& [id, backend] : observed_.backends) {
    const BackendKey key = key_of(backend);
    const uint64_t hop = seams_.hops.towards(key.address, key.forward);
    if (hop == backend.next_hop) continue;
    if (auto done = seams_.store.set_next_hop(id, hop); !done) return done.within("next hop");
    backend.next_hop = hop;
  }
  return {};
}

Repairs Controller::reconcile() {
  return repair(observed_, seams_.store, seams_.grace);
}

void Controller::sweep_began() {
  for (auto& [id, resting] : observed_.resting) {
    resting.sweeping = seams_.grace.passed(resting.ticket);
  }
}

void Controller::sweep_ended() {
  for (auto& [id, resting] : observed_.resting) {
    resting.swept = resting.swept || resting.sweeping;
  }
}

void Controller::forget_all_but(const DesiredPlane& desired) {
  std::set<VipAddress> vips;
  for (const DesiredVip& vip : desired) vips.insert(vip.address);
  tables_.keep(vips);
  std::erase_if(slots_moved_, [&](const auto& entry) { return !vips.contains(entry.first); });
}

SlotMoves Controller::slots_moved(const VipAddress& vip) const {
  const auto found = slots_moved_.find(vip);
  return found == slots_moved_.end() ? SlotMoves() : found->second;
}

std::vector<Drained> Controller::take_drained() {
  if (config_) {
    for (Drained& one :
         drains_.look({*engine_.snapshot(), observed_, seams_.store, seams_.grace})) {
      drained_.push_back(std::move(one));
    }
  }
  return std::exchange(drained_, {});
}

std::vector<engine::Event> Controller::take_events() {
  return std::exchange(events_, {});
}

}  // namespace rampart::control
