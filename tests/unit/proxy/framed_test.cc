// SPDX-License-Identifier: Apache-2.0
#include "proxy/framed.h"

#include <gtest/gtest.h>

#include <string>

namespace rampart::proxy {
namespace {

std::string text_of(Framed& framed) {
  std::string text;
  for (const iovec& part : framed.parts()) {
    text.append(static_cast<const char*>(part.iov_base), part.iov_len);
  }
  return text;
}

std::string framed_body(const BodyPieces& body, Framing::Kind kind, bool last) {
  Framed framed;
  framed.add_body(body, {kind, body.bytes}, last);
  return text_of(framed);
}

const BodyPieces kTwoPieces = {.pieces = {"hello ", "big world"}, .bytes = 15, .trailers = ""};

TEST(Framed, LeavesOutWhatIsEmpty) {
  Framed framed;
  framed.add("");
  EXPECT_TRUE(framed.parts().empty());
  framed.add("a");
  framed.clear();
  EXPECT_TRUE(framed.parts().empty());
}

TEST(Framed, AddsABodyOfALengthAsItIs) {
  EXPECT_EQ(framed_body(kTwoPieces, Framing::Kind::kLength, true), "hello big world");
  EXPECT_EQ(framed_body(kTwoPieces, Framing::Kind::kUntilEnd, true), "hello big world");
}

TEST(Framed, MakesAllPiecesOneChunk) {
  EXPECT_EQ(framed_body(kTwoPieces, Framing::Kind::kChunked, false), "f\r\nhello big world\r\n");
}

TEST(Framed, EndsChunksWithTrailers) {
  BodyPieces body = kTwoPieces;
  body.trailers = "A: b\r\n";
  EXPECT_EQ(framed_body(body, Framing::Kind::kChunked, true),
            "f\r\nhello big world\r\n0\r\nA: b\r\n\r\n");
}

TEST(Framed, MakesNoEmptyChunkBeforeTheEnd) {
  EXPECT_EQ(framed_body({}, Framing::Kind::kChunked, false), "");
  EXPECT_EQ(framed_body({}, Framing::Kind::kChunked, true), "0\r\n\r\n");
}

}  // namespace
}  // namespace rampart::proxy
