// SPDX-License-Identifier: Apache-2.0
// Settings of a pool: those of its slow start block, and the others.
#ifndef RAMPART_TOOLS_SIMULATE_SETTINGS_H_
#define RAMPART_TOOLS_SIMULATE_SETTINGS_H_

#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "simulate/scenario.h"
#include "simulate/words.h"

namespace rampart::simulate {

std::set<std::string> setting_names();
bool is_setting(const std::string& name);
// Whether it can change while the pool serves.
bool may_change(const std::string& name);

// The setting, or word for a node's attribute, that `name` is a misspelling of: a pool takes any name
// for a node, so a setting that is nearly one would become a node unnoticed. Names of less than four
// letters are near too many.
std::optional<std::string> meant_instead_of(const std::string& name);

// REQUIRES: is_setting(setting.name).
Result<Settings> with_setting(Settings before, const Assignment& setting);

// What is wrong with settings that are each fine: a bad slow start block.
Result<Settings> completed(Settings settings);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_SETTINGS_H_
