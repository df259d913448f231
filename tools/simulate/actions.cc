// SPDX-License-Identifier: Apache-2.0
#include "simulate/actions.h"

#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/weight.h"
#include "simulate/expect.h"
#include "simulate/settings.h"

namespace rampart::simulate {
namespace {

constexpr int kMostPriority = 1000;

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> kVerbs = {
      {"add", Verb::kAdd},
      {"remove", Verb::kRemove},
      {"weight", Verb::kWeight},
      {"move", Verb::kMove},
      {"set", Verb::kSet},
      {"override", Verb::kOverride},
      {"clear", Verb::kClear},
      {"down", Verb::kDown},
      {"up", Verb::kUp},
      {"unknown", Verb::kUnknown},
      {"drain", Verb::kDrain},
      {"undrain", Verb::kUndrain},
      {"maintenance", Verb::kMaintenance},
      {"ready", Verb::kReady},
      {"restart", Verb::kRestart},
      {"reboot", Verb::kReboot},
  };
  return kVerbs;
}

Result<std::vector<std::string>> addresses_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    if (part.size() > kLongestName) return too_long();
    if (parts.size() == kMostNodes) return too_many_nodes();
    parts.push_back(part);
  }
  return parts;
}

bool is_attribute(const std::string& name) {
  return name == kPriority || name == kAddress;
}

Result<engine::Node> with_attribute(engine::Node node, const Assignment& attribute) {
  if (attribute.name == kAddress) {
    auto addresses = addresses_of(attribute.value);
    if (!addresses) return addresses.error();
    node.addresses = *std::move(addresses);
    return node;
  }
  const auto value = number_of(attribute.value);
  if (!value || *value != static_cast<int>(*value) || *value < -kMostPriority ||
      *value > kMostPriority) {
    return problem("priority: '" + attribute.value + "' is not a whole number -1000…1000");
  }
  node.priority = static_cast<int>(*value);
  return node;
}

// Words that mean something where a node could stand.
bool is_taken(const std::string& name) {
  static const std::set<std::string> kWords = {"pool", "at", "until", "expect", "--ramp"};
  return kWords.contains(name) || verb_of(name) || is_word_of_expectations(name);
}

// What is wrong with it as a node's name; empty if nothing is.
std::string fault_of(const std::string& name) {
  if (is_taken(name)) return "'" + name + "' cannot be a node: the word has a meaning in scenarios";
  const auto meant = meant_instead_of(name);
  if (!meant) return "";
  return "there is no setting '" + name + "'" + did_you_mean(meant) +
         ", and no node is named so nearly like one";
}

Result<std::vector<engine::Node>> nodes_of(const Assignment& pair) {
  const auto names = names_of(pair.name);
  if (!names) return names.error();
  const bool is_range = names->size() > 1;  // nobody writes a setting like that
  const std::string fault = is_range ? "" : fault_of(names->front());
  if (!fault.empty()) return problem(fault);
  const auto weight = whole_number_of(pair.value, 0, kMostWeight);
  if (!weight) return weight.within("the weight of " + pair.name);
  std::vector<engine::Node> nodes;
  for (const Identity& name : *names) nodes.push_back({.identity = name, .weight = *weight});
  return nodes;
}

// Nodes without a value: "a b1..b3".
Result<std::vector<engine::Node>> bare_nodes_of(std::span<const Word> words) {
  std::vector<engine::Node> nodes;
  for (const Word& word : words) {
    if (word.text.find('=') != std::string::npos) {
      return problem("'" + word.text + "': this action takes names of nodes only");
    }
    const auto names = names_of(word.text);
    if (!names) return names.error();
    if (nodes.size() + names->size() > kMostNodes) return too_many_nodes();
    for (const Identity& name : *names) nodes.push_back({.identity = name});
  }
  return nodes;
}

Result<std::vector<engine::Node>> moved_nodes_of(std::span<const Word> words) {
  std::vector<engine::Node> nodes;
  for (const Word& word : words) {
    const auto pair = assignment_of(word.text);
    if (!pair) return pair.error();
    auto addresses = addresses_of(pair->value);
    if (!addresses) return addresses.error();
    nodes.push_back({.identity = pair->name, .addresses = *std::move(addresses)});
  }
  return nodes;
}

Result<Action> with_absence(Action action, std::span<const Word> words) {
  for (const Word& word : words) {
    const auto pair = assignment_of(word.text);
    if (pair && pair->name == "state" && pair->value == "lost") {
      action.state_lost = true;
    } else if (pair && pair->name == "away") {
      const auto away = duration_of(pair->value);
      if (!away) return away.within("away");
      action.away = *away;
    } else {
      return problem("'" + word.text + "': a restart takes away=TIME and state=lost");
    }
  }
  return action;
}

Result<Action> with_settings(Action action, std::span<const Word> words) {
  for (const Word& word : words) {
    const auto pair = assignment_of(word.text);
    if (!pair) return pair.error();
    if (!is_setting(pair->name)) {
      const auto meant = meant_instead_of(pair->name);
      return problem("there is no setting '" + pair->name + "'" + did_you_mean(meant));
    }
    if (!may_change(pair->name)) return problem(pair->name + " is set by pool only");
    auto after = with_setting(std::move(action.settings), *pair);
    if (!after) return after.error();
    action.settings = *std::move(after);
  }
  auto whole = completed(std::move(action.settings));
  if (!whole) return whole.error();
  action.settings = *std::move(whole);
  return action;
}

// Weights stand only where they are news.
std::string label_of(std::span<const Word> words, Verb verb) {
  std::string label = words.front().text;
  for (const Word& word : words.subspan(1)) {
    const std::string name = word.text.substr(0, word.text.find('='));
    if (verb == Verb::kAdd && is_attribute(name)) continue;
    label += ' ';
    label += verb == Verb::kAdd ? name : word.text;
  }
  return label;
}

Result<std::vector<engine::Node>> weighted_nodes_of(Verb verb, std::span<const Word> words,
                                                    const Settings& settings) {
  const auto listing = listing_of(words, settings);
  if (!listing) return listing.error();
  if (listing->has_settings) return problem("settings change by set: set window=40s");
  if (verb != Verb::kAdd) {
    for (const engine::Node& node : listing->nodes) {
      if (node.priority != 0 || !node.addresses.empty()) {
        return problem("priority and address stand with add; move gives another address");
      }
    }
  }
  return listing->nodes;
}

Result<std::vector<engine::Node>> nodes_for(Verb verb, std::span<const Word> words,
                                            const Settings& settings) {
  switch (verb) {
    case Verb::kAdd:
    case Verb::kWeight:
    case Verb::kOverride:
      return weighted_nodes_of(verb, words, settings);
    case Verb::kMove:
      return moved_nodes_of(words);
    default:
      return bare_nodes_of(words);
  }
}

}  // namespace

std::optional<Verb> verb_of(const std::string& word) {
  const auto found = verbs().find(word);
  return found == verbs().end() ? std::nullopt : std::optional(found->second);
}

bool changes_listing(Verb verb) {
  return verb == Verb::kAdd || verb == Verb::kRemove || verb == Verb::kWeight ||
         verb == Verb::kMove || verb == Verb::kSet;
}

Result<Listing> listing_of(std::span<const Word> words, Settings before) {
  Listing listing = {{}, std::move(before), false};
  size_t group = 0;  // where the nodes of the last word begin
  for (const Word& word : words) {
    const auto pair = assignment_of(word.text);
    if (!pair) return pair.error();
    if (pair->relation != "=") return problem("'" + word.text + "': only expect compares");
    if (is_setting(pair->name)) {
      auto after = with_setting(std::move(listing.settings), *pair);
      if (!after) return after.error();
      listing.settings = *std::move(after);
      listing.has_settings = true;
      continue;
    }
    if (is_attribute(pair->name)) {
      if (group == listing.nodes.size())
        return problem(pair->name + "= follows the node it is about");
      for (size_t i = group; i < listing.nodes.size(); ++i) {
        auto node = with_attribute(std::move(listing.nodes[i]), *pair);
        if (!node) return node.error();
        listing.nodes[i] = *std::move(node);
      }
      continue;
    }
    auto nodes = nodes_of(*pair);
    if (!nodes) return nodes.error();
    group = listing.nodes.size();
    if (group + nodes->size() > kMostNodes) return too_many_nodes();
    std::move(nodes->begin(), nodes->end(), std::back_inserter(listing.nodes));
  }
  auto whole = completed(std::move(listing.settings));
  if (!whole) return whole.error();
  listing.settings = *std::move(whole);
  return listing;
}

Result<Action> action_of(std::span<const Word> words, const Settings& settings) {
  Action action = {.verb = *verb_of(words.front().text), .settings = settings};
  action.label = label_of(words, action.verb);
  std::span<const Word> rest = words.subspan(1);
  if (action.verb == Verb::kRestart || action.verb == Verb::kReboot) {
    return with_absence(std::move(action), rest);
  }
  if (rest.empty()) return problem("what is it about? Something follows the action");
  if (action.verb == Verb::kSet) return with_settings(std::move(action), rest);
  const bool may_ramp = action.verb == Verb::kUndrain || action.verb == Verb::kReady;
  if (may_ramp && rest.back().text == "--ramp") {
    action.ramp = true;
    rest = rest.first(rest.size() - 1);
  }
  auto nodes = nodes_for(action.verb, rest, settings);
  if (!nodes) return nodes.error();
  if (nodes->empty()) return problem("no node follows the action");
  action.nodes = *std::move(nodes);
  return action;
}

}  // namespace rampart::simulate
