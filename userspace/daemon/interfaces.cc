// SPDX-License-Identifier: Apache-2.0
#include "daemon/interfaces.h"

#include <net/if.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace rampart::daemon {

Result<void> Interfaces::check_listed(const control::Config& config) const {
  std::vector<std::string> names;
  for (const control::InterfaceConfig& one : config.interfaces) names.push_back(one.name);
  return dataplane::check_interfaces(plane_.folder(), names);
}

Result<void> Interfaces::attach_listed(const control::Config& config) {
  for (const control::InterfaceConfig& one : config.interfaces) {
    if (auto attached = attach(one.name, mode_of(one.mode)); !attached) return attached.error();
  }
  return {};
}

std::map<std::string, Result<void>> Interfaces::attach_returned(const control::Config& config) {
  std::map<std::string, Result<void>> outcomes;
  for (const api::InterfaceReading& one : readings(config)) {
    const std::string& name = one.attachment.interface;
    if (!one.in_file || one.attached || detached_.contains(name)) continue;
    if (if_nametoindex(name.c_str()) == 0) continue;
    for (const control::InterfaceConfig& listed : config.interfaces) {
      if (listed.name != name) continue;
      const auto attached = attach(name, mode_of(listed.mode));
      outcomes.emplace(name, attached ? Result<void>() : Result<void>(attached.error()));
    }
  }
  return outcomes;
}

std::vector<std::string> Interfaces::follow(const control::Config& from,
                                            const control::Config& to) {
  std::vector<std::string> failures;
  for (const control::InterfaceConfig& one : to.interfaces) {
    if (std::find(from.interfaces.begin(), from.interfaces.end(), one) != from.interfaces.end()) {
      continue;
    }
    if (const auto done = attach(one.name, mode_of(one.mode)); !done) {
      failures.push_back(done.error().text);
    }
  }
  for (const control::InterfaceConfig& one : from.interfaces) {
    const bool stays = std::any_of(to.interfaces.begin(), to.interfaces.end(),
                                   [&](const auto& other) { return other.name == one.name; });
    if (stays) continue;
    if (const auto done = detach(one.name, from); !done) failures.push_back(done.error().text);
  }
  return failures;
}

Result<dataplane::Attachment> Interfaces::attach(const std::string& interface,
                                                 dataplane::Mode mode) {
  auto attached = plane_.attach(interface, mode);
  if (!attached) return attached;
  notes_[interface] = attached->note;
  detached_.erase(interface);
  log::info("attached to " + interface + ", " + dataplane::name_of(attached->mode) +
            (attached->note.empty() ? "" : " (" + attached->note + ")"));
  return attached;
}

Result<void> Interfaces::detach(const std::string& interface, const control::Config& config) {
  const auto listed = readings(config);
  const bool known = std::any_of(listed.begin(), listed.end(), [&](const auto& one) {
    return one.attachment.interface == interface;
  });
  if (!known) {
    return Error{
        Code::kFailed,
        interface + ": nothing is attached to it: see rampart status for what is attached"};
  }
  auto detached = plane_.detach(interface);
  if (!detached) return detached;
  detached_.insert(interface);
  log::info("detached from " + interface);
  return detached;
}

std::vector<api::InterfaceReading> Interfaces::readings(const control::Config& config) const {
  std::vector<api::InterfaceReading> readings;
  for (dataplane::Attachment& one : dataplane::attachments(plane_.folder())) {
    const auto note = notes_.find(one.interface);
    if (note != notes_.end()) one.note = note->second;
    // The link stays with an interface that was renamed or moved to another namespace, and a pin may
    // have become something else.
    const bool attached = one.ifindex != 0 && one.ifindex == if_nametoindex(one.interface.c_str());
    readings.push_back({.attachment = std::move(one),
                        .attached = attached,
                        .detached_by_order = false,
                        .in_file = false});
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
      const bool by_order = detached_.contains(listed.name);
      if (by_order) missing.note = "detached by order";
      readings.push_back({.attachment = std::move(missing),
                          .attached = false,
                          .detached_by_order = by_order,
                          .in_file = true});
    }
  }
  return readings;
}

}  // namespace rampart::daemon
