// SPDX-License-Identifier: Apache-2.0
// Which route a request takes. Hosts first: the exact name, then the longest "*.name", then any; then
// paths: the exact one, then the longest prefix; of equal ones, the first with methods before one without.
// A route whose methods do not have the request's is passed over. Immutable once built.
#ifndef RAMPART_USERSPACE_PROXY_ROUTER_H_
#define RAMPART_USERSPACE_PROXY_ROUTER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rampart::proxy {

struct RoutePattern {
  std::string host;                  // lower case; empty: any; "*.example.org"
  std::string uri;                   // one that ends in '*' is a prefix
  std::vector<std::string> methods;  // empty: all
};

class Router {
 public:
  Router() = default;
  explicit Router(const std::vector<RoutePattern>& patterns);

  // The index of its pattern. `host` and `path` as host_key() and path_key() make them.
  std::optional<uint32_t> find(std::string_view host, std::string_view path,
                               std::string_view method) const;

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Candidate {
    uint32_t index;
    std::vector<std::string> methods;
  };
  using Candidates = std::vector<Candidate>;
  using ByText = std::unordered_map<std::string, Candidates, TextHash, std::equal_to<>>;
  struct Paths {
    ByText exact;
    ByText prefixes;
    std::set<size_t, std::greater<>> prefix_lengths;
    std::optional<uint32_t> find(std::string_view path, std::string_view method) const;
  };

  std::unordered_map<std::string, Paths, TextHash, std::equal_to<>> hosts_;      // "" is any
  std::unordered_map<std::string, Paths, TextHash, std::equal_to<>> wildcards_;  // ".example.org"
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_ROUTER_H_
