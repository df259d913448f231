// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace rampart {
namespace {

TEST(Result, HoldsAValue) {
  Result<int> result = 7;
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, 7);
  *result = 8;
  EXPECT_EQ(result.value(), 8);
}

TEST(Result, GivesUpAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsAnErrorThatEachLevelPrepends) {
  const Result<int> result = Error{Code::kCannotAttach, "create the link: busy"};
  ASSERT_FALSE(result);
  const Error outer = result.within("attach eth0");
  EXPECT_EQ(outer.text, "attach eth0: create the link: busy");
  EXPECT_EQ(outer.code, Code::kCannotAttach);
}

TEST(Result, WithoutAValueIsOkUnlessItIsAnError) {
  EXPECT_TRUE(Result<void>().ok());
  const Result<void> failed = Error{Code::kUsage, "no such verb"};
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().text, "no such verb");
}

TEST(SystemError, SpeaksWithTheKernelsWords) {
  const Error error = system_error("open the map", EPERM, Code::kMissingPrivilege);
  EXPECT_EQ(error.text, "open the map: Operation not permitted");
  EXPECT_EQ(error.code, Code::kMissingPrivilege);
}

TEST(ResultDeathTest, EndsTheProcessWhenAskedForWhatItDoesNotHold) {
  const Result<int> failed = Error{};
  EXPECT_DEATH((void)failed.value(), "");
  const Result<int> fine = 1;
  EXPECT_DEATH((void)fine.error(), "");
}

}  // namespace
}  // namespace rampart
