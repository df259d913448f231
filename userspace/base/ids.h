// SPDX-License-Identifier: Apache-2.0
// Numbers that name things, as types that do not mix.
#ifndef RAMPART_USERSPACE_BASE_IDS_H_
#define RAMPART_USERSPACE_BASE_IDS_H_

#include <cstdint>
#include <string>

namespace rampart {

// Index into rp_backends; 1…65535, 0 names no backend.
enum class BackendId : uint16_t {};
// Index into rp_vip_state and its companions; starts at 1.
enum class VipNumber : uint32_t {};
// Index into rp_flow_counts.
enum class CountIndex : uint32_t {};

constexpr uint16_t raw(BackendId id) {
  return static_cast<uint16_t>(id);
}
constexpr uint32_t raw(VipNumber number) {
  return static_cast<uint32_t>(number);
}
constexpr uint32_t raw(CountIndex index) {
  return static_cast<uint32_t>(index);
}

// The unit within which "new" is decided: an upstream's id, or that of the VIP, route or service
// that embeds one (S3).
using ScopeId = std::string;

// What makes two sightings the same node (S4): "HOST:PORT" for a configured node.
using Identity = std::string;

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_IDS_H_
