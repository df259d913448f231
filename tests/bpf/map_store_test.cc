// SPDX-License-Identifier: Apache-2.0
// The doors onto real maps: what the daemon stores is what lies there, a second process finds it, and
// what cannot be used is refused with what to do. Pins lie in a folder of the test's own.
#include <bpf/bpf.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/fd.h"
#include "bpf/pinned_instance.h"
#include "control/wire.h"
#include "maps/live_word.h"

namespace rampart {
namespace {

using testing::HasSubstr;

constexpr VipNumber kNumber{3};

class MapStoreTest : public PinnedInstance {
 protected:
  MapStoreTest()
      : PinnedInstance({.pin_path = {},
                        .instance = "maps",
                        .max_vips = 8,
                        .max_backends = 16,
                        .max_flows = 64}) {}

  // `slots` numbered from `first` on.
  static std::vector<uint16_t> slots_from(uint16_t first, size_t count) {
    std::vector<uint16_t> slots(count);
    std::iota(slots.begin(), slots.end(), first);
    return slots;
  }
  void give_table(const std::vector<uint16_t>& slots) {
    ASSERT_TRUE(store_->create_table(kNumber, slots));
    rp_vip_state state = {};
    state.table_size = static_cast<__u32>(slots.size());
    ASSERT_TRUE(store_->write_vip_state(kNumber, state));
  }
};

TEST_F(MapStoreTest, KnowsTheSizesItWasMadeWith) {
  EXPECT_EQ(store_->max_vips(), 8u);
  EXPECT_EQ(store_->max_backends(), 16u);
}

// O1, W8
TEST_F(MapStoreTest, ANewProcessFindsWhatTheLastOneStored) {
  const rp_vip_key key =
      control::to_wire(control::VipAddress{*IpAddress::parse("203.0.113.10"), 80, IPPROTO_TCP});
  rp_backend backend = {};
  backend.scope_hash = 11;
  backend.identity_hash = 12;
  backend.count_index = 5;
  backend.vip = raw(kNumber);
  backend.state = 1 << RP_STATE_INCARNATION_SHIFT | RP_BACKEND_SERVING;
  ASSERT_TRUE(store_->write_backend(BackendId{7}, backend));
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->announce_vip(key, kNumber));

  open();
  EXPECT_TRUE(object_->adopted());
  const auto vips = store_->vips();
  ASSERT_TRUE(vips);
  ASSERT_EQ(vips->size(), 1u);
  EXPECT_EQ(control::from_wire(vips->front().first).to_string(), "203.0.113.10:80/tcp");
  EXPECT_EQ(vips->front().second, kNumber);
  EXPECT_EQ(store_->live_slots(kNumber, 251), slots_from(1, 251));
  const rp_backend found = store_->backend(BackendId{7});
  EXPECT_EQ(found.scope_hash, 11u);  // B3
  EXPECT_EQ(found.identity_hash, 12u);
  EXPECT_EQ(found.count_index, 5u);
  EXPECT_EQ(found.state, backend.state);
}

TEST_F(MapStoreTest, AVipIsAnnouncedOnceAndNeverOverwritten) {
  const rp_vip_key key =
      control::to_wire(control::VipAddress{*IpAddress::parse("203.0.113.10"), 80, IPPROTO_TCP});
  ASSERT_TRUE(store_->announce_vip(key, kNumber));
  EXPECT_FALSE(store_->announce_vip(key, VipNumber{4}));
  ASSERT_TRUE(store_->withdraw_vip(key));
  EXPECT_TRUE(store_->withdraw_vip(key));  // gone is gone
  EXPECT_TRUE(store_->vips()->empty());
}

TEST_F(MapStoreTest, APublicationWritesTheSpareHalfAndFlipsOneWord) {
  give_table(slots_from(1, 251));
  const __u64 before = store_->vip_state(kNumber).live;
  ASSERT_TRUE(store_->publish(kNumber, slots_from(1000, 251), {}));
  const __u64 after = store_->vip_state(kNumber).live;
  EXPECT_NE(after & RP_LIVE_HALF, before & RP_LIVE_HALF);
  EXPECT_EQ(after >> RP_LIVE_GENERATION_SHIFT, (before >> RP_LIVE_GENERATION_SHIFT) + 1);
  EXPECT_EQ(store_->live_slots(kNumber, 251), slots_from(1000, 251));
  // The former half is untouched: programs may still read it.
  const rp_vip_state state = store_->vip_state(kNumber);
  store_->doors().vip_state.at(raw(kNumber)).live = state.live ^ RP_LIVE_HALF;
  EXPECT_EQ(store_->live_slots(kNumber, 251), slots_from(1, 251));
}

TEST_F(MapStoreTest, AReplacedTableIsTheOneThatANewProcessOpens) {
  give_table(slots_from(1, 251));
  EXPECT_EQ(store_->table_room(kNumber), 256u);  // whole blocks of 32
  ASSERT_TRUE(store_->create_table(kNumber, slots_from(1, 1009)));
  EXPECT_EQ(store_->table_room(kNumber), 1024u);
  open();
  EXPECT_EQ(store_->table_room(kNumber), 1024u);
  EXPECT_EQ(store_->live_slots(kNumber, 1009), slots_from(1, 1009));
}

// So many members, each unlike the others.
std::vector<maps::Member> members_of(uint32_t count, uint32_t weight = 1) {
  std::vector<maps::Member> members;
  for (uint32_t i = 1; i <= count; ++i) {
    members.push_back({static_cast<BackendId>(i), CountIndex{60000 + i}, weight + i});
  }
  return members;
}

TEST_F(MapStoreTest, SlotsAndMembersArePublishedByOneFlip) {
  give_table(slots_from(1, 251));
  EXPECT_EQ(store_->member_room(kNumber), 0u);
  EXPECT_TRUE(store_->live_members(kNumber).empty());
  ASSERT_TRUE(store_->create_members(kNumber, {}, 256));
  EXPECT_TRUE(store_->live_members(kNumber).empty());
  for (const uint32_t count : {19u, 256u, 3u}) {  // also fewer, in a half that held more
    const maps::LiveWord before = maps::live_of(store_->vip_state(kNumber).live);
    ASSERT_TRUE(store_->publish(kNumber, slots_from(count, 251), members_of(count)));
    const maps::LiveWord after = maps::live_of(store_->vip_state(kNumber).live);
    EXPECT_EQ(after.members, count);
    EXPECT_EQ(after.generation, before.generation + 1);
    EXPECT_NE(after.half, before.half);
    EXPECT_EQ(store_->live_members(kNumber), members_of(count));
    EXPECT_EQ(store_->live_slots(kNumber, 251), slots_from(count, 251));
  }
}

// L2: what a program finds behind the last member, in a half that held more.
TEST_F(MapStoreTest, BehindTheLastMemberItsBlockIsZero) {
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->create_members(kNumber, members_of(16), 256));
  ASSERT_TRUE(store_->publish(kNumber, slots_from(1, 251), members_of(9)));
  rp_vip_state state = store_->vip_state(kNumber);
  state.live += uint64_t{7} << RP_LIVE_MEMBERS_SHIFT;  // to look at the block's other members
  store_->doors().vip_state.at(raw(kNumber)).live = state.live;
  const auto block = store_->live_members(kNumber);
  for (size_t i = 9; i < 16; ++i) EXPECT_EQ(block[i], maps::Member{});
}

TEST_F(MapStoreTest, AHalfOfMembersThatIsNotLiveIsLeftAlone) {
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->create_members(kNumber, members_of(5), 256));
  ASSERT_TRUE(store_->publish(kNumber, slots_from(1, 251), members_of(5)));
  ASSERT_TRUE(store_->publish(kNumber, slots_from(1, 251), members_of(5, 70)));
  store_->doors().vip_state.at(raw(kNumber)).live ^= RP_LIVE_HALF;
  EXPECT_EQ(store_->live_members(kNumber), members_of(5));
}

TEST_F(MapStoreTest, ALargerMapOfMembersIsTheOneThatANewProcessOpens) {  // W8
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->create_members(kNumber, {}, 256));
  ASSERT_TRUE(store_->publish(kNumber, slots_from(1, 251), members_of(200)));
  ASSERT_TRUE(store_->create_members(kNumber, members_of(200), 512));
  EXPECT_EQ(store_->live_members(kNumber), members_of(200));  // what is chosen does not change
  ASSERT_TRUE(store_->publish(kNumber, slots_from(1, 251), members_of(300)));
  open();
  EXPECT_EQ(store_->member_room(kNumber), 512u);
  EXPECT_EQ(store_->live_members(kNumber), members_of(300));
}

TEST_F(MapStoreTest, APinThatIsNotTheMembersInUseIsNoRoom) {
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->create_members(kNumber, members_of(2), 256));
  const uint32_t number = raw(kNumber);
  ASSERT_EQ(bpf_map_delete_elem(store_->doors().members.get(), &number), 0);
  open();
  EXPECT_EQ(store_->member_room(kNumber), 0u);
}

// A process that died between pinning a table and putting it in place leaves a pin that nobody reads.
TEST_F(MapStoreTest, APinThatIsNotTheTableInUseIsNoTable) {
  give_table(slots_from(1, 251));
  const uint32_t number = raw(kNumber);
  ASSERT_EQ(bpf_map_delete_elem(store_->doors().slots.get(), &number), 0);
  open();
  EXPECT_EQ(store_->table_room(kNumber), 0u);
}

// O6: who cannot look must not mend.
TEST_F(MapStoreTest, WithoutADescriptorNothingIsCalledMissing) {
  give_table(slots_from(1, 251));
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit none = limit;
  none.rlim_cur = 3;  // the standard ones
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool in_place = store_->in_place(kNumber);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(in_place);
  ASSERT_EQ(unlink((folder() + "/rp_slots_3").c_str()), 0);
  EXPECT_FALSE(store_->in_place(kNumber));
}

TEST_F(MapStoreTest, AFreedNumberHasNoTableAndNoPin) {
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->create_members(kNumber, members_of(2), 256));
  ASSERT_TRUE(store_->free_vip(kNumber));
  EXPECT_EQ(store_->vip_state(kNumber).table_size, 0u);
  EXPECT_EQ(store_->table_room(kNumber), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/rp_slots_3"));
  EXPECT_EQ(store_->member_room(kNumber), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder() + "/rp_members_3"));
}

TEST_F(MapStoreTest, SettingsChangeAndTheLiveWordStays) {
  give_table(slots_from(1, 251));
  ASSERT_TRUE(store_->publish(kNumber, slots_from(2, 251), {}));
  const __u64 live = store_->vip_state(kNumber).live;
  const rp_vip_state settings = {.live = 0,
                                 .table_size = 239,
                                 .algorithm = RP_CHASH,
                                 .hash_on = RP_HASH_SOURCE_IP,
                                 .on_no_backend = RP_NO_BACKEND_PASS,
                                 .timeout_syn = 1,
                                 .timeout_established = 2,
                                 .timeout_closing = 3,
                                 .timeout_udp = 4,
                                 .drain_timeout = 5,
                                 .hash_seed = 6};
  ASSERT_TRUE(store_->set_vip_settings(kNumber, settings));
  rp_vip_state expected = settings;
  expected.live = live;
  const rp_vip_state stored = store_->vip_state(kNumber);
  EXPECT_EQ(memcmp(&stored, &expected, sizeof stored), 0);
}

// B5: what stands in the words of an id changes, its incarnation does not.
TEST_F(MapStoreTest, ABackendsWordsChangeOneByOne) {
  rp_backend backend = {};
  backend.state = 9 << RP_STATE_INCARNATION_SHIFT | RP_BACKEND_SERVING;
  ASSERT_TRUE(store_->write_backend(BackendId{1}, backend));
  ASSERT_TRUE(store_->set_backend_state(BackendId{1}, RP_BACKEND_DRAINING, 77));
  ASSERT_TRUE(store_->set_backend_scope(BackendId{1}, 5));
  ASSERT_TRUE(store_->set_backend_vip(BackendId{1}, VipNumber{3}));
  ASSERT_TRUE(store_->set_next_hop(BackendId{1}, 0x1000201020304));
  ASSERT_TRUE(store_->set_flows_move(BackendId{1}, true));
  const rp_backend found = store_->backend(BackendId{1});
  EXPECT_EQ(found.state,
            9u << RP_STATE_INCARNATION_SHIFT | RP_STATE_FLOWS_MOVE | RP_BACKEND_DRAINING);
  EXPECT_EQ(found.drain_until, 77u);
  EXPECT_EQ(found.scope_hash, 5u);
  EXPECT_EQ(found.vip, 3u);
  EXPECT_EQ(found.next_hop, 0x1000201020304u);
  ASSERT_TRUE(store_->set_flows_move(BackendId{1}, false));
  EXPECT_EQ(store_->backend(BackendId{1}).state,
            9u << RP_STATE_INCARNATION_SHIFT | RP_BACKEND_DRAINING);
}

// Counters of an id begin at zero when it is handed out.
TEST_F(MapStoreTest, ANewBackendHasNoCounters) {
  const uint32_t id = 1;
  std::vector<rp_backend_stats> full(libbpf_num_possible_cpus(),
                                     {.packets = 1, .bytes = 2, .flows = 3});
  ASSERT_EQ(bpf_map_update_elem(store_->doors().backend_stats.fd(), &id, full.data(), BPF_ANY), 0);
  EXPECT_EQ(maps::sum_backend_stats(store_->doors(), id)->bytes, 2 * full.size());
  ASSERT_TRUE(store_->write_backend(BackendId{1}, rp_backend{}));
  EXPECT_EQ(maps::sum_backend_stats(store_->doors(), id)->packets, 0u);
}

// O8
TEST_F(MapStoreTest, OtherSizesThanThePinnedAreRefusedAndTheOptionIsNamed) {
  store_.reset();
  object_.reset();
  options_.max_flows = 128;
  const auto refused = dataplane::Object::load(options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCannotAttach);
  EXPECT_THAT(refused.error().text,
              HasSubstr("bpf.max_flows: 128 differs from the pinned maps' 66"));
  options_.max_flows = 66;  // what it says to set works
  open();
}

// F12: an upgrade keeps every flow, and no two instances tag alike.
TEST_F(MapStoreTest, TheKeyOfTagsIsMadeOnceForAnInstance) {
  const auto secret = [&](const std::string& of) {
    const Fd map(bpf_obj_get((of + "/rp_flow_secret").c_str()));
    rp_flow_secret value = {};
    const uint32_t zero = 0;
    EXPECT_EQ(bpf_map_lookup_elem(map.get(), &zero, &value), 0);
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::string before = secret(object_->folder());
  EXPECT_EQ(std::count(before.begin(), before.end(), '\0') < 32, true);
  store_.reset();
  object_.reset();
  open();
  EXPECT_EQ(secret(object_->folder()), before);

  dataplane::ObjectOptions second = options_;
  second.instance = "second";
  const auto other = dataplane::Object::load(second);
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_NE(secret((*other)->folder()), before);
  ASSERT_TRUE(dataplane::remove_instance((*other)->folder()));
}

TEST_F(MapStoreTest, AnotherAbiVersionsPinsAreRefusedAndNamed) {
  const std::string other = options_.pin_path + "/maps/v99";
  ASSERT_TRUE(std::filesystem::create_directory(other));
  const auto refused = dataplane::Object::load(options_);
  std::filesystem::remove(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCannotAttach);
  EXPECT_THAT(refused.error().text, HasSubstr("ABI version v99"));
}

}  // namespace
}  // namespace rampart
