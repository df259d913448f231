// SPDX-License-Identifier: Apache-2.0
// What a picker is told of a node, and of the nodes that a request has tried already.
#ifndef RAMPART_USERSPACE_ENGINE_PICKER_NODE_H_
#define RAMPART_USERSPACE_ENGINE_PICKER_NODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/weight.h"

namespace rampart::engine {

// One node of one generation of a scope, with the weights of S2.
struct PickerNode {
  Identity identity;
  Weight effective;     // 0: never picked (W2, L2)
  Weight ramped;        // as if eligible and not draining: what chash builds from (P8)
  uint32_t target = 1;  // what chash's table converges to (W7)
  int priority = 0;     // higher is preferred (P7)
  std::vector<std::string> addresses;  // where it can be reached; they rotate (S4.5)

  bool operator==(const PickerNode&) const = default;
};

struct ScopeState;

// The nodes of a scope as pickers want them: one that is listed without addresses has its identity as
// its one address.
std::vector<PickerNode> picker_nodes_of(const ScopeState& scope);

// A node's place in the list of its generation.
using NodeNumber = uint32_t;

// The nodes that a request has tried and is not to be sent to again (P3). Numbers mean the nodes of
// one generation: a request and its retries use one (P5).
class Tried {
 public:
  void add(NodeNumber node) {
    if (has(node)) return;
    if (node >= marks_.size()) marks_.resize(size_t{node} + 1);
    marks_[node] = true;
    nodes_.push_back(node);
  }
  bool has(NodeNumber node) const { return node < marks_.size() && marks_[node]; }
  bool empty() const { return nodes_.empty(); }
  const std::vector<NodeNumber>& nodes() const { return nodes_; }

 private:
  std::vector<NodeNumber> nodes_;  // in the order of the tries
  std::vector<bool> marks_;        // by node
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_PICKER_NODE_H_
