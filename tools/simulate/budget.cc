// SPDX-License-Identifier: Apache-2.0
#include "simulate/budget.h"

#include <algorithm>
#include <cstdio>

#include "simulate/names.h"
#include "simulate/run.h"

namespace rampart::simulate {
namespace {

double seconds_in(Duration time) {
  return std::chrono::duration<double>(time).count();
}

// "TEXT: about 25000000 of at most 20000000; lower requests=".
std::string too_much(const char* text, double count, double most, const char* remedy) {
  char numbers[96] = {};
  std::snprintf(numbers, sizeof numbers, ": about %.0f of at most %.0f; ", count, most);
  return std::string(text) + numbers + remedy;
}

}  // namespace

void Budget::begin(const Settings& settings, size_t nodes) {
  settings_ = settings;
  nodes_ = static_cast<double>(nodes);
  add_steps(1);
}

std::optional<std::string> Budget::add(const Moment& moment, const Settings& settings,
                                       size_t nodes) {
  pass_to(moment.at);
  settings_ = settings;
  nodes_ = static_cast<double>(nodes);
  add_steps(2);  // and one at the end of a ramp that begins here
  rows_ += static_cast<double>(moment.expected.size());
  for (const Action& action : moment.actions) {
    rows_ += static_cast<double>(action.nodes.size());
    if (!settings.slow_start) continue;
    const engine::SlowStart& block = *settings.slow_start;
    const TimePoint ends = now_ + action.away + block.startup_grace + block.window;
    ramping_until_ = std::max(ramping_until_, ends);
  }
  return excess();
}

std::optional<std::string> Budget::end(TimePoint until) {
  pass_to(until);
  return excess();
}

void Budget::pass_to(TimePoint at) {
  const double seconds = seconds_in(at - now_);
  if (settings_.slow_start) {
    const Duration ramping = std::max(Duration(0), std::min(at, ramping_until_) - now_);
    add_steps(seconds_in(ramping) / seconds_in(settings_.slow_start->interval));
  }
  if (settings_.load.is_some() && seconds > 0) {
    requests_ += seconds * settings_.load.per_second;
    most_per_second_ = std::max(most_per_second_, settings_.load.per_second);
    longest_ = std::max(longest_, seconds_in(settings_.load.lasting));
  }
  now_ = at;
}

void Budget::add_steps(double count) {
  slots_visited_ += count * (settings_.table_size + nodes_);
  rows_ += count * nodes_;
}

double Budget::rows() const {
  if (requests_ == 0) return rows_;
  return rows_ + nodes_ * std::min<double>(kTicks, seconds_of(now_) / kShortestTick);
}

double Budget::in_flight() const {
  return std::min(requests_, most_per_second_ * longest_);
}

std::optional<std::string> Budget::excess() const {
  if (requests_ > kMostRequests) {
    return too_much("there are too many requests until here", requests_, kMostRequests,
                    "lower requests=, or end earlier");
  }
  if (in_flight() > kMostInFlight) {
    return too_much("there are too many requests in flight", in_flight(), kMostInFlight,
                    "lower requests= or lasting=");
  }
  if (rows() > kMostRows) {
    return too_much("there are too many steps times nodes until here", rows(), kMostRows,
                    "raise interval=, or list fewer nodes");
  }
  if (slots_visited_ > kMostSlotsVisited) {
    return too_much("there are too many steps times slots until here", slots_visited_,
                    kMostSlotsVisited, "raise interval=, or take a smaller table=");
  }
  return {};
}

}  // namespace rampart::simulate
