// SPDX-License-Identifier: Apache-2.0
#include "proxy/router.h"

#include <algorithm>

namespace rampart::proxy {
namespace {

template <typename Candidates>
std::optional<uint32_t> first_for(const Candidates& candidates, std::string_view method) {
  for (const auto& candidate : candidates) {
    const auto& methods = candidate.methods;
    if (methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end()) {
      return candidate.index;
    }
  }
  return std::nullopt;
}

}  // namespace

Router::Router(const std::vector<RoutePattern>& patterns) {
  for (uint32_t i = 0; i < patterns.size(); ++i) {
    const RoutePattern& pattern = patterns[i];
    const bool wildcard = pattern.host.starts_with("*.");
    Paths& paths = wildcard ? wildcards_[pattern.host.substr(1)] : hosts_[pattern.host];
    Candidates* candidates = nullptr;
    if (pattern.uri.ends_with('*')) {
      const std::string prefix = pattern.uri.substr(0, pattern.uri.size() - 1);
      paths.prefix_lengths.insert(prefix.size());
      candidates = &paths.prefixes[prefix];
    } else {
      candidates = &paths.exact[pattern.uri];
    }
    const auto behind = pattern.methods.empty()
                            ? candidates->end()
                            : std::find_if(candidates->begin(), candidates->end(),
                                           [](const auto& one) { return one.methods.empty(); });
    candidates->insert(behind, {i, pattern.methods});
  }
}

std::optional<uint32_t> Router::Paths::find(std::string_view path, std::string_view method) const {
  if (const auto found = exact.find(path); found != exact.end()) {
    if (const auto index = first_for(found->second, method)) return index;
  }
  for (const size_t length : prefix_lengths) {
    if (length > path.size()) continue;
    const auto found = prefixes.find(path.substr(0, length));
    if (found == prefixes.end()) continue;
    if (const auto index = first_for(found->second, method)) return index;
  }
  return std::nullopt;
}

std::optional<uint32_t> Router::find(std::string_view host, std::string_view path,
                                     std::string_view method) const {
  if (const auto found = hosts_.find(host); found != hosts_.end() && !host.empty()) {
    if (const auto index = found->second.find(path, method)) return index;
  }
  if (!wildcards_.empty()) {
    for (size_t dot = host.find('.'); dot != std::string_view::npos;
         dot = host.find('.', dot + 1)) {
      const auto found = wildcards_.find(host.substr(dot));
      if (found == wildcards_.end() || dot == 0) continue;
      if (const auto index = found->second.find(path, method)) return index;
    }
  }
  const auto any = hosts_.find(std::string_view());
  return any == hosts_.end() ? std::nullopt : any->second.find(path, method);
}

}  // namespace rampart::proxy
