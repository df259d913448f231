// SPDX-License-Identifier: Apache-2.0
// When each target is due, and which of those that are due may begin (H8). Pure: times come in.
//
// One ordered set of deadlines serves all targets, so whoever drives it needs one timer. A target
// whose time has come waits in the line of its group (the scope), earliest deadline first; groups
// that may begin another check take turns, so that neither a group of thousands nor one whose checks
// all run into their timeouts goes before the others.
//
// A target is asleep, waiting or under way, exactly one of these: it is never dropped, and never
// checked twice at once.
#ifndef RAMPART_USERSPACE_HEALTH_SCHEDULE_H_
#define RAMPART_USERSPACE_HEALTH_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"

namespace rampart::health {

enum class TargetNumber : uint64_t {};
enum class GroupNumber : uint64_t {};

class Schedule {
 public:
  // `most_under_way`: of all groups together.
  explicit Schedule(size_t most_under_way) : most_under_way_(most_under_way) {}

  // A new group, or another bound of one. REQUIRES: concurrency > 0.
  void set_group(GroupNumber group, size_t concurrency);
  // REQUIRES: it has no targets.
  void remove_group(GroupNumber group) { groups_.erase(group); }

  // REQUIRES: the group is there, the target is not.
  void add(TargetNumber target, GroupNumber group, TimePoint due);
  // In whatever state it is; returns whether it was under way. REQUIRES: it is there.
  bool remove(TargetNumber target);

  struct Start {
    TargetNumber target;
    TimePoint due;  // it waited since
  };
  // Everything that may begin at `now`; it is under way from here on.
  std::vector<Start> start(TimePoint now);
  // REQUIRES: it is under way.
  void finish(TargetNumber target, TimePoint next_due);

  // When the next target awakes; nothing if none sleeps. What waits already begins when something
  // finishes.
  std::optional<TimePoint> next_deadline() const;

  size_t under_way() const { return under_way_; }
  size_t waiting() const { return waiting_; }

 private:
  enum class State { kAsleep, kWaiting, kUnderWay };
  struct Entry {
    GroupNumber group;
    State state;
    TimePoint due;
  };
  using Line = std::set<std::pair<TimePoint, TargetNumber>>;
  struct Group {
    size_t concurrency = 1;
    size_t under_way = 0;
    Line waiting;
    bool in_turn = false;  // it stands in turns_
  };

  void awake(TimePoint now);
  void join_turns(GroupNumber number, Group& group);

  size_t most_under_way_;
  size_t under_way_ = 0;
  size_t waiting_ = 0;
  std::unordered_map<TargetNumber, Entry> targets_;
  std::unordered_map<GroupNumber, Group> groups_;
  Line asleep_;
  // Groups with a target that waits and a check to spare, in the order of their turns. Some may have
  // lost either since, or be gone.
  std::deque<GroupNumber> turns_;
};

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_SCHEDULE_H_
