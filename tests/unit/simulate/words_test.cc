// SPDX-License-Identifier: Apache-2.0
#include "simulate/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulate/names.h"

namespace rampart::simulate {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Words, AnIndentedLineContinuesTheOneBefore) {
  const auto statements = statements_of("pool a=1  # here\n\n  b=1\n# all\nat 1s up a\n");
  ASSERT_EQ(statements.size(), 2u);
  ASSERT_EQ(statements[0].size(), 3u);
  EXPECT_EQ(statements[0][2].text, "b=1");
  EXPECT_EQ(statements[0][2].line, 3);
  EXPECT_EQ(statements[1][0].line, 5);
}

TEST(Words, ARangeIsItsNames) {
  EXPECT_THAT(*names_of("b9..b11"), ElementsAre("b9", "b10", "b11"));
  EXPECT_THAT(*names_of("b0..b2"), ElementsAre("b0", "b1", "b2"));
  EXPECT_THAT(*names_of("b08..b10"), ElementsAre("b08", "b09", "b10"));
  EXPECT_THAT(*names_of("10.0.0.1:80"), ElementsAre("10.0.0.1:80"));
  for (const char* word :
       {"b3..b1", "a1..b3", "a..b", "a1..", "a1..a9999", "a01..a3", "a1..a03", "a01..a100"}) {
    EXPECT_FALSE(names_of(word).ok()) << word;
  }
}

TEST(Words, ATimeHasAUnit) {
  EXPECT_EQ(*duration_of("1.5s"), 1500ms);
  EXPECT_EQ(*duration_of("2m"), 120s);
  EXPECT_EQ(*duration_of("1h"), 3600s);
  for (const char* word : {"", "s", "5", "5d", "-1s", "nans", "1e300s"}) {
    EXPECT_FALSE(duration_of(word).ok()) << word;
  }
}

TEST(Words, NamesInARowAreARange) {
  EXPECT_EQ(short_form({"b10", "c", "b1", "b2", "b3"}), "b1..b3 b10 c");
  EXPECT_EQ(short_form({"b1", "b2"}), "b1 b2");
  EXPECT_EQ(short_form({"b01", "b02", "b03"}), "b01 b02 b03");
}

}  // namespace
}  // namespace rampart::simulate
