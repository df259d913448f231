// SPDX-License-Identifier: Apache-2.0
// From the text of a scenario to statements, words and values.
#ifndef RAMPART_TOOLS_SIMULATE_WORDS_H_
#define RAMPART_TOOLS_SIMULATE_WORDS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace rampart::simulate {

struct Word {
  std::string text;
  int line = 0;
};
using Words = std::vector<Word>;

// One statement: a line and the indented lines that continue it, without comments. Never empty.
std::vector<Words> statements_of(std::string_view text);

// NAME=VALUE; NAME<=VALUE and NAME>=VALUE where they mean something.
struct Assignment {
  std::string name;
  std::string relation;  // "=", "<=" or ">="
  std::string value;
};
Result<Assignment> assignment_of(const std::string& word);

// Nodes that a scenario lists, and a statement names, at most: slot tables tell no more apart.
inline constexpr size_t kMostNodes = 65535;
// Bytes of a node's name or address: each step keeps them.
inline constexpr size_t kLongestName = 255;

// "b1..b3" is b1, b2, b3; any other word is itself.
Result<std::vector<Identity>> names_of(const std::string& word);

Error problem(std::string text);
Error too_many_nodes();
Error too_long();
// What follows a name that is none: " (did you mean table?)"; empty without a guess.
std::string did_you_mean(const std::optional<std::string>& meant);

// `unit` follows the number, and nothing else does.
Result<double> number_of(const std::string& text, const std::string& unit = "");
Result<uint32_t> whole_number_of(const std::string& text, uint32_t least, uint32_t most,
                                 const std::string& unit = "");
Result<bool> switch_of(const std::string& text);  // on, off
// "1.5s", "5m", "1h"; never negative.
Result<Duration> duration_of(const std::string& text);
Result<std::chrono::seconds> whole_seconds_of(const std::string& text);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_WORDS_H_
