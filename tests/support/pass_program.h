// SPDX-License-Identifier: Apache-2.0
// The XDP program that lets everything pass (xdp_pass.bpf.c), loaded once and put where it is
// needed.
#ifndef RAMPART_TESTS_SUPPORT_PASS_PROGRAM_H_
#define RAMPART_TESTS_SUPPORT_PASS_PROGRAM_H_

#include <string>

#include "support/netns.h"

struct xdp_pass;  // the skeleton's

namespace rampart::test {

class PassProgram {
 public:
  PassProgram();
  PassProgram(const PassProgram&) = delete;
  PassProgram& operator=(const PassProgram&) = delete;
  ~PassProgram();

  // Attaches it in native mode; it stays as long as the interface does.
  void attach(const Netns& netns, const std::string& interface) const;

 private:
  xdp_pass* loaded_;
};

// The id of the XDP program on an interface; 0 if there is none.
unsigned xdp_program_on(const Netns& netns, const std::string& interface);

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_PASS_PROGRAM_H_
