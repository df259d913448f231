// SPDX-License-Identifier: Apache-2.0
// Requests at the edges of RFC 9112, byte for byte, with what a proxy is to make of them.
#ifndef RAMPART_TESTS_SUPPORT_ODD_REQUESTS_H_
#define RAMPART_TESTS_SUPPORT_ODD_REQUESTS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace rampart::test {

// What a node may see of one.
enum class Seen {
  kNothing,
  kHead,  // it went on before the body proved wrong
  kAll,   // and the connection goes on
};

// One that is not seen whole ends its connection, since nobody knows where the next request would begin.
struct OddRequest {
  std::string name;
  std::string bytes;
  int status;
  Seen seen = Seen::kNothing;
};

inline std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Refused for their head.
extern const std::vector<OddRequest> kFirstLines, kTargets, kHosts, kLines, kFields, kLengths,
    kCodings, kLarge;
// Refused for their body.
extern const std::vector<OddRequest> kChunks, kEndless;
// Not to be refused.
extern const std::vector<OddRequest> kWell;

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_ODD_REQUESTS_H_
