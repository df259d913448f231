// SPDX-License-Identifier: Apache-2.0
// Every way that an http check can end (H1).
#include <gmock/gmock.h>

#include <mutex>

#include "base/version.h"
#include "unit/health/servers.h"

namespace rampart::health {
namespace {

using control::ActiveCheck;
using control::CheckType;
using Kind = ProbeEnd::Kind;
using testing::HasSubstr;

ActiveCheck http(Duration timeout = kLong) {
  return check_of(CheckType::kHttp, timeout);
}

// Sends `answer` to every request, and keeps the connection until the peer closes it.
TcpServer::Serve saying(const std::string& answer) {
  return [answer](const Fd& connection) {
    read_until(connection, "\r\n\r\n");
    write_all(connection, answer);
    hold_open(connection);
  };
}

ProbeEnd end_with(const std::string& answer, const ActiveCheck& check = http()) {
  const TcpServer server(saying(answer));
  return probe(check, server.port());
}

std::string status(int number) {
  return "HTTP/1.1 " + std::to_string(number) + " Whatever\r\nContent-Length: 0\r\n\r\n";
}

TEST(HttpProbe, AListedStatusDecidesAndAnUnlistedOneSaysNothing) {
  const std::vector<std::pair<int, Kind>> cases = {
      {200, Kind::kPassed},     {302, Kind::kPassed},     {404, Kind::kHttpFailed},
      {429, Kind::kHttpFailed}, {500, Kind::kHttpFailed}, {503, Kind::kHttpFailed},
      {204, Kind::kUnjudged},   {403, Kind::kUnjudged},   {599, Kind::kUnjudged}};
  for (const auto& [number, kind] : cases) {
    const ProbeEnd end = end_with(status(number));
    EXPECT_EQ(end.kind, kind) << number;
    EXPECT_EQ(end.reason, "http status " + std::to_string(number));
  }
}

TEST(HttpProbe, TheListsAreThoseOfTheDefinition) {
  ActiveCheck check = http();
  check.healthy.http_statuses = {404};
  check.unhealthy.http_statuses = {200};
  EXPECT_EQ(end_with(status(404), check).kind, Kind::kPassed);
  EXPECT_EQ(end_with(status(200), check).kind, Kind::kHttpFailed);
  EXPECT_EQ(end_with(status(503), check).kind, Kind::kUnjudged);
}

// What the server is asked.
std::string request_of(const ActiveCheck& check) {
  std::mutex lock;
  std::string request;
  const TcpServer server([&](const Fd& connection) {
    const std::string text = read_until(connection, "\r\n\r\n");
    {
      const std::lock_guard<std::mutex> guard(lock);
      request = text;
    }
    write_all(connection, status(200));
    hold_open(connection);
  });
  EXPECT_EQ(probe(check, server.port()).kind, Kind::kPassed);
  const std::lock_guard<std::mutex> guard(lock);
  const std::string port = ":" + std::to_string(server.port());
  const size_t at = request.find(port);
  if (at != std::string::npos) request.replace(at, port.size(), ":PORT");
  return request;
}

TEST(HttpProbe, AsksForThePathByAddressAndPort) {
  EXPECT_EQ(request_of(http()),
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUser-Agent: "
            "rampart-health/" +
                std::string(kVersion) + "\r\nConnection: close\r\n\r\n");
}

TEST(HttpProbe, AsksForWhatTheDefinitionSays) {
  ActiveCheck check = http();
  check.host = "shop.example";
  check.http_path = "/live?full=1";
  check.req_headers = {{"User-Agent", "probe"}, {"X-One", "1"}, {"X-One", "2"}};
  EXPECT_EQ(request_of(check),
            "GET /live?full=1 HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n"
            "User-Agent: probe\r\nX-One: 1\r\nX-One: 2\r\n\r\n");
}

TEST(HttpProbe, ARefusedConnectionIsATcpFailure) {
  const ProbeEnd end = probe(http(), Bound(SOCK_STREAM).port());
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_EQ(end.reason, "connect: Connection refused");
}

TEST(HttpProbe, SilenceIsATimeout) {
  const ProbeEnd end = end_with("", http(kShort));
  EXPECT_EQ(end.kind, Kind::kTimedOut);
  EXPECT_THAT(end.reason, testing::EndsWith(": timed out"));
}

// The timeout is that of the whole check, however often a byte comes.
TEST(HttpProbe, AHeaderThatDripsIsATimeout) {
  const TcpServer server([](const Fd& connection) {
    write_all(connection, "HTTP/1.1 200 OK\r\nX: ");
    pollfd gone = {.fd = connection.get(), .events = POLLRDHUP, .revents = 0};
    while (poll(&gone, 1, 5) == 0) write_all(connection, "a");
  });
  EXPECT_EQ(probe(http(kShort), server.port()).kind, Kind::kTimedOut);
}

TEST(HttpProbe, AnAnswerThatIsNoHttpIsAnHttpFailure) {
  for (const std::string answer :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno header\r\n\r\n"}) {
    const ProbeEnd end = end_with(answer);
    EXPECT_EQ(end.kind, Kind::kHttpFailed) << answer;
    EXPECT_THAT(end.reason, HasSubstr("answer: not understood: "));
  }
}

TEST(HttpProbe, AnAnswerThatIsCutShortIsATcpFailure) {
  for (const std::string answer : {"", "HTTP/1.1", "HTTP/1.1 200 OK\r\nContent-"}) {
    const TcpServer server([answer](const Fd& connection) {
      read_until(connection, "\r\n\r\n");
      write_all(connection, answer);
    });
    const ProbeEnd end = probe(http(), server.port());
    EXPECT_EQ(end.kind, Kind::kTcpFailed) << answer;
    EXPECT_EQ(end.reason, "answer: closed before it was whole");
  }
}

TEST(HttpProbe, AResetIsATcpFailure) {
  const TcpServer server([](const Fd& connection) {
    read_until(connection, "\r\n\r\n");
    const linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  });
  const ProbeEnd end = probe(http(), server.port());
  EXPECT_EQ(end.kind, Kind::kTcpFailed);
  EXPECT_EQ(end.reason, "answer: Connection reset by peer");
}

TEST(HttpProbe, AHugeHeaderIsAnHttpFailure) {
  const ProbeEnd end = end_with("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'a'));
  EXPECT_EQ(end.kind, Kind::kHttpFailed);
  EXPECT_THAT(end.reason, HasSubstr("answer: not understood: "));
}

TEST(HttpProbe, TheBodyIsNotWaitedForHoweverLongItSaysToBe) {
  EXPECT_EQ(end_with("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n").kind, Kind::kPassed);
  EXPECT_EQ(end_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").kind, Kind::kPassed);
  EXPECT_EQ(end_with("HTTP/1.0 200 OK\r\n\r\n").kind, Kind::kPassed);
}

TEST(HttpProbe, AnnouncementsAreNoAnswer) {
  EXPECT_EQ(end_with("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + status(503)).kind,
            Kind::kHttpFailed);
}

}  // namespace
}  // namespace rampart::health
