// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash that is the same in every process and on every machine: for what lies in pinned
// maps (B3) and for seeds that balancers must agree on (W7). FNV-1a (Fowler, Noll, Vo; 64-bit
// parameters from draft-eastlake-fnv) finished by the mixer of SplitMix64 (Steele, Lea, Flood
// 2014), because FNV's upper bits are weak on short input. Not for anything that an attacker may
// aim at.
#ifndef RAMPART_USERSPACE_BASE_HASH_H_
#define RAMPART_USERSPACE_BASE_HASH_H_

#include <cstdint>
#include <string_view>

namespace rampart {

constexpr uint64_t mix64(uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

constexpr uint64_t hash64(std::string_view bytes, uint64_t seed = 0) {
  uint64_t state = 0xcbf29ce484222325ull ^ mix64(seed);
  for (const char byte : bytes) {
    state = (state ^ static_cast<uint8_t>(byte)) * 0x100000001b3ull;
  }
  return mix64(state);
}

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_HASH_H_
