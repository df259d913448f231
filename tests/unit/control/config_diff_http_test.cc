// SPDX-License-Identifier: Apache-2.0
#include "control/config_diff_http.h"

#include "control/config_diff.h"
#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ListenerConfig listener(const std::string& address, uint16_t port) {
  ListenerConfig made;
  made.address = ip(address);
  made.port = port;
  return made;
}

RouteConfig route(const std::string& id, const std::string& uri) {
  RouteConfig made;
  made.id = id;
  made.uri = uri;
  made.scope = "orders";
  return made;
}

Config served() {
  Config config = config_of({node("10.0.0.1")});
  config.http = HttpConfig();
  config.http->listeners = {listener("0.0.0.0", 8080), listener("::", 8443)};
  config.routes = {route("r1", "/a"), route("r2", "/b"), route("r3", "/c")};
  return config;
}

TEST(ConfigDiffHttp, SaysNothingWhenNothingChanged) {
  EXPECT_THAT(describe_changes(served(), served()), IsEmpty());
  EXPECT_THAT(http_needs_restart(served(), served()), IsEmpty());
  EXPECT_THAT(describe_changes(Config(), Config()), IsEmpty());
}

TEST(ConfigDiffHttp, NamesListenersAndSettings) {
  Config to = served();
  to.http->listeners = {listener("::", 8443), listener("192.0.2.1", 80)};
  to.http->listeners[0].tls = {{.cert = "/c", .key = "/k"}};
  to.http->drain_timeout = seconds(1);
  to.http->trusted_proxies = {*IpRange::parse("10.0.0.0/8")};
  to.http->access_log = AccessLogConfig{.path = "stdout"};
  EXPECT_THAT(describe_changes(served(), to),
              ElementsAre("listener [::]:8443 changed", "listener 192.0.2.1:80 added",
                          "listener 0.0.0.0:8080 removed", "http.drain_timeout changed",
                          "http.trusted_proxies changed", "http.access_log changed"));
}

TEST(ConfigDiffHttp, NamesRoutes) {
  Config to = served();
  to.routes = {route("r2", "/b"), route("r1", "/*"), route("r4", "/d")};
  EXPECT_THAT(describe_changes(served(), to),
              ElementsAre("route r1 changed", "route r4 added", "route r3 removed"));
}

TEST(ConfigDiffHttp, NamesEverythingWhereTheWholeIsNew) {
  Config from = served();
  from.http.reset();
  EXPECT_THAT(describe_changes(from, served()),
              ElementsAre("listener 0.0.0.0:8080 added", "listener [::]:8443 added"));
}

// P2, H1
TEST(ConfigDiffHttp, NamesWhatAnUpstreamHasForLayerSeven) {
  Config to = served();
  to.upstreams[0].http.retries = 1;
  to.upstreams[0].passive_check = PassiveCheck();
  EXPECT_THAT(describe_changes(served(), to),
              ElementsAre("upstream orders: checks.passive changed",
                          "upstream orders: http settings changed"));
}

// C4: what the process cannot change stays as it is, and is said.
TEST(ConfigDiffHttp, KeepsWhatNeedsARestart) {
  Config to = served();
  to.http->workers = 2;
  to.http->api = "127.0.0.1:9465";
  to.http->drain_timeout = seconds(1);
  EXPECT_THAT(http_needs_restart(served(), to),
              ElementsAre("http.workers: the change needs a restart of rampart-http",
                          "http.api: the change needs a restart of rampart-http"));
  EXPECT_THAT(needs_restart(served(), to), IsEmpty());
  const Config kept = keep_static_http_keys(served(), to);
  EXPECT_THAT(http_needs_restart(served(), kept), IsEmpty());
  EXPECT_EQ(kept.http->drain_timeout, seconds(1));
}

// Its socket and its state file are called after these.
TEST(ConfigDiffHttp, KeepsTheNamesOfTheInstance) {
  Config to = served();
  to.instance = "edge";
  to.state_dir = "/other";
  to.bpf.max_vips = 1;
  EXPECT_EQ(http_needs_restart(served(), to).size(), 2u);
  const Config kept = keep_static_http_keys(served(), to);
  EXPECT_EQ(kept.instance, served().instance);
  EXPECT_EQ(kept.state_dir, served().state_dir);
}

TEST(ConfigDiffHttp, KeepsThemWhereTheBlockIsGoneOrNew) {
  Config without = served();
  without.http.reset();
  Config busy = served();
  busy.http->workers = 2;
  EXPECT_EQ(http_needs_restart(busy, without).size(), 1u);
  EXPECT_EQ(keep_static_http_keys(busy, without).http->workers, 2u);
  EXPECT_EQ(keep_static_http_keys(without, busy).http->workers, 0u);
  EXPECT_EQ(keep_static_http_keys(without, without).http, std::nullopt);
}

}  // namespace
}  // namespace rampart::control
