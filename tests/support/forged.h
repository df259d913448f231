// SPDX-License-Identifier: Apache-2.0
// What an attacker can do who knows a connection's ends, but not its sequence numbers.
#ifndef RAMPART_TESTS_SUPPORT_FORGED_H_
#define RAMPART_TESTS_SUPPORT_FORGED_H_

#include <netinet/tcp.h>

#include <cstdint>
#include <string>

#include "support/netns.h"

namespace rampart::test {

// Sends a segment without data from a port of the calling thread's namespace, with flags as in
// <netinet/tcp.h> (TH_RST, TH_FIN). Its sequence number is any: once in some 60,000 times it lies
// in the receiver's window after all.
void forge_segment(uint16_t from, const std::string& address, uint16_t port, uint8_t flags);

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_FORGED_H_
