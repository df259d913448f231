// SPDX-License-Identifier: Apache-2.0
// O7: one daemon for an instance.
#include "dataplane/instance_lock.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace rampart::dataplane {
namespace {

using testing::HasSubstr;

class InstanceLockTest : public testing::Test {
 protected:
  Result<Fd> lock(const std::string& instance) const {
    return lock_instance(pins_.path(), instance);
  }
  test::TempFolder pins_;
};

TEST_F(InstanceLockTest, ASecondHolderIsRefusedUntilTheFirstIsGone) {
  auto first = lock("edge");
  ASSERT_TRUE(first) << first.error().text;
  const auto second = lock("edge");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kFailed);
  EXPECT_THAT(second.error().text, HasSubstr("another rampartd runs the instance edge"));
  *first = Fd();
  EXPECT_TRUE(lock("edge"));
}

TEST_F(InstanceLockTest, OtherInstancesAreFree) {
  const auto first = lock("edge");
  ASSERT_TRUE(first);
  EXPECT_TRUE(lock("edge2"));
}

// What is made again is another folder, which the former lock does not guard.
TEST_F(InstanceLockTest, AFolderThatWasRemovedIsMadeAgain) {
  const auto first = lock("edge");
  ASSERT_TRUE(first);
  std::filesystem::remove(pins_.path() / "edge");
  const auto second = lock("edge");
  ASSERT_TRUE(second);
  EXPECT_FALSE(lock("edge"));
}

}  // namespace
}  // namespace rampart::dataplane
