// SPDX-License-Identifier: Apache-2.0
#include "simulate/words.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "simulate/names.h"

namespace rampart::simulate {
namespace {

constexpr uint32_t kLongestRange = 1000;
constexpr int kLongestHours = 10000;  // a year: far inside a Duration

bool has_leading_zero(const std::string& name, size_t digits) {
  return name.size() > digits + 1 && name[digits] == '0';
}

}  // namespace

Error problem(std::string text) {
  return Error{Code::kInvalidConfig, std::move(text)};
}

Error too_many_nodes() {
  return problem("a scenario has at most " + std::to_string(kMostNodes) + " nodes and addresses");
}

Error too_long() {
  return problem("names and addresses have at most " + std::to_string(kLongestName) + " bytes");
}

std::string did_you_mean(const std::optional<std::string>& meant) {
  return meant ? " (did you mean " + *meant + "?)" : "";
}

std::vector<Words> statements_of(std::string_view text) {
  std::vector<Words> statements;
  std::istringstream stream{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::istringstream rest(line.substr(0, line.find('#')));
    Words words;
    for (std::string word; rest >> word;) words.push_back({word, number});
    if (words.empty()) continue;
    const bool continues = std::isspace(static_cast<unsigned char>(line.front())) != 0;
    if (continues && !statements.empty()) {
      statements.back().insert(statements.back().end(), words.begin(), words.end());
    } else {
      statements.push_back(std::move(words));
    }
  }
  return statements;
}

Result<Assignment> assignment_of(const std::string& word) {
  const size_t equals = word.find('=');
  const bool compares = equals != std::string::npos && equals > 0 &&
                        (word[equals - 1] == '<' || word[equals - 1] == '>');
  const size_t name_end = compares ? equals - 1 : equals;
  if (equals == std::string::npos || name_end == 0 || equals + 1 == word.size()) {
    return problem("'" + word + "' is not of the form NAME=VALUE");
  }
  return Assignment{word.substr(0, name_end), word.substr(name_end, equals + 1 - name_end),
                    word.substr(equals + 1)};
}

Result<std::vector<Identity>> names_of(const std::string& word) {
  if (word.size() > kLongestName) return too_long();
  const size_t dots = word.find("..");
  if (dots == std::string::npos) return std::vector<Identity>{word};
  const std::string first = word.substr(0, dots);
  const std::string last = word.substr(dots + 2);
  const size_t stem = digits_begin(first);
  const auto from = whole_number_of(first.substr(stem), 0, 999999);
  const auto to = whole_number_of(last.substr(digits_begin(last)), 0, 999999);
  const bool same_stem = first.substr(0, stem) == last.substr(0, digits_begin(last));
  if (!from || !to || !same_stem || *from > *to || *to - *from >= kLongestRange) {
    return problem("'" + word + "' is no range: it is like b1..b10, ascending, of at most " +
                   std::to_string(kLongestRange) + " nodes");
  }
  const bool same_width = first.size() == last.size();
  if (!same_width && (has_leading_zero(first, stem) || has_leading_zero(last, stem))) {
    return problem("'" + word + "': numbers that begin with 0 have as many digits, like b01..b10");
  }
  std::vector<Identity> names;
  for (uint32_t i = *from; i <= *to; ++i) {
    const std::string number = std::to_string(i);
    const size_t width = same_width ? first.size() - stem : number.size();
    names.push_back(first.substr(0, stem) + std::string(width - number.size(), '0') + number);
  }
  return names;
}

Result<double> number_of(const std::string& text, const std::string& unit) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string_view digits(text.c_str(), static_cast<size_t>(end - text.c_str()));
  const bool is_decimal = digits.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
  if (digits.empty() || !is_decimal || unit != end || !std::isfinite(value)) {
    return problem("'" + text + "' is not a number" + (unit.empty() ? "" : " followed by " + unit));
  }
  return value;
}

Result<uint32_t> whole_number_of(const std::string& text, uint32_t least, uint32_t most,
                                 const std::string& unit) {
  const Result<double> value = number_of(text, unit);
  if (value && *value == std::floor(*value) && *value >= least && *value <= most) {
    return static_cast<uint32_t>(*value);
  }
  return problem("'" + text + "' is not a whole number " + std::to_string(least) + "…" +
                 std::to_string(most) + (unit.empty() ? "" : " followed by " + unit));
}

Result<bool> switch_of(const std::string& text) {
  if (text == "on" || text == "off") return text == "on";
  return problem("'" + text + "' is neither on nor off");
}

Result<Duration> duration_of(const std::string& text) {
  const std::string unit = text.empty() ? "" : text.substr(text.size() - 1);
  const double seconds = unit == "h" ? 3600 : unit == "m" ? 60 : 1;
  const Result<double> value = number_of(text, unit);
  const bool has_unit = unit == "h" || unit == "m" || unit == "s";
  if (!has_unit || !value || *value < 0) {
    return problem("'" + text + "' is not a time: it is a number followed by s, m or h");
  }
  if (*value * seconds > kLongestHours * 3600.0) {
    return problem("'" + text + "' is longer than " + std::to_string(kLongestHours) + "h");
  }
  return Duration(std::llround(*value * seconds * 1e9));
}

Result<std::chrono::seconds> whole_seconds_of(const std::string& text) {
  const Result<Duration> exact = duration_of(text);
  if (!exact) return exact.error();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*exact);
  if (seconds != *exact) return problem("'" + text + "' is not a whole number of seconds");
  return seconds;
}

}  // namespace rampart::simulate
