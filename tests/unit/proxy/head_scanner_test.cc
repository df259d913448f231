// SPDX-License-Identifier: Apache-2.0
#include "proxy/head_scanner.h"

#include <gtest/gtest.h>

#include <string>

namespace rampart::proxy {
namespace {

using State = HeadScanner::State;

State scan(std::string_view bytes) {
  return HeadScanner().scan(bytes);
}

// What it comes to when one byte comes after the other.
State scan_slowly(std::string_view bytes) {
  HeadScanner scanner;
  for (size_t size = 1; size < bytes.size(); ++size) {
    if (const State state = scanner.scan(bytes.substr(0, size)); state != State::kMore)
      return state;
  }
  return scanner.scan(bytes);
}

std::string lines(size_t count) {
  std::string head = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i < count; ++i) head += "a: b\r\n";
  return head + "\r\n";
}

TEST(HeadScanner, FindsTheEndOfAHead) {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  HeadScanner scanner;
  EXPECT_EQ(scanner.scan(head + "body"), State::kComplete);
  EXPECT_EQ(scanner.size(), head.size());
  EXPECT_EQ(scanner.skipped(), 0u);
}

TEST(HeadScanner, FindsTheSameEndHoweverTheBytesCome) {
  const std::string head = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (size_t cut = 0; cut <= head.size(); ++cut) {
    HeadScanner scanner;
    if (cut < head.size()) {
      ASSERT_EQ(scanner.scan(head.substr(0, cut)), State::kMore) << cut;
    }
    ASSERT_EQ(scanner.scan(head), State::kComplete) << cut;
    EXPECT_EQ(scanner.size(), head.size());
    EXPECT_EQ(scanner.skipped(), 2u);
  }
}

TEST(HeadScanner, SkipsEmptyLinesBeforeTheFirst) {  // RFC 9112 §2.2
  HeadScanner scanner;
  EXPECT_EQ(scanner.scan("\r\n\r\nGET / HTTP/1.1\r\n\r\n"), State::kComplete);
  EXPECT_EQ(scanner.skipped(), 4u);
}

TEST(HeadScanner, HasAnEndToEmptyLines) {
  std::string empty;
  while (empty.size() <= kHeadLimits.head) empty += "\r\n";
  EXPECT_NE(scan(empty), State::kMore);
  EXPECT_NE(scan_slowly(empty), State::kMore);
}

TEST(HeadScanner, RefusesALineThatEndsWithLfAlone) {
  for (const std::string_view head :
       {"\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\n\n"}) {
    EXPECT_EQ(scan(head), State::kBadLine) << head;
    EXPECT_EQ(scan_slowly(head), State::kBadLine) << head;
  }
}

TEST(HeadScanner, RefusesAFieldThatBeginsWithWhiteSpace) {  // obs-fold
  for (const std::string_view head :
       {"GET / HTTP/1.1\r\n Host: a\r\n\r\n", "GET / HTTP/1.1\r\na: b\r\n\tc\r\n\r\n"}) {
    EXPECT_EQ(scan(head), State::kBadLine) << head;
    EXPECT_EQ(scan_slowly(head), State::kBadLine) << head;
  }
}

TEST(HeadScanner, BoundsTheFirstLine) {
  const auto line = [](size_t size) { return std::string(size - 2, 'a') + "\r\n"; };
  EXPECT_EQ(scan(line(kHeadLimits.first_line)), State::kMore);
  EXPECT_EQ(scan(line(kHeadLimits.first_line + 1)), State::kFirstLineLarge);
  EXPECT_EQ(scan(std::string(kHeadLimits.first_line + 1, 'a')), State::kFirstLineLarge);
  EXPECT_EQ(scan_slowly(line(kHeadLimits.first_line + 1)), State::kFirstLineLarge);
}

TEST(HeadScanner, BoundsTheNumberOfFields) {
  EXPECT_EQ(scan(lines(kHeadLimits.fields)), State::kComplete);
  EXPECT_EQ(scan(lines(kHeadLimits.fields + 1)), State::kTooLarge);
  EXPECT_EQ(scan_slowly(lines(kHeadLimits.fields + 1)), State::kTooLarge);
}

TEST(HeadScanner, BoundsTheWholeHead) {
  const std::string begin = "GET / HTTP/1.1\r\na: ";
  const auto head = [&](size_t size) {
    return begin + std::string(size - begin.size() - 4, 'b') + "\r\n\r\n";
  };
  EXPECT_EQ(scan(head(kHeadLimits.head)), State::kComplete);
  EXPECT_EQ(scan(head(kHeadLimits.head + 1)), State::kTooLarge);
  EXPECT_EQ(scan_slowly(head(kHeadLimits.head + 1)), State::kTooLarge);
}

TEST(HeadScanner, BeginsAnewAfterReset) {
  HeadScanner scanner;
  ASSERT_EQ(scanner.scan("\r\nGET / HTTP/1.1\r\n\r\n"), State::kComplete);
  scanner.reset();
  EXPECT_EQ(scanner.scan("G"), State::kMore);
  EXPECT_EQ(scanner.scan("GET / HTTP/1.1\r\n\r\n"), State::kComplete);
  EXPECT_EQ(scanner.skipped(), 0u);
}

}  // namespace
}  // namespace rampart::proxy
