// SPDX-License-Identifier: Apache-2.0
#include "unit/engine/scenario_file.h"

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace rampart::engine {
namespace {

using Words = std::vector<std::string>;

Error error(const std::string& text) {
  return Error{Code::kFailed, text};
}

Words words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Assignment {
  std::string name;
  std::string value;
};

Result<Assignment> assignment(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return error("'" + word + "' is not of the form NAME=VALUE");
  }
  return Assignment{word.substr(0, equals), word.substr(equals + 1)};
}

// A number followed by `unit` and nothing else.
Result<double> number(const std::string& text, const std::string& unit) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || unit != end) {
    return error("'" + text + "' is not a number" + (unit.empty() ? "" : " with the unit " + unit));
  }
  return value;
}

Result<Duration> duration(const std::string& text) {
  const Result<double> seconds = number(text, "s");
  if (!seconds) return seconds.error();
  return Duration(std::llround(*seconds * 1e9));
}

Result<std::chrono::seconds> whole_seconds_of(const std::string& text) {
  const Result<Duration> exact = duration(text);
  if (!exact) return exact.error();
  return std::chrono::floor<std::chrono::seconds>(*exact);
}

bool is_setting(const std::string& name) {
  for (const char* known :
       {"window", "floor", "interval", "aggression", "grace", "on_recovery", "slow_start"}) {
    if (name == known) return true;
  }
  return false;
}

Result<SlowStart> with_number(SlowStart block, const Assignment& setting) {
  const bool is_percentage = setting.name == "floor";
  const Result<double> value = number(setting.value, is_percentage ? "%" : "");
  if (!value) return value.error();
  if (is_percentage) {
    block.min_weight_percent = static_cast<int>(*value);
  } else {
    block.aggression = *value;
  }
  return block;
}

Result<SlowStart> with_time(SlowStart block, const Assignment& setting) {
  const Result<std::chrono::seconds> value = whole_seconds_of(setting.value);
  if (!value) return value.error();
  if (setting.name == "window") block.window = *value;
  if (setting.name == "interval") block.interval = *value;
  if (setting.name == "grace") block.startup_grace = *value;
  return block;
}

Result<std::optional<SlowStart>> with_setting(const std::optional<SlowStart>& before,
                                              const Assignment& setting) {
  if (!is_setting(setting.name)) return error("there is no setting '" + setting.name + "'");
  if (setting.name == "slow_start") {
    if (setting.value != "off") return error("slow_start can only be off");
    return std::optional<SlowStart>();
  }
  SlowStart block = before.value_or(SlowStart{.min_weight_percent = 1});
  if (setting.name == "on_recovery") {
    block.on_recovery = setting.value == "ramp" ? OnRecovery::kRamp : OnRecovery::kResume;
    return std::optional(block);
  }
  const bool is_time =
      setting.name == "window" || setting.name == "interval" || setting.name == "grace";
  const Result<SlowStart> after = is_time ? with_time(block, setting) : with_number(block, setting);
  if (!after) return after.error();
  return std::optional(*after);
}

// What may stand in a pool, add, weight or set line: weights of nodes, and settings.
struct Assignments {
  std::map<Identity, uint32_t> weights;
  std::optional<SlowStart> block;
};

Result<Assignments> assignments(const Words& words, const std::optional<SlowStart>& before) {
  Assignments result = {{}, before};
  for (const std::string& word : words) {
    const Result<Assignment> pair = assignment(word);
    if (!pair) return pair.error();
    if (is_setting(pair->name)) {
      const auto block = with_setting(result.block, *pair);
      if (!block) return block.error();
      result.block = *block;
      continue;
    }
    const Result<double> weight = number(pair->value, "");
    if (!weight) return weight.error();
    result.weights[pair->name] = static_cast<uint32_t>(*weight);
  }
  if (result.block && !is_valid(*result.block)) return error("the slow start block is not valid");
  return result;
}

Result<std::vector<Expectation>> expectations(const Words& words) {
  std::vector<Expectation> result;
  for (const std::string& word : words) {
    const Result<Assignment> pair = assignment(word);
    if (!pair) return pair.error();
    if (pair->name == "state") {
      if (result.empty()) return error("state= follows the node it is about");
      result.back().state = pair->value;
      continue;
    }
    const Result<double> shown = number(pair->value, "");
    if (!shown) return shown.error();
    result.push_back({pair->name, static_cast<uint32_t>(*shown), std::nullopt});
  }
  return result;
}

Result<Moment> with_action(Moment moment, const Words& words,
                           const std::optional<SlowStart>& block) {
  if (words.empty()) return moment;
  const std::string& verb = words.front();
  const Words rest(words.begin() + 1, words.end());
  if (verb == "remove" || verb == "down" || verb == "up") {
    moment.verb = verb == "remove" ? Verb::kRemove : verb == "down" ? Verb::kDown : Verb::kUp;
    moment.nodes = rest;
    return moment;
  }
  if (verb != "add" && verb != "weight" && verb != "set") {
    return error("there is no action '" + verb + "'");
  }
  const Result<Assignments> given = assignments(rest, block);
  if (!given) return given.error();
  if ((verb == "set") != given->weights.empty()) {
    return error(verb + (verb == "set" ? " takes settings only" : " needs NODE=WEIGHT"));
  }
  moment.verb = verb == "set" ? Verb::kSet : Verb::kPut;
  moment.weights = given->weights;
  moment.block = given->block;
  return moment;
}

// "at TIME [ACTION] [expect …]". `block` is the one in force before.
Result<Moment> moment_of(const Words& words, const std::optional<SlowStart>& block) {
  if (words.size() < 3) return error("at needs a time, then an action or expect");
  const Result<Duration> when = duration(words[1]);
  if (!when) return when.error();
  auto expect = words.begin() + 2;
  while (expect != words.end() && *expect != "expect") ++expect;

  Moment moment;
  moment.at = TimePoint(*when);
  if (expect != words.end()) {
    const auto expected = expectations(Words(expect + 1, words.end()));
    if (!expected) return expected.error();
    moment.expected = *expected;
  }
  return with_action(std::move(moment), Words(words.begin() + 2, expect), block);
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text) {
  Scenario scenario;
  std::optional<SlowStart> block;  // in force at the line that is read
  std::istringstream stream{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::string place = "line " + std::to_string(number);
    const Words words = words_of(line);
    if (words.empty()) continue;
    if (words.front() == "pool") {
      const auto given = assignments(Words(words.begin() + 1, words.end()), std::nullopt);
      if (!given) return given.within(place);
      scenario.pool = given->weights;
      scenario.block = block = given->block;
      continue;
    }
    if (words.front() != "at") return error(place + ": begins with neither pool nor at");
    auto moment = moment_of(words, block);
    if (!moment) return moment.within(place);
    moment->line = number;
    if (!scenario.moments.empty() && moment->at < scenario.moments.back().at) {
      return error(place + ": times never decrease");
    }
    if (moment->verb == Verb::kSet) block = moment->block;
    scenario.moments.push_back(*std::move(moment));
  }
  return scenario;
}

}  // namespace rampart::engine
