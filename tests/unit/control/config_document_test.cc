// SPDX-License-Identifier: Apache-2.0
#include "control/config_document.h"

#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// C1
TEST(ConfigDocument, ReportsASyntaxErrorOnceAtItsPlace) {
  expect_mistakes({
      {"version: 1\n  bad: 2", 2, 6, "",
       "found a syntax error, \"illegal map value\"; allowed: YAML or JSON"},
      {"version: 1\ninstance: a: b", 2, 12, "", "illegal map value"},
      {"version: 1\nvips: [{a: 1]\n", 2, 13, "", "illegal flow end"},
      {"version: *x", 1, 10, "", "anchor is not defined"},
      {"[1, 2", 1, 1, "", "is every bracket closed?"},
  });
}

// C1: a message for a terminal, a log and JSON has no stray byte of the file.
TEST(ConfigDocument, ShowsTheBytesOfASyntaxErrorAsText) {
  expect_mistakes({
      {"version: \"\\\xc3\xa9\"", 1, 13, "", "unknown escape character: \\xc3\""},
      {"version: \"\\\r\"", 1, 13, "", "unknown escape character: \\x0d\""},
  });
}

// C1
TEST(ConfigDocument, PointsBehindTheLastByteOfAFileThatEndsTooEarly) {
  expect_mistakes({
      {"version: \"\\", 1, 12, "", "syntax error"},
      {"version: \"\\x4", 1, 14, "", "syntax error"},
      {"version: !<a", 1, 13, "", "syntax error"},
  });
}

TEST(ConfigDocument, MustBeOneMap) {
  expect_mistakes({
      {"", 1, 1, "", "found nothing; allowed: a map"},
      {"# nothing", 1, 1, "", "found nothing; allowed: a map"},
      {"- a", 1, 1, "", "found a list; allowed: a map"},
      {"word", 1, 1, "", "found \"word\"; allowed: a map"},
      {"version: 1\n---\nversion: 1\n", 3, 1, "", "second document"},
      {"version: 1\n? [a]\n: 1\n", 2, 3, "", "list or map as a key"},
      {"version: 1\n~: 1\n", 2, 1, "", "nothing as a key"},
      {"version: &a 1\n*a : 1\n", 2, 1, "", "an alias as a key"},
  });
}

// C2
TEST(ConfigDocument, FindsDuplicateKeysAtEveryDepth) {
  expect_mistakes({
      {"version: 1\ninstance: a\ninstance: b", 3, 1, "instance", "it stands in line 2 too"},
      {"version: 1\nbpf: { max_vips: 3,\n  max_vips: 4 }", 3, 3, "bpf.max_vips", "duplicate key"},
      {"version: 1\nversion: 2", 2, 1, "version", "duplicate key"},
      {upstream_with("nodes: { \"10.0.0.1:1\": 1, \"10.0.0.1:1\": 2 }"), 5, 31,
       "upstreams[0].nodes[\"10.0.0.1:1\"]", "duplicate key"},
  });
}

TEST(ConfigDocument, MustBeText) {
  expect_mistakes({
      {std::string("version: 1\n\x04rest: 1"), 2, 1, "", "found the byte \"\\x04\""},
      {std::string("version: 1\na: \0", 15), 2, 4, "", "found the byte \"\\x00\""},
      {"version: 1 # \xc3\x28", 1, 14, "", "UTF-8 text"},
      {"version: 1 # \xed\xa0\x80", 1, 14, "", "UTF-8 text"},
      {"version: 1 # \xf4\x90\x80\x80", 1, 14, "", "UTF-8 text"},
      {"version: 1 # \xc0\xaf", 1, 14, "", "UTF-8 text"},
      {"\xff\xfev\0e\0", 1, 1, "", "UTF-8 text"},
  });
  expect_valid({"\xef\xbb\xbfversion: 1", "version: 1 # \xe2\x80\xa6 \xf0\x9f\x98\x80 \xc3\xa9",
                "version: 1\r\nvips: []\r\n"});
}

TEST(ConfigDocument, RefusesEscapedControlCharacters) {
  const auto problems = parse_config(upstream_with("nodes: { \"10.0.0.1\\0:80\": 1 }")).problems;
  ASSERT_FALSE(problems.empty());
  EXPECT_THAT(problems[0].text, testing::HasSubstr("without control characters"));
}

TEST(ConfigDocument, RefusesTags) {
  expect_mistakes({{"version: !!int 1", 1, 10, "version", "found the tag"},
                   {"version: 1\nvips: !x []", 2, 7, "vips", "found the tag \"!x\""}});
}

// C6
TEST(ConfigDocument, BoundsItsSize) {
  std::string document = "version: 1\n#";
  document.resize(kMaxDocumentBytes, 'x');
  expect_valid({document});
  expect_mistakes({{document + "x", 1, 1, "", "larger than allowed: 16 MiB"}});
}

// C6
TEST(ConfigDocument, BoundsNesting) {
  const auto nested = [](size_t levels) {
    // Two levels stand around it.
    return upstream_with("nodes: [{ host: 10.0.0.1, metadata: { a: " + repeated("[", levels) +
                         repeated("]", levels) + " } }]");
  };
  constexpr size_t kAround = 6;  // document, upstreams, upstream, nodes, node, metadata
  expect_valid({nested(kMaxNesting - kAround)});
  expect_mistakes(
      {{nested(kMaxNesting - kAround + 1), 5, 104, "", "nest deeper than allowed: 64"}});
}

// C6
TEST(ConfigDocument, BoundsNestingThroughAliases) {
  std::string document = "version: 1\na0: &a0 []\n";
  for (int i = 1; i < 70; ++i) {
    const std::string name = "a" + std::to_string(i);
    document += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
  }
  expect_mistakes({{document, 65, 12, "", "nest deeper than allowed: 64"}});
}

// C6: without exhausting the stack or the memory of the parser below.
TEST(ConfigDocument, RefusesHostileNestingAtOnce) {
  for (const char* opening : {"[", "{", "[a: ", "- ", "? ", "{? ", "[[]", "- [", "- {a: "}) {
    const auto problems = parse_config(repeated(opening, (1 << 20))).problems;
    EXPECT_EQ(problems.size(), 1u) << opening << listed(problems);
  }
}

// C6
TEST(ConfigDocument, ChargesAnAliasWhatItStandsFor) {
  std::string laughs = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below +
              repeated(", " + below, 9) + "]\n";
  }
  expect_mistakes({{laughs, 8, 10, "", "more values than allowed: 2000000"},
                   {"version: 1\nvips: &a [*a]", 2, 11, "", "an alias inside the value"},
                   {"a: &a [" + repeated("1,", 999) + "1]\nb:\n" + repeated("- *a\n", 2000), 2000,
                    3, "", "more values than allowed"},
                   {"[" + repeated("1,", kMaxValues), 1, 4000001, "", "more values than allowed"}});
}

TEST(ConfigDocument, TakesAliasesThatStayInBounds) {
  const ParseResult result = parse_config(
      "version: 1\n"
      "upstreams:\n"
      "  - { id: a, nodes: &nodes [{ host: 10.0.0.1 }] }\n"
      "  - { id: b, nodes: *nodes }\n");
  ASSERT_EQ(listed(result.problems), "");
  EXPECT_EQ(result.config.upstreams[0].nodes, result.config.upstreams[1].nodes);
}

TEST(ConfigDocument, StopsListingProblemsSomewhere) {
  std::string document = "version: 1\n";
  for (size_t i = 0; i < Findings::kMost + 5; ++i) document += "k" + std::to_string(i) + ": 1\n";
  const auto problems = parse_config(document).problems;
  ASSERT_EQ(problems.size(), Findings::kMost + 1);
  EXPECT_EQ(problems.back().text, "more problems than are listed here");
}

TEST(ConfigDocument, PointsAtTheKeyOfAnEmptyValue) {
  expect_mistakes({{"version: 1\nvips:\n\n\nbpf: {}\n", 2, 1, "vips", "found nothing"}});
}

}  // namespace
}  // namespace rampart::control
