// SPDX-License-Identifier: Apache-2.0
#include "simulate/names.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace rampart::simulate {
namespace {

// "b12" as "b" and 12; a name without a number, or with one that is written otherwise ("b012"), as
// itself.
struct Numbered {
  std::string stem;
  int64_t number = -1;
};

Numbered numbered(const Identity& name) {
  constexpr size_t kMostDigits = 9;
  const size_t digits = digits_begin(name);
  const size_t count = name.size() - digits;
  if (count == 0 || count > kMostDigits || (count > 1 && name[digits] == '0')) return {name};
  return {name.substr(0, digits), std::stoll(name.substr(digits))};
}

bool follows(const Identity& first, const Identity& second) {
  const Numbered a = numbered(first);
  const Numbered b = numbered(second);
  return a.number >= 0 && a.stem == b.stem && b.number == a.number + 1;
}

}  // namespace

size_t digits_begin(const Identity& name) {
  size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  return at;
}

void sort_naturally(std::vector<Identity>& names) {
  const auto key = [](const Identity& name) {
    const Numbered parts = numbered(name);
    return std::tuple(parts.stem, parts.number, name);
  };
  std::sort(names.begin(), names.end(),
            [&](const Identity& a, const Identity& b) { return key(a) < key(b); });
}

std::string short_form(std::vector<Identity> names) {
  sort_naturally(names);
  std::string text;
  for (size_t first = 0; first < names.size();) {
    size_t last = first;
    while (last + 1 < names.size() && follows(names[last], names[last + 1])) ++last;
    text += text.empty() ? "" : " ";
    text += names[first];
    if (last > first) text += (last == first + 1 ? " " : "..") + names[last];
    first = last + 1;
  }
  return text;
}

double seconds_of(TimePoint at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

Duration duration_of_seconds(double seconds) {
  return Duration(std::llround(seconds * 1e9));
}

std::string text_of(TimePoint at) {
  char text[48] = {};
  std::snprintf(text, sizeof text, "%.3f", seconds_of(at));
  std::string trimmed = text;
  trimmed.erase(trimmed.find_last_not_of('0') + 1);
  if (trimmed.back() == '.') trimmed.pop_back();
  return trimmed + "s";
}

}  // namespace rampart::simulate
