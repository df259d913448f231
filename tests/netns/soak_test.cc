// SPDX-License-Identifier: Apache-2.0
// Traffic over TCP and UDP while everything about the balancer changes again and again: nodes,
// weights, VIPs, files that are broken, the daemon itself. It lasts for some seconds, or for as
// many as RAMPART_SOAK_SECONDS says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>

#include "netns/stand.h"

namespace rampart::test {
namespace {

constexpr int kBackends = 4;
constexpr int kKept = 12;          // connections that live through all of it
constexpr uint64_t kAnswers = 40;  // of each protocol, after each change
constexpr size_t kSpareFds = 16;   // what a daemon may have open more than in its first second
constexpr char kOther[] = "203.0.113.11";  // a VIP that comes and goes

std::chrono::seconds duration() {
  const char* given = std::getenv("RAMPART_SOAK_SECONDS");
  return std::chrono::seconds(given != nullptr ? atoi(given) : 6);
}

class Soak : public NetnsTest {
 protected:
  void SetUp() override {
    NetnsTest::SetUp();
    if (IsSkipped()) return;
    StandOptions options;
    options.backends = kBackends;
    stand_.emplace(options);
  }

  int draw(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

  // Backend 1 is always there, the others half of the time; any weight, and a ramp of two seconds.
  nlohmann::json any_config() {
    nlohmann::json nodes = nlohmann::json::array({stand_->node(1, draw(50, 100))});
    for (int number = 2; number <= kBackends; ++number) {
      if (draw(0, 1) == 1) nodes.push_back(stand_->node(number, draw(1, 100)));
    }
    nlohmann::json file = stand_->config(nodes);
    upstream(file)["slow_start"] = {{"slow_start_time_seconds", 2}, {"min_weight_percent", 1}};
    nlohmann::json udp = vip(file);
    udp["id"] = "web-udp";
    udp["protocol"] = "udp";
    file["vips"].push_back(udp);
    if (draw(0, 1) == 1) {
      udp["id"] = "other";
      udp["address"] = kOther;
      file["vips"].push_back(udp);
    }
    return file;
  }

  void change_something() {
    Daemon& daemon = stand_->daemon;
    const int what = draw(0, 9);
    if (what == 0) {
      daemon.write_text("vips: [");
      EXPECT_EQ(daemon.cli({"reload"}).exit_code, 3);
      return;
    }
    daemon.write(any_config());
    if (what == 1) return restart([&] { daemon.kill(); });
    if (what == 2) return restart([&] { EXPECT_EQ(daemon.terminate(), 0); });
    if (what == 3) return daemon.process().signal(SIGHUP);
    const Finished reload = daemon.cli({"reload", "--force"});
    EXPECT_EQ(reload.exit_code, 0) << reload.out << reload.err;
  }

  template <typename End>
  void restart(End end) {
    expect_no_complaint();
    end();
    stand_->daemon.start();
  }

  // The daemon's log has no error but those about files that are broken on purpose.
  void expect_no_complaint() {
    std::istringstream log(stand_->daemon.process().output());
    for (std::string line; std::getline(log, line);) {
      const bool asked_for = line.find("reload refused") != std::string::npos;
      EXPECT_TRUE(asked_for || line.find(" error ") == std::string::npos) << line;
    }
  }

  size_t open_files() {
    const std::string folder = "/proc/" + std::to_string(stand_->daemon.process().pid()) + "/fd";
    const std::filesystem::directory_iterator files(folder);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

  // What the VIP over TCP sent to backend 1.
  uint64_t packets_of_the_first() const {
    for (const auto& backend : stand_->daemon.get("/v1/backends?vip=web")) {
      if (backend.at("name") == stand_->name(1)) return backend.at("packets");
    }
    throw BedFailure("backend 1 is not there");
  }

  // By outcome, of all VIPs.
  nlohmann::json drops() const {
    nlohmann::json found;
    for (const auto& one : stand_->daemon.get("/v1/vips")) {
      for (const auto& [outcome, packets] : one.at("outcomes").items()) {
        if (outcome.rfind("drop_", 0) == 0) found[outcome] = packets;
      }
    }
    return found;
  }

  std::mt19937 random_{1};
  std::optional<Stand> stand_;
};

// F1, C3, C4, O1, O2
TEST_F(Soak, NothingIsLostWhileEverythingChanges) {
  stand_->serve(any_config(), {"b1"});
  std::vector<HttpConnection> kept = stand_->hold(kKept);
  ASSERT_EQ(kept.size(), size_t{kKept});
  const std::vector<std::string> served_by = who_answers(kept);
  const size_t files = open_files();
  Traffic tcp(stand_->bed.client(), stand_->ask(), 1);
  Traffic udp(
      stand_->bed.client(), [] { return udp_ask(kVip, 80); }, 1);

  const auto end = std::chrono::steady_clock::now() + duration();
  uint64_t packets = packets_of_the_first();
  while (std::chrono::steady_clock::now() < end && !HasFailure()) {
    change_something();
    ASSERT_TRUE(tcp.wait_for(kAnswers));
    ASSERT_TRUE(udp.wait_for(kAnswers));
    EXPECT_EQ(who_answers(kept), served_by);
    const uint64_t now = packets_of_the_first();
    EXPECT_GT(now, packets) << "counters never fall";
    packets = now;
  }
  EXPECT_EQ(tcp.stop().failed, 0u);
  EXPECT_EQ(udp.stop().failed, 0u);
  EXPECT_EQ(drops(), nlohmann::json());
  EXPECT_LE(open_files(), files + kSpareFds);
  expect_no_complaint();
}

}  // namespace
}  // namespace rampart::test
