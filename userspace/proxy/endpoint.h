// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_PROXY_ENDPOINT_H_
#define RAMPART_USERSPACE_PROXY_ENDPOINT_H_

#include <boost/asio/ip/tcp.hpp>
#include <cstring>

#include "base/ip.h"

namespace rampart::proxy {

inline boost::asio::ip::tcp::endpoint endpoint_of(const IpAddress& address, uint16_t port) {
  if (address.is_v4()) {
    boost::asio::ip::address_v4::bytes_type bytes;
    const uint32_t be_address = address.v4();
    std::memcpy(bytes.data(), &be_address, sizeof be_address);
    return {boost::asio::ip::address_v4(bytes), port};
  }
  return {boost::asio::ip::address_v6(address.bytes()), port};
}

inline IpAddress address_of(const boost::asio::ip::tcp::endpoint& endpoint) {
  if (endpoint.address().is_v6()) {
    return IpAddress::from_bytes(endpoint.address().to_v6().to_bytes());
  }
  uint32_t be_address = 0;
  const auto bytes = endpoint.address().to_v4().to_bytes();
  std::memcpy(&be_address, bytes.data(), sizeof be_address);
  return IpAddress::from_v4(be_address);
}

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_ENDPOINT_H_
