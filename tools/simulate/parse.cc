// SPDX-License-Identifier: Apache-2.0
#include "simulate/parse.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "control/config_text.h"
#include "engine/slots.h"
#include "simulate/actions.h"
#include "simulate/budget.h"
#include "simulate/expect.h"
#include "simulate/names.h"
#include "simulate/settings.h"
#include "simulate/words.h"

namespace rampart::simulate {
namespace {

using MaybeProblem = std::optional<Problem>;

bool begins_statement(const std::string& word) {
  return word == "pool" || word == "at" || word == "until";
}

// A line that was meant to be a statement of its own.
MaybeProblem indented_statement(const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.line == words[i - 1].line || !begins_statement(word.text)) continue;
    return Problem{word.line, "'" + word.text +
                                  "' begins a line that is indented: an indented line continues "
                                  "the one before"};
  }
  return {};
}

MaybeProblem non_text(std::string_view text) {
  const size_t at = control::first_non_text(text);
  if (at == text.size()) return {};
  char byte[8] = {};
  std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(text[at]));
  const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
  return Problem{static_cast<int>(lines) + 1,
                 std::string("the byte ") + byte + " is a control character or no UTF-8"};
}

// "S3.11", "W6": a letter and a number.
bool is_rule(const std::string& word) {
  if (word.size() < 2 || word[0] < 'A' || word[0] > 'Z') return false;
  return word.find_first_not_of("0123456789.", 1) == std::string::npos;
}

// Each address of a node is a backend of its own (S4.5), with a number in the slot table.
size_t backends_of(const engine::Node& node) {
  return std::max<size_t>(1, node.addresses.size());
}
constexpr size_t kMostProblems = 100;
static_assert(kMostNodes == std::numeric_limits<engine::Owner>::max());

class Parser {
 public:
  Parsed parse(std::string_view text) {
    if (auto found = non_text(text)) {
      parsed_.problems.push_back(*std::move(found));
      return std::move(parsed_);
    }
    read_title(text);
    for (const Words& words : statements_of(text)) {
      if (auto found = statement(words)) parsed_.problems.push_back(*std::move(found));
      if (!has_pool_ || is_too_much_) break;  // all else would seem wrong too
      if (parsed_.problems.size() == kMostProblems) break;
    }
    if (!has_pool_ && parsed_.problems.empty()) {
      parsed_.problems.push_back({1, "there is no pool: pool a=100 b=100 window=10s"});
    }
    if (!has_until_) scenario().until = last_moment();
    return std::move(parsed_);
  }

 private:
  Scenario& scenario() { return parsed_.scenario; }

  void read_title(std::string_view text) {
    if (!text.starts_with('#')) return;
    std::istringstream words{std::string(text.substr(1, text.find('\n') - 1))};
    for (std::string word; words >> word;) {
      if (is_rule(word)) {
        scenario().rules.push_back(word);
      } else {
        scenario().title += (scenario().title.empty() ? "" : " ") + word;
      }
    }
  }

  MaybeProblem statement(const Words& words) {
    const Word& first = words.front();
    const std::span<const Word> rest = std::span(words).subspan(1);
    if (auto found = indented_statement(words)) return found;
    if (first.text == "pool") return pool(first, rest);
    if (!begins_statement(first.text)) {
      return Problem{first.line, "begins with '" + first.text + "', not with pool, at or until"};
    }
    if (!has_pool_) return Problem{first.line, "the pool comes before anything else"};
    if (first.text == "until") return until(first, rest);
    return moment(first, rest);
  }

  MaybeProblem pool(const Word& first, std::span<const Word> words) {
    if (has_pool_) return Problem{first.line, "there is one pool, and it comes first"};
    auto listing = listing_of(words, Settings{});
    if (!listing) return Problem{first.line, listing.error().text};
    for (const engine::Node& node : listing->nodes) {
      if (!list(node)) return Problem{first.line, node.identity + " is listed twice"};
    }
    scenario().pool = std::move(listing->nodes);
    scenario().settings = settings_ = std::move(listing->settings);
    has_pool_ = true;
    budget_.begin(settings_, backends_);
    return clash(first.line);
  }

  MaybeProblem until(const Word& first, std::span<const Word> words) {
    const auto when = duration_of(words.empty() ? "" : words.front().text);
    if (!when) return Problem{first.line, when.within("until").text};
    if (words.size() > 1) return Problem{first.line, "nothing follows the time of until"};
    if (has_until_) return Problem{first.line, "there is one until, and it comes last"};
    has_until_ = true;
    scenario().until = TimePoint(*when);
    if (scenario().until < last_moment()) {
      return Problem{first.line, "until " + words.front().text + " is before the last moment, at " +
                                     text_of(last_moment())};
    }
    return excess(first.line, budget_.end(scenario().until));
  }

  TimePoint last_moment() const {
    const auto& moments = parsed_.scenario.moments;
    return moments.empty() ? TimePoint() : moments.back().at;
  }

  // "at TIME [ACTION…]… [expect …]".
  MaybeProblem moment(const Word& first, std::span<const Word> words) {
    if (words.size() < 2) {
      return Problem{first.line, "at needs a time, then an action or expect"};
    }
    const auto when = duration_of(words.front().text);
    if (!when) return Problem{first.line, when.error().text};
    Moment moment = {.line = first.line, .at = TimePoint(*when)};
    if (moment.at < last_moment()) return Problem{first.line, "times never decrease"};
    if (has_until_) return Problem{first.line, "until comes last"};
    for (words = words.subspan(1); !words.empty();) {
      const Word& verb = words.front();
      const size_t length = verb.text == "expect" ? words.size() : length_of_action(words);
      auto found = part(moment, words.first(length));
      if (found) return found;
      words = words.subspan(length);
    }
    if (auto found = clash(first.line)) return found;
    scenario().moments.push_back(std::move(moment));
    return excess(first.line, budget_.add(scenario().moments.back(), settings_, backends_));
  }

  MaybeProblem excess(int line, std::optional<std::string> text) {
    if (!text) return {};
    is_too_much_ = true;
    return Problem{line, *std::move(text)};
  }

  static size_t length_of_action(std::span<const Word> words) {
    size_t length = 1;
    while (length < words.size() && words[length].text != "expect" &&
           !verb_of(words[length].text)) {
      ++length;
    }
    return length;
  }

  // One action of a moment, or all its expectations.
  MaybeProblem part(Moment& moment, std::span<const Word> words) {
    const Word& first = words.front();
    if (first.text == "expect") {
      auto expected = expectations_of(words.subspan(1));
      if (!expected) return Problem{first.line, expected.error().text};
      if (moment.at < back_at_) return away(first.line);
      moment.expected = *std::move(expected);
      return {};
    }
    if (!verb_of(first.text)) return Problem{first.line, "there is no action '" + first.text + "'"};
    auto action = action_of(words, settings_);
    if (!action) return Problem{first.line, action.within(first.text).text};
    if (auto wrong = apply(*action, moment.at)) return Problem{first.line, *wrong};
    moment.actions.push_back(*std::move(action));
    return {};
  }

  static Problem away(int line) {
    return {line, "the process is away: only what is listed changes, by add, remove, weight, move"};
  }

  // What the action makes of the listing; what is wrong with it there.
  std::optional<std::string> apply(const Action& action, TimePoint at) {
    if (at < back_at_ && !changes_listing(action.verb)) return away(0).text;
    if (action.verb == Verb::kSet) settings_ = action.settings;
    if (action.verb == Verb::kRestart || action.verb == Verb::kReboot) back_at_ = at + action.away;
    for (const engine::Node& node : action.nodes) {
      const std::string& name = node.identity;
      if (action.verb == Verb::kAdd) {
        if (!list(node)) return name + " is listed already: weight changes its weight";
        continue;
      }
      if (!known_.contains(name)) return "there is no node '" + name + "' so far";
      if (!changes_listing(action.verb)) continue;
      const auto found = listed_.find(name);
      if (found == listed_.end()) return name + " is not listed";
      if (action.verb == Verb::kRemove) listed_.erase(found);
      if (action.verb == Verb::kMove) found->second.addresses = node.addresses;
      if (action.verb == Verb::kMove) backends_ += backends_of(node);
    }
    return {};
  }

  bool list(const engine::Node& node) {
    known_.insert(node.identity);
    backends_ += backends_of(node);
    return listed_.emplace(node.identity, node).second;
  }

  // What is wrong with the listing as a whole.
  MaybeProblem clash(int line) const {
    std::map<std::string, Identity> owners;
    std::set<int> priorities;
    size_t backends = 0;
    for (const auto& [name, node] : listed_) {
      priorities.insert(node.priority);
      backends += backends_of(node);
      for (const std::string& address : node.addresses) {
        const auto [owner, is_free] = owners.emplace(address, name);
        if (!is_free) {
          return Problem{line, address + " is the address of " + owner->second + " and of " + name};
        }
      }
    }
    if (backends > settings_.table_size) {  // W4
      return Problem{line, "there are more nodes than slots: table= makes more, see pool"};
    }
    if (backends_ > kMostNodes) return Problem{line, too_many_nodes().text};
    if (priorities.size() > 1 && settings_.slow_start) {  // S1.3
      return Problem{line, "nodes of differing priority do not go with slow start (no window)"};
    }
    return {};
  }

  Parsed parsed_;
  bool has_pool_ = false;
  bool has_until_ = false;
  // As of the line that is read.
  Settings settings_;
  std::map<Identity, engine::Node> listed_;
  std::set<Identity> known_;
  size_t backends_ = 0;  // ever listed
  TimePoint back_at_;
  Budget budget_;
  bool is_too_much_ = false;
};

}  // namespace

Parsed parse_scenario(std::string_view text) {
  return Parser().parse(text);
}

}  // namespace rampart::simulate
