// SPDX-License-Identifier: Apache-2.0
#include "base/weight.h"

#include <gtest/gtest.h>

namespace rampart {
namespace {

TEST(Weight, HasSixteenFractionBits) {  // S2.4
  EXPECT_EQ(Weight::whole(1).raw(), 65536u);
  EXPECT_EQ(Weight::whole(4294967295u).raw(), 4294967295ull * 65536);
  EXPECT_DOUBLE_EQ(Weight::fixed(32768).to_double(), 0.5);
}

TEST(Weight, HasEqualPartsThatAreNeverNothing) {  // S4.5 S2.4
  EXPECT_EQ(Weight::whole(3).part(1), Weight::whole(3));
  EXPECT_EQ(Weight::fixed(7).part(2), Weight::fixed(3));
  EXPECT_EQ(Weight::fixed(1).part(10), Weight::fixed(1));
  EXPECT_EQ(Weight().part(3), Weight());
}

TEST(Weight, ComparesByValue) {
  EXPECT_EQ(Weight(), Weight::whole(0));
  EXPECT_LT(Weight::fixed(65535), Weight::whole(1));
}

}  // namespace
}  // namespace rampart
