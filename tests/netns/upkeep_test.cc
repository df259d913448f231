// SPDX-License-Identifier: Apache-2.0
// Years of a balancer's upkeep in a minute, under traffic that may lose nothing: reloads, kills,
// upgrades, backends replaced one by one, cables pulled. Half a round of it, or as many whole ones
// as RAMPART_UPKEEP_ROUNDS says, in both shapes of the bed.
#include <bpf/bpf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>

#include "netns/stand.h"
#include "support/clientele.h"
#include "support/pass_program.h"

namespace rampart::test {
namespace {

using std::chrono::steady_clock;
using ::testing::IsEmpty;

constexpr char kOther[] = "203.0.113.11";  // a VIP that comes and goes
constexpr int kInUse = 4;                  // of twice as many backends
constexpr uint64_t kSecond = 200;          // as requests begun

// Five rounds are a hundred reloads, twenty kills and five upgrades.
struct Extent {
  int rounds = 1;
  int reloads = 10;  // of a round, like what follows
  int kills = 2;
  std::vector<Shape> shapes = {Shape::kTwoArms};
};

Extent extent() {
  const char* given = std::getenv("RAMPART_UPKEEP_ROUNDS");
  if (given == nullptr) return {};
  return {atoi(given), 20, 4, {Shape::kTwoArms, Shape::kOneArm}};
}

// What an arm of the balancer carries.
struct Carried {
  uint32_t link;
  std::string tag;  // of the program
};

uint32_t id_of_link(const std::string& pin) {
  const Fd link(bpf_obj_get(pin.c_str()));
  bpf_link_info found = {};
  uint32_t size = sizeof(found);
  if (bpf_obj_get_info_by_fd(link.get(), &found, &size) != 0) throw BedFailure("no link: " + pin);
  return found.id;
}

std::string tag_of_program(uint32_t id) {
  const Fd program(bpf_prog_get_fd_by_id(id));
  bpf_prog_info found = {};
  uint32_t size = sizeof(found);
  if (bpf_obj_get_info_by_fd(program.get(), &found, &size) != 0) throw BedFailure("no program");
  std::string digits;
  for (const unsigned char byte : found.tag) {
    char two[3];
    snprintf(two, sizeof(two), "%02x", byte);
    digits += two;
  }
  return digits;
}

std::string name_of_shape(const ::testing::TestParamInfo<Shape>& shape) {
  return shape.param == Shape::kTwoArms ? "Star" : "Switch";
}

class UpkeepTest : public NetnsTest, public ::testing::WithParamInterface<Shape> {
 protected:
  explicit UpkeepTest(int backends = 2 * kInUse) : backends_(backends) {}

  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped()) return;
    StandOptions options;
    options.shape = GetParam();
    options.backends = backends_;
    stand_.emplace(options);
    stand_->serve(config(), names());
    clients_.emplace(stand_->bed.client(), kVip, 80);
    start_ = steady_clock::now();
    step("the start", [] {});
  }

  void TearDown() override {
    if (!clients_) return;
    const std::chrono::duration<double> took = steady_clock::now() - start_;
    const Account account = clients_->stop();
    EXPECT_THAT(account.lost_requests, IsEmpty());
    EXPECT_THAT(account.lost_connections, IsEmpty());
    std::cout << took.count() << " s, " << account.summary() << std::endl;
    EXPECT_GT(account.requests, static_cast<uint64_t>(0.95 * kSecond * took.count()))
        << "the clients did not keep their pace";
  }

  // What the file says now.
  nlohmann::json config() const {
    nlohmann::json nodes = nlohmann::json::array();
    for (const int number : in_use_) nodes.push_back(stand_->node(number));
    nodes.front()["weight"] = weight_;
    nlohmann::json file = stand_->config(nodes);
    upstream(file)["id"] = upstream_name_;
    upstream(file)["slow_start"] = {{"slow_start_time_seconds", 2}, {"min_weight_percent", 10}};
    if (checks_) {
      upstream(file)["checks"]["active"] = {{"type", "tcp"}, {"healthy", {{"successes", 1}}}};
    }
    vip(file)["id"] = vip_name_;
    vip(file)["upstream_id"] = upstream_name_;
    if (other_vip_) {
      nlohmann::json other = vip(file);
      other["id"] = "other";
      other["address"] = kOther;
      file["vips"].push_back(other);
    }
    return file;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const int number : in_use_) names.push_back(Bed::backend_name(number));
    return names;
  }

  // Does it, and waits until each backend in use answers requests that came afterwards.
  template <typename Action>
  void watch(const std::string& name, Action action) {
    if (HasFailure()) return;
    clients_->during(name);
    action();
    EXPECT_TRUE(clients_->wait_for_requests(names())) << name;
  }

  // And until all connections have been asked, too.
  template <typename Action>
  void step(const std::string& name, Action action) {
    watch(name, action);
    EXPECT_TRUE(HasFailure() || clients_->wait_for_connections()) << name;
  }

  void reload() {
    stand_->daemon.write(config());
    const Finished done = stand_->daemon.cli({"reload"});
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  }

  std::string change(int number) {
    const auto toggle = [](std::string& name) { name = name == "web" ? "shop" : "web"; };
    switch (number % 5) {
      case 0:
        toggle(vip_name_);
        return "the VIP is " + vip_name_;
      case 1:
        toggle(upstream_name_);
        return "the upstream is " + upstream_name_;
      case 2:
        weight_ = 150 - weight_;
        return "a weight is " + std::to_string(weight_);
      case 3:
        other_vip_ = !other_vip_;
        return other_vip_ ? "another VIP" : "one VIP";
      default:
        checks_ = !checks_;
        return checks_ ? "checks" : "no checks";
    }
  }

  void reload_with_a_change(int number) {
    const std::string changed = change(number);
    watch("reload " + std::to_string(number) + " (" + changed + ")", [&] { reload(); });
  }

  // Every other one while a reload is under way.
  void kill(int number) {
    const std::string name = "kill " + std::to_string(number);
    step(name, [&] {
      if (number % 2 == 1) {
        change(number);
        stand_->daemon.write(config());
        stand_->daemon.process().signal(SIGHUP);
      }
      stand_->daemon.kill();
    });
    watch("start after " + name, [&] { stand_->daemon.start(); });
  }

  std::map<std::string, Carried> carried() const {
    std::map<std::string, Carried> arms;
    for (const std::string& arm : stand_->bed.arms()) {
      const uint32_t program = xdp_program_on(stand_->bed.balancer(), arm);
      arms[arm] = {id_of_link(stand_->daemon.maps() / ("link_" + arm)), tag_of_program(program)};
    }
    return arms;
  }

  // From one build of the packet programs to another, and back.
  void upgrade(int number) {
    if (HasFailure()) return;
    const std::string name = "upgrade " + std::to_string(number);
    const auto before = carried();
    watch("end before " + name, [&] { EXPECT_EQ(stand_->daemon.terminate(), 0); });
    step(name, [&] {
      stand_->daemon.run_by(number % 2 == 0 ? "rampartd_next" : "rampartd");
      stand_->daemon.start();
    });
    const std::string tag = stand_->daemon.get("/v1/status").at("bpf_object");
    for (const auto& [arm, now] : carried()) {
      EXPECT_EQ(now.link, before.at(arm).link) << arm << ": never detached";
      EXPECT_NE(now.tag, before.at(arm).tag) << arm << ": another program";
      EXPECT_EQ(now.tag, tag) << arm;
    }
  }

  // Each backend in use gives way to one that is not; connections stay where they are.
  void replace_all(int round) {
    const std::vector<std::string> leaving = names();
    for (int& number : in_use_) {
      const std::string from = Bed::backend_name(number);
      number = number > kInUse ? number - kInUse : number + kInUse;
      const std::string to = Bed::backend_name(number);
      checks_ = number % 2 == 0;
      watch(to + " for " + from + ", round " + std::to_string(round), [&] { reload(); });
    }
    step("all replaced", [] {});
    if (HasFailure()) return;
    const Account before = clients_->so_far();
    watch("half a second later", [&] { EXPECT_TRUE(clients_->wait_for_begun(kSecond / 2)); });
    const Account after = clients_->so_far();
    for (const std::string& name : leaving) {
      EXPECT_EQ(after.answers.at(name), before.answers.at(name)) << name << " takes requests";
    }
  }

  // For a second: the balancer's own arm, or in the star that of a backend in use.
  void lose_carrier(int round) {
    const std::string arm = stand_->bed.arms().size() == 1 ? "eth0" : names().back();
    step("no carrier on " + arm + ", round " + std::to_string(round), [&] {
      stand_->bed.cut(arm);
      EXPECT_TRUE(clients_->wait_for_begun(kSecond));
      stand_->bed.mend(arm);
    });
  }

  const int backends_;
  std::optional<Stand> stand_;
  std::optional<Clientele> clients_;
  steady_clock::time_point start_;  // of the clients

  std::string vip_name_ = "web";
  std::string upstream_name_ = "web";
  std::vector<int> in_use_ = {1, 2, 3, 4};
  int weight_ = 100;
  bool other_vip_ = false;
  bool checks_ = true;
};

// O1, O2, C4, B1, F1, F5
TEST_P(UpkeepTest, LosesNoRequestAndNoConnection) {
  const Extent all = extent();
  for (int round = 0; round < all.rounds && !HasFailure(); ++round) {
    for (int i = 0; i < all.reloads; ++i) reload_with_a_change(round * all.reloads + i);
    lose_carrier(round);
    replace_all(round);
    for (int i = 0; i < all.kills; ++i) kill(round * all.kills + i);
    upgrade(round);
  }
  EXPECT_EQ(stand_->flow_table("refused"), 0);
  EXPECT_EQ(stand_->flow_table("count_drift"), 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, UpkeepTest, ::testing::ValuesIn(extent().shapes), name_of_shape);

class OwnLinkTest : public UpkeepTest {
 protected:
  OwnLinkTest() : UpkeepTest(kInUse) {}
};

// X2, F1. A client's kernel repeats its question for the balancer's MAC once a second, so up to one
// of the two may be its own.
TEST_P(OwnLinkTest, TrafficResumesWithinTwoSecondsOfItsComingUp) {
  std::set<std::string> arms = {stand_->bed.arms().front()};
  if (arms.size() < stand_->bed.arms().size()) arms.insert(names().front());
  for (const std::string& arm : arms) {
    step(arm + " down and up", [&] {
      stand_->bed.balancer().ip({"link set " + arm + " down"});
      EXPECT_TRUE(clients_->wait_for_begun(kSecond / 2));
      stand_->bed.balancer().ip({"link set " + arm + " up"});
      const auto up = steady_clock::now();
      EXPECT_TRUE(clients_->wait_for_requests(names()));
      const std::chrono::duration<double> took = steady_clock::now() - up;
      std::cout << arm << ": " << took.count() << " s" << std::endl;
      EXPECT_LE(took.count(), 2.0) << arm;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, OwnLinkTest, ::testing::Values(Shape::kTwoArms, Shape::kOneArm),
                         name_of_shape);

}  // namespace
}  // namespace rampart::test
