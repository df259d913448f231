// SPDX-License-Identifier: Apache-2.0
#include "control/joins.h"

#include <gmock/gmock.h>

#include "maps/joined.h"

namespace rampart::control {
namespace {

using maps::joined_word;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

CountedBy node(uint64_t scope, uint64_t identity, uint32_t index) {
  return {scope, identity, CountIndex{index}};
}

auto word(uint32_t index, uint32_t first, uint32_t next) {
  return Pair(CountIndex{index}, joined_word(CountIndex{first}, CountIndex{next}));
}

TEST(Joins, ACountThatIsItsNodesOnlyOneStandsAlone) {  // B2
  EXPECT_THAT(joins_of({}), IsEmpty());
  EXPECT_THAT(joins_of({node(1, 1, 5)}), IsEmpty());
  EXPECT_THAT(joins_of({node(1, 1, 5), node(1, 1, 5)}), IsEmpty()) << "two VIPs of one upstream";
  EXPECT_THAT(joins_of({node(1, 1, 5), node(1, 2, 6), node(2, 1, 7)}), IsEmpty());
}

TEST(Joins, CountsOfANodeAreAListInAscendingOrder) {  // B2
  EXPECT_THAT(joins_of({node(1, 1, 9), node(1, 1, 5), node(1, 1, 7)}),
              ElementsAre(word(5, 5, 7), word(7, 5, 9), word(9, 5, 0)));
}

TEST(Joins, EachNodeHasAListOfItsOwn) {  // B2
  EXPECT_THAT(joins_of({node(1, 1, 2), node(2, 1, 3), node(1, 2, 6), node(1, 1, 8), node(2, 1, 4)}),
              ElementsAre(word(2, 2, 8), word(3, 3, 4), word(4, 3, 0), word(8, 2, 0)));
}

}  // namespace
}  // namespace rampart::control
