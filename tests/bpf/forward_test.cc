// SPDX-License-Identifier: Apache-2.0
// X1, X3, X11, X12: what a forwarded packet looks like.
#include <linux/bpf.h>

#include "bpf/packet_path.h"

namespace rampart::bpf_test {
namespace {

class Forward : public PacketPathTest {
 protected:
  // Sends and expects it to be forwarded with right checksums.
  Received forwarded(const Packet& packet) {
    const Handled run = path_->run(packet);
    EXPECT_EQ(run.outcome, RP_forward_tx) << name_of(run.outcome);
    const Received out = run.received();
    EXPECT_TRUE(out.ip_checksum_right);
    EXPECT_TRUE(out.l4_checksum_right);
    return out;
  }
};

const Vip kTcp;
const Vip kUdp = {.number = 2, .protocol = IPPROTO_UDP};

Packet udp_packet() {
  Packet packet;
  packet.protocol = IPPROTO_UDP;
  packet.payload = "question";
  return packet;
}

TEST_F(Forward, L2ChangesTheMacAddressesAndNothingElse) {  // X1, X12
  serve(kTcp, {{.id = 1}});
  Packet packet;
  packet.payload = "hello";
  packet.ttl = 1;  // it is not routed
  const Handled run = path_->run(packet);
  EXPECT_EQ(run.outcome, RP_forward_tx);
  EXPECT_EQ(run.verdict, uint32_t{XDP_TX});
  EXPECT_EQ(run.received().destination_mac, mac_of(1));
  EXPECT_EQ(run.received().source_mac, kOurMac);
  const Bytes in = packet.to_bytes();
  EXPECT_EQ(Bytes(run.frame.begin() + 12, run.frame.end()), Bytes(in.begin() + 12, in.end()));
}

TEST_F(Forward, AnotherInterfaceIsARedirect) {  // X11
  serve(kTcp, {{.id = 1, .out_of = kOtherPort}});
  const Handled run = path_->run(Packet{});
  EXPECT_EQ(run.outcome, RP_forward_redirect);
  EXPECT_EQ(run.verdict, uint32_t{XDP_REDIRECT});
}

TEST_F(Forward, AnUnresolvedNextHopIsADropOfItsOwn) {  // X2
  serve(kTcp, {{.id = 1, .out_of = 0}});
  EXPECT_EQ(path_->run(Packet{}).outcome, RP_drop_unresolved);
  rp_backend backend = path_->backend(1);
  backend.next_hop = 5ull << RP_HOP_PORT_SHIFT;  // a port that is not in use
  path_->set_backend(1, backend);
  EXPECT_EQ(path_->run(Packet{}).outcome, RP_drop_unresolved);
}

TEST_F(Forward, NatRewritesDestinationPortAndTtl) {  // X1, X3, X12
  serve_nat(kTcp, {{.id = 1, .address = "192.0.2.33", .port = 8080}});
  const Received out = forwarded(Packet{});
  EXPECT_EQ(text_of(out.destination), "192.0.2.33");
  EXPECT_EQ(out.destination_port, 8080);
  EXPECT_EQ(text_of(out.source), "198.51.100.7");
  EXPECT_EQ(out.source_port, 40000);
  EXPECT_EQ(out.ttl, 63);
  EXPECT_EQ(out.destination_mac, mac_of(1));
}

TEST_F(Forward, NatHonoursIpOptions) {  // X3
  serve_nat(kTcp, {{.id = 1}});
  serve_nat(kUdp, {{.id = 2}});
  for (const size_t bytes : {4, 8, 40}) {
    for (Packet packet : {Packet{}, udp_packet()}) {
      packet.ip_options.assign(bytes, 1);
      EXPECT_EQ(text_of(forwarded(packet).destination), "192.0.2.1");
    }
  }
}

TEST_F(Forward, NatPassesAPacketWhoseTtlIsUsedUp) {  // X3
  serve_nat(kTcp, {{.id = 1}});
  Packet packet;
  for (const uint8_t ttl : {0, 1}) {
    packet.ttl = ttl;
    const Handled run = path_->run(packet);
    EXPECT_EQ(run.outcome, RP_pass_ttl);
    EXPECT_EQ(run.frame, packet.to_bytes());
  }
  EXPECT_EQ(path_->flows(), 0u);  // and it made nothing
  EXPECT_EQ(path_->count(1).opened, 0u);
  packet.ttl = 2;
  EXPECT_EQ(forwarded(packet).ttl, 1);
  packet.ttl = 1;
  packet.flags = kRst;
  EXPECT_EQ(path_->run(packet).outcome, RP_pass_ttl);
  EXPECT_EQ(state_of(*path_->flow(packet.key())), uint32_t{RP_FLOW_SYN});  // nor changed anything
}

// Ports and the halves of addresses where a sum carries, on either side of the change, for both
// protocols.
TEST_F(Forward, NatChecksumsAreRightForCarryCriticalValues) {  // X3
  constexpr uint16_t kPorts[] = {1, 2, 0x00ff, 0x0100, 0x7fff, 0x8000, 0xff00, 0xfffe, 0xffff};
  const std::string addresses[] = {"0.0.0.1",     "0.0.255.255", "0.1.0.0",     "1.2.3.4",
                                   "127.255.0.1", "128.0.0.0",   "255.255.0.0", "255.255.255.254",
                                   "192.0.2.1",   "0.255.255.0", "254.255.0.1", "223.255.255.255"};
  ASSERT_TRUE(load({.flows = 16384}));
  serve_nat(kTcp, {{.id = 1}});
  serve_nat(kUdp, {{.id = 2}});
  uint16_t client_port = 1;
  for (const std::string& to : addresses) {
    for (const uint16_t port : kPorts) {
      for (const uint32_t id : {1, 2}) {
        rp_backend backend = path_->backend(id);
        backend.address = address(to);
        backend.port = swap16(port);
        path_->set_backend(id, backend);
      }
      for (const std::string& from : addresses) {
        for (Packet packet : {Packet{}, udp_packet()}) {
          packet.source = from;
          packet.source_port = client_port++;
          const Received out = forwarded(packet);
          ASSERT_EQ(text_of(out.destination), to);
          ASSERT_EQ(out.destination_port, port);
          ASSERT_FALSE(HasFailure()) << from << " to " << to << " port " << port;
        }
      }
    }
  }
}

TEST_F(Forward, EveryPayloadSumHasARightUdpChecksum) {
  serve_nat(kUdp, {{.id = 1}});
  for (uint32_t sum = 0; sum < 0x10000; sum += 7) {  // reaches 0, 0xffff and all carries between
    Packet packet = udp_packet();
    packet.payload = {static_cast<char>(sum >> 8), static_cast<char>(sum)};
    const Received out = forwarded(packet);
    ASSERT_NE(out.l4_checksum, 0);
    ASSERT_FALSE(HasFailure()) << sum;
  }
}

TEST_F(Forward, NatLeavesUdpWithoutAChecksumWithout) {
  serve_nat(kUdp, {{.id = 1}});
  Packet packet = udp_packet();
  packet.udp_checksum = false;
  EXPECT_EQ(forwarded(packet).l4_checksum, 0);
}

TEST_F(Forward, AWrongChecksumStaysWrong) {
  serve_nat(kTcp, {{.id = 1}});
  Bytes bytes = Packet{}.to_bytes();
  bytes[kEthernetBytes + 20 + 16] ^= 1;
  const Handled run = path_->run(bytes);
  EXPECT_EQ(run.outcome, RP_forward_tx);
  EXPECT_FALSE(run.received().l4_checksum_right);
}

TEST_F(Forward, ForwardedPacketsAndBytesAreCountedPerBackend) {
  serve(kTcp, {{.id = 1}});
  Packet packet;
  path_->run(packet);
  packet.flags = kAck;
  packet.payload = std::string(100, 'x');
  path_->run(packet);
  const rp_backend_stats stats = path_->backend_stats(1);
  EXPECT_EQ(stats.packets, 2u);
  EXPECT_EQ(stats.bytes, 2 * 54u + 100u);
  EXPECT_EQ(stats.flows, 1u);
}

TEST_F(Forward, OutcomesAreCountedWithTheirVip) {  // X10
  serve(kTcp, {{.id = 1}});
  serve(kUdp, {});
  EXPECT_EQ(path_->run(Packet{}).vip, kTcp.number);
  EXPECT_EQ(path_->run(udp_packet()).vip, kUdp.number);
}

}  // namespace
}  // namespace rampart::bpf_test
