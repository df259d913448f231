// SPDX-License-Identifier: Apache-2.0
// Deadlines of many connections, most of which are moved on before they are reached.
//
// Problem. A request touches four deadlines, and a timer of the event loop that is set anew costs a
// system call. Choice: a wheel of slots, one for each tick, turned by a single timer. Setting a deadline
// is a store; a timer stands in one slot, and only when that slot comes up is it looked at: one whose
// deadline has moved on meanwhile goes to a later slot. A deadline is met up to a tick late.
//
// Thread-safety: none; each worker has one.
#ifndef RAMPART_USERSPACE_PROXY_TIMER_WHEEL_H_
#define RAMPART_USERSPACE_PROXY_TIMER_WHEEL_H_

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstddef>

#include "base/time.h"

namespace rampart::proxy {

inline constexpr Duration kTick = std::chrono::milliseconds(50);

class TimerWheel;

// Who wants to be told. Leaves the wheel when it is destroyed.
class Timer : public boost::intrusive::list_base_hook<
                  boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Timer() = default;

  // Told at `at`, once. REQUIRES: `wheel` outlives this.
  void set(TimerWheel& wheel, TimePoint at);
  void clear() { at_ = TimePoint::max(); }

 protected:
  // May destroy the timer.
  virtual void on_deadline() = 0;

 private:
  friend class TimerWheel;
  TimePoint at_ = TimePoint::max();
  TimePoint looked_at_;  // when its slot comes up, while it stands in one
};

class TimerWheel {
 public:
  explicit TimerWheel(TimePoint now) : now_(now) {}

  // As of the last turn: what timeouts are reckoned from, a tick old at most.
  TimePoint now() const { return now_; }
  // Tells every timer whose deadline is `now` or before. To be called about once a tick.
  void turn(TimePoint now);

 private:
  friend class Timer;
  using Slot = boost::intrusive::list<Timer, boost::intrusive::constant_time_size<false>>;
  static constexpr size_t kSlots = 1024;  // 51 s: a longer timeout is looked at that often
  static size_t tick_of(TimePoint at) { return static_cast<size_t>(at.time_since_epoch() / kTick); }
  void place(Timer& timer);

  TimePoint now_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_TIMER_WHEEL_H_
