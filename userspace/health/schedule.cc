// SPDX-License-Identifier: Apache-2.0
#include "health/schedule.h"

#include "base/check.h"

namespace rampart::health {

void Schedule::set_group(GroupNumber number, size_t concurrency) {
  RP_CHECK(concurrency > 0);
  Group& group = groups_[number];
  group.concurrency = concurrency;
  join_turns(number, group);
}

void Schedule::add(TargetNumber target, GroupNumber group, TimePoint due) {
  RP_CHECK(groups_.contains(group));
  const bool fresh = targets_.emplace(target, Entry{group, State::kAsleep, due}).second;
  RP_CHECK(fresh);
  asleep_.emplace(due, target);
}

bool Schedule::remove(TargetNumber target) {
  const auto found = targets_.find(target);
  RP_CHECK(found != targets_.end());
  const Entry entry = found->second;
  targets_.erase(found);
  Group& group = groups_.at(entry.group);
  switch (entry.state) {
    case State::kAsleep:
      asleep_.erase({entry.due, target});
      return false;
    case State::kWaiting:
      group.waiting.erase({entry.due, target});
      --waiting_;
      return false;
    case State::kUnderWay:
      --under_way_;
      --group.under_way;
      join_turns(entry.group, group);
      return true;
  }
  return false;
}

std::vector<Schedule::Start> Schedule::start(TimePoint now) {
  awake(now);
  std::vector<Start> starts;
  while (under_way_ < most_under_way_ && !turns_.empty()) {
    const GroupNumber number = turns_.front();
    turns_.pop_front();
    const auto found = groups_.find(number);
    if (found == groups_.end()) continue;
    Group& group = found->second;
    group.in_turn = false;
    if (group.waiting.empty() || group.under_way >= group.concurrency) continue;
    const auto [due, target] = *group.waiting.begin();
    group.waiting.erase(group.waiting.begin());
    --waiting_;
    ++group.under_way;
    ++under_way_;
    targets_.at(target).state = State::kUnderWay;
    starts.push_back({target, due});
    join_turns(number, group);
  }
  return starts;
}

void Schedule::finish(TargetNumber target, TimePoint next_due) {
  Entry& entry = targets_.at(target);
  RP_CHECK(entry.state == State::kUnderWay);
  entry.state = State::kAsleep;
  entry.due = next_due;
  asleep_.emplace(next_due, target);
  Group& group = groups_.at(entry.group);
  --group.under_way;
  --under_way_;
  join_turns(entry.group, group);
}

std::optional<TimePoint> Schedule::next_deadline() const {
  if (asleep_.empty()) return std::nullopt;
  return asleep_.begin()->first;
}

void Schedule::awake(TimePoint now) {
  while (!asleep_.empty() && asleep_.begin()->first <= now) {
    const auto [due, target] = *asleep_.begin();
    asleep_.erase(asleep_.begin());
    Entry& entry = targets_.at(target);
    entry.state = State::kWaiting;
    Group& group = groups_.at(entry.group);
    group.waiting.emplace(due, target);
    ++waiting_;
    join_turns(entry.group, group);
  }
}

void Schedule::join_turns(GroupNumber number, Group& group) {
  if (group.in_turn || group.waiting.empty() || group.under_way >= group.concurrency) return;
  group.in_turn = true;
  turns_.push_back(number);
}

}  // namespace rampart::health
