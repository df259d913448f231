// SPDX-License-Identifier: Apache-2.0
// Weights. A configured weight is a whole number; what selection uses is fixed point with 16
// fraction bits (S2.4), so that a node of weight 1 ramps too and apportionment is exact arithmetic.
#ifndef RAMPART_USERSPACE_BASE_WEIGHT_H_
#define RAMPART_USERSPACE_BASE_WEIGHT_H_

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace rampart {

// Of a configured weight, or an ordered one (C5).
inline constexpr uint32_t kMostWeight = 65535;

class Weight {
 public:
  static constexpr int kFractionBits = 16;
  static constexpr uint64_t kOne = uint64_t{1} << kFractionBits;

  constexpr Weight() = default;
  static constexpr Weight whole(uint32_t units) { return Weight(uint64_t{units} << kFractionBits); }
  static constexpr Weight fixed(uint64_t raw) { return Weight(raw); }

  // One of so many equal parts (S4.5), rounded down to the fixed point but never to nothing (S2.4).
  // REQUIRES: parts > 0.
  constexpr Weight part(size_t parts) const {
    return Weight(raw_ == 0 ? 0 : std::max<uint64_t>(1, raw_ / parts));
  }

  constexpr uint64_t raw() const { return raw_; }
  constexpr double to_double() const { return static_cast<double>(raw_) / kOne; }
  constexpr auto operator<=>(const Weight&) const = default;

 private:
  explicit constexpr Weight(uint64_t raw) : raw_(raw) {}
  uint64_t raw_ = 0;
};

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_WEIGHT_H_
