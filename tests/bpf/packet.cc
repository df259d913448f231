// SPDX-License-Identifier: Apache-2.0
#include "bpf/packet.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace rampart::bpf_test {
namespace {

void put16(Bytes& bytes, size_t at, uint32_t value) {
  bytes.at(at) = static_cast<uint8_t>(value >> 8);
  bytes.at(at + 1) = static_cast<uint8_t>(value);
}

void put32(Bytes& bytes, size_t at, uint32_t value) {
  put16(bytes, at, value >> 16);
  put16(bytes, at + 2, value);
}

uint16_t get16(const Bytes& bytes, size_t at) {
  return static_cast<uint16_t>(bytes.at(at) << 8 | bytes.at(at + 1));
}

uint32_t get32(const Bytes& bytes, size_t at) {
  return static_cast<uint32_t>(get16(bytes, at)) << 16 | get16(bytes, at + 2);
}

rp_addr mapped(uint32_t be) {
  rp_addr out = {};
  out.word[2] = RP_V4_MAPPED;
  out.word[3] = be;
  return out;
}

Mac get_mac(const Bytes& bytes, size_t at) {
  Mac mac;
  std::copy_n(bytes.begin() + static_cast<long>(at), mac.size(), mac.begin());
  return mac;
}

size_t checksum_offset(uint8_t protocol) {
  return protocol == IPPROTO_TCP ? 16 : 6;
}

}  // namespace

uint16_t swap16(uint16_t value) {
  return htons(value);
}
uint32_t swap32(uint32_t value) {
  return htonl(value);
}

rp_addr address(const std::string& text) {
  uint32_t be = 0;
  if (inet_pton(AF_INET, text.c_str(), &be) != 1) throw std::invalid_argument(text);
  return mapped(be);
}

std::string text_of(const rp_addr& address) {
  char text[INET_ADDRSTRLEN];
  return inet_ntop(AF_INET, &address.word[3], text, sizeof(text));
}

uint16_t checksum_of(const Bytes& bytes) {
  uint64_t sum = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    sum += static_cast<uint64_t>(bytes[at]) << (at % 2 == 0 ? 8 : 0);
  }
  while (sum > 0xffff) sum = sum % 0x10000 + sum / 0x10000;
  return static_cast<uint16_t>(~sum);
}

Bytes with_pseudo_header(const Bytes& frame) {
  const size_t l4 = kEthernetBytes + (frame.at(kEthernetBytes) & 0xf) * 4u;
  const size_t end = kEthernetBytes + get16(frame, kEthernetBytes + 2);
  Bytes out(frame.begin() + kEthernetBytes + 12, frame.begin() + kEthernetBytes + 20);
  out.push_back(0);
  out.push_back(frame.at(kEthernetBytes + 9));
  out.push_back(static_cast<uint8_t>((end - l4) >> 8));
  out.push_back(static_cast<uint8_t>(end - l4));
  for (size_t at = l4; at < end; ++at) out.push_back(frame.at(at));
  return out;
}

Bytes Packet::to_bytes() const {
  const size_t l4 = l4_offset();
  Bytes out(l4 + l4_header_bytes(), 0);
  out.insert(out.end(), payload.begin(), payload.end());
  std::copy(destination_mac.begin(), destination_mac.end(), out.begin());
  std::copy(source_mac.begin(), source_mac.end(), out.begin() + 6);
  put16(out, 12, ether_type);

  const size_t ip = kEthernetBytes;
  out[ip] = static_cast<uint8_t>(0x40 | (20 + ip_options.size()) / 4);
  put16(out, ip + 2, static_cast<uint32_t>(out.size() - ip));
  put16(out, ip + 4, 0x1234);
  put16(out, ip + 6, fragment);
  out[ip + 8] = ttl;
  out[ip + 9] = protocol;
  put32(out, ip + 12, swap32(address(source).word[3]));
  put32(out, ip + 16, swap32(address(destination).word[3]));
  std::copy(ip_options.begin(), ip_options.end(), out.begin() + static_cast<long>(ip) + 20);
  put16(out, ip + 10, checksum_of(Bytes(out.begin() + ip, out.begin() + static_cast<long>(l4))));

  put16(out, l4, source_port);
  put16(out, l4 + 2, destination_port);
  if (protocol == IPPROTO_TCP) {
    put32(out, l4 + 4, seq);
    put32(out, l4 + 8, ack);
    out[l4 + 12] = 5 << 4;
    out[l4 + 13] = flags;
    put16(out, l4 + 14, 65535);
  } else {
    put16(out, l4 + 4, static_cast<uint32_t>(out.size() - l4));
    if (!udp_checksum) return out;
  }
  const uint16_t check = checksum_of(with_pseudo_header(out));
  const bool is_udp_zero = protocol == IPPROTO_UDP && check == 0;
  put16(out, l4 + checksum_offset(protocol), is_udp_zero ? 0xffff : check);
  return out;
}

rp_tuple Packet::key() const {
  rp_tuple key = {};
  key.source = address(source);
  key.destination = address(destination);
  key.source_port = swap16(source_port);
  key.destination_port = swap16(destination_port);
  key.protocol = protocol;
  return key;
}

Received read_packet(const Bytes& frame) {
  Received out;
  const size_t ip = kEthernetBytes;
  const size_t l4 = ip + (frame.at(ip) & 0xf) * 4u;
  out.destination_mac = get_mac(frame, 0);
  out.source_mac = get_mac(frame, 6);
  out.source = mapped(swap32(get32(frame, ip + 12)));
  out.destination = mapped(swap32(get32(frame, ip + 16)));
  out.protocol = frame.at(ip + 9);
  out.ttl = frame.at(ip + 8);
  out.total_bytes = get16(frame, ip + 2);
  out.frame_bytes = frame.size();
  out.ip_checksum_right =
      checksum_of(Bytes(frame.begin() + ip, frame.begin() + static_cast<long>(l4))) == 0;
  out.source_port = get16(frame, l4);
  out.destination_port = get16(frame, l4 + 2);
  if (out.protocol == IPPROTO_TCP) {
    out.seq = get32(frame, l4 + 4);
    out.ack = get32(frame, l4 + 8);
    out.flags = frame.at(l4 + 13);
  }
  out.l4_checksum = get16(frame, l4 + checksum_offset(out.protocol));
  const bool has_none = out.protocol == IPPROTO_UDP && out.l4_checksum == 0;
  out.l4_checksum_right = has_none || checksum_of(with_pseudo_header(frame)) == 0;
  return out;
}

}  // namespace rampart::bpf_test
