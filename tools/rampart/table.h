// SPDX-License-Identifier: Apache-2.0
// Columns for people.
#ifndef RAMPART_TOOLS_RAMPART_TABLE_H_
#define RAMPART_TOOLS_RAMPART_TABLE_H_

#include <string>
#include <vector>

namespace rampart::cli {

class Table {
 public:
  // A heading that begins with '>' is a column of numbers: aligned to the right.
  explicit Table(std::vector<std::string> headings);
  // REQUIRES: one cell for each heading.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // To standard output, with `indent` blanks before each line.
  void print(int indent = 0) const;

 private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

// 12.345 → "12.35"; whole numbers without a fraction.
std::string number(double value);

}  // namespace rampart::cli

#endif  // RAMPART_TOOLS_RAMPART_TABLE_H_
