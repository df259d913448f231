// SPDX-License-Identifier: Apache-2.0
// Many VIPs whose tables are published all the time: no packet may be handled by another VIP's
// table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "netns/stand.h"

namespace rampart::test {
namespace {

constexpr int kVips = 100;
constexpr std::chrono::milliseconds kEvery{100};
constexpr std::chrono::seconds kDuration{5};

std::string address_of(int number) {
  return "203.0.113." + std::to_string(number);
}
uint16_t port_of(int number) {
  return static_cast<uint16_t>(8000 + number);
}
bool is_udp(int number) {
  return number % 2 == 0;
}

// Both backends answer for each VIP on a port of its own, with its number.
std::map<uint16_t, std::string> numbers() {
  std::map<uint16_t, std::string> names;
  for (int number = 1; number <= kVips; ++number) names[port_of(number)] = std::to_string(number);
  return names;
}

// One upstream for each VIP; `round` changes the weights of all of them.
nlohmann::json config_of(const Daemon& daemon, int round) {
  nlohmann::json file = daemon.config();
  for (int number = 1; number <= kVips; ++number) {
    const std::string id = "vip" + std::to_string(number);
    const int weight = 1 + (round * 37 + number * 11) % 100;
    file["upstreams"].push_back(
        {{"id", id},
         {"nodes", {node(1, weight, port_of(number)), node(2, 101 - weight, port_of(number))}}});
    file["vips"].push_back({{"id", id},
                            {"address", address_of(number)},
                            {"port", 80},
                            {"protocol", is_udp(number) ? "udp" : "tcp"},
                            {"forward", "nat"},
                            {"table_size", 1009},
                            {"upstream_id", id}});
  }
  return file;
}

std::optional<std::string> ask_vip(int number) {
  return is_udp(number) ? udp_ask(address_of(number), 80) : http_ask(address_of(number));
}

// B1, and the publishing rule of include/rampart/values.h
TEST_F(NetnsTest, AHundredVipsReweightedUnderTrafficNeverServeForEachOther) {
  const Bed bed(BedOptions{});
  const HttpServer http1(bed.backend(1), numbers()), http2(bed.backend(2), numbers());
  const UdpServer udp1(bed.backend(1), numbers()), udp2(bed.backend(2), numbers());
  Daemon daemon(bed);
  daemon.write(config_of(daemon, 0));
  daemon.start();
  for (int number : {1, 2}) {
    ASSERT_TRUE(
        all_answer(bed.client(), [=] { return ask_vip(number); }, {std::to_string(number)}));
  }

  // An answer is "right" if the VIP that was asked gave it.
  std::atomic<int> turn{0};
  Traffic traffic(bed.client(), [&]() -> std::optional<std::string> {
    const int number = 1 + turn++ % kVips;
    const auto answer = ask_vip(number);
    if (!answer) return std::nullopt;
    return *answer == std::to_string(number) ? "right" : "VIP " + *answer;
  });
  const auto start = std::chrono::steady_clock::now();
  int round = 0;
  while (std::chrono::steady_clock::now() - start < kDuration) {
    daemon.write(config_of(daemon, ++round));
    ASSERT_EQ(daemon.cli({"reload"}).exit_code, 0);
    std::this_thread::sleep_until(start + round * kEvery);  // the beat of the test, not a wait
  }
  const Tally tally = traffic.stop();
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_EQ(tally.answers.size(), 1u);
  EXPECT_GT(tally.of("right"), 500u);
  EXPECT_GT(round, kDuration / kEvery / 2) << "publications were too slow to show anything";
}

}  // namespace
}  // namespace rampart::test
