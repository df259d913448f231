// SPDX-License-Identifier: Apache-2.0
#include "control/active_check.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <vector>

namespace rampart::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// H1: as in APISIX's upstreams.
TEST(ActiveCheck, HasTheDefaultsOfApisix) {
  const ActiveCheck check;
  EXPECT_EQ(check.type, CheckType::kHttp);
  EXPECT_EQ(check.timeout, seconds(1));
  EXPECT_EQ(check.concurrency, 10u);
  EXPECT_EQ(check.http_path, "/");
  EXPECT_TRUE(check.https_verify_certificate);
  EXPECT_EQ(check.healthy.interval, seconds(1));
  EXPECT_EQ(check.healthy.successes, 2u);
  EXPECT_THAT(check.healthy.http_statuses, testing::ElementsAre(200, 302));
  EXPECT_EQ(check.unhealthy.interval, seconds(1));
  EXPECT_EQ(check.unhealthy.tcp_failures, 2u);
  EXPECT_EQ(check.unhealthy.http_failures, 5u);
  EXPECT_EQ(check.unhealthy.timeouts, 3u);
  EXPECT_THAT(check.unhealthy.http_statuses,
              testing::ElementsAre(404, 429, 500, 501, 502, 503, 504, 505));
}

// One change of every member, and of both ends of every list.
const std::vector<std::function<void(ActiveCheck&)>>& changes() {
  static const std::vector<std::function<void(ActiveCheck&)>> all = {
      [](ActiveCheck& check) { check.type = CheckType::kTcp; },
      [](ActiveCheck& check) { check.type = CheckType::kHttps; },
      [](ActiveCheck& check) { check.type = CheckType::kUdp; },
      [](ActiveCheck& check) { check.timeout = milliseconds(1001); },
      [](ActiveCheck& check) { check.concurrency = 11; },
      [](ActiveCheck& check) { check.host = "a"; },
      [](ActiveCheck& check) { check.port = 1; },
      [](ActiveCheck& check) { check.http_path = "/a"; },
      [](ActiveCheck& check) { check.https_verify_certificate = false; },
      [](ActiveCheck& check) {
        check.req_headers = {{"a", ""}};
      },
      [](ActiveCheck& check) {
        check.req_headers = {{"", "a"}};
      },
      [](ActiveCheck& check) {
        check.req_headers = {{"a", ""}, {"a", ""}};
      },
      [](ActiveCheck& check) { check.payload = "a"; },
      [](ActiveCheck& check) { check.expected_prefix = "a"; },
      [](ActiveCheck& check) { check.healthy.interval = seconds(2); },
      [](ActiveCheck& check) { check.healthy.successes = 3; },
      [](ActiveCheck& check) { check.healthy.http_statuses = {200}; },
      [](ActiveCheck& check) {
        check.healthy.http_statuses = {200, 302, 404};
      },
      [](ActiveCheck& check) { check.unhealthy.interval = seconds(2); },
      [](ActiveCheck& check) { check.unhealthy.tcp_failures = 3; },
      [](ActiveCheck& check) { check.unhealthy.http_failures = 3; },
      [](ActiveCheck& check) { check.unhealthy.timeouts = 4; },
      [](ActiveCheck& check) { check.unhealthy.http_statuses.erase(404); },
  };
  return all;
}

// H3
TEST(ActiveCheck, AnyChangeMakesAnotherDefinition) {
  std::set<uint64_t> hashes = {hash_of(ActiveCheck())};
  for (const auto& change : changes()) {
    ActiveCheck check;
    change(check);
    EXPECT_NE(check, ActiveCheck());
    hashes.insert(hash_of(check));
  }
  EXPECT_EQ(hashes.size(), changes().size() + 1);
}

TEST(ActiveCheck, EqualDefinitionsHashAlike) {
  ActiveCheck one;
  one.req_headers = {{"a", "1"}, {"b", "2"}};
  ActiveCheck other;
  other.req_headers = {{"b", "2"}, {"a", "1"}};
  EXPECT_EQ(one, other);
  EXPECT_EQ(hash_of(one), hash_of(other));
}

// S3.21: it stands in state files. Another value here would forget every verdict at an upgrade.
TEST(ActiveCheck, HashesAlikeInEveryVersion) {
  EXPECT_EQ(hash_of(ActiveCheck()), 10966579618068791437u);
}

}  // namespace
}  // namespace rampart::control
