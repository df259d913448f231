// SPDX-License-Identifier: Apache-2.0
// Two lists of a configuration held against each other, for people.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_COMPARE_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_COMPARE_H_

#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace rampart::control {

using Lines = std::vector<std::string>;

inline void append(Lines& lines, Lines more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// "NAME added" and "NAME removed", and of those that are in both what `changes(was, is)` says. Two are
// the same one if their keys are equal. `name(one)` is what people call it.
template <typename One, typename Name, typename Key, typename Changes>
Lines compare(const std::vector<One>& from, const std::vector<One>& to, Name name, Key key,
              Changes changes) {
  Lines lines;
  std::map<decltype(key(from.front())), const One*> before;
  for (const One& one : from) before.emplace(key(one), &one);
  for (const One& one : to) {
    const auto was = before.find(key(one));
    if (was == before.end()) {
      lines.push_back(name(one) + " added");
    } else {
      append(lines, changes(*was->second, one));
      before.erase(was);
    }
  }
  for (const One& one : from) {
    if (before.contains(key(one))) lines.push_back(name(one) + " removed");
  }
  return lines;
}

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_COMPARE_H_
