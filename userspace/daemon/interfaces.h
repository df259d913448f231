// SPDX-License-Identifier: Apache-2.0
// The interfaces of an instance: what the file lists and what people attached or detached meanwhile.
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_DAEMON_INTERFACES_H_
#define RAMPART_USERSPACE_DAEMON_INTERFACES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/service.h"
#include "base/result.h"
#include "control/config.h"
#include "daemon/plane.h"
#include "dataplane/attach.h"

namespace rampart::daemon {

class Interfaces {
 public:
  // REQUIRES: the plane outlives this.
  explicit Interfaces(Plane& plane) : plane_(plane) {}

  // Whether attach_listed() may be tried; touches nothing.
  Result<void> check_listed(const control::Config& config) const;
  // Attaches what the file lists; the first failure ends it.
  Result<void> attach_listed(const control::Config& config);
  // Attaches those of the file that went and came back, or came late, unless a person detached them.
  // Names each that failed, with the reason.
  std::map<std::string, Result<void>> attach_returned(const control::Config& config);
  // Follows a file that gained or lost some; those attached or detached at run time stay as they are
  // (O4). What failed, as lines.
  std::vector<std::string> follow(const control::Config& from, const control::Config& to);

  Result<dataplane::Attachment> attach(const std::string& interface, dataplane::Mode mode);
  // Detaching what is detached already, but listed, is done.
  Result<void> detach(const std::string& interface, const control::Config& config);

  // Those that are attached, and those that the file lists.
  std::vector<api::InterfaceReading> readings(const control::Config& config) const;

 private:
  Plane& plane_;
  std::map<std::string, std::string> notes_;  // what was said when an interface was attached
  std::set<std::string> detached_;            // by command (O4)
};

}  // namespace rampart::daemon

#endif  // RAMPART_USERSPACE_DAEMON_INTERFACES_H_
