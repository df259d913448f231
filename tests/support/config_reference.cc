// SPDX-License-Identifier: Apache-2.0
#include "support/config_reference.h"

#include <fstream>
#include <stdexcept>

namespace rampart::test {
namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(separator, from)) != std::string::npos;) {
    parts.push_back(text.substr(from, at - from));
    from = at + separator.size();
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::string replaced(const std::string& text, const std::string& what, const std::string& by) {
  std::string all;
  bool first = true;
  for (const std::string& part : split(text, what)) {
    all += (first ? "" : by) + part;
    first = false;
  }
  return all;
}

std::string without_ticks(const std::string& text) {
  const bool ticked = text.size() > 2 && text.front() == '`' && text.back() == '`';
  return ticked ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string> ticked(const std::string& text) {
  std::vector<std::string> words;
  const std::vector<std::string> parts = split(text, "`");
  for (size_t i = 1; i < parts.size(); i += 2) words.push_back(parts[i]);
  return words;
}

std::string next_number(const std::string& number, int step) {
  if (number.find('.') != std::string::npos) return std::to_string(std::stod(number) + step);
  return std::to_string(std::stoll(number) + step);
}

std::vector<std::string> reference_lines() {
  std::ifstream file(RAMPART_CONFIG_REFERENCE);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<ReferenceRow> reference_rows() {
  std::vector<ReferenceRow> list;
  for (const std::string& line : reference_lines()) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::vector<std::string> cells = split(line, "|");  // begins and ends with an empty one
    if (cells.size() != 6) throw std::runtime_error("no row of four cells: " + line);
    list.push_back({without_ticks(trimmed(cells[1])), trimmed(cells[2]), trimmed(cells[3])});
  }
  return list;
}

}  // namespace rampart::test
