// SPDX-License-Identifier: Apache-2.0
#include "daemon/interface_readings.h"

#include <algorithm>
#include <utility>

#include "dataplane/attach.h"

namespace rampart::daemon {

std::vector<api::InterfaceReading> interface_readings(
    const std::string& folder, const std::map<std::string, std::string>& notes,
    const control::Config& config) {
  std::vector<api::InterfaceReading> readings;
  for (dataplane::Attachment& one : dataplane::attachments(folder)) {
    const auto note = notes.find(one.interface);
    if (note != notes.end()) one.note = note->second;
    const bool attached = one.ifindex != 0;
    readings.push_back({.attachment = std::move(one), .attached = attached, .in_file = false});
  }
  for (const control::InterfaceConfig& listed : config.interfaces) {
    const auto found = std::find_if(readings.begin(), readings.end(), [&](const auto& reading) {
      return reading.attachment.interface == listed.name;
    });
    if (found != readings.end()) {
      found->in_file = true;
    } else {
      dataplane::Attachment missing;
      missing.interface = listed.name;
      readings.push_back({.attachment = std::move(missing), .attached = false, .in_file = true});
    }
  }
  return readings;
}

}  // namespace rampart::daemon
