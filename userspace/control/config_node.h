// SPDX-License-Identifier: Apache-2.0
// The nodes of an upstream, in both of their spellings (C5).
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_NODE_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_NODE_H_

#include <vector>

#include "control/config.h"
#include "control/config_reader.h"

namespace rampart::control {

// A node with the places that rules about several values point at.
struct ReadNode {
  NodeConfig config;
  bool has_address = false;  // false if its host is wrong or missing
  Field field;
  Field host;      // the node itself where the host is part of a key "host:port"
  Field port;      // the node itself where the port is part of a key "host:port"
  Field priority;  // the node itself where none is given
};

// Reads a list of maps, or a map "host:port": weight. Notes nodes listed twice (S4.6).
std::vector<ReadNode> read_nodes(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_NODE_H_
