// SPDX-License-Identifier: Apache-2.0
// Documents with one mistake, and what is to be said about each.
#ifndef RAMPART_TESTS_UNIT_CONTROL_CONFIG_CASES_H_
#define RAMPART_TESTS_UNIT_CONTROL_CONFIG_CASES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/config.h"

namespace rampart::control {

// A document whose line 5, of an upstream, is to be filled.
inline std::string upstream_with(const std::string& line) {
  return "version: 1\n"
         "upstreams:\n"
         "  - id: orders\n"
         "    type: roundrobin\n"
         "    " +
         line + "\n";
}

// A document whose line 7, of a VIP, is to be filled.
inline std::string vip_with(const std::string& line) {
  return "version: 1\n"
         "upstreams:\n"
         "  - { id: orders, nodes: [{ host: 10.0.0.10, port: 8080, weight: 100 }] }\n"
         "vips:\n"
         "  - id: web\n"
         "    upstream_id: orders\n"
         "    " +
         line + "\n";
}

inline constexpr char kNodes[] = "nodes: [{ host: 10.0.0.10 }]";

// A valid VIP but for what the line says.
inline std::string whole_vip_with(const std::string& line) {
  return vip_with(line) +
         "    address: 203.0.113.10\n"
         "    port: 80\n"
         "    forward: nat\n";
}

struct Mistake {
  std::string document;
  int line;
  int column;
  std::string path;
  std::string text;  // a part of it
};

inline std::string listed(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += to_string(problem, "FILE") + "\n";
  return text;
}

// The one problem that each document has is the one that is written beside it.
inline void expect_mistakes(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.document.substr(0, 2000));
    const std::vector<Problem> problems = parse_config(mistake.document).problems;
    EXPECT_EQ(problems.size(), 1u) << listed(problems);
    if (problems.empty()) continue;
    EXPECT_EQ(problems[0].line, mistake.line) << listed(problems);
    EXPECT_EQ(problems[0].column, mistake.column) << listed(problems);
    EXPECT_EQ(problems[0].path, mistake.path);
    EXPECT_THAT(problems[0].text, testing::HasSubstr(mistake.text));
  }
}

inline void expect_valid(const std::vector<std::string>& documents) {
  for (const std::string& document : documents) {
    const ParseResult result = parse_config(document);
    EXPECT_EQ(listed(result.problems), "") << document;
  }
}

}  // namespace rampart::control

#endif  // RAMPART_TESTS_UNIT_CONTROL_CONFIG_CASES_H_
