// SPDX-License-Identifier: Apache-2.0
#include "simulate/expect.h"

#include <cmath>
#include <iterator>
#include <map>

namespace rampart::simulate {
namespace {

// What can be said of the node before it, or of the pool. Every other name is a node, and its value
// the shown weight.
std::optional<Quantity> quantity_of(const std::string& name) {
  static const std::map<std::string, Quantity> kQuantities = {
      {"state", Quantity::kState},        {"slots", Quantity::kSlots},
      {"share", Quantity::kShare},        {"requests", Quantity::kRequests},
      {"in_flight", Quantity::kInFlight}, {"moved", Quantity::kMoved},
      {"panic", Quantity::kPanic},
  };
  const auto found = kQuantities.find(name);
  return found == kQuantities.end() ? std::nullopt : std::optional(found->second);
}

bool is_word(Quantity quantity) {
  return quantity == Quantity::kState || quantity == Quantity::kPanic;
}
bool is_of_pool(Quantity quantity) {
  return quantity == Quantity::kMoved || quantity == Quantity::kPanic;
}

bool is_lifecycle(const std::string& word) {
  return word == "pending" || word == "ramping" || word == "mature" || word == "none";
}

// "9.1%" means 9.05…9.15.
double half_of_last_digit(const std::string& number) {
  const size_t dot = number.find('.');
  if (dot == std::string::npos) return 0.5;
  const auto digits = static_cast<double>(number.size() - dot - 1);
  return 0.5 * std::pow(10, -digits);
}

Result<Expectation> with_word(Expectation expectation, const std::string& text) {
  if (expectation.comparison != Comparison::kEqual) return problem("words are compared by = only");
  if (expectation.quantity == Quantity::kPanic) {
    if (text != "on" && text != "off") return problem("panic is on or off");
  } else if (!is_lifecycle(text)) {
    return problem("a state is pending, ramping, mature or none, not '" + text + "'");
  }
  expectation.text = text;
  return expectation;
}

Result<Expectation> with_number(Expectation expectation, const std::string& text) {
  const bool is_share = expectation.quantity == Quantity::kShare;
  const auto value = number_of(text, is_share ? "%" : "");
  if (!value) return value.error();
  if (!is_share && *value != std::floor(*value))
    return problem("'" + text + "' is not a whole number");
  expectation.number = *value;
  if (is_share) expectation.tolerance = half_of_last_digit(text.substr(0, text.size() - 1));
  return expectation;
}

Result<Expectation> expectation_of(const Assignment& pair, Quantity quantity, int line) {
  Expectation expectation = {.line = line, .quantity = quantity};
  if (pair.relation == "<=") expectation.comparison = Comparison::kAtMost;
  if (pair.relation == ">=") expectation.comparison = Comparison::kAtLeast;
  return is_word(quantity) ? with_word(std::move(expectation), pair.value)
                           : with_number(std::move(expectation), pair.value);
}

}  // namespace

bool is_word_of_expectations(const std::string& name) {
  return quantity_of(name) || is_lifecycle(name);
}

Result<std::vector<Expectation>> expectations_of(std::span<const Word> words) {
  std::vector<Expectation> result;
  std::vector<Identity> about;
  for (const Word& word : words) {
    const auto pair = assignment_of(word.text);
    if (!pair) return pair.error();
    const std::optional<Quantity> quantity = quantity_of(pair->name);
    if (!quantity) {
      const auto names = names_of(pair->name);
      if (!names) return names.error();
      about = *names;
    }
    const auto one = expectation_of(*pair, quantity.value_or(Quantity::kShown), word.line);
    if (!one) return one.within(word.text);
    if (quantity && is_of_pool(*quantity)) {
      result.push_back(*one);
      continue;
    }
    if (about.empty()) return problem(pair->name + "= follows the node it is about");
    if (result.size() + about.size() > kMostNodes) return too_many_nodes();
    for (const Identity& node : about) {
      result.push_back(*one);
      result.back().node = node;
    }
  }
  if (result.empty()) return problem("expect needs NODE=WEIGHT or another value");
  return result;
}

}  // namespace rampart::simulate
