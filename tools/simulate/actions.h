// SPDX-License-Identifier: Apache-2.0
// The actions of a scenario: which there are, and what each takes.
#ifndef RAMPART_TOOLS_SIMULATE_ACTIONS_H_
#define RAMPART_TOOLS_SIMULATE_ACTIONS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "simulate/scenario.h"
#include "simulate/words.h"

namespace rampart::simulate {

std::optional<Verb> verb_of(const std::string& word);
// Whether it changes what configuration or discovery says, and not what is heard of a node.
bool changes_listing(Verb verb);

// What may follow `pool` and `add`: NODE=WEIGHT, each with its attributes, and settings.
struct Listing {
  std::vector<engine::Node> nodes;
  Settings settings;
  bool has_settings = false;
};
Result<Listing> listing_of(std::span<const Word> words, Settings before);

// `settings` are those in force before. REQUIRES: the first of `words` is a verb, no other is.
Result<Action> action_of(std::span<const Word> words, const Settings& settings);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_ACTIONS_H_
