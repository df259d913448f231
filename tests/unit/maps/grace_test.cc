// SPDX-License-Identifier: Apache-2.0
#include "maps/grace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <semaphore>

namespace rampart::maps {
namespace {

// Grace periods whose end the test decides.
class HeldGrace : public testing::Test {
 protected:
  void let_one_end() {
    go_.release();
    ended_.acquire();
  }

  std::counting_semaphore<16> began_{0};
  std::counting_semaphore<16> go_{0};
  std::counting_semaphore<16> ended_{0};
  std::unique_ptr<KernelGracePeriods> grace_ =
      std::make_unique<KernelGracePeriods>([this] { ended_.release(); },
                                           [this] {
                                             began_.release();
                                             go_.acquire();
                                           });
};

TEST_F(HeldGrace, ATicketHasPassedOnceAPeriodThatBeganAfterItEnded) {
  const uint64_t ticket = grace_->ask();
  EXPECT_FALSE(grace_->passed(ticket));
  let_one_end();
  EXPECT_TRUE(grace_->passed(ticket));
}

TEST_F(HeldGrace, ATicketAskedForDuringAPeriodWaitsForTheNextOne) {
  const uint64_t first = grace_->ask();
  began_.acquire();
  const uint64_t second = grace_->ask();  // too late for the period that runs
  let_one_end();
  EXPECT_TRUE(grace_->passed(first));
  EXPECT_FALSE(grace_->passed(second));
  let_one_end();
  EXPECT_TRUE(grace_->passed(second));
}

TEST_F(HeldGrace, OnePeriodServesAllWhoAskedBeforeItBegan) {
  grace_->ask();
  began_.acquire();
  const uint64_t second = grace_->ask();
  const uint64_t third = grace_->ask();
  let_one_end();
  let_one_end();
  EXPECT_TRUE(grace_->passed(second));
  EXPECT_TRUE(grace_->passed(third));
}

TEST(KernelGracePeriods, EndOnThisKernel) {
  if (!KernelGracePeriods::membarrier_works()) {
    GTEST_SKIP() << "membarrier(MEMBARRIER_CMD_GLOBAL) is refused here (nohz_full)";
  }
  std::promise<void> ended;
  KernelGracePeriods grace([&] { ended.set_value(); });
  const uint64_t ticket = grace.ask();
  ended.get_future().wait();
  EXPECT_TRUE(grace.passed(ticket));
}

}  // namespace
}  // namespace rampart::maps
