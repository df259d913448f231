// SPDX-License-Identifier: Apache-2.0
// What is found wrong with a file while it is read.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_FINDINGS_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_FINDINGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "control/config.h"

namespace rampart::control {

// Where something stands in a file, both from 1; columns count bytes.
struct Place {
  int line = 1;
  int column = 1;
  bool operator==(const Place&) const = default;
};

class Findings {
 public:
  // More than this nobody reads, and a hostile file could ask for gigabytes of them. The last one
  // then says that there are more.
  static constexpr size_t kMost = 10000;

  // Further problems are not listed.
  bool full() const { return problems_.size() >= kMost; }
  void problem(Place place, std::string path, std::string text);
  void warning(Place place, std::string path, std::string text);

  // Each list in the file's order.
  std::vector<Problem> take_problems();
  std::vector<Problem> take_warnings();

 private:
  std::vector<Problem> problems_;
  std::vector<Problem> warnings_;
  bool cut_ = false;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_FINDINGS_H_
