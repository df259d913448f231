// SPDX-License-Identifier: Apache-2.0
#include "unit/control/config_cases.h"

namespace rampart::control {
namespace {

Mistake wrong(const std::string& line, int column, const std::string& path,
              const std::string& text) {
  return {"version: 1\n" + line, 2, column, path, text};
}

// C2
TEST(ConfigSystem, WantsTheVersionItKnows) {
  expect_mistakes({{"instance: a", 1, 1, "version", "missing; required: 1"},
                   {"version: 2", 1, 10, "version", "found \"2\"; allowed: 1"},
                   {"version: \"1\"", 1, 10, "version", "in quotes"},
                   {"version:", 1, 1, "version", "found nothing; allowed: 1"}});
}

// C2
TEST(ConfigSystem, ChecksNamesAndPaths) {
  const std::string long_name(65, 'a');
  const std::string long_path = "/" + std::string(107, 'a');
  expect_mistakes({
      wrong("instance: a/b", 11, "instance", "1 to 64 letters"),
      wrong("instance: ..", 11, "instance", "1 to 64 letters"),
      wrong("instance: \"\"", 11, "instance", "1 to 64 letters"),
      wrong("instance: " + long_name, 11, "instance", "1 to 64 letters"),
      wrong("state_dir: var", 12, "state_dir", "an absolute path"),
      wrong("control_socket: " + long_path, 17, "control_socket", "at most 107 bytes"),
      wrong("control_socket: /run/", 17, "control_socket", "an absolute path"),
      wrong("bpf: { pin_path: . }", 18, "bpf.pin_path", "an absolute path"),
      wrong("interfaces: [{ name: abcdefghijklmnop }]", 22, "interfaces[0].name", "1 to 15"),
      wrong("interfaces: [{ name: a/b }]", 22, "interfaces[0].name", "1 to 15"),
      wrong("interfaces: [{ name: .. }]", 22, "interfaces[0].name", "1 to 15"),
      wrong("interfaces: [{ mode: auto }]", 14, "interfaces[0].name", "missing; required"),
      wrong("interfaces: [{ name: a }, { name: a }]", 27, "interfaces[1]", "it is interfaces[0]"),
  });
}

// C2
TEST(ConfigSystem, ChecksTypes) {
  expect_mistakes({
      wrong("interfaces: eth0", 13, "interfaces", "found \"eth0\"; allowed: a list"),
      wrong("interfaces: [eth0]", 14, "interfaces[0]", "found \"eth0\"; allowed: a map"),
      wrong("bpf: []", 6, "bpf", "found a list; allowed: a map"),
      wrong("bpf: { max_vips: { a: 1 } }", 18, "bpf.max_vips", "found a map; allowed: an integer"),
      wrong("bpf: { max_vips: 010 }", 18, "bpf.max_vips", "found \"010\""),
      wrong("bpf: { max_vips: 0x10 }", 18, "bpf.max_vips", "found \"0x10\""),
      wrong("bpf: { max_vips: +1 }", 18, "bpf.max_vips", "found \"+1\""),
      wrong("bpf: { max_vips: 1e2 }", 18, "bpf.max_vips", "found \"1e2\""),
      wrong("bpf: { max_vips: 1_0 }", 18, "bpf.max_vips", "found \"1_0\""),
      wrong("instance: [a]", 11, "instance", "found a list"),
      wrong("watch: [off]", 8, "watch", "found a list; allowed: off, rename"),
  });
}

TEST(ConfigSystem, RefusesWhatIsToCome) {
  const std::string not_yet = "not supported by this version; allowed: ";
  expect_mistakes({
      wrong("http_api: 127.0.0.1:9464", 11, "http_api", not_yet),
      wrong("http_api: here", 11, "http_api", "allowed: ADDRESS:PORT"),
      wrong("interfaces: [{ name: a, attach: dispatcher }]", 33, "interfaces[0].attach",
            not_yet + "link"),
      wrong("discovery: { kubernetes: { default_weight: 50 } }", 26, "discovery.kubernetes",
            not_yet),
  });
  expect_valid({"version: 1\ndiscovery: {}"});
}

}  // namespace
}  // namespace rampart::control
