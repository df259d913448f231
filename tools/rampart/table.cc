// SPDX-License-Identifier: Apache-2.0
#include "rampart/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/check.h"

namespace rampart::cli {

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
  }
}

void Table::add(std::vector<std::string> cells) {
  RP_CHECK(cells.size() == headings_.size());
  rows_.push_back(std::move(cells));
}

void Table::print(int indent) const {
  std::vector<size_t> widths;
  for (size_t column = 0; column < headings_.size(); ++column) {
    size_t width = headings_[column].size();
    for (const auto& row : rows_) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  const auto print_row = [&](const std::vector<std::string>& cells) {
    std::string line(static_cast<size_t>(indent), ' ');
    for (size_t column = 0; column < cells.size(); ++column) {
      const std::string blanks(widths[column] - cells[column].size(), ' ');
      line += right_[column] ? blanks + cells[column] : cells[column] + blanks;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::puts(line.c_str());
  };
  print_row(headings_);
  for (const auto& row : rows_) print_row(row);
}

std::string number(double value) {
  char text[64] = {};
  std::snprintf(text, sizeof text, value == std::floor(value) ? "%.0f" : "%.2f", value);
  return text;
}

}  // namespace rampart::cli
