// SPDX-License-Identifier: Apache-2.0
#include "control/config_node.h"

#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/weight.h"
#include "control/config_address.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostPort = 65535;

ReadNode node_at(const Field& field) {
  return ReadNode{.config = {}, .field = field, .host = field, .port = field, .priority = field};
}

void set_host(ReadNode& node, std::optional<IpAddress> address) {
  node.has_address = address.has_value();
  if (address) node.config.address = *address;
}

uint32_t weight_of(const Field& field) {
  return static_cast<uint32_t>(field.integer(0, kMostWeight).value_or(1));
}

ReadNode read_node(const Field& field) {
  const Block block(field, {"host", "port", "weight", "priority", "metadata"});
  ReadNode node = node_at(field);
  node.host = block.required("host");
  set_host(node, read_node_host(node.host));
  node.port = block.optional("port");
  node.config.port = static_cast<uint16_t>(node.port.integer(1, kMostPort).value_or(0));
  node.config.weight = weight_of(block.optional("weight"));
  const Field priority = block.optional("priority");
  const auto level =
      priority.integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  node.config.priority = static_cast<int>(level.value_or(0));
  if (priority.present()) node.priority = priority;
  // S4.4: whatever it says, it has no meaning.
  const Field metadata = block.optional("metadata");
  if (metadata.present() && !metadata.is_map()) metadata.refuse("a map");
  return node;
}

ReadNode read_pair(const Field::Pair& pair) {
  ReadNode node = node_at(pair.name);
  node.config.weight = weight_of(pair.value);
  const auto split = split_host_port(pair.key);
  if (!split) {
    pair.name.problem("found the key " + quoted(pair.key) +
                      "; allowed: \"HOST\" or \"HOST:PORT\" with a port from 1 to 65535");
    return node;
  }
  set_host(node, node_host(pair.name, split->host));
  node.config.port = split->port;
  return node;
}

std::vector<ReadNode> read_all(const Field& field) {
  std::vector<ReadNode> nodes;
  if (field.is_map()) {
    for (const Field::Pair& pair : field.pairs()) nodes.push_back(read_pair(pair));
    return nodes;
  }
  if (field.present() && !field.is_list()) {
    field.refuse("a list of nodes, or a map \"host:port\": weight");
    return nodes;
  }
  for (const Field& item : field.items()) nodes.push_back(read_node(item));
  return nodes;
}

void check_unique(const std::vector<ReadNode>& nodes) {
  std::unordered_map<Identity, const ReadNode*> seen;
  for (const ReadNode& node : nodes) {
    if (!node.has_address) continue;
    const auto [first, fresh] = seen.emplace(node.config.identity(), &node);
    if (fresh) continue;
    node.field.problem("found the node " + first->first +
                       " again; allowed: once in an upstream (it is " +
                       first->second->field.path() + ")");
  }
}

}  // namespace

std::vector<ReadNode> read_nodes(const Field& field) {
  std::vector<ReadNode> nodes = read_all(field);
  check_unique(nodes);
  return nodes;
}

}  // namespace rampart::control
