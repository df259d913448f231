// SPDX-License-Identifier: Apache-2.0
// Next hops as clients feel them (X2). neighbours_test.cc has the cases that need no client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netns/stand.h"

namespace rampart::test {
namespace {

using ::testing::HasSubstr;

uint64_t unresolved(const Daemon& daemon) {
  return daemon.get("/v1/vips").at(0).at("outcomes").value("drop_unresolved", uint64_t{0});
}

// X2
TEST_F(NetnsTest, ABackendThatNobodyCanResolveIsANamedDropUntilItAnswers) {
  StandOptions options;
  options.protocol = "udp";
  Stand stand(options);
  stand.bed.backend(2).ip({"link set eth0 arp off"});
  stand.serve(stand.config_of_first(2), {});
  const auto briefly = [] { return udp_ask(kVip, 80, std::chrono::milliseconds(100)); };
  EXPECT_TRUE(all_answer(stand.bed.client(), briefly, {"b1"}));
  EXPECT_TRUE(wait_until([&] {
    ask_times(stand.bed.client(), briefly, 1);
    return unresolved(stand.daemon) > 0;
  }));
  const std::string warnings = stand.daemon.get("/v1/status").at("warnings").dump();
  EXPECT_THAT(warnings, HasSubstr(Bed::backend_address(2)));

  stand.bed.backend(2).ip({"link set eth0 arp on"});
  EXPECT_TRUE(all_answer(stand.bed.client(), briefly, {"b1", "b2"}));
}

// X2: as when an address moves to another machine, which announces it.
TEST_F(NetnsTest, ABackendsNewMacAddressIsFollowed) {
  Stand stand;
  stand.serve(stand.config_of_first(2), {"b1", "b2"});
  stand.bed.backend(2).set("ipv4/conf/all/arp_notify", "1");
  stand.bed.backend(2).ip({"link set eth0 address 02:00:00:00:00:99"});
  EXPECT_TRUE(all_answer(stand.bed.client(), stand.ask(), {"b1", "b2"}));
}

}  // namespace
}  // namespace rampart::test
