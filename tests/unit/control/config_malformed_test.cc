// SPDX-License-Identifier: Apache-2.0
// What is made by a generator over the schema, and what is left of a good file once some of its bytes
// are others: whatever it is, there is an answer, and it says where.
#include <random>
#include <set>

#include "control/config_text.h"
#include "support/config_reference.h"
#include "support/lines.h"
#include "support/malformed.h"
#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

using test::Lines;
using test::Malformed;
using testing::HasSubstr;

std::string start_of(const std::string& text) {
  return text.substr(0, 2000);
}

// C1: file, line, column and path, and a text that says what was found and what is allowed.
void expect_whole(const std::vector<Problem>& problems, const Lines& lines) {
  for (const Problem& problem : problems) {
    const std::string shown = to_string(problem, "f");
    EXPECT_TRUE(lines.have(problem.line, problem.column)) << shown;
    EXPECT_THAT(problem.text, testing::AnyOf(HasSubstr("allowed"), HasSubstr("required"))) << shown;
    EXPECT_EQ(shown.find_first_of("\n\r\t"), std::string::npos) << shown;
    EXPECT_EQ(first_non_text(shown), shown.size()) << shown;
  }
}

// "a.b" and "a.b[0].c" are about "a.b".
bool is_about(const Problem& problem, const std::string& path) {
  if (problem.path.rfind(path, 0) != 0) return false;
  return problem.path.size() == path.size() || problem.path[path.size()] == '.' ||
         problem.path[path.size()] == '[';
}

std::vector<Problem> about(const std::vector<Problem>& problems, const std::string& path) {
  std::vector<Problem> found;
  for (const Problem& problem : problems) {
    if (is_about(problem, path)) found.push_back(problem);
  }
  return found;
}

void expect_refused(const std::vector<Malformed>& all) {
  for (const Malformed& one : all) {
    SCOPED_TRACE(one.mistake);
    const std::vector<Problem> problems = parse_config(one.text).problems;
    EXPECT_FALSE(problems.empty()) << start_of(one.text);
    expect_whole(problems, Lines(one.text));
    if (one.path.empty()) continue;
    EXPECT_FALSE(about(problems, one.path).empty()) << one.path << "\n" << listed(problems);
  }
}

// The last key of a path: "a.b[0]" → "b".
std::string last_key(const std::string& path) {
  const std::string whole = path.substr(0, path.find_last_not_of("[]0123456789") + 1);
  return whole.substr(whole.rfind('.') + 1);
}

bool is_later(const std::string& key, const std::vector<test::ReferenceRow>& rows) {
  for (const test::ReferenceRow& row : rows) {
    const bool above = key == row.key || key.rfind(row.key + ".", 0) == 0;
    if (above && row.allowed.rfind("later", 0) == 0) return true;
  }
  return false;
}

TEST(ConfigMalformed, BeginsWithAValidFile) {
  EXPECT_EQ(listed(parse_config(test::rich_configuration().dump(2)).problems), "");
}

// Of these keys the rich file cannot have any: they mean nothing without discovery_type.
TEST(ConfigMalformed, BeginsWithAFileThatHasEveryKey) {
  const std::set<std::string> discovered = {
      "upstreams[].service_name", "upstreams[].discovery_args", "upstreams[].discovery_args.path",
      "upstreams[].discovery_args.selector", "upstreams[].slow_start.default_weight"};
  const std::vector<test::ReferenceRow> rows = test::reference_rows();
  const auto places = test::places_in_rich();
  for (const test::ReferenceRow& row : rows) {
    if (row.key == "discovery" || is_later(row.key, rows) || discovered.contains(row.key)) continue;
    EXPECT_TRUE(places.contains(row.key)) << row.key;
  }
}

TEST(ConfigMalformed, HasHundredsOfFilesNoTwoAlike) {
  std::set<std::string> texts;
  const std::vector<Malformed> all = test::malformed_configurations();
  for (const Malformed& one : all) EXPECT_TRUE(texts.insert(one.text).second) << one.mistake;
  EXPECT_GE(all.size(), 300u);
}

// C1, C2
TEST(ConfigMalformed, IsRefusedWhereverAKeyIsWrongUnknownMissingOrTwice) {
  expect_refused(test::malformed_keys());
}

// C1, C2
TEST(ConfigMalformed, IsRefusedWhereverValuesDoNotFitTogether) {
  expect_refused(test::malformed_relations());
}

// C1, C6
TEST(ConfigMalformed, IsRefusedWhereverItsTextIsWrong) {
  expect_refused(test::malformed_texts());
}

// C1: the rich file has each key and the beginning of its value in one line.
TEST(ConfigMalformed, PointsAtTheLineOfTheKey) {
  for (const Malformed& one : test::malformed_keys()) {
    const Lines lines(one.text);
    for (const Problem& problem : about(parse_config(one.text).problems, one.path)) {
      if (problem.path != one.path || problem.text.rfind("missing", 0) == 0) continue;
      ASSERT_TRUE(lines.have(problem.line, problem.column));
      EXPECT_THAT(std::string(lines.at(problem.line)), HasSubstr('"' + last_key(one.path) + '"'))
          << one.mistake << "\n"
          << to_string(problem, "f");
    }
  }
}

// Files with some bytes flipped, left out, put in, or the end cut off.
class Mutator {
 public:
  std::string mutate(std::string text, const std::string& other) {
    for (size_t left = below(4) + 1; left > 0 && !text.empty(); --left) change(text, other);
    return text;
  }

 private:
  // Uniform in [0, end): like the generator, the same with every library.
  size_t below(size_t end) { return random_() % end; }

  void change(std::string& text, const std::string& other) {
    static constexpr std::string_view kMarks = "\n\t -:,[]{}&*!|>'\"%@`#?\\0\x01\x80\xff";
    const size_t at = below(text.size());
    const size_t length = below(16) + 1;
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text[at] = kMarks[below(kMarks.size())];
        break;
      case 2:
        text.insert(at, 1, kMarks[below(kMarks.size())]);
        break;
      case 3:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 4:
        text.erase(at, length);
        break;
      case 5:
        text.insert(below(text.size()), text.substr(at, length * 8));
        break;
      case 6:
        text.insert(at, other.substr(below(other.size()), length * 8));
        break;
      default:
        text.resize(text.size() - below(text.size()) / 8);
    }
  }

  std::mt19937_64 random_{1};  // NOLINT: the same files at every run
};

// The example of the reference in YAML's own style, with comments, aliases and several lines.
constexpr char kStyled[] = R"(# comment
version: 1
instance: "edge" # of the town
bpf: {max_vips: 16,
      max_flows: 4096}
upstreams:
- id: orders
  nodes: &nodes
  - {host: 10.0.0.10, port: 8080}
  - host: 10.0.0.11
    port: 8080
    metadata:
      text: |
        two
        lines
- {id: short, nodes: *nodes, slow_start: {slow_start_time_seconds: 9, min_weight_percent: 1}}
- id: udp
  nodes: {"10.0.0.53:53": 1}
  checks:
    active:
      type: udp
      payload: >-
        folded
        text
vips:
  - id: 'web'
    address: 203.0.113.10
    port: 80
    forward: nat
    upstream_id: orders
)";

// C1, C6
TEST(ConfigMalformed, IsAnsweredWhateverItsBytes) {
  const std::string seeds[] = {test::rich_configuration().dump(2),
                               test::rich_configuration().dump(), kStyled};
  expect_valid({std::begin(seeds), std::end(seeds)});
  Mutator mutator;
  size_t refused = 0;
  constexpr size_t kFiles = 6000;
  for (size_t i = 0; i < kFiles; ++i) {
    const std::string text = mutator.mutate(seeds[i % 3], seeds[(i + 1) % 3]);
    const std::vector<Problem> problems = parse_config(text).problems;
    SCOPED_TRACE(i);
    expect_whole(problems, Lines(text));
    refused += problems.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, kFiles / 2);
  EXPECT_LT(refused, kFiles);
}

}  // namespace
}  // namespace rampart::control
