// SPDX-License-Identifier: Apache-2.0
// The engine against the slow model of S3 (lifecycle_model.h), through random histories. Pools,
// windows and steps of time are small and mostly whole seconds, so that what S3 decides at an edge
// ("strictly", "exactly one window") happens often.
//
// A history is a list of actions, each with its time and all its values: any part of it is a
// history too. So one that diverges is cut down until nothing more can be left out, and what is
// printed is short enough to be walked by hand through the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <utility>

#include "control/state_file.h"
#include "engine/engine.h"
#include "property/lifecycle_model.h"
#include "property/seeded.h"

namespace rampart::engine {
namespace {

constexpr const char* kScope = "pool";
using std::chrono::milliseconds;
using std::chrono::seconds;

// --- In words

std::string text(TimePoint at) {
  std::ostringstream out;
  out << static_cast<double>(at.time_since_epoch().count()) / 1e9 << "s";
  return out.str();
}

std::string text(const std::optional<TimePoint>& at) {
  return at ? text(*at) : "-";
}

std::string text(const std::optional<SlowStart>& block) {
  if (!block) return "no block";
  std::ostringstream out;
  out << "window=" << block->window.count() << " floor=" << block->min_weight_percent
      << " interval=" << block->interval.count() << " aggression=" << block->aggression
      << " grace=" << block->startup_grace.count()
      << (block->on_recovery == OnRecovery::kRamp ? " on_recovery=ramp" : "");
  return out.str();
}

std::string text(const Scope& scope) {
  std::ostringstream out;
  for (const Node& node : scope.nodes) {
    out << " " << node.identity << "=" << node.weight << (node.discovered ? " (discovered)" : "");
  }
  out << " | " << text(scope.slow_start) << (scope.synced ? "" : " | not synced");
  if (scope.check) out << " | check " << *scope.check;
  out << " | panic below " << scope.panic.threshold_percent << "%";
  if (scope.panic.fail_closed) out << ", fail closed";
  return out.str();
}

std::string text(const ScopeAnswer& answer) {
  std::ostringstream out;
  out << (answer.listed ? "" : "not listed") << (answer.panic ? "in panic" : "") << "\n";
  for (const auto& [identity, node] : answer.nodes) {
    out << "    " << identity << " " << name_of(node.lifecycle) << " start "
        << text(node.ramp_start) << " mark " << text(node.unusable_since) << " "
        << name_of(node.condition.health) << " " << name_of(node.condition.admin)
        << (node.eligible ? " eligible" : " not eligible") << " ramped " << node.ramped.raw()
        << " effective " << node.effective.raw() << "\n";
  }
  for (const auto& [identity, kind] : answer.events) {
    out << "    event: " << identity << " " << name_of(kind) << "\n";
  }
  return out.str();
}

// --- The two, side by side

struct Both {
  std::unique_ptr<Engine> engine = std::make_unique<Engine>(EngineConfig{});
  LifecycleModel model{TimePoint{}};
  TimePoint latest{};  // time that this process has seen

  void set_desired(const std::optional<Scope>& scope, TimePoint now) {
    engine->set_desired(scope ? Desired{*scope} : Desired{}, now);
    model.set_desired(scope, now);
  }
  // Nothing, or how they differ.
  std::string step(TimePoint now);
  std::string quiet(TimePoint now, const ScopeAnswer& answer) const;
  std::string start_ramp(const Identity& identity, TimePoint now) {
    const bool theirs = engine->start_ramp(kScope, identity, now);
    return theirs == model.start_ramp(identity, now) ? "" : "start_ramp answers differ\n";
  }
  void restart(TimePoint saved, TimePoint start, Duration shift);
  void restart_without_state(const std::set<Identity>& pinned, TimePoint start);
};

ScopeAnswer answer_of(const StepResult& result) {
  ScopeAnswer answer;
  for (const Event& event : result.events) answer.events.emplace_back(event.identity, event.kind);
  const auto scope = result.snapshot->scopes.find(kScope);
  answer.listed = scope != result.snapshot->scopes.end();
  if (!answer.listed) return answer;
  answer.panic = scope->second.panic;
  for (const auto& [identity, node] : scope->second.nodes) {
    Condition condition = node.condition;
    if (condition.health == Health::kUnknown) condition.checked_by.reset();
    answer.nodes[identity] = {node.lifecycle, node.ramp_start, node.unusable_since, condition,
                              node.eligible,  node.ramped,     node.effective};
  }
  return answer;
}

std::string Both::step(TimePoint now) {
  const ScopeAnswer theirs = answer_of(engine->step(now));
  const ScopeAnswer ours = model.step(now);
  if (theirs != ours) return "  engine: " + text(theirs) + "  model: " + text(ours);
  // Once the clock has moved back, weights follow it without a deadline.
  return now < latest ? "" : quiet(now, ours);
}

// The model is asked whether anything changes before the engine's deadline.
std::string Both::quiet(TimePoint now, const ScopeAnswer& answer) const {
  const auto without_events = [](ScopeAnswer some) {
    some.events.clear();
    return some;
  };
  const TimePoint deadline = engine->next_deadline().value_or(now + std::chrono::hours(24));
  if (deadline <= now) return "  the engine's deadline has passed\n";
  LifecycleModel later = model;
  const ScopeAnswer then = later.step(deadline - Duration(1));
  if (then.events.empty() && without_events(then) == without_events(answer)) return "";
  return "  now: " + text(answer) + "  just before the deadline: " + text(then);
}

// What the state file makes of times; with a shift, because the machine booted in between (S3.21).
EngineState shifted(EngineState state, Duration shift) {
  const control::BootFrame before = {"a boot", TimePoint(), Duration(0)};
  const control::BootFrame after = {"another boot", TimePoint(shift), Duration(0)};
  return control::in_frame({before, std::move(state)}, shift == Duration(0) ? before : after);
}

void Both::restart(TimePoint saved, TimePoint start, Duration shift) {
  const EngineState state = shifted(engine->state(saved), shift);
  engine = std::make_unique<Engine>(EngineConfig{start});
  engine->restore(state, start);
  model = model.restarted(saved, start, shift);
  latest = start;
}

void Both::restart_without_state(const std::set<Identity>& pinned, TimePoint start) {
  engine = std::make_unique<Engine>(EngineConfig{start});
  model = LifecycleModel(start);
  latest = start;
  if (pinned.empty()) return;
  engine->remember(kScope, pinned);
  model.remember(pinned);
}

// --- Histories

struct Action {
  std::string what;
  TimePoint at;
  std::function<std::string(Both&)> run;  // how the two differ
};
using History = std::vector<Action>;

class Author {
 public:
  explicit Author(uint64_t seed) : random_(seed) {
    scope_ = {kScope, {}, any_block()};
    steps_often_ = !one_in(4);
    whole_seconds_ = !one_in(4);
  }
  History write(int actions);

 private:
  template <typename T>
  T between(T least, T most) {
    return std::uniform_int_distribution<T>(least, most)(random_);
  }
  bool one_in(int n) { return between(1, n) == 1; }
  Identity any_identity() { return Identity(1, static_cast<char>('a' + between(0, 4))); }

  void add(const std::string& what, std::function<std::string(Both&)> run) {
    history_.push_back({text(now_) + " " + what, now_, std::move(run)});
  }
  void let_time_pass();
  void act();
  void desire();
  void edit_nodes();
  void edit_block();
  void edit_policy();
  void hear_of_health();
  void command();
  void restart();
  std::optional<SlowStart> any_block();

  std::mt19937_64 random_;
  bool steps_often_;
  bool whole_seconds_;
  Scope scope_;
  TimePoint now_{seconds(1000)};
  History history_;
};

std::optional<SlowStart> Author::any_block() {
  if (one_in(8)) return std::nullopt;
  SlowStart block;
  block.window = seconds(one_in(2) ? between(1, 5) : between(1, 20));
  block.min_weight_percent = one_in(20) ? 0 : between(1, 30);  // 0: a bad block (S1.6)
  block.interval = seconds(between<int64_t>(1, block.window.count()));
  if (one_in(3)) block.aggression = between(1, 40) / 10.0;
  if (one_in(2)) block.startup_grace = seconds(between(0, 8));
  if (one_in(3)) block.on_recovery = OnRecovery::kRamp;
  return block;
}

void Author::let_time_pass() {
  if (one_in(3)) return;
  Duration step = whole_seconds_ || !one_in(3) ? Duration(seconds(between(0, one_in(3) ? 8 : 2)))
                                               : Duration(milliseconds(between(0, 3000)));
  if (one_in(40)) step = scope_.slow_start ? scope_.slow_start->window : seconds(30);
  if (one_in(60)) step = -step;
  now_ += step;
}

void Author::edit_nodes() {
  if (one_in(12)) return scope_.nodes.clear();
  const Identity identity = any_identity();
  const auto found = std::find_if(scope_.nodes.begin(), scope_.nodes.end(),
                                  [&](const Node& node) { return node.identity == identity; });
  const uint32_t weight = one_in(5) ? 0 : between(1u, 100u);
  if (found == scope_.nodes.end()) {
    scope_.nodes.push_back({.identity = identity, .weight = weight, .discovered = one_in(3)});
  } else if (one_in(3)) {
    found->weight = weight;
  } else {
    scope_.nodes.erase(found);
  }
  std::shuffle(scope_.nodes.begin(), scope_.nodes.end(), random_);  // W9
}

void Author::edit_block() {
  const std::optional<SlowStart> other = any_block();
  if (!other || !scope_.slow_start || one_in(4)) {
    scope_.slow_start = other;
    return;
  }
  SlowStart& block = *scope_.slow_start;
  switch (between(0, 4)) {
    case 0:
      block.window = other->window;
      block.interval = std::min(block.interval, block.window);
      break;
    case 1:
      block.interval = std::min(other->interval, block.window);
      break;
    case 2:
      block.min_weight_percent = other->min_weight_percent;
      block.aggression = other->aggression;
      break;
    case 3:
      block.startup_grace = other->startup_grace;
      break;
    default:
      block.on_recovery = other->on_recovery;
  }
}

void Author::edit_policy() {
  if (one_in(2)) {
    scope_.check.reset();
    if (!one_in(4)) scope_.check = between(1u, 2u);
    return;
  }
  scope_.panic.threshold_percent = one_in(2) ? 0 : between(0u, 100u);
  scope_.panic.fail_closed = one_in(4);
}

void Author::desire() {
  if (one_in(60)) {
    add("the scope is removed", [now = now_](Both& both) {
      both.set_desired(std::nullopt, now);
      return std::string();
    });
    return;
  }
  if (!one_in(4)) edit_nodes();
  if (one_in(3)) edit_nodes();
  if (one_in(8)) edit_block();
  if (one_in(10)) edit_policy();
  scope_.synced = scope_.synced ? !one_in(12) : one_in(3);
  add("desired:" + text(scope_), [scope = scope_, now = now_](Both& both) {
    both.set_desired(scope, now);
    return std::string();
  });
}

void Author::hear_of_health() {
  const Identity identity = any_identity();
  const Health health = one_in(8) ? Health::kUnknown : one_in(2) ? Health::kUp : Health::kDown;
  add(identity + " is " + name_of(health), [=, now = now_](Both& both) {
    both.engine->set_health(kScope, identity, health, now);
    both.model.set_health(identity, health, now);
    return std::string();
  });
}

void Author::command() {
  const Identity identity = any_identity();
  if (one_in(4)) {
    std::optional<uint32_t> weight;
    if (!one_in(3)) weight = one_in(4) ? 0 : between(1u, 100u);
    add(identity + " overridden: " + (weight ? std::to_string(*weight) : "no"),
        [=, now = now_](Both& both) {
          both.engine->set_override(kScope, identity, weight, now);
          both.model.set_override(identity, weight, now);
          return std::string();
        });
    return;
  }
  if (one_in(3)) {
    add("ramp " + identity, [=, now = now_](Both& both) { return both.start_ramp(identity, now); });
    return;
  }
  const Admin admin = one_in(2) ? Admin::kNone : one_in(2) ? Admin::kDrain : Admin::kMaintenance;
  add("operator: " + identity + " " + name_of(admin), [=, now = now_](Both& both) {
    both.engine->set_admin(kScope, identity, admin, now);
    both.model.set_admin(identity, admin, now);
    return std::string();
  });
}

void Author::restart() {
  const TimePoint saved = now_;
  if (one_in(2)) scope_.synced = false;  // as a source is that has just begun
  Duration shift{0};
  now_ += seconds(between(0, 6));
  if (one_in(3)) {  // a reboot: the clock begins anew, and the wall clock may be off
    const TimePoint boot{seconds(between(900, 1100))};
    shift = boot - now_ + seconds(one_in(2) ? between(-8, 8) : 0);
    now_ = boot;
  }
  if (one_in(4)) {
    std::set<Identity> pinned;
    if (one_in(2)) pinned = {any_identity(), any_identity()};
    std::string names;
    for (const Identity& identity : pinned) names += " " + identity;
    add("restart without state; pinned:" + names, [=, now = now_](Both& both) {
      both.restart_without_state(pinned, now);
      return std::string();
    });
    return;
  }
  add("restart; saved at " + text(saved) + " and shifted by " + text(TimePoint(shift)),
      [=, now = now_](Both& both) {
        both.restart(saved, now, shift);
        return std::string();
      });
}

void Author::act() {
  const int kind = between(0, 99);
  if (kind < 45) return desire();
  if (kind < 75) return hear_of_health();
  if (kind < 95) return command();
  restart();
}

History Author::write(int actions) {
  for (int i = 0; i < actions; ++i) {
    let_time_pass();
    if (!one_in(5)) act();
    if (!steps_often_ && !one_in(8)) continue;
    add("step", [now = now_](Both& both) { return both.step(now); });
  }
  add("step", [now = now_](Both& both) { return both.step(now); });
  return std::move(history_);
}

// --- Divergence

struct Divergence {
  size_t at = 0;     // index of the action that shows it
  std::string what;  // empty: none
};

Divergence run(const History& history) {
  Both both;
  for (size_t i = 0; i < history.size(); ++i) {
    both.latest = std::max(both.latest, history[i].at);
    if (std::string what = history[i].run(both); !what.empty()) return {i, what};
  }
  return {};
}

// Leaves out what is not needed for the two to differ: halves, quarters, … single actions.
History cut_down(History history) {
  history.resize(run(history).at + 1);
  for (size_t piece = history.size() / 2; piece > 0; piece /= 2) {
    for (size_t from = 0; from < history.size();) {
      History without = history;
      const auto first = without.begin() + static_cast<ptrdiff_t>(from);
      without.erase(first, first + static_cast<ptrdiff_t>(std::min(piece, history.size() - from)));
      const Divergence still = run(without);
      if (still.what.empty()) {
        from += piece;
        continue;
      }
      history = std::move(without);
      history.resize(still.at + 1);
    }
  }
  return history;
}

void expect_agreement(uint64_t seed, int actions) {
  const History history = Author(seed).write(actions);
  if (run(history).what.empty()) return;
  std::ostringstream out;
  out << "history " << seed << " of " << actions << " actions, cut down:\n";
  const History least = cut_down(history);
  for (const Action& action : least) out << "  " << action.what << "\n";
  FAIL() << out.str() << run(least).what;
}

class LifecycleLaws : public Seeded {};

TEST_F(LifecycleLaws, AgreeWithTheModelThroughAnyHistory) {  // S3.1-S3.26 S0 S2.5 H2 H3 H6 B6 F5
  for (int i = 0; i < 1500 && !HasFatalFailure(); ++i) expect_agreement(random()(), 60);
  for (int i = 0; i < 10 && !HasFatalFailure(); ++i) expect_agreement(random()(), 3000);
}

// The same in each run, so that a change of the engine is judged by the same cases as the last one.
TEST(LifecycleHistories, AgreeWithTheModel) {  // S3.1-S3.26 S0 S2.5 H2 H3 H6 B6 F5
  for (uint64_t seed = 1; seed <= 1000 && true; ++seed) {
    expect_agreement(seed, 80);
  }
  for (uint64_t seed = 1; seed <= 5 && true; ++seed) {
    expect_agreement(seed, 4000);
  }
}

}  // namespace
}  // namespace rampart::engine
