// SPDX-License-Identifier: Apache-2.0
#include "health/checker.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace rampart::health {
namespace {

namespace asio = boost::asio;

// Deadlines that are closer than this are served by one wake-up: four thousand targets a second then
// cost 250 of them.
constexpr Duration kShortestSleep = std::chrono::milliseconds(4);

// A fault after this long without one is another one.
constexpr Duration kFaultIsOver = std::chrono::minutes(1);

}  // namespace

// Shared only so that a handler which is queued when the checker goes finds it gone.
class Checker::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& io, std::unique_ptr<Prober> prober, Callbacks callbacks)
      : timer_(io), prober_(std::move(prober)), callbacks_(std::move(callbacks)) {}

  void set_targets(const std::vector<CheckedScope>& scopes) {
    for (const TargetNumber number : table_.set_scopes(scopes, boot_now())) probes_.erase(number);
    begin_due();
  }

  void take_down(const ScopeId& scope, const Identity& identity) {
    table_.take_down(scope, identity);
  }

  Figures figures() const {
    Figures figures = figures_;
    figures.targets = table_.size();
    figures.under_way = table_.under_way();
    figures.waiting = table_.waiting();
    return figures;
  }

 private:
  void begin_due() {
    const TimePoint now = boot_now();
    for (const TargetTable::Start& start : table_.start(now)) {
      ++figures_.started;
      figures_.largest_delay = std::max(figures_.largest_delay, now - start.due);
      probes_[start.number] = prober_->start(
          start.target,
          [this, number = start.number](const ProbeEnd& end) { finish(number, end); });
    }
    sleep(now);
  }

  void sleep(TimePoint now) {
    const std::optional<TimePoint> deadline = table_.next_deadline();
    if (deadline == awakes_for_) return;
    awakes_for_ = deadline;
    if (!deadline) {
      timer_.cancel();
      return;
    }
    timer_.expires_after(std::max(*deadline - now, kShortestSleep));
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code cancelled) {
      const auto self = weak.lock();
      if (cancelled || !self) return;
      self->awakes_for_.reset();
      self->begin_due();
    });
  }

  // Callbacks come last: whatever they do finds everything in order.
  void finish(TargetNumber number, const ProbeEnd& end) {
    const auto self = shared_from_this();
    const ProbeEnd kept = end;
    probes_.erase(number);
    const TimePoint now = boot_now();
    const std::optional<VerdictChange> change = table_.finish(number, kept, now);
    begin_due();
    if (kept.kind == ProbeEnd::Kind::kOwnFault) return say_fault(kept.reason, now);
    if (change) callbacks_.on_verdict(*change);
  }

  void say_fault(const std::string& reason, TimePoint now) {
    const bool again = last_fault_ && now - *last_fault_ < kFaultIsOver;
    last_fault_ = now;
    if (!again) callbacks_.on_fault("health checks cannot be made, verdicts stand: " + reason);
  }

  asio::steady_timer timer_;
  std::unique_ptr<Prober> prober_;
  Callbacks callbacks_;
  TargetTable table_{kMostUnderWay};
  std::unordered_map<TargetNumber, std::unique_ptr<Probe>> probes_;  // under way
  std::optional<TimePoint> awakes_for_;                              // what the timer is set for
  std::optional<TimePoint> last_fault_;
  Figures figures_;
};

Checker::Checker(asio::io_context& io, std::unique_ptr<Prober> prober, Callbacks callbacks)
    : impl_(std::make_shared<Impl>(io, std::move(prober), std::move(callbacks))) {}
Checker::~Checker() = default;

void Checker::set_targets(const std::vector<CheckedScope>& scopes) {
  impl_->set_targets(scopes);
}

void Checker::take_down(const ScopeId& scope, const Identity& identity) {
  impl_->take_down(scope, identity);
}

Checker::Figures Checker::figures() const {
  return impl_->figures();
}

}  // namespace rampart::health
