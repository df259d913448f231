// SPDX-License-Identifier: Apache-2.0
// A VIP.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_VIP_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_VIP_H_

#include <optional>

#include "control/config.h"
#include "control/config_reader.h"
#include "control/config_upstream.h"

namespace rampart::control {

enum class OnUnknownPort { kPass, kDrop };

// A VIP with what rules about several values need to know. Members of `config` that are wrong in
// the file have their defaults; an id, address or port that is wrong is empty, unspecified or 0.
struct ReadVip {
  VipConfig config;
  std::optional<rp_hash_on> hash_on;  // as it stands in the file
  OnUnknownPort on_unknown_port = OnUnknownPort::kPass;
  bool is_served = false;  // its address, port and forward are ones that this version serves
  Field field;
  Field id;
  Field table_size;
  Field unknown_port;
  Field upstream_id;
  std::optional<ReadUpstream> embedded;
};

ReadVip read_vip(const Field& field);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_VIP_H_
