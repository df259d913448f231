// SPDX-License-Identifier: Apache-2.0
#include "simulate/measure.h"

#include <cmath>
#include <cstdio>

#include "engine/explain.h"

namespace rampart::simulate {
namespace {

std::string text_of(double value) {
  char text[32] = {};
  std::snprintf(text, sizeof text, value == std::floor(value) ? "%.0f" : "%.3f", value);
  return text;
}

// A sentence about a quantity: "b" BEFORE "10" UNIT, "not" "11" AFTER.
struct Phrase {
  const char* before;
  const char* unit = "";
  const char* after = "";
};

Phrase phrase_for(Quantity quantity) {
  switch (quantity) {
    case Quantity::kSlots:
      return {" has ", " slots"};
    case Quantity::kShare:
      return {" has ", " % of the slots", " %"};
    case Quantity::kRequests:
      return {" got ", " requests"};
    case Quantity::kInFlight:
      return {" has ", " in flight"};
    case Quantity::kMoved:
      return {"", " slots moved"};
    default:
      return {" shows "};
  }
}

double number_of(Quantity quantity, const Identity& node, const Sample& sample,
                 const SinceMoment& since) {
  const auto counts = sample.counts.find(node);
  const NodeCounts found = counts == sample.counts.end() ? NodeCounts{} : counts->second;
  switch (quantity) {
    case Quantity::kSlots:
      return found.slots;
    case Quantity::kShare:
      return share_of(sample, node);
    case Quantity::kRequests: {
      const auto requests = since.requests.find(node);
      return requests == since.requests.end() ? 0 : static_cast<double>(requests->second);
    }
    case Quantity::kInFlight:
      return static_cast<double>(found.in_flight);
    case Quantity::kMoved:
      return static_cast<double>(since.moved);
    default:
      return sample.scope.nodes.at(node).shown;
  }
}

bool holds(const Expectation& expected, double actual) {
  const double slack = expected.tolerance + 1e-9;
  if (expected.comparison == Comparison::kAtMost) return actual <= expected.number + slack;
  if (expected.comparison == Comparison::kAtLeast) return actual >= expected.number - slack;
  return std::abs(actual - expected.number) <= slack;
}

const char* words_for(Comparison comparison) {
  if (comparison == Comparison::kAtMost) return ", not at most ";
  return comparison == Comparison::kAtLeast ? ", not at least " : ", not ";
}

// What a node need not be listed for.
bool outlives_listing(Quantity quantity) {
  return quantity == Quantity::kSlots || quantity == Quantity::kShare ||
         quantity == Quantity::kInFlight || quantity == Quantity::kRequests;
}

}  // namespace

double share_of(const Sample& sample, const Identity& node) {
  const auto found = sample.counts.find(node);
  if (found == sample.counts.end() || sample.slots == 0) return 0;
  return 100.0 * found->second.slots / static_cast<double>(sample.slots);
}

std::string unmet(const Expectation& expected, const Sample& sample, const SinceMoment& since) {
  const Identity& node = expected.node;
  if (expected.quantity == Quantity::kPanic) {
    const bool holds_panic = sample.scope.panic == (expected.text == "on");
    return holds_panic ? "" : sample.scope.panic ? "panic is on" : "panic is off";
  }
  const auto found = sample.scope.nodes.find(node);
  const bool listed = found != sample.scope.nodes.end();
  if (!node.empty() && !listed && !outlives_listing(expected.quantity)) {
    return node + " is not in the pool";
  }
  if (expected.quantity == Quantity::kState) {
    const std::string actual = name_of(found->second.lifecycle);
    return actual == expected.text ? "" : node + " is " + actual + ", not " + expected.text;
  }
  const double actual = number_of(expected.quantity, node, sample, since);
  if (holds(expected, actual)) return "";
  const Phrase phrase = phrase_for(expected.quantity);
  const std::string because =
      expected.quantity == Quantity::kShown ? " (" + engine::why(sample.scope, node) + ")" : "";
  return node + phrase.before + text_of(actual) + phrase.unit + words_for(expected.comparison) +
         text_of(expected.number) + phrase.after + because;
}

}  // namespace rampart::simulate
