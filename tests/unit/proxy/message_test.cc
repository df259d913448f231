// SPDX-License-Identifier: Apache-2.0
#include "proxy/message.h"

#include <gtest/gtest.h>

#include "unit/proxy/parsed.h"

namespace rampart::proxy {
namespace {

struct Body {
  std::string text;
  std::string trailers;
  bool complete = false;
  bool wrong = false;
  std::string left;  // not consumed
};

// Feeds `parts` one after the other, as a connection does it: what is not consumed comes again.
template <bool kRequest>
Body feed(Message<kRequest>& message, const std::vector<std::string>& parts) {
  Body body;
  for (const std::string& part : parts) {
    body.left += part;
    while (!message.complete() && !body.left.empty()) {
      BodyPieces pieces;
      const auto fed = message.feed(body.left, pieces);
      for (const std::string_view piece : pieces.pieces) body.text += piece;
      body.trailers += pieces.trailers;
      body.left.erase(0, fed.consumed);
      body.wrong = fed.error != ParseError::kNone;
      if (body.wrong) return body;
      if (fed.consumed == 0) break;
    }
  }
  body.complete = message.complete();
  return body;
}

constexpr std::string_view kChunkedHead =
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";
constexpr std::string_view kChunkedBody =
    "3;name=value;quoted=\"a;b\"\r\nabc\r\n0a\r\n0123456789\r\n0\r\nX-Sum: 7\r\nHost: evil\r\n\r\n";

TEST(Message, ReadsARequestsHead) {
  const ParsedRequest request("PUT /a?b HTTP/1.1\r\nHost: h\r\nX-A:  v \r\nContent-Length: 5\r\n");
  ASSERT_EQ(request.error, ParseError::kNone);
  EXPECT_EQ(request.head.method, Method::put);
  EXPECT_EQ(request.head.method_text, "PUT");
  EXPECT_EQ(request.head.target, "/a?b");
  EXPECT_EQ(request.head.minor, 1);
  EXPECT_EQ(request.head.find(FieldName::host), "h");
  ASSERT_EQ(request.head.fields.size(), 3u);
  EXPECT_EQ(request.head.fields[1].name, "X-A");
  EXPECT_EQ(request.head.fields[1].value, "v");
  EXPECT_EQ(request.head.content_length, 5u);
  EXPECT_TRUE(request.head.keep_alive);
  EXPECT_FALSE(request.message.complete());
}

TEST(Message, ReadsAResponsesHead) {
  const ParsedResponse response("HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n");
  ASSERT_EQ(response.error, ParseError::kNone);
  EXPECT_EQ(response.head.status, 404);
  EXPECT_EQ(response.head.reason, "Not Found");
  EXPECT_EQ(response.head.minor, 0);
  EXPECT_FALSE(response.head.keep_alive);
  EXPECT_TRUE(response.message.complete());
}

TEST(Message, KeepsMethodsThatItDoesNotKnow) {
  const ParsedRequest request("BREW / HTTP/1.1\r\nHost: a\r\n");
  ASSERT_EQ(request.error, ParseError::kNone);
  EXPECT_EQ(request.head.method, Method::unknown);
  EXPECT_EQ(request.head.method_text, "BREW");
}

TEST(Message, ARequestWithoutFramingIsWholeWithItsHead) {
  EXPECT_TRUE(ParsedRequest("GET / HTTP/1.1\r\nHost: a\r\n").message.complete());
  EXPECT_TRUE(ParsedRequest("POST / HTTP/1.1\r\nContent-Length: 0\r\n").message.complete());
}

TEST(Message, KnowsWhatIsSaidOfTheConnection) {
  EXPECT_FALSE(ParsedRequest("GET / HTTP/1.1\r\nConnection: close\r\n").head.keep_alive);
  EXPECT_FALSE(ParsedRequest("GET / HTTP/1.0\r\n").head.keep_alive);
  EXPECT_TRUE(ParsedRequest("GET / HTTP/1.0\r\nConnection: keep-alive\r\n").head.keep_alive);
  const ParsedRequest upgrade("GET / HTTP/1.1\r\nConnection: a, Upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_TRUE(upgrade.head.upgrade);
}

TEST(Message, TellsVersionsThatItDoesNotSpeakFromWhatIsWrong) {
  EXPECT_EQ(ParsedRequest("GET / HTTP/2.0\r\n").error, ParseError::kVersion);
  EXPECT_EQ(ParsedRequest("GET / HTTP/0.9\r\n").error, ParseError::kVersion);
  EXPECT_EQ(ParsedRequest("GET /\r\n").error, ParseError::kBad);
  EXPECT_EQ(ParsedResponse("HTTP/1.1 20 OK\r\n").error, ParseError::kBad);
}

TEST(Message, CallsAVersionOneThatHasTheFormOfOne) {
  for (const char* line : {"GET / http/1.1", "GET / HTTP/1.1 ", "GET / HTTP/1", "GET / HTTP/1.10",
                           "GET / HTTPS/1.1", "GET / x HTTP/1.1"}) {
    EXPECT_EQ(ParsedRequest(std::string(line) + "\r\n").error, ParseError::kBad) << line;
  }
}

TEST(Message, TakesALastChunkThatIsTheFirstByteByByte) {
  ParsedRequest request{std::string(kChunkedHead)};
  const Body body = feed(request.message, {"0", "\r", "\n", "\r", "\n"});
  EXPECT_TRUE(body.complete);
  EXPECT_FALSE(body.wrong);
}

TEST(Message, ForgetsTheHeadBefore) {
  ParsedRequest request("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n");
  const std::string second = "GET /b HTTP/1.0\r\n\r\n";
  ASSERT_EQ(request.message.parse_head(second, request.head), ParseError::kNone);
  EXPECT_EQ(request.head.target, "/b");
  EXPECT_EQ(request.head.minor, 0);
  EXPECT_FALSE(request.head.content_length.has_value());
  EXPECT_TRUE(request.head.fields.empty());
  EXPECT_TRUE(request.message.complete());
}

TEST(Message, TakesABodyOfALengthAndNotWhatIsBehindIt) {
  for (size_t cut = 0; cut <= 5; ++cut) {
    ParsedRequest request("POST / HTTP/1.1\r\nContent-Length: 5\r\n");
    const std::string all = "helloGET";
    const Body body = feed(request.message, {all.substr(0, cut), all.substr(cut)});
    EXPECT_EQ(body.text, "hello") << cut;
    EXPECT_EQ(body.left, "GET") << cut;
    EXPECT_TRUE(body.complete);
  }
}

TEST(Message, DecodesChunksWhateverTheirCuts) {
  const std::string all = std::string(kChunkedBody) + "GET";
  for (size_t first = 0; first <= all.size(); ++first) {
    for (size_t second = first; second <= all.size(); ++second) {
      ParsedRequest request{std::string(kChunkedHead)};
      const Body body =
          feed(request.message,
               {all.substr(0, first), all.substr(first, second - first), all.substr(second)});
      ASSERT_FALSE(body.wrong) << first << " " << second;
      ASSERT_TRUE(body.complete) << first << " " << second;
      ASSERT_EQ(body.text, "abc0123456789") << first << " " << second;
      ASSERT_EQ(body.trailers, "X-Sum: 7\r\n") << first << " " << second;
      ASSERT_EQ(body.left, "GET") << first << " " << second;
    }
  }
}

TEST(Message, DecodesChunksByteByByte) {
  std::vector<std::string> parts;
  for (const char c : kChunkedBody) parts.emplace_back(1, c);
  ParsedRequest request{std::string(kChunkedHead)};
  const Body body = feed(request.message, parts);
  EXPECT_TRUE(body.complete);
  EXPECT_EQ(body.text, "abc0123456789");
}

TEST(Message, DecodesAResponsesChunksToo) {
  ParsedResponse response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n");
  EXPECT_TRUE(response.head.chunked);
  const Body body = feed(response.message, {std::string(kChunkedBody)});
  EXPECT_TRUE(body.complete);
  EXPECT_EQ(body.text, "abc0123456789");
}

TEST(Message, LeavesFieldsOutOfTrailersThatMeanNothingThere) {  // RFC 9110 §6.5.1
  ParsedRequest request{std::string(kChunkedHead)};
  const Body body = feed(
      request.message,
      {"0\r\nAuthorization: x\r\nConnection: X-Sum\r\nCookie: c\r\nVia: v\r\nX-Sum: 1\r\n\r\n"});
  EXPECT_TRUE(body.complete);
  EXPECT_EQ(body.trailers, "X-Sum: 1\r\n");
}

TEST(Message, EndsAResponseWithoutFramingAtItsEnd) {
  ParsedResponse response("HTTP/1.1 200 OK\r\n");
  EXPECT_TRUE(response.head.until_end);
  const Body body = feed(response.message, {"ab", "cd"});
  EXPECT_EQ(body.text, "abcd");
  EXPECT_FALSE(body.complete);
  EXPECT_TRUE(response.message.end());
  EXPECT_TRUE(ParsedResponse("HTTP/1.1 200 OK\r\n").message.end());
}

TEST(Message, AnEndBeforeTheLengthIsNotWhole) {
  ParsedResponse response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n");
  feed(response.message, {"abc"});
  EXPECT_FALSE(response.message.end());
  ParsedResponse chunked("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n");
  feed(chunked.message, {"3\r\nabc\r\n"});
  EXPECT_FALSE(chunked.message.end());
}

TEST(Message, AnEndBeforeAnyHeadIsNotWhole) {
  EXPECT_FALSE(ResponseMessage().end());
}

TEST(Message, AResponseThatMayHaveNoBodyHasNone) {
  EXPECT_TRUE(ParsedResponse("HTTP/1.1 204 No Content\r\n").message.complete());
  EXPECT_TRUE(
      ParsedResponse("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n").message.complete());
  EXPECT_TRUE(ParsedResponse("HTTP/1.1 101 Switching Protocols\r\n").message.complete());
}

TEST(Message, AResponseToHeadHasNoBody) {
  for (const char* framing : {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", ""}) {
    ResponseMessage message;
    message.expect_no_body();
    Head head;
    const std::string bytes = std::string("HTTP/1.1 200 OK\r\n") + framing + "\r\n";
    ASSERT_EQ(message.parse_head(bytes, head), ParseError::kNone);
    EXPECT_TRUE(message.complete()) << framing;
    message.reset();
    EXPECT_FALSE(message.complete());
  }
}

TEST(Message, RefusesChunksThatAreNone) {
  for (const char* wrong : {"x\r\nhello", "-1\r\nhello", "0x5\r\nhello\r\n\r\n",
                            "11111111111111111\r\n", "5\nhello\r\n", "5\r\nhelloX\r\n1",
                            "5\r\nhello\nx\r\n", " 5\r\nhello\r\n", "\r\nhello", ";a=b\r\n"}) {
    ParsedRequest request{std::string(kChunkedHead)};
    EXPECT_TRUE(feed(request.message, {wrong}).wrong) << wrong;
  }
}

}  // namespace
}  // namespace rampart::proxy
