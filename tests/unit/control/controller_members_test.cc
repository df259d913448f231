// SPDX-License-Identifier: Apache-2.0
// The members of least_conn VIPs that the control loop publishes.
#include <algorithm>
#include <set>

#include "maps/backend_state.h"
#include "unit/control/controller_fixture.h"

namespace rampart::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kOne = Weight::kOne;

class MembersTest : public ControllerTest {
 protected:
  static Config least_conn(std::vector<NodeConfig> nodes) {
    Config config = config_of(std::move(nodes));
    config.upstreams[0].algorithm = RP_LEAST_CONN;
    return config;
  }
  static std::vector<NodeConfig> many(int count) {
    std::vector<NodeConfig> nodes;
    for (int i = 0; i < count; ++i) {
      nodes.push_back(node("10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1)));
    }
    return nodes;
  }
  // Raw weights by address, as programs read them.
  std::map<std::string, uint64_t> weights(uint32_t number = 1) const {
    std::map<std::string, uint64_t> found;
    for (const maps::Member& member : kernel_.live_members(VipNumber{number})) {
      found[from_wire(kernel_.backend(member.id).address).to_string()] = member.weight;
    }
    return found;
  }
  std::set<uint32_t> count_indices(uint32_t number) const {
    std::set<uint32_t> found;
    for (const maps::Member& member : kernel_.live_members(VipNumber{number})) {
      found.insert(raw(member.count_index));
    }
    return found;
  }
  size_t position(const std::string& line) const {
    return std::find(kernel_.log.begin(), kernel_.log.end(), line) - kernel_.log.begin();
  }
  rp_algorithm algorithm() const {
    return static_cast<rp_algorithm>(kernel_.vip_state(VipNumber{1}).algorithm);
  }
};

TEST_F(MembersTest, AVipIsAnnouncedWithItsMembers) {  // L1, L2
  accept(least_conn({node("10.0.0.1", 3), node("10.0.0.2", 0), node("10.0.0.3", 65535)}));
  EXPECT_THAT(kernel_.log, ElementsAre("nat backends 3", "write backend 1", "write backend 2",
                                       "write backend 3", "create table of vip 1", "write vip 1",
                                       "create members of vip 1", "announce vip 1"));
  EXPECT_THAT(weights(),
              ElementsAre(std::pair("10.0.0.1", 3 * kOne), std::pair("10.0.0.3", 65535 * kOne)));
  EXPECT_EQ(slots_by_address().size(), 2u);  // F4
}

TEST_F(MembersTest, OtherAlgorithmsHaveNone) {
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  EXPECT_EQ(kernel_.member_room(VipNumber{1}), 0u);
}

// 126 and 125 of 251 slots either way.
TEST_F(MembersTest, AWeightThatMovesNoSlotIsPublished) {  // L4
  accept(least_conn({node("10.0.0.1", 1000), node("10.0.0.2", 999)}));
  settle();
  const auto slots = slots_by_address();
  kernel_.log.clear();
  accept(least_conn({node("10.0.0.1", 1000), node("10.0.0.2", 998)}));
  EXPECT_THAT(kernel_.log, ElementsAre("publish vip 1"));
  EXPECT_EQ(slots_by_address(), slots);
  EXPECT_EQ(weights()["10.0.0.2"], 998 * kOne);
}

TEST_F(MembersTest, NothingIsWrittenWhenNothingChanged) {
  const Config config = least_conn({node("10.0.0.1"), node("10.0.0.2", 7)});
  accept(config);
  settle();
  kernel_.log.clear();
  accept(config);
  converge(1001);
  EXPECT_THAT(kernel_.log, IsEmpty());
}

TEST_F(MembersTest, ARestartReadsThemBackAndWritesNothing) {  // O1, W8
  const Config config = least_conn({node("10.0.0.1"), node("10.0.0.2", 7)});
  accept(config);
  const auto before = weights();
  settle();
  kernel_.log.clear();
  restart();
  accept(config);
  EXPECT_THAT(kernel_.log, ElementsAre("nat backends 2"));
  EXPECT_EQ(weights(), before);
}

// S2.4: each refresh of a ramp is a publication, exact to 1/65536.
TEST_F(MembersTest, ARampIsPublishedAtEveryRefresh) {  // S0
  Config config = least_conn({node("10.0.0.1"), node("10.0.0.2")});
  config.upstreams[0].slow_start =
      engine::SlowStart{.window = seconds(100), .min_weight_percent = 1};
  accept(config, 1000);
  settle();
  config.upstreams[0].nodes.push_back(node("10.0.0.3", 3));
  accept(config, 2000);
  EXPECT_EQ(weights()["10.0.0.3"], 3 * kOne / 100);
  for (int64_t second = 2001; second <= 2100; ++second) {
    settle();
    kernel_.log.clear();
    ASSERT_TRUE(controller_->tick(at(second)));
    const uint64_t elapsed = second - 2000;
    EXPECT_EQ(weights()["10.0.0.3"], 3 * kOne * elapsed / 100);
    EXPECT_EQ(std::count(kernel_.log.begin(), kernel_.log.end(), "publish vip 1"), second > 2001);
  }
  EXPECT_EQ(controller_->next_deadline(), std::nullopt);
}

TEST_F(MembersTest, TheyArePublishedOnlyAfterTheGracePeriodOfTheLastFlip) {
  accept(least_conn({node("10.0.0.1", 1000)}));
  settle();
  accept(least_conn({node("10.0.0.1", 1001)}));
  accept(least_conn({node("10.0.0.1", 1002)}));  // the spare half is still read
  EXPECT_EQ(weights()["10.0.0.1"], 1001 * kOne);
  converge(1001);
  EXPECT_EQ(weights()["10.0.0.1"], 1002 * kOne);
}

TEST_F(MembersTest, ALeaverIsNoMemberBeforeItDrains) {  // I2 of plan.h
  accept(least_conn({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  kernel_.log.clear();
  accept(least_conn({node("10.0.0.1")}));
  EXPECT_LT(position("publish vip 1"), position("drain backend 2"));
  EXPECT_LT(position("drain backend 2"), kernel_.log.size());
  EXPECT_EQ(weights().size(), 1u);
}

TEST_F(MembersTest, WithoutAWeightThereIsNoMember) {  // W3
  accept(least_conn({node("10.0.0.1")}));
  settle();
  accept(least_conn({node("10.0.0.1", 0)}));
  EXPECT_THAT(weights(), IsEmpty());
  EXPECT_EQ(kernel_.vip_state(VipNumber{1}).live >> RP_LIVE_MEMBERS_SHIFT, 0u);
}

// W4: the sorry server.
TEST_F(MembersTest, OnlyTheHighestPriorityWithAWeightHasMembers) {
  accept(least_conn({node("10.0.0.1", 100, 1), node("10.0.0.2", 100, 0)}));
  EXPECT_THAT(weights(), ElementsAre(std::pair("10.0.0.1", 100 * kOne)));
}

// W9
TEST_F(MembersTest, TheOrderOfNodesInTheFileDoesNotMatter) {
  accept(least_conn({node("10.0.0.1", 10), node("10.0.0.2", 20)}));
  settle();
  kernel_.log.clear();
  accept(least_conn({node("10.0.0.2", 20), node("10.0.0.1", 10)}));
  EXPECT_THAT(kernel_.log, IsEmpty());
}

// --- counts -------------------------------------------------------------------------------------

TEST_F(MembersTest, TwoVipsOfAScopeShareTheirCounts) {  // L4, B2
  Config config = least_conn({node("10.0.0.1"), node("10.0.0.2")});
  config.vips.push_back(vip("other", "orders", "203.0.113.11"));
  accept(config);
  EXPECT_EQ(count_indices(1).size(), 2u);
  EXPECT_EQ(count_indices(1), count_indices(2));
}

TEST_F(MembersTest, AnUpstreamOfItsOwnHasCountsOfItsOwn) {  // L4
  Config config = least_conn({node("10.0.0.1")});
  config.upstreams.push_back(upstream("other", {node("10.0.0.1")}));
  config.upstreams[1].algorithm = RP_LEAST_CONN;
  config.vips.push_back(vip("other", "other", "203.0.113.11"));
  accept(config);
  EXPECT_NE(count_indices(1), count_indices(2));
}

// B2: the VIP that is new comes first in the file.
TEST_F(MembersTest, AVipThatComesWhileItsScopeIsRenamedSharesTheCounts) {
  Config config = least_conn({node("10.0.0.1"), node("10.0.0.2")});
  accept(config);
  settle();
  config.upstreams[0].id = "renamed";
  config.vips = {vip("new", "renamed", "203.0.113.1"), vip("web", "renamed", "203.0.113.10")};
  accept(config);
  EXPECT_EQ(count_indices(2).size(), 2u);
  EXPECT_EQ(count_indices(1), count_indices(2));
}

// --- joined counts (B2) -------------------------------------------------------------------------

using Summed = std::set<std::set<uint32_t>>;

class JoinsTest : public MembersTest {
 protected:
  // Two VIPs on the same node, each with an upstream of its own.
  static Config apart() {
    Config config = least_conn({node("10.0.0.1")});
    config.upstreams.push_back(upstream("other", {node("10.0.0.1")}));
    config.upstreams[1].algorithm = RP_LEAST_CONN;
    config.vips.push_back(vip("other", "other", "203.0.113.11"));
    return config;
  }
  static Config together(const std::string& scope) {
    Config config = least_conn({node("10.0.0.1")});
    config.upstreams[0].id = scope;
    config.vips = {vip("web", scope, "203.0.113.10"), vip("other", scope, "203.0.113.11")};
    return config;
  }

  // Indices that a walk over the words in the map finds, from each one on.
  Summed summed() const {
    Summed lists;
    for (const auto& [index, count] : kernel_.flow_counts) {
      if (count.joined == 0) continue;
      std::set<uint32_t> list;
      for (uint32_t at = count.joined >> RP_JOINED_FIRST_SHIFT; at != 0;
           at = RP_JOINED_NEXT(kernel_.flow_counts.at(at).joined)) {
        list.insert(at);
      }
      EXPECT_TRUE(list.contains(index));
      lists.insert(list);
    }
    return lists;
  }
};

TEST_F(JoinsTest, ScopesThatBecomeOneSumTheirCounts) {  // B2 L4
  for (const char* scope : {"orders", "other", "third"}) {
    kernel_ = FakeKernel(8, 64);
    restart();
    accept(apart());
    settle();
    EXPECT_THAT(summed(), IsEmpty());
    accept(together(scope));
    EXPECT_EQ(summed(), Summed({{1, 2}})) << scope;
    EXPECT_NE(count_indices(1), count_indices(2)) << "an index never changes";
  }
}

TEST_F(JoinsTest, ScopesThatPartCountForThemselvesAgain) {  // B2
  accept(apart());
  accept(together("orders"));
  settle();
  kernel_.log.clear();
  accept(together("orders"));
  EXPECT_THAT(kernel_.log, IsEmpty());
  accept(apart());
  EXPECT_THAT(summed(), IsEmpty());
}

TEST_F(JoinsTest, ANodeThatDrainsKeepsItsSum) {  // B2 F5
  accept(apart());
  accept(together("orders"));
  settle();
  kernel_.set_flows(1, 1, 0);
  kernel_.set_flows(2, 1, 0);
  Config config = together("orders");
  config.upstreams[0].nodes = {node("10.0.0.2")};
  accept(config);
  converge(1001);
  EXPECT_EQ(summed(), Summed({{1, 2}}));
  kernel_.set_flows(2, 1, 1);
  converge(1002);
  EXPECT_THAT(summed(), IsEmpty()) << "one of the two was freed";
}

TEST_F(JoinsTest, AVipThatGoesTakesItsCountOutOfTheSum) {  // B2
  accept(apart());
  accept(together("orders"));
  settle();
  kernel_.set_flows(2, 1, 0);
  Config config = together("orders");
  config.vips.pop_back();
  accept(config);
  converge(1001);
  EXPECT_THAT(summed(), IsEmpty());
}

TEST_F(JoinsTest, ARestartKnowsThem) {  // B2 O1
  accept(apart());
  accept(together("orders"));
  settle();
  restart();
  kernel_.log.clear();
  accept(together("orders"));
  EXPECT_THAT(kernel_.log, ElementsAre("nat backends 2")) << "which no restart remembers";
  accept(apart());
  EXPECT_THAT(summed(), IsEmpty());
}

// --- leavers ------------------------------------------------------------------------------------

TEST_F(MembersTest, ALeaverThatReturnsWhileItDrainsHasItsCountBack) {  // L4
  accept(least_conn({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  const auto indices = count_indices(1);
  for (const uint32_t index : indices) kernel_.set_flows(index, 9, 4);
  accept(least_conn({node("10.0.0.1")}));
  converge(1001);
  accept(least_conn({node("10.0.0.1"), node("10.0.0.2")}), 1002);
  EXPECT_EQ(count_indices(1), indices);
}

// --- other algorithms ---------------------------------------------------------------------------

TEST_F(MembersTest, AVipBecomesLeastConnsOnceItsMembersArePublished) {  // I1 of plan.h
  accept(config_of({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  kernel_.log.clear();
  accept(least_conn({node("10.0.0.1"), node("10.0.0.2")}));
  EXPECT_THAT(kernel_.log, ElementsAre("create members of vip 1", "publish vip 1", "set vip 1"));
  EXPECT_EQ(algorithm(), RP_LEAST_CONN);
}

TEST_F(MembersTest, AVipThatCeasesToBeLeastConnsKeepsMembersThroughAGracePeriod) {
  accept(least_conn({node("10.0.0.1"), node("10.0.0.2")}));
  settle();
  accept(config_of({node("10.0.0.1"), node("10.0.0.2", 1)}));
  EXPECT_EQ(algorithm(), RP_ROUNDROBIN);
  EXPECT_EQ(weights()["10.0.0.2"], kOne);
  settle();
  accept(config_of({node("10.0.0.1"), node("10.0.0.2", 50)}));
  EXPECT_THAT(weights(), IsEmpty());
}

TEST_F(MembersTest, AlgorithmsAndSizesChangeBackAndForth) {
  const std::vector<NodeConfig> some = {node("10.0.0.1"), node("10.0.0.2")};
  const std::vector<NodeConfig> others = {node("10.0.0.2", 7), node("10.0.0.3")};
  int64_t second = 1000;
  for (const uint32_t size : {251u, 1009u, 503u, 4099u}) {
    for (const rp_algorithm next : {RP_LEAST_CONN, RP_CHASH, RP_LEAST_CONN, RP_ROUNDROBIN}) {
      Config config = config_of(next == RP_LEAST_CONN ? others : some);
      config.upstreams[0].algorithm = next;
      config.vips[0].table_size = size;
      accept(config, ++second);
      converge(++second);
      EXPECT_EQ(algorithm(), next);
      if (next != RP_LEAST_CONN) continue;
      EXPECT_THAT(weights(),
                  ElementsAre(std::pair("10.0.0.2", 7 * kOne), std::pair("10.0.0.3", 100 * kOne)));
    }
  }
}

// --- room ---------------------------------------------------------------------------------------

TEST_F(MembersTest, RoomGrowsByDoublingAndOnlyWhenItMust) {
  kernel_ = FakeKernel(8, 1200);
  restart();
  const auto serve = [&](int count) {
    Config config = least_conn(many(count));
    config.vips[0].table_size = 1009;
    accept(config);
    converge(1001);
    EXPECT_EQ(kernel_.live_members(VipNumber{1}).size(), static_cast<size_t>(count));
  };
  for (const auto& [count, room] : std::map<int, uint32_t>{{3, 256}, {256, 256}, {257, 512}}) {
    serve(count);
    EXPECT_EQ(kernel_.member_room(VipNumber{1}), room);
  }
  kernel_.log.clear();
  for (const int count : {300, 2, 400}) serve(count);
  EXPECT_THAT(kernel_.log, testing::Not(testing::Contains("create members of vip 1")));
}

TEST_F(MembersTest, MembersThatAreNotInUseAreMadeAnew) {
  const Config config = least_conn({node("10.0.0.1"), node("10.0.0.2")});
  accept(config);
  settle();
  kernel_.lose_members(VipNumber{1});
  restart();
  accept(config);
  EXPECT_THAT(kernel_.log, testing::Contains("create members of vip 1"));
  EXPECT_GE(kernel_.member_room(VipNumber{1}), 2u);
  converge(1001);
  EXPECT_EQ(weights().size(), 2u);
}

// The table names the node no more; members that cannot be read still may.
TEST_F(MembersTest, FlowsStayAsLongAsMembersThatCannotBeReadMayNameTheirNode) {  // F3
  Config config = least_conn({node("10.0.0.1"), node("10.0.0.2")});
  config.vips[0].on_down = OnDown::kMove;
  accept(config);
  settle();
  controller_->set_admin("orders", "10.0.0.2:8080", engine::Admin::kMaintenance, at(1000));
  ASSERT_TRUE(controller_->tick(at(1000)));
  const BackendId id = id_of("10.0.0.2");
  kernel_.lose_members(VipNumber{1});
  restart();
  controller_->set_admin("orders", "10.0.0.2:8080", engine::Admin::kMaintenance, at(1000));
  accept(config);
  EXPECT_FALSE(slots_by_address().contains("10.0.0.2"));
  EXPECT_FALSE(maps::flows_move(kernel_.backend(id)));
  converge(1001);
  EXPECT_TRUE(maps::flows_move(kernel_.backend(id)));
}

// Every cut of a plan that has all writes about members; what is left is made up for.
TEST_F(MembersTest, AFailedWriteIsMadeUpForAndKeepsTheInvariants) {
  for (size_t cut = 0; cut < 12; ++cut) {
    kernel_.fail_at = cut;
    Config config = least_conn({node("10.0.0.1"), node("10.0.0.2", 5 + cut)});
    if (cut % 2) config.upstreams[0].algorithm = RP_CHASH;
    const auto ignored = controller_->accept(config, at(1000));
    (void)ignored;
    kernel_.fail_at.reset();
    converge(1001);
    config.upstreams[0].algorithm = RP_LEAST_CONN;
    accept(config, 1001);
    converge(1002);
    EXPECT_THAT(weights(), ElementsAre(std::pair("10.0.0.1", 100 * kOne),
                                       std::pair("10.0.0.2", (5 + cut) * kOne)));
  }
}

}  // namespace
}  // namespace rampart::control
