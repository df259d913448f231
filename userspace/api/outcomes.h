// SPDX-License-Identifier: Apache-2.0
// The outcomes of packets as words: the X-macro of include/rampart/outcomes.h as a table.
#ifndef RAMPART_USERSPACE_API_OUTCOMES_H_
#define RAMPART_USERSPACE_API_OUTCOMES_H_

#include "rampart/outcomes.h"

namespace rampart::api {

struct OutcomeWords {
  rp_outcome code;
  const char* name;
  const char* verdict;  // "PASS"
  const char* text;     // the end of a sentence
};

#define RP_WORDS(code, name, verdict, text) {RP_##name, #name, #verdict, text},
inline constexpr OutcomeWords kOutcomes[] = {RP_OUTCOMES(RP_WORDS)};
#undef RP_WORDS

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_OUTCOMES_H_
