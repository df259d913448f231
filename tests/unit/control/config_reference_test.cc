// SPDX-License-Identifier: Apache-2.0
// The operator's reference against the parser: every key, default, range and list of values of
// docs/configuration.md is tried out, and every key that the parser knows must stand there.
#include "support/config_reference.h"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <map>

#include "control/config_document.h"
#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using test::next_number;
using test::reference_lines;
using test::reference_rows;
using test::replaced;
using test::split;
using test::ticked;
using test::without_ticks;
using Row = test::ReferenceRow;

// Where a value of that key stands in a document with one item in every list.
std::string path_of(const std::string& key) {
  return replaced(key, "[]", "[0]");
}

// The type of check beside which `key` means something.
std::string check_type_for(const std::string& key) {
  if (key.ends_with(".https_verify_certificate")) return "https";
  if (key.ends_with(".payload") || key.ends_with(".expected_prefix")) return "udp";
  return "http";
}

// An empty block is a check too, so it is there only for what stands in it.
std::string passive_for(const std::string& key) {
  return key.find(".checks.passive") == std::string::npos ? "" : ", passive: {}";
}

// A valid document in which every block of the reference, and `key` too, has its surroundings.
YAML::Node whole_document(const std::string& key) {
  return YAML::Load(
      "version: 1\n"
      "interfaces: [{ name: eth0 }]\n"
      "upstreams:\n"
      "  - id: orders\n"
      "    nodes: [{ host: 10.0.0.1 }]\n"
      "    slow_start: { slow_start_time_seconds: 604800, min_weight_percent: 1 }\n"
      "    checks: { active: { type: " +
      check_type_for(key) + " }" + passive_for(key) +
      " }\n"
      "vips: [{ id: web, address: 203.0.113.1, port: 80, forward: nat, upstream_id: orders }]\n"
      "http: { listeners: [{ address: 0.0.0.0, port: 80 }], access_log: { path: stdout } }\n"
      "services: [{ id: api, upstream_id: orders }]\n"
      "routes: [{ id: r, uri: /, upstream_id: orders, traffic_split: [{ upstream_id: orders }] "
      "}]\n");
}

// Sets `key` below `at`, making the maps and lists on the way there.
void put(YAML::Node at, const std::string& key, const YAML::Node& value) {
  const size_t dot = key.find('.');
  std::string name = key.substr(0, dot);
  if (dot == std::string::npos) {
    at[name] = value;
    return;
  }
  const bool list = name.ends_with("[]");
  if (list) name.resize(name.size() - 2);
  if (list && !at[name].IsSequence()) at[name] = YAML::Node(YAML::NodeType::Sequence);
  if (list && at[name].size() == 0) at[name].push_back(YAML::Node(YAML::NodeType::Map));
  if (!list && !at[name].IsMap()) at[name] = YAML::Node(YAML::NodeType::Map);
  put(list ? at[name][0] : at[name], key.substr(dot + 1), value);
}

ParseResult parse_with(const std::string& key, const YAML::Node& value) {
  const YAML::Node document = whole_document(key);
  put(document, key, value);
  return parse_config(YAML::Dump(document));
}

// What is said about `key` itself if it has that value.
std::string said(const std::string& key, const YAML::Node& value) {
  const std::string path = path_of(key);
  std::string text;
  for (const Problem& problem : parse_with(key, value).problems) {
    if (problem.path == path) text += problem.text + "\n";
  }
  return text;
}

std::string said(const std::string& key, const std::string& value) {
  return said(key, YAML::Node(value));
}

void check_range(const std::string& key, const std::string& low, const std::string& high) {
  EXPECT_THAT(said(key, low), testing::Not(HasSubstr("allowed: a")));
  EXPECT_THAT(said(key, high), testing::Not(HasSubstr("allowed: a")));
  EXPECT_THAT(said(key, next_number(low, -1)), HasSubstr("allowed: a"));
  EXPECT_THAT(said(key, next_number(high, 1)), HasSubstr("allowed: a"));
}

void check_later(const std::string& key, const std::string& cell) {
  const std::string not_yet = "not supported by this version";
  for (const std::string& word : ticked(cell)) EXPECT_THAT(said(key, word), HasSubstr(not_yet));
  const std::vector<std::string> bound = split(cell, "up to ");
  if (bound.size() != 2) return;
  EXPECT_THAT(said(key, bound[1]), HasSubstr(not_yet));
  EXPECT_THAT(said(key, next_number(bound[1], 1)), HasSubstr("allowed: an integer"));
}

void check_unsupported(const std::string& key) {
  std::string text;
  for (const char* value : {"{}", "[]", "{ active: {} }", "127.0.0.1:80"}) {
    text += said(key, YAML::Load(value));
  }
  EXPECT_THAT(text, HasSubstr("not supported by this version"));
}

TEST(ConfigReference, KnowsNoKeyThatTheParserDoesNot) {
  const std::vector<Row> list = reference_rows();
  ASSERT_GT(list.size(), 100u);
  for (const Row& row : list) {
    EXPECT_THAT(said(row.key, YAML::Node()), testing::Not(HasSubstr("unknown key"))) << row.key;
  }
}

// Names that the parser gives as allowed beside an unknown key that stands in `value`.
std::vector<std::string> known_names(const std::string& key, const YAML::Node& value) {
  for (const Problem& problem : parse_with(key, value).problems) {
    if (problem.text.rfind("unknown key \"zzz\"", 0) != 0) continue;
    return split(problem.text.substr(problem.text.find("allowed: ") + 9), ", ");
  }
  return {};
}

// Where the reference describes the block that `key` is.
std::string described_at(const std::string& key) {
  if (key.ends_with(".upstream")) return "upstreams[]";
  return replaced(key, "warm_up_conf", "slow_start");
}

TEST(ConfigReference, LeavesNoKeyOutThatTheParserKnows) {
  std::map<std::string, bool> documented;
  for (const Row& row : reference_rows()) documented[row.key] = true;
  size_t blocks = 0;
  for (const auto& [key, here] : documented) {
    for (const char* value : {"{ zzz: 1 }", "[{ zzz: 1 }]"}) {
      const std::vector<std::string> names = known_names(key, YAML::Load(value));
      blocks += names.empty() ? 0 : 1;
      for (const std::string& name : names) {
        const std::string block = described_at(key);
        EXPECT_TRUE(documented.contains(block + "." + name) ||
                    documented.contains(block + "[]." + name))
            << block << "." << name;
      }
    }
  }
  EXPECT_GT(blocks, 30u);
  for (const std::string& name : known_names("zzz", YAML::Node(1))) {
    EXPECT_TRUE(documented.contains(name)) << name;
  }
}

// What is inherited or completed by those who ask is left out of a configuration.
Config completed(Config config) {
  for (UpstreamConfig& upstream : config.upstreams) {
    HttpTimeouts& timeouts = upstream.http.timeouts;
    timeouts = {.connect = timeouts.connect.value_or(kConnectTimeout),
                .send = timeouts.send.value_or(kSendTimeout),
                .read = timeouts.read.value_or(kReadTimeout)};
  }
  return config;
}

TEST(ConfigReference, StatesTheDefaults) {
  for (const Row& row : reference_rows()) {
    if (row.standard != "`" + without_ticks(row.standard) + "`") continue;
    SCOPED_TRACE(row.key);
    const Config base = completed(parse_config(YAML::Dump(whole_document(row.key))).config);
    EXPECT_EQ(said(row.key, without_ticks(row.standard)), "");
    const Config conf =
        completed(parse_with(row.key, YAML::Node(without_ticks(row.standard))).config);
    EXPECT_EQ(conf.instance, base.instance);
    EXPECT_EQ(conf.interfaces, base.interfaces);
    EXPECT_EQ(conf.bpf, base.bpf);
    EXPECT_EQ(conf.reconcile_interval, base.reconcile_interval);
    EXPECT_EQ(conf.state_dir, base.state_dir);
    EXPECT_EQ(conf.upstreams, base.upstreams);
    EXPECT_EQ(conf.vips, base.vips);
    EXPECT_EQ(conf.http, base.http);
    EXPECT_EQ(conf.routes, base.routes);
  }
}

TEST(ConfigReference, SaysWhichKeysAreRequired) {
  for (const Row& row : reference_rows()) {
    if (row.standard != "required") continue;
    SCOPED_TRACE(row.key);
    const size_t dot = row.key.rfind('.');
    const std::string block = dot == std::string::npos ? "" : row.key.substr(0, dot);
    const std::string path = path_of(row.key);
    const bool in_list = block.ends_with("[]");
    const std::string holder = in_list ? block.substr(0, block.size() - 2) : block;
    const ParseResult result = block.empty()
                                   ? parse_config("{}")
                                   : parse_with(holder, YAML::Load(in_list ? "[{}]" : "{}"));
    EXPECT_THAT(listed(result.problems), HasSubstr(" " + path + ": missing; required: "));
  }
}

TEST(ConfigReference, StatesWhatIsAllowed) {
  for (const Row& row : reference_rows()) {
    SCOPED_TRACE(row.key);
    const std::vector<std::string> cells = split(row.allowed, "later");
    const std::vector<std::string> words = ticked(cells[0]);
    if (cells.size() == 2) check_later(row.key, cells[1]);
    if (row.allowed == "later") {
      check_unsupported(row.key);
    } else if (cells[0].find("`…`") != std::string::npos) {
      check_range(row.key, words.at(0), words.at(1));
    } else if (!ticked(row.allowed).empty()) {
      for (const std::string& word : words) EXPECT_EQ(said(row.key, word), "") << word;
      EXPECT_NE(said(row.key, "zzz"), "");
    } else {
      EXPECT_THAT(said(row.key, ""), HasSubstr(row.allowed));
    }
  }
}

// C6
TEST(ConfigReference, StatesTheLimits) {
  std::vector<std::string> values;
  for (const std::string& line : reference_lines()) {
    const std::vector<std::string> cells = split(line, " | `");
    if (cells.size() == 2 && line.rfind("| `", 0) != 0) values.push_back(cells[1]);
  }
  EXPECT_THAT(values,
              testing::ElementsAre(StartsWith(std::to_string(kMaxDocumentBytes >> 20) + "`"),
                                   StartsWith(std::to_string(kMaxNesting) + "`"),
                                   StartsWith(std::to_string(kMaxValues) + "`"),
                                   StartsWith(std::to_string(Findings::kMost) + "`")));
}

TEST(ConfigReference, ShowsAFileThatIsValid) {
  std::ifstream file(RAMPART_CONFIG_REFERENCE);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::vector<std::string> parts = split(text, "```yaml\n");
  ASSERT_GT(parts.size(), 1u);
  for (size_t i = 1; i < parts.size(); ++i) {
    EXPECT_EQ(listed(parse_config(parts[i].substr(0, parts[i].find("```"))).problems), "");
  }
}

}  // namespace
}  // namespace rampart::control
