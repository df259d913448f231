// SPDX-License-Identifier: Apache-2.0
// The checksum arithmetic on the host: an update equals a computation anew, for every value.
#include "bpf/csum.h"

#include <gtest/gtest.h>

#include "bpf/packet.h"

namespace rampart::bpf_test {
namespace {

// A word that changes, beside one that makes the sum what it should be.
uint16_t computed(uint16_t word, uint16_t other) {
  const uint16_t words[2] = {word, other};
  return ~csum_fold(csum_sum(words, sizeof(words)));
}

TEST(Csum, AComputationAgreesWithTheSlowOne) {
  Bytes bytes;
  uint32_t next = 1;
  for (int at = 0; at < 64; ++at) bytes.push_back(static_cast<uint8_t>((next *= 48271) >> 16));
  EXPECT_EQ(swap16(~csum_fold(csum_sum(bytes.data(), 64))), checksum_of(bytes));
}

TEST(Csum, AnUpdateIsRightForEachPairOfCarryCriticalValues) {
  constexpr uint16_t kCritical[] = {0x0000, 0x0001, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x1234};
  for (const uint16_t from : kCritical) {
    for (const uint16_t to : kCritical) {
      for (uint32_t other = 1; other < 0x10000; ++other) {  // 0 with 0 is no packet's sum
        const auto rest = static_cast<uint16_t>(other);
        const uint16_t updated = csum_update(computed(from, rest), csum_change16(from, to));
        ASSERT_EQ(updated, computed(to, rest)) << from << " to " << to << " beside " << other;
      }
    }
  }
}

TEST(Csum, AnUpdateOf32BitsIsTwoOf16) {
  const uint32_t from = 0x0001ffff, to = 0xfffe8000;
  const uint16_t check = 0x4242;
  const uint32_t halves = csum_change16(0xffff, 0x8000) + csum_change16(0x0001, 0xfffe);
  EXPECT_EQ(csum_update(check, csum_change32(from, to)), csum_update(check, halves));
}

TEST(Csum, UdpWithoutAChecksumStaysWithout) {
  for (uint32_t to = 0; to < 0x10000; ++to) {
    ASSERT_EQ(csum_update_udp(0, csum_change16(7, static_cast<uint16_t>(to))), 0);
  }
}

TEST(Csum, UdpNeverComesToSayThatItHasNone) {
  for (uint32_t check = 1; check < 0x10000; ++check) {
    for (const uint16_t to : {0x0000, 0x0001, 0xfffe, 0xffff}) {
      const uint32_t change = csum_change16(static_cast<uint16_t>(~check), to);
      ASSERT_NE(csum_update_udp(static_cast<uint16_t>(check), change), 0);
    }
  }
}

}  // namespace
}  // namespace rampart::bpf_test
