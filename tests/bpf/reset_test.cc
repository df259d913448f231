// SPDX-License-Identifier: Apache-2.0
// W3, on_no_backend: reset. The client of a VIP without a backend learns it at once.
#include <linux/bpf.h>

#include "bpf/packet_path.h"
#include "rampart/limits.h"

namespace rampart::bpf_test {
namespace {

class Reset : public PacketPathTest {
 protected:
  void SetUp() override {
    PacketPathTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    serve({.on_no_backend = RP_NO_BACKEND_RESET}, {});
    serve({.number = 2, .protocol = IPPROTO_UDP, .on_no_backend = RP_NO_BACKEND_RESET}, {});
  }

  // The answer to a packet, back on the way it came.
  Handled answer(const Packet& packet) {
    const Handled run = path_->run(packet);
    EXPECT_EQ(run.outcome, RP_reset_tx) << name_of(run.outcome);
    EXPECT_EQ(run.verdict, uint32_t{XDP_TX});
    const Received out = run.received();
    EXPECT_EQ(out.destination_mac, packet.source_mac);
    EXPECT_EQ(out.source_mac, packet.destination_mac);
    EXPECT_EQ(text_of(out.source), packet.destination);
    EXPECT_EQ(text_of(out.destination), packet.source);
    EXPECT_EQ(out.ttl, 64);
    EXPECT_TRUE(out.ip_checksum_right);
    EXPECT_EQ(out.total_bytes + kEthernetBytes, out.frame_bytes);
    return run;
  }
};

struct Segment {
  const char* what;
  uint8_t flags;
  std::string payload;
  uint8_t answer_flags;
  uint32_t answer_seq;
  uint32_t answer_ack;
};

TEST_F(Reset, TcpIsAnsweredByRfc9293) {  // W3
  // seq is 1000 and ack 5000 throughout; RFC 9293, 3.10.7.1.
  const Segment segments[] = {
      {"a SYN", kSyn, "", kRst | kAck, 0, 1001},
      {"a SYN with data", kSyn, "early", kRst | kAck, 0, 1006},
      {"a segment without ACK", kPsh, "data", kRst | kAck, 0, 1004},
      {"a FIN without ACK", kFin, "", kRst | kAck, 0, 1001},
      {"an ACK", kAck, "", kRst, 5000, 0},
      {"data with ACK", kPsh | kAck, "data", kRst, 5000, 0},
      {"a SYN with ACK", kSyn | kAck, "", kRst, 5000, 0},
      {"a FIN with ACK", kFin | kAck, "", kRst, 5000, 0},
  };
  for (const Segment& segment : segments) {
    for (const size_t options : {0, 12}) {
      Packet packet;
      packet.flags = segment.flags;
      packet.payload = segment.payload;
      packet.ack = 5000;
      packet.ip_options.assign(options, 1);
      const Received out = answer(packet).received();
      EXPECT_EQ(out.flags, segment.answer_flags) << segment.what;
      EXPECT_EQ(out.seq, segment.answer_seq) << segment.what;
      EXPECT_EQ(out.ack, segment.answer_ack) << segment.what;
      EXPECT_EQ(out.source_port, packet.destination_port);
      EXPECT_EQ(out.destination_port, packet.source_port);
      EXPECT_EQ(out.frame_bytes, 54u);
      EXPECT_TRUE(out.l4_checksum_right) << segment.what;
    }
  }
}

TEST_F(Reset, SequenceNumbersWrap) {
  Packet packet;
  packet.seq = 0xffffffff;
  EXPECT_EQ(answer(packet).received().ack, 0u);
}

TEST_F(Reset, ARstIsNeverAnswered) {  // W3
  Packet packet;
  for (const uint8_t flags : {kRst, static_cast<uint8_t>(kRst | kAck)}) {
    packet.flags = flags;
    EXPECT_EQ(path_->run(packet).outcome, RP_drop_no_backend);
  }
}

TEST_F(Reset, UdpIsAnsweredByAnUnreachablePort) {  // W3
  for (const size_t options : {0, 4, 40}) {
    for (const size_t payload : {0, 1, 7, 100, 1000}) {
      Packet packet;
      packet.protocol = IPPROTO_UDP;
      packet.payload = std::string(payload, 'u');
      packet.ip_options.assign(options, 1);
      const Handled run = answer(packet);
      const Bytes asked = packet.to_bytes();
      const size_t quoted = 20 + options + 8;
      ASSERT_EQ(run.frame.size(), kEthernetBytes + 20 + 8 + quoted);
      const Bytes icmp(run.frame.begin() + kEthernetBytes + 20, run.frame.end());
      EXPECT_EQ(run.received().protocol, IPPROTO_ICMP);
      EXPECT_EQ(icmp[0], 3);
      EXPECT_EQ(icmp[1], 3);
      EXPECT_EQ(checksum_of(icmp), 0);
      EXPECT_EQ(Bytes(icmp.begin() + 8, icmp.end()),
                Bytes(asked.begin() + kEthernetBytes,
                      asked.begin() + static_cast<long>(kEthernetBytes + quoted)));
    }
  }
}

TEST_F(Reset, AnswersOfACpuAreLimited) {  // W3
  uint32_t second = 0;
  rp_outcome last = RP_GO_ON, above = RP_GO_ON;
  do {  // again, if a second ended meanwhile
    second = dataplane::FlowSweeper::now();
    path_->set_answers(RP_MAX_ANSWERS - 1);
    last = path_->run(Packet{}).outcome;
    above = path_->run(Packet{}).outcome;
  } while (dataplane::FlowSweeper::now() != second);
  EXPECT_EQ(last, RP_reset_tx);
  EXPECT_EQ(above, RP_drop_reset_limited);
}

TEST_F(Reset, TheLimitIsOfOneSecond) {  // W3
  path_->set_answers(2 * RP_MAX_ANSWERS, 1);
  answer(Packet{});
}

TEST_F(Reset, MakesNoFlow) {
  answer(Packet{});
  EXPECT_EQ(path_->flows(), 0u);
}

}  // namespace
}  // namespace rampart::bpf_test
