// SPDX-License-Identifier: Apache-2.0
// A packet to send into the program, and what came out of it.
#ifndef RAMPART_TESTS_BPF_PACKET_H_
#define RAMPART_TESTS_BPF_PACKET_H_

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rampart/flows.h"
#include "rampart/keys.h"

namespace rampart::bpf_test {

using Bytes = std::vector<uint8_t>;
using Mac = std::array<uint8_t, 6>;

constexpr uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10;

constexpr size_t kEthernetBytes = 14;

constexpr Mac kClientMac = {0x02, 0, 0, 0, 0, 0x0c};
constexpr Mac kOurMac = {0x02, 0, 0, 0, 0, 0xee};

// An IPv4 address from its text, v4-mapped as in every key and value.
rp_addr address(const std::string& text);
std::string text_of(const rp_addr& address);

uint16_t swap16(uint16_t value);  // between host and network order
uint32_t swap32(uint32_t value);

// One packet, by default a client's SYN. to_bytes() adds lengths and right checksums.
struct Packet {
  Mac destination_mac = kOurMac;
  Mac source_mac = kClientMac;
  std::string source = "198.51.100.7";
  std::string destination = "203.0.113.1";
  uint16_t source_port = 40000;
  uint16_t destination_port = 80;
  uint8_t protocol = IPPROTO_TCP;
  uint8_t flags = kSyn;  // TCP
  uint32_t seq = 1000;
  uint32_t ack = 0;
  std::string payload = "";
  uint8_t ttl = 64;
  Bytes ip_options = {};     // a multiple of 4 bytes, at most 40
  uint16_t fragment = 0;     // flags and offset as in the header, host order
  bool udp_checksum = true;  // false: sent as 0, "none"
  uint16_t ether_type = 0x0800;

  Bytes to_bytes() const;
  rp_tuple key() const;  // of its flow's own entry

  size_t l4_offset() const { return kEthernetBytes + 20 + ip_options.size(); }
  size_t l4_header_bytes() const { return protocol == IPPROTO_TCP ? 20 : 8; }
};

// A packet read back, byte by byte, by code of its own. Checksums are recomputed in full.
struct Received {
  Mac destination_mac = {};
  Mac source_mac = {};
  rp_addr source = {};
  rp_addr destination = {};
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint8_t protocol = 0;
  uint8_t ttl = 0;
  uint8_t flags = 0;
  uint32_t seq = 0;
  uint32_t ack = 0;
  uint16_t total_bytes = 0;
  size_t frame_bytes = 0;
  uint16_t l4_checksum = 0;  // as it stands
  bool ip_checksum_right = false;
  bool l4_checksum_right = false;  // also if it is 0 in UDP
};
// REQUIRES: a whole IPv4 packet with TCP or UDP.
Received read_packet(const Bytes& frame);

// The Internet checksum of bytes (RFC 1071), computed the slow way, in network order.
uint16_t checksum_of(const Bytes& bytes);

// The bytes of an IPv4 packet's datagram with its pseudo header in front, for an L4 checksum.
Bytes with_pseudo_header(const Bytes& frame);

}  // namespace rampart::bpf_test

#endif  // RAMPART_TESTS_BPF_PACKET_H_
