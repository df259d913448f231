// SPDX-License-Identifier: Apache-2.0
// `rampart validate` as a person runs it. It needs neither a namespace nor root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/process.h"
#include "support/temp_folder.h"

namespace rampart::test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Finished validate(const TempFolder& folder, const std::string& text) {
  const std::string file = folder.path() / "file.yaml";
  std::ofstream(file) << text;
  return run({program("rampart"), "validate", file});
}

// C1
TEST(Validate, NamesFiveMistakesOfOneFile) {
  const TempFolder folder;
  const Finished done = validate(folder,
                                 "version: 1\n"
                                 "interfaces:\n"
                                 "  - { name: eth0, mode: turbo }\n"
                                 "upstreams:\n"
                                 "  - id: web\n"
                                 "    nodes: [{ host: 10.0.0.1, port: 80, weight: 70000 }]\n"
                                 "vips:\n"
                                 "  - id: web\n"
                                 "    address: 203.0.113.1000\n"
                                 "    port: 80\n"
                                 "    protocol: tcp\n"
                                 "    forward: nat\n"
                                 "    colour: blue\n"
                                 "    upstream_id: nowhere\n");
  EXPECT_EQ(done.exit_code, 3);
  const std::string at = (folder.path() / "file.yaml").string();
  EXPECT_THAT(lines_of(done.out),
              ElementsAre(StartsWith(at + ":3:25: interfaces[0].mode: "),
                          StartsWith(at + ":6:49: upstreams[0].nodes[0].weight: "),
                          StartsWith(at + ":9:14: vips[0].address: "),
                          StartsWith(at + ":13:5: vips[0].colour: "),
                          StartsWith(at + ":14:18: vips[0].upstream_id: ")));
}

// C1
TEST(Validate, AcceptsAGoodFileSilently) {
  const TempFolder folder;
  const Finished done = validate(folder,
                                 "version: 1\n"
                                 "vips:\n"
                                 "  - id: web\n"
                                 "    address: 203.0.113.10\n"
                                 "    port: 80\n"
                                 "    protocol: tcp\n"
                                 "    forward: nat\n"
                                 "    upstream: { nodes: { \"10.0.0.1:80\": 1 } }\n");
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
}

TEST(Validate, WithoutAFileIsWrongUsage) {
  EXPECT_EQ(run({program("rampart"), "validate"}).exit_code, 2);
}

}  // namespace
}  // namespace rampart::test
