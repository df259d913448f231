// SPDX-License-Identifier: Apache-2.0
#include "control/config_slow_start.h"

#include <limits>
#include <string>

#include "base/weight.h"

namespace rampart::control {
namespace {

constexpr int64_t kLongestWindow = 604800;  // a week
// No bound of the rule, only of its sum with a clock in nanoseconds: 136 years.
constexpr int64_t kLongestGrace = std::numeric_limits<uint32_t>::max();

void check_default_weight(const Block& block, const Block& upstream) {
  const Field weight = block.optional("default_weight");
  weight.integer(1, kMostWeight);
  if (!weight.present()) return;
  const Field type = upstream.optional("discovery_type");
  if (type.present() && type.is("kubernetes")) return;
  weight.problem("found in an upstream without discovery_type: kubernetes; allowed: only there");
}

engine::SlowStart read_block(const Block& block) {
  engine::SlowStart conf;
  const Field interval = block.optional("interval");
  const auto window = block.required("slow_start_time_seconds").seconds(1, kLongestWindow);
  conf.window = window.value_or(std::chrono::seconds(kLongestWindow));
  conf.min_weight_percent =
      static_cast<int>(block.required("min_weight_percent").integer(1, 100).value_or(1));
  conf.interval = interval.seconds(1, kLongestWindow).value_or(conf.interval);
  conf.aggression = block.optional("aggression").number(0.01, 100).value_or(conf.aggression);
  conf.startup_grace = block.optional("startup_grace_period_seconds")
                           .seconds(0, kLongestGrace)
                           .value_or(conf.startup_grace);
  conf.on_recovery = block.optional("on_recovery")
                         .choice<engine::OnRecovery>({{"resume", engine::OnRecovery::kResume},
                                                      {"ramp", engine::OnRecovery::kRamp}})
                         .value_or(conf.on_recovery);
  if (window && conf.interval > *window) {
    interval.problem("found " + std::to_string(conf.interval.count()) +
                     ", longer than slow_start_time_seconds; allowed: at most " +
                     std::to_string(window->count()));
  }
  return conf;
}

}  // namespace

std::optional<engine::SlowStart> read_slow_start(const Block& upstream) {
  const Field current = upstream.optional("slow_start");
  const Field deprecated = upstream.optional("warm_up_conf");
  if (!current.present() && !deprecated.present()) return std::nullopt;
  if (current.present() && deprecated.present()) {
    deprecated.problem("found beside slow_start, of which it is the deprecated name; allowed: one");
  }
  if (deprecated.present()) deprecated.warning("deprecated; the key is slow_start now");
  std::optional<engine::SlowStart> conf;
  for (const Field& field : {deprecated, current}) {
    if (!field.present()) continue;
    const Block block(field,
                      {"slow_start_time_seconds", "min_weight_percent", "interval", "aggression",
                       "startup_grace_period_seconds", "default_weight", "on_recovery"});
    check_default_weight(block, upstream);
    conf = read_block(block);
  }
  return conf;
}

}  // namespace rampart::control
