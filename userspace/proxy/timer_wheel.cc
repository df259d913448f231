// SPDX-License-Identifier: Apache-2.0
#include "proxy/timer_wheel.h"

#include <algorithm>

namespace rampart::proxy {

void Timer::set(TimerWheel& wheel, TimePoint at) {
  at_ = at;
  if (is_linked() && looked_at_ <= at) return;  // and then moved on
  if (is_linked()) unlink();
  wheel.place(*this);
}

// Behind the slot that turned last, or it would wait for a whole round.
void TimerWheel::place(Timer& timer) {
  timer.looked_at_ = std::clamp(timer.at_, now_, now_ + kTick * static_cast<int>(kSlots - 2));
  slots_[std::max(tick_of(timer.looked_at_), tick_of(now_) + 1) % kSlots].push_back(timer);
}

void TimerWheel::turn(TimePoint now) {
  const size_t last = tick_of(now_);
  const size_t ticks = std::min(tick_of(now) - last, kSlots);
  now_ = now;
  for (size_t i = 1; i <= ticks; ++i) {
    Slot due;
    due.swap(slots_[(last + i) % kSlots]);
    while (!due.empty()) {
      Timer& timer = due.front();
      due.pop_front();
      if (timer.at_ == TimePoint::max()) continue;
      if (timer.at_ > now) {
        place(timer);
      } else {
        timer.clear();
        timer.on_deadline();
      }
    }
  }
}

}  // namespace rampart::proxy
