// SPDX-License-Identifier: Apache-2.0
// Why a packet goes where it goes, as a sentence. Functions of what the packet program answered; they
// ask nobody.
#ifndef RAMPART_USERSPACE_API_EXPLAIN_WORDS_H_
#define RAMPART_USERSPACE_API_EXPLAIN_WORDS_H_

#include <cstddef>
#include <string>

#include "control/config.h"
#include "dataplane/explainer.h"

namespace rampart::api {

// What a packet's choice is explained with.
struct Asked {
  const control::VipConfig& vip;
  const control::UpstreamConfig& upstream;  // the VIP's
  size_t members = 0;                       // nodes with an effective weight
  const dataplane::Explanation& answer;
};

// "a new flow: roundrobin, slot 5 of 4093, which is next for CPU 1 (…)".
std::string reason_of(const Asked& asked);

// Whether the answer's slot is where the backend was found; least_conn asks the slots only for packets
// without an entry.
bool taken_from_slot(const Asked& asked);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_EXPLAIN_WORDS_H_
