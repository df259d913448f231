// SPDX-License-Identifier: Apache-2.0
// X9: nothing is read past the end. What cannot be told to be for a VIP passes; what is for one and
// cut short behind its ports is dropped by name.
#include <random>

#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

class Truncation : public PacketPathTest {
 protected:
  void SetUp() override {
    PacketPathTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    serve(tcp_, {{.id = 1}});
    serve(udp_, {{.id = 2}});
  }

  Packet packet(uint8_t protocol) const {
    Packet packet;
    packet.protocol = protocol;
    packet.destination_port = protocol == IPPROTO_TCP ? tcp_.port : udp_.port;
    packet.payload = "some payload";
    return packet;
  }

  const Vip tcp_;
  const Vip udp_ = {.number = 2, .port = 53, .protocol = IPPROTO_UDP};
};

// The frame ends after each byte, while the headers still say what they said.
TEST_F(Truncation, EachHeaderCutAtEachByteHasItsOutcome) {  // X9
  for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
    for (const size_t options : {0, 4, 40}) {
      Packet whole = packet(protocol);
      whole.ip_options.assign(options, 1);  // no-operation
      const Bytes bytes = whole.to_bytes();
      for (size_t length = kEthernetBytes; length < bytes.size(); ++length) {
        const Handled run =
            path_->run(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(length)));
        const size_t readable = whole.l4_offset() + 4;
        ASSERT_EQ(run.outcome, length < readable ? RP_pass_unreadable : RP_drop_malformed)
            << int{protocol} << " with " << options << " bytes of options cut to " << length;
      }
      EXPECT_EQ(path_->run(bytes).outcome, RP_forward_tx);
    }
  }
}

// The datagram ends after each byte, by its total length, and the frame is padded: what lies behind
// is no header.
TEST_F(Truncation, BytesBehindTheDatagramAreNotRead) {  // X9
  for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
    const Packet whole = packet(protocol);
    for (size_t total = 0; total < 20 + whole.l4_header_bytes(); ++total) {
      Bytes bytes = whole.to_bytes();
      bytes[kEthernetBytes + 2] = 0;
      bytes[kEthernetBytes + 3] = static_cast<uint8_t>(total);
      const Handled run = path_->run(bytes);
      ASSERT_EQ(run.outcome, total < 24 ? RP_pass_unreadable : RP_drop_malformed) << total;
    }
  }
}

struct Contradiction {
  const char* what;
  uint8_t protocol;
  size_t offset;  // in the frame
  uint8_t value;
  rp_outcome outcome;
};

TEST_F(Truncation, HeadersThatContradictThemselvesAreMalformed) {  // X9
  const Contradiction cases[] = {
      {"an IP header below its least length", IPPROTO_TCP, 14, 0x44, RP_pass_unreadable},
      {"IP version 6 in an IPv4 frame", IPPROTO_TCP, 14, 0x65, RP_pass_not_ipv4},
      {"a datagram longer than its frame", IPPROTO_TCP, 16, 0x40, RP_drop_malformed},
      {"a TCP header below its least length", IPPROTO_TCP, 46, 0x40, RP_drop_malformed},
      {"a TCP header longer than its datagram", IPPROTO_TCP, 46, 0xf0, RP_drop_malformed},
      {"a UDP length below its header's", IPPROTO_UDP, 39, 7, RP_drop_malformed},
      {"a UDP length longer than its datagram", IPPROTO_UDP, 39, 21, RP_drop_malformed},
  };
  for (const Contradiction& c : cases) {
    Bytes bytes = packet(c.protocol).to_bytes();
    bytes.at(c.offset) = c.value;
    EXPECT_EQ(path_->run(bytes).outcome, c.outcome) << c.what;
  }
}

TEST_F(Truncation, PaddingBehindAShortDatagramIsForwardedWithIt) {
  Bytes bytes = packet(IPPROTO_UDP).to_bytes();
  bytes.resize(60, 0);
  const Handled run = path_->run(bytes);
  EXPECT_EQ(run.outcome, RP_forward_tx);
  EXPECT_EQ(run.frame.size(), 60u);
}

TEST_F(Truncation, TheLaterFragmentOfADatagramHasNoPorts) {  // X7
  Packet fragment = packet(IPPROTO_UDP);
  fragment.fragment = 1;
  EXPECT_EQ(path_->run(fragment).outcome, RP_pass_fragment);
  fragment.fragment = 0x2001;
  EXPECT_EQ(path_->run(fragment).outcome, RP_pass_fragment);
  fragment.fragment = 0x2000;
  EXPECT_EQ(path_->run(fragment).outcome, RP_drop_fragment);
  fragment.fragment = 0x4000;  // don't fragment
  EXPECT_EQ(path_->run(fragment).outcome, RP_forward_tx);
}

// Only packets for a VIP are ever dropped: the same bytes to another address pass, whatever is
// wrong.
TEST_F(Truncation, WhatIsNotForAVipPassesUntouched) {  // X9
  Packet other = packet(IPPROTO_UDP);
  other.destination = "203.0.113.99";
  for (const uint16_t fragment : {0, 0x2000}) {
    other.fragment = fragment;
    const Bytes bytes = other.to_bytes();
    for (size_t length = kEthernetBytes; length <= bytes.size(); ++length) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<long>(length));
      const Handled run = path_->run(cut);
      ASSERT_EQ(run.verdict, 2u /* XDP_PASS */) << length;
      ASSERT_EQ(run.frame, cut);
    }
  }
}

// run() asserts for each packet that exactly one outcome grew by exactly one.
TEST_F(Truncation, EveryPacketOfRandomBytesHasOneOutcome) {  // X10
  const uint32_t seed = std::random_device{}();
  printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes = packet(round % 2 == 0 ? IPPROTO_TCP : IPPROTO_UDP).to_bytes();
    for (int flips = static_cast<int>(random() % 8); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    bytes.resize(kEthernetBytes + random() % (bytes.size() - kEthernetBytes + 1));
    ASSERT_NE(path_->run(bytes).outcome, RP_GO_ON);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    ASSERT_NE(path_->run(bytes).outcome, RP_GO_ON);
  }
}

}  // namespace
}  // namespace rampart::bpf_test
