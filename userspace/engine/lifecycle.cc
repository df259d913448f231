// SPDX-License-Identifier: Apache-2.0
#include "engine/lifecycle.h"

#include <algorithm>

#include "base/check.h"

namespace rampart::engine {
namespace {

// S3.11: what is left of a node that is not listed.
NodeHistory absent(NodeHistory history, Duration window, TimePoint now) {
  if (history.lifecycle == Lifecycle::kNone) return {};
  if (!history.absent_since) history.absent_since = now;
  return now - *history.absent_since < window ? history : NodeHistory{};
}

// S3.11: what a listed node comes back to. A tombstone ends at exactly one window.
NodeHistory returned(NodeHistory history, Duration window, TimePoint now) {
  if (!history.absent_since) return history;
  if (now - *history.absent_since >= window) return {};
  history.absent_since.reset();
  return history;
}

NodeHistory pending() {
  return {.lifecycle = Lifecycle::kPending, .cause = Cause::kNeverEligible};
}
NodeHistory mature(Cause cause) {
  return {.lifecycle = Lifecycle::kMature, .cause = cause};
}
NodeHistory ramping(Cause cause, TimePoint now) {
  return {.lifecycle = Lifecycle::kRamping, .cause = cause, .ramp_start = now};
}

Transition when_eligible(const NodeHistory& history, const Sighting& sighting,
                         const SlowStart& block, bool was_absent, TimePoint now) {
  if (history.lifecycle == Lifecycle::kNone) {
    if (sighting.baseline) return {mature(Cause::kBaseline), {}};  // S3.1
    if (sighting.known) return {mature(Cause::kKnown), {}};        // S3.2
    return {ramping(Cause::kJoined, now), Event::Kind::kBegan};    // S3.3
  }
  if (history.lifecycle == Lifecycle::kPending) {  // S3.4
    return {ramping(Cause::kFirstEligible, now), Event::Kind::kBegan};
  }
  const auto mark = history.unusable_since;
  if (mark && now - *mark > block.window) {  // S3.5
    return {ramping(Cause::kUnusableTooLong, now), Event::Kind::kRestarted};
  }
  if (mark && block.on_recovery == OnRecovery::kRamp) {  // S3.5
    return {ramping(Cause::kRecovered, now), Event::Kind::kRestarted};
  }
  if (history.lifecycle == Lifecycle::kRamping && now - history.ramp_start >= block.window) {
    return {mature(Cause::kFinished), Event::Kind::kFinished};  // S3.6
  }
  Transition unchanged = {history, {}};  // S3.7
  unchanged.next.unusable_since.reset();
  // What was away for no time at all has not been away.
  if ((mark && *mark < now) || was_absent) unchanged.event = Event::Kind::kResumed;
  return unchanged;
}

NodeHistory when_not_eligible(NodeHistory history, const Sighting& sighting, TimePoint now) {
  if (history.lifecycle == Lifecycle::kPending) return history;
  if (history.lifecycle == Lifecycle::kNone) {
    if (!sighting.baseline && !sighting.known) return pending();             // S3.10
    history = mature(sighting.baseline ? Cause::kBaseline : Cause::kKnown);  // S3.9
  }
  if (!history.unusable_since) history.unusable_since = now;  // S3.8
  return history;
}

// S3.13: what there was is dropped, save pending, which does not need a block (S0).
NodeHistory without_block(const NodeHistory& history, const Sighting& sighting) {
  if (!sighting.present || sighting.eligible) return {};
  const bool is_new = !sighting.baseline && !sighting.known;
  return history.lifecycle == Lifecycle::kPending || is_new ? pending() : NodeHistory{};
}

Transition with_block(const NodeHistory& history, const Sighting& sighting, const SlowStart& block,
                      TimePoint now) {
  if (!sighting.present) return {absent(history, block.window, now), {}};
  const NodeHistory current = returned(history, block.window, now);
  if (!sighting.eligible) return {when_not_eligible(current, sighting, now), {}};
  const bool was_absent = history.absent_since && *history.absent_since < now;
  return when_eligible(current, sighting, block, was_absent, now);
}

}  // namespace

Transition transition(const NodeHistory& history, const Sighting& sighting,
                      const std::optional<SlowStart>& block, TimePoint now) {
  Transition result = block ? with_block(history, sighting, *block, now)
                            : Transition{without_block(history, sighting), {}};
  result.next.last_transition = history.last_transition;
  if (result.next == history) return result;
  // A ramp finishes when its window has passed, not when somebody looks.
  const bool finished = result.event == Event::Kind::kFinished;
  result.next.last_transition = finished ? std::min(now, history.ramp_start + block->window) : now;
  return result;
}

Transition ramp_on_request(const NodeHistory& history, bool eligible, TimePoint now) {
  RP_CHECK(history.lifecycle != Lifecycle::kNone && !history.absent_since);
  if (history.lifecycle == Lifecycle::kPending) return {history, {}};
  Transition result = {ramping(Cause::kOperator, now), Event::Kind::kRestarted};
  if (!eligible) result.next.unusable_since = now;
  result.next.last_transition = now;
  return result;
}

const char* sentence(Cause cause) {
  switch (cause) {
    case Cause::kNoSlowStart:
      return "its scope has no slow start";
    case Cause::kBaseline:
      return "it was there when the scope started";
    case Cause::kKnown:
      return "it was serving before its state was lost";
    case Cause::kJoined:
      return "it joined a running scope";
    case Cause::kFirstEligible:
      return "it became eligible for the first time";
    case Cause::kUnusableTooLong:
      return "it was unusable for longer than the window";
    case Cause::kRecovered:
      return "it recovered, and on_recovery is ramp";
    case Cause::kFinished:
      return "its window has passed";
    case Cause::kNeverEligible:
      return "it has not been eligible yet, and ramps from when it is";
    case Cause::kOperator:
      return "an operator asked for it";
  }
  RP_CHECK(false);
}

const char* reason_of(Event::Kind event, const NodeHistory& next) {
  if (event == Event::Kind::kResumed) return "it returned within the window, the clock ran on";
  return sentence(next.cause);
}

}  // namespace rampart::engine
