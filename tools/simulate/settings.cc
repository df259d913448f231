// SPDX-License-Identifier: Apache-2.0
#include "simulate/settings.h"

#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "control/config_text.h"

namespace rampart::simulate {
namespace {

using std::chrono::seconds;

struct SettingRule {
  bool may_change;
  // A problem says what is allowed.
  Result<Settings> (*apply)(Settings before, const std::string& value);
};

engine::SlowStart block_of(const Settings& settings) {
  return settings.slow_start.value_or(engine::SlowStart{.min_weight_percent = 1});
}

Result<seconds> seconds_between(const std::string& text, int least, int most) {
  const Result<seconds> value = whole_seconds_of(text);
  if (value && *value >= seconds(least) && *value <= seconds(most)) return *value;
  return problem("'" + text + "' is not a whole number of seconds, " + std::to_string(least) +
                 "s…" + std::to_string(most) + "s");
}
constexpr int kLongestWindow = 604800;

Result<Settings> with_window(Settings settings, const std::string& text) {
  const auto value = seconds_between(text, 1, kLongestWindow);
  if (!value) return value.error();
  settings.slow_start = block_of(settings);
  settings.slow_start->window = *value;
  return settings;
}

Result<Settings> with_interval(Settings settings, const std::string& text) {
  const auto value = seconds_between(text, 1, kLongestWindow);
  if (!value) return value.error();
  settings.slow_start = block_of(settings);
  settings.slow_start->interval = *value;
  return settings;
}

Result<Settings> with_grace(Settings settings, const std::string& text) {
  const auto value = seconds_between(text, 0, kLongestWindow);
  if (!value) return value.error();
  settings.slow_start = block_of(settings);
  settings.slow_start->startup_grace = *value;
  return settings;
}

Result<Settings> with_floor(Settings settings, const std::string& text) {
  const auto value = whole_number_of(text, 1, 100, "%");
  if (!value) return value.error();
  settings.slow_start = block_of(settings);
  settings.slow_start->min_weight_percent = static_cast<int>(*value);
  return settings;
}

Result<Settings> with_aggression(Settings settings, const std::string& text) {
  const auto value = number_of(text);
  if (!value || *value < 0.01 || *value > 100) {
    return problem("'" + text + "' is not a number 0.01…100");
  }
  settings.slow_start = block_of(settings);
  settings.slow_start->aggression = *value;
  return settings;
}

Result<Settings> with_on_recovery(Settings settings, const std::string& text) {
  if (text != "resume" && text != "ramp")
    return problem("'" + text + "' is neither resume nor ramp");
  settings.slow_start = block_of(settings);
  settings.slow_start->on_recovery =
      text == "ramp" ? engine::OnRecovery::kRamp : engine::OnRecovery::kResume;
  return settings;
}

Result<Settings> without_slow_start(Settings settings, const std::string& text) {
  if (text != "off") return problem("'" + text + "': slow_start can only be off; window= sets it");
  settings.slow_start.reset();
  return settings;
}

Result<Settings> with_check(Settings settings, const std::string& text) {
  settings.check = text == "off" ? std::nullopt : std::optional(text);
  return settings;
}

Result<Settings> with_panic(Settings settings, const std::string& text) {
  const auto value = whole_number_of(text, 0, 100, "%");
  if (!value) return value.error();
  settings.panic.threshold_percent = *value;
  return settings;
}

Result<Settings> with_fail_closed(Settings settings, const std::string& text) {
  const auto value = switch_of(text);
  if (!value) return value.error();
  settings.panic.fail_closed = *value;
  return settings;
}

Result<Settings> with_discovered(Settings settings, const std::string& text) {
  const auto value = switch_of(text);
  if (!value) return value.error();
  settings.discovered = *value;
  return settings;
}

Result<Settings> with_algorithm(Settings settings, const std::string& text) {
  for (const Algorithm one : {Algorithm::kRoundRobin, Algorithm::kLeastConn, Algorithm::kChash}) {
    if (text != name_of(one)) continue;
    settings.algorithm = one;
    return settings;
  }
  return problem("'" + text + "' is neither roundrobin nor least_conn nor chash");
}

bool is_prime(uint32_t number) {
  for (uint32_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return false;
  }
  return number >= 2;
}

Result<Settings> with_table(Settings settings, const std::string& text) {
  constexpr uint32_t kMost = 5000011;  // that of Maglev tables in Cilium is 131071
  const auto value = whole_number_of(text, 3, kMost);
  if (!value) return value.error();
  if (!is_prime(*value)) return problem("'" + text + "' is not prime: 251, 1021, 65537 are");
  settings.table_size = *value;
  return settings;
}

// "~" says that it is drawn.
std::string without_tilde(const std::string& text) {
  return text.substr(text.starts_with('~') ? 1 : 0);
}

Result<Settings> with_requests(Settings settings, const std::string& text) {
  constexpr int kMost = 100000;
  constexpr double kLeast = 0.000001;  // more than one in 10000h, the longest time there is
  const auto value = number_of(without_tilde(text), "/s");
  if (!value || *value < 0) {
    return problem("'" + text + "' is not a rate: it is like 50/s, or ~50/s if gaps are drawn");
  }
  if (*value > kMost) return problem("'" + text + "' is more than " + std::to_string(kMost) + "/s");
  if (*value > 0 && *value < kLeast) {
    return problem("'" + text + "' is less than 0.000001/s, and not 0/s: none");
  }
  settings.load.per_second = *value;
  settings.load.gaps_drawn = text.starts_with('~');
  return settings;
}

Result<Settings> with_lasting(Settings settings, const std::string& text) {
  const auto value = duration_of(without_tilde(text));
  if (!value) return value.error();
  settings.load.lasting = *value;
  settings.load.lasting_drawn = text.starts_with('~');
  return settings;
}

const std::map<std::string, SettingRule>& rules() {
  static const std::map<std::string, SettingRule> kRules = {
      {"window", {true, with_window}},
      {"floor", {true, with_floor}},
      {"interval", {true, with_interval}},
      {"aggression", {true, with_aggression}},
      {"grace", {true, with_grace}},
      {"on_recovery", {true, with_on_recovery}},
      {"slow_start", {true, without_slow_start}},
      {"check", {true, with_check}},
      {"panic", {true, with_panic}},
      {"fail_closed", {true, with_fail_closed}},
      {"discovered", {false, with_discovered}},
      {"algorithm", {false, with_algorithm}},
      {"table", {false, with_table}},
      {"requests", {true, with_requests}},
      {"lasting", {true, with_lasting}},
  };
  return kRules;
}

}  // namespace

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRoundRobin:
      return "roundrobin";
    case Algorithm::kLeastConn:
      return "least_conn";
    case Algorithm::kChash:
      return "chash";
  }
  return "";
}

std::set<std::string> setting_names() {
  std::set<std::string> names;
  for (const auto& [name, rule] : rules()) names.insert(name);
  return names;
}

bool is_setting(const std::string& name) {
  return rules().contains(name);
}

std::optional<std::string> meant_instead_of(const std::string& name) {
  constexpr size_t kShortest = 4;
  if (name.size() < kShortest) return std::nullopt;
  std::vector<std::string_view> words = {kPriority, kAddress};
  for (const auto& [setting, rule] : rules()) words.push_back(setting);
  const auto meant = control::nearest(name, words);
  return meant ? std::optional<std::string>(*meant) : std::nullopt;
}

bool may_change(const std::string& name) {
  return rules().at(name).may_change;
}

Result<Settings> with_setting(Settings before, const Assignment& setting) {
  auto after = rules().at(setting.name).apply(std::move(before), setting.value);
  if (!after) return after.within(setting.name);
  return after;
}

Result<Settings> completed(Settings settings) {
  if (!settings.slow_start) return settings;
  const engine::SlowStart& block = *settings.slow_start;
  if (block.window == seconds(0)) return problem("slow start needs a window: window=10s");
  if (block.interval > block.window) return problem("the interval is longer than the window");
  return settings;
}

}  // namespace rampart::simulate
