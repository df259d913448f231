// SPDX-License-Identifier: Apache-2.0
// The tables of docs/configuration.md, which are the schema that tests go by: a test holds them to
// the parser, key by key.
#ifndef RAMPART_TESTS_SUPPORT_CONFIG_REFERENCE_H_
#define RAMPART_TESTS_SUPPORT_CONFIG_REFERENCE_H_

#include <string>
#include <vector>

namespace rampart::test {

struct ReferenceRow {
  std::string key;       // "vips[].port"
  std::string standard;  // its cell "Default": "`1`", "required", "none"
  std::string allowed;   // its cell "Allowed": "`1`…`65535`; later: `0`"
};

// Lines of the document.
std::vector<std::string> reference_lines();

// Every row that describes a key, in order. Throws std::runtime_error if one has not four cells.
std::vector<ReferenceRow> reference_rows();

std::vector<std::string> split(const std::string& text, const std::string& separator);
std::string replaced(const std::string& text, const std::string& what, const std::string& by);
std::string without_ticks(const std::string& text);
// What stands in ticks: "`1`…`2`; later: `3`" → 1, 2, 3.
std::vector<std::string> ticked(const std::string& text);
// A decimal number and a step beyond it.
std::string next_number(const std::string& number, int step);

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_CONFIG_REFERENCE_H_
