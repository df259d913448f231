// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_BASE_FAILURES_H_
#define RAMPART_USERSPACE_BASE_FAILURES_H_

#include <map>
#include <string>

#include "base/log.h"
#include "base/result.h"

namespace rampart {

// What is tried again and again: the same failure is one line of the log, and so is its end.
class Failures {
 public:
  void note(const std::string& what, const Result<void>& done) {
    if (done) {
      if (failing_.erase(what) > 0) log::info(what + ": works again");
    } else if (std::string& known = failing_[what]; known != done.error().text) {
      known = done.error().text;
      log::error(known);
    }
  }

 private:
  std::map<std::string, std::string> failing_;  // what fails at present, and how
};

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_FAILURES_H_
