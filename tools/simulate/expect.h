// SPDX-License-Identifier: Apache-2.0
// What a scenario expects, from its words.
#ifndef RAMPART_TOOLS_SIMULATE_EXPECT_H_
#define RAMPART_TOOLS_SIMULATE_EXPECT_H_

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "simulate/scenario.h"
#include "simulate/words.h"

namespace rampart::simulate {

// Whether it is a value that can be expected, or a state: "slots", "ramping".
bool is_word_of_expectations(const std::string& name);

// Of the words after "expect".
Result<std::vector<Expectation>> expectations_of(std::span<const Word> words);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_EXPECT_H_
