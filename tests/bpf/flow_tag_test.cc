// SPDX-License-Identifier: Apache-2.0
// F12: a flow's tag is a keyed hash of its tuple whose collisions nobody finds without the key.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "bpf/hash.h"
#include "bpf/packet.h"

namespace rampart::bpf_test {
namespace {

rp_flow_secret secret_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  rp_flow_secret secret;
  for (__u64& key : secret.upper) key = random();
  for (__u64& key : secret.lower) key = random();
  return secret;
}

uint64_t tag_of(const rp_tuple& tuple, const rp_flow_secret& secret) {
  return ::tag_of(&tuple, &secret);
}

TEST(FlowTag, EveryBitOfTheTupleChangesIt) {  // F12
  const rp_flow_secret secret = secret_of(1);
  const rp_tuple tuple = Packet{}.key();
  const uint64_t tag = tag_of(tuple, secret);
  std::set<uint64_t> tags = {tag};
  constexpr size_t kBytes = offsetof(rp_tuple, zero);
  for (size_t bit = 0; bit < kBytes * 8; ++bit) {
    rp_tuple other = tuple;
    auto* bytes = reinterpret_cast<uint8_t*>(&other);
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_TRUE(tags.insert(tag_of(other, secret)).second) << "bit " << bit;
  }
}

TEST(FlowTag, EveryNumberOfTheKeyChangesIt) {  // F12
  const rp_flow_secret secret = secret_of(1);
  rp_tuple tuple = Packet{}.key();
  for (__be32& word : tuple.source.word) word = 0x01020304;
  for (__be32& word : tuple.destination.word) word = 0x05060708;
  const uint64_t tag = tag_of(tuple, secret);
  for (size_t i = 0; i < sizeof(secret) / sizeof(__u64); ++i) {
    rp_flow_secret other = secret;
    reinterpret_cast<__u64*>(&other)[i] += 0x123456789abcdefull;
    EXPECT_NE(tag_of(tuple, other), tag) << "number " << i;
  }
}

// The family is strongly universal: over random keys, two tuples that an attacker likes agree in any n
// bits of their tags with probability 2^-n, whatever they are. Here in the 16 bits of each quarter,
// which decide nearly all of a bucket's number.
TEST(FlowTag, OverKeysTwoTuplesAgreeNoMoreOftenThanByChance) {  // F12
  rp_tuple one = Packet{}.key(), swapped = one, next = one;
  swapped.source = one.destination;
  swapped.destination = one.source;
  next.source_port = swap16(static_cast<uint16_t>(swap16(one.source_port) + 1));
  constexpr int kKeys = 400000;
  constexpr double kExpected = kKeys / 65536.0;  // 6.1
  for (const rp_tuple& other : {swapped, next}) {
    int agree[4] = {};
    for (int key = 0; key < kKeys; ++key) {
      const rp_flow_secret secret = secret_of(static_cast<uint64_t>(key));
      const uint64_t difference = tag_of(one, secret) ^ tag_of(other, secret);
      for (int quarter = 0; quarter < 4; ++quarter) {
        if ((difference >> 16 * quarter & 0xffff) == 0) ++agree[quarter];
      }
    }
    for (const int each : agree) EXPECT_LT(each, kExpected * 4);
  }
}

TEST(FlowTag, WhatAClientCountsUpIsSpread) {  // F12: ports in a row lie in buckets anywhere
  const rp_flow_secret secret = secret_of(3);
  std::set<uint32_t> buckets;
  Packet packet;
  for (packet.source_port = 1024; packet.source_port < 2048; ++packet.source_port) {
    buckets.insert(scale(static_cast<uint32_t>(tag_of(packet.key(), secret) >> 32), 1 << 20));
  }
  EXPECT_GT(buckets.size(), 1015u);  // of 1,024, half a collision is expected
}

}  // namespace
}  // namespace rampart::bpf_test
