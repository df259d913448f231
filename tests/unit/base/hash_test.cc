// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rampart {
namespace {

TEST(Mix64, IsSplitMix64) {
  // The first outputs of the published generator from seed 0 are the mixes of its states.
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafull);
  EXPECT_EQ(mix64(0x9e3779b97f4a7c15ull), 0x6e789e6aa1b965f4ull);
}

TEST(Hash64, IsTheSameOnEveryMachine) {
  // FNV-1a of the empty string is its offset basis; the seed 0 adds its own mix before.
  EXPECT_EQ(hash64(""), mix64(0xcbf29ce484222325ull ^ mix64(0)));
  static_assert(hash64("192.0.2.1:80", 7) != hash64("192.0.2.1:80", 8));
}

TEST(Hash64, TakesBytesAboveAsciiAsUnsigned) {
  const uint64_t state = (0xcbf29ce484222325ull ^ mix64(0) ^ 0xff) * 0x100000001b3ull;
  EXPECT_EQ(hash64("\xff"), mix64(state));
}

TEST(Hash64, TellsNeighbouringNamesApart) {
  std::set<uint64_t> hashes;
  for (int i = 0; i < 10000; ++i) hashes.insert(hash64("node-" + std::to_string(i)));
  EXPECT_EQ(hashes.size(), 10000u);
}

}  // namespace
}  // namespace rampart
