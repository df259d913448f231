// SPDX-License-Identifier: Apache-2.0
// Every way that tcp and udp checks can end, and what holds for checks of all types (H1).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "unit/health/servers.h"

namespace rampart::health {
namespace {

using control::ActiveCheck;
using control::CheckType;
using Kind = ProbeEnd::Kind;
using testing::HasSubstr;

// A port that nobody has.
uint16_t free_port(int type) {
  return Bound(type).port();
}

TEST(TcpProbe, PassesOnceTheConnectionIsAccepted) {
  const TcpServer server([](const Fd&) {});
  const ProbeEnd end = probe(check_of(CheckType::kTcp), server.port());
  EXPECT_EQ(end.kind, Kind::kPassed);
  EXPECT_EQ(end.reason, "connected");
}

TEST(TcpProbe, ClosesByAResetSoThatNoPortStaysInTimeWait) {
  std::atomic<int> error = 0;
  const TcpServer server([&error](const Fd& connection) {
    pollfd waited = {.fd = connection.get(), .events = POLLIN, .revents = 0};
    poll(&waited, 1, test::kPatience.count());
    char byte;
    error = recv(connection.get(), &byte, 1, 0) < 0 ? errno : -1;
  });
  EXPECT_EQ(probe(check_of(CheckType::kTcp), server.port()).kind, Kind::kPassed);
  EXPECT_TRUE(test::wait_until([&error] { return error != 0; }));
  EXPECT_EQ(error, ECONNRESET);
}

TEST(TcpProbe, ARefusedConnectionIsATcpFailure) {
  const ProbeEnd end = probe(check_of(CheckType::kTcp), free_port(SOCK_STREAM));
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_EQ(end.reason, "connect: Connection refused");
}

// A listener whose queue is full drops what comes.
TEST(TcpProbe, SilenceIsATimeout) {
  const Bound bound(SOCK_STREAM);
  ASSERT_EQ(listen(bound.fd().get(), 0), 0);
  std::vector<Fd> queued;
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(bound.port());
  for (int i = 0; i < 4; ++i) {
    queued.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    connect(queued.back().get(), reinterpret_cast<sockaddr*>(&place), sizeof(place));
  }
  const ProbeEnd end = probe(check_of(CheckType::kTcp, kShort), bound.port());
  EXPECT_EQ(end.kind, Kind::kTimedOut);
  EXPECT_EQ(end.reason, "connect: timed out");
}

// An address that no packet can be sent to.
TEST(TcpProbe, AnUnreachableTargetIsATcpFailure) {
  boost::asio::io_context io;
  const auto prober = make_network_prober(io);
  std::optional<ProbeEnd> end;
  const auto running =
      prober->start({.check = std::make_shared<const ActiveCheck>(check_of(CheckType::kTcp)),
                     .address = *IpAddress::parse("255.255.255.255"),
                     .port = 80},
                    [&end](const ProbeEnd& said) { end = said; });
  ASSERT_TRUE(run_until(io, [&end] { return end.has_value(); }));
  EXPECT_EQ(end->kind, Kind::kTcpFailed);
}

// Answers the first datagram by `answers`, one after the other.
class UdpServer {
 public:
  explicit UdpServer(std::vector<std::string> answers) {
    const timeval patience = {.tv_sec = test::kPatience.count() / 1000, .tv_usec = 0};
    setsockopt(bound_.fd().get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    thread_ = std::thread([this, answers = std::move(answers)] {
      sockaddr_in from = {};
      socklen_t size = sizeof(from);
      auto* const peer = reinterpret_cast<sockaddr*>(&from);
      char buffer[512];
      const ssize_t got = recvfrom(bound_.fd().get(), buffer, sizeof(buffer), 0, peer, &size);
      if (got < 0) return;
      heard_ = std::string(buffer, static_cast<size_t>(got));
      for (const std::string& answer : answers) {
        sendto(bound_.fd().get(), answer.data(), answer.size(), 0, peer, size);
      }
    });
  }
  ~UdpServer() {
    if (thread_.joinable()) thread_.join();
  }
  uint16_t port() const { return bound_.port(); }
  std::string heard() {
    thread_.join();
    return heard_;
  }

 private:
  Bound bound_{SOCK_DGRAM};
  std::string heard_;
  std::thread thread_;
};

ActiveCheck udp(const std::string& payload, const std::string& prefix, Duration timeout = kLong) {
  ActiveCheck check = check_of(CheckType::kUdp, timeout);
  check.payload = payload;
  check.expected_prefix = prefix;
  return check;
}

TEST(UdpProbe, PassesOnAnAnswerThatBeginsAsExpected) {
  UdpServer server({"pong, and more than was asked for"});
  EXPECT_EQ(probe(udp("ping\r\n", "pong"), server.port()).kind, Kind::kPassed);
  EXPECT_EQ(server.heard(), "ping\r\n");
}

TEST(UdpProbe, WithoutAPrefixAnyAnswerWillDoAndWithoutAPayloadAnEmptyDatagramIsSent) {
  UdpServer server({""});
  EXPECT_EQ(probe(udp("", ""), server.port()).kind, Kind::kPassed);
  EXPECT_EQ(server.heard(), "");
}

TEST(UdpProbe, AnotherAnswerIsATcpFailure) {
  for (const std::string answer : {"pung", "pon", ""}) {
    UdpServer server({answer, "pong"});
    const ProbeEnd end = probe(udp("ping", "pong"), server.port());
    EXPECT_EQ(end.kind, Kind::kTcpFailed);
    EXPECT_EQ(end.reason, "answer: does not begin with expected_prefix");
  }
}

TEST(UdpProbe, AnIcmpErrorIsATcpFailure) {
  const ProbeEnd end = probe(udp("ping", "pong"), free_port(SOCK_DGRAM));
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_EQ(end.reason, "answer: Connection refused");
}

TEST(UdpProbe, SilenceIsATimeout) {
  UdpServer server({});
  const ProbeEnd end = probe(udp("ping", "pong", kShort), server.port());
  EXPECT_EQ(end.kind, Kind::kTimedOut);
  EXPECT_EQ(end.reason, "answer: timed out");
}

// Lets this process have no further descriptor.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const Fd next(fcntl(0, F_DUPFD_CLOEXEC, 0));
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next.get());
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(Probes, WithoutADescriptorItIsOurFaultAndNotTheTargets) {
  const TcpServer server([](const Fd&) {});
  for (const CheckType type : {CheckType::kTcp, CheckType::kHttp, CheckType::kUdp}) {
    boost::asio::io_context io;
    const auto prober = make_network_prober(io);
    std::optional<ProbeEnd> end;
    const boost::asio::steady_timer first(io);  // what the loop needs for itself
    const NoMoreDescriptors limit;
    const auto running =
        prober->start({.check = std::make_shared<const ActiveCheck>(check_of(type)),
                       .address = *IpAddress::parse("127.0.0.1"),
                       .port = server.port()},
                      [&end](const ProbeEnd& said) { end = said; });
    EXPECT_FALSE(end);
    ASSERT_TRUE(run_until(io, [&end] { return end.has_value(); }));
    EXPECT_EQ(end->kind, Kind::kOwnFault);
    EXPECT_THAT(end->reason, HasSubstr("Too many open files"));
  }
}

std::vector<ActiveCheck> of_every_type() {
  return {check_of(CheckType::kTcp), check_of(CheckType::kHttp), check_of(CheckType::kHttps),
          check_of(CheckType::kUdp)};
}

ProbeTarget loopback(const ActiveCheck& check, uint16_t port) {
  return {.check = std::make_shared<const ActiveCheck>(check),
          .address = *IpAddress::parse("127.0.0.1"),
          .port = port};
}

// Lets a check of a server that says nothing come as far as it can without an end.
void run_a_little(boost::asio::io_context& io, const ActiveCheck& check) {
  const bool goes_on = check.type == CheckType::kHttp || check.type == CheckType::kHttps;
  if (goes_on) io.run_one_for(kShort);  // the connection
}

TEST(Probes, WhatIsGivenUpSaysNothing) {
  const TcpServer server(hold_open);
  for (const ActiveCheck& check : of_every_type()) {
    boost::asio::io_context io;
    const auto prober = make_network_prober(io);
    auto running = prober->start(loopback(check, server.port()),
                                 [](const ProbeEnd&) { ADD_FAILURE() << "it was given up"; });
    run_a_little(io, check);
    running.reset();
    io.restart();
    io.run();
  }
}

// Nothing is leaked either: the sanitizers look at it.
TEST(Probes, TheLoopMayStopInTheMiddle) {
  const TcpServer server(hold_open);
  for (const ActiveCheck& check : of_every_type()) {
    boost::asio::io_context io;
    const auto prober = make_network_prober(io);
    const auto running = prober->start(loopback(check, server.port()),
                                       [](const ProbeEnd&) { ADD_FAILURE() << "it was stopped"; });
    run_a_little(io, check);
    io.stop();
  }
}

TEST(Probes, AnEndMayDestroyTheProbe) {
  const TcpServer server([](const Fd&) {});
  boost::asio::io_context io;
  const auto prober = make_network_prober(io);
  bool ended = false;
  std::unique_ptr<Probe> running;
  running = prober->start(loopback(check_of(CheckType::kTcp), server.port()), [&](const ProbeEnd&) {
    running.reset();
    ended = true;
  });
  EXPECT_TRUE(run_until(io, [&ended] { return ended; }));
}

}  // namespace
}  // namespace rampart::health
