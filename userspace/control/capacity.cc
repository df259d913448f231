// SPDX-License-Identifier: Apache-2.0
#include "control/capacity.h"

#include <set>
#include <string>

#include "control/desired.h"

namespace rampart::control {
namespace {

Result<void> check(size_t wanted, size_t draining, uint32_t limit, const std::string& what,
                   const std::string& option) {
  if (wanted + draining <= limit) return {};
  std::string text = std::to_string(wanted) + " " + what;
  if (draining > 0) text += " and " + std::to_string(draining) + " that still drain";
  return Error{Code::kInvalidConfig, text + " do not fit: raise " + option + " (now " +
                                         std::to_string(limit) + ") and restart"};
}

}  // namespace

Result<void> check_capacity(const Config& config, const Observed& observed) {
  const std::set<BackendKey> wanted = backend_keys(config);
  size_t draining = 0;
  for (const auto& [key, id] : observed.ids()) draining += wanted.contains(key) ? 0 : 1;
  auto fits = check(wanted.size(), draining, observed.max_backends,
                    "backends (pairs of VIP and node)", "bpf.max_backends");
  if (!fits) return fits;
  return check(config.vips.size(), 0, observed.max_vips, "VIPs", "bpf.max_vips");
}

}  // namespace rampart::control
