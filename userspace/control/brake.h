// SPDX-License-Identifier: Apache-2.0
// The brake on a reload: a file that lost most of what serves is more often a mistake (an empty template,
// half a merge) than a wish (C4). Pure.
#ifndef RAMPART_USERSPACE_CONTROL_BRAKE_H_
#define RAMPART_USERSPACE_CONTROL_BRAKE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "control/config.h"

namespace rampart::control {

// Why `to` must not replace `from` unless somebody insists: more than half of the VIPs, or of four or
// more routes, or of four or more nodes of an upstream, would go. A line each; empty if it may. Names are
// labels: a VIP is known by its address, a route by its id or by the requests that it matches, an
// upstream by its id, or else by a VIP or a route that uses it.
std::vector<std::string> held_back(const Config& from, const Config& to);

// A signal cannot say that it insists, but it can come again: what was held back passes with a second
// signal within ten seconds, if that would do the same.
class SecondSignal {
 public:
  // To be asked about each signal whose reload is held back.
  bool insists(const std::vector<std::string>& held_back, TimePoint now);
  // The file was read for another reason.
  void forget() { first_.reset(); }

 private:
  struct First {
    TimePoint at;
    std::vector<std::string> held_back;
  };
  std::optional<First> first_;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_BRAKE_H_
