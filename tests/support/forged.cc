// SPDX-License-Identifier: Apache-2.0
#include "support/forged.h"

#include "support/sockets.h"

namespace rampart::test {
namespace {

struct Segment {
  // The pseudo-header of RFC 9293, 3.1: summed, not sent.
  in_addr source;
  in_addr destination;
  uint8_t zero = 0;
  uint8_t protocol = IPPROTO_TCP;
  uint16_t length = htons(sizeof(tcphdr));

  tcphdr tcp = {};
};

uint16_t checksum(const Segment& segment) {
  uint16_t words[sizeof(segment) / 2];
  memcpy(words, &segment, sizeof(segment));
  uint32_t sum = 0;
  for (const uint16_t word : words) sum += word;
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~(sum + (sum >> 16)));
}

// The address that the routes choose for packets to `place`.
in_addr source_towards(const sockaddr_in& place) {
  const Fd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own = {};
  socklen_t size = sizeof(own);
  connect(any.get(), reinterpret_cast<const sockaddr*>(&place), sizeof(place));
  getsockname(any.get(), reinterpret_cast<sockaddr*>(&own), &size);
  return own.sin_addr;
}

}  // namespace

void forge_segment(uint16_t from, const std::string& address, uint16_t port, uint8_t flags) {
  const sockaddr_in place = ipv4(address, port);
  Segment segment = {.source = source_towards(place), .destination = place.sin_addr};
  segment.tcp.th_sport = htons(from);
  segment.tcp.th_dport = place.sin_port;
  segment.tcp.th_seq = htonl(1);
  segment.tcp.th_off = sizeof(tcphdr) / 4;
  segment.tcp.th_flags = flags;
  segment.tcp.th_sum = checksum(segment);

  const Fd raw(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_TCP));
  const sockaddr_in there = ipv4(address, 0);  // a raw socket's port is none
  if (sendto(raw.get(), &segment.tcp, sizeof(tcphdr), 0, reinterpret_cast<const sockaddr*>(&there),
             sizeof(there)) != sizeof(tcphdr)) {
    throw BedFailure("send to " + address + " raw: " + strerror(errno));
  }
}

}  // namespace rampart::test
