// SPDX-License-Identifier: Apache-2.0
#include "maps/grace.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"

namespace rampart::maps {
namespace {
long membarrier(int command) { return syscall(__NR_membarrier, command, 0, 0); }
}  // namespace

bool KernelGracePeriods::membarrier_works() {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL) != 0;
}

KernelGracePeriods::KernelGracePeriods(std::function<void()> on_passed, std::function<void()> wait)
    : on_passed_(std::move(on_passed)), wait_(std::move(wait)) {
  if (!wait_) wait_ = [] { RP_CHECK(membarrier(MEMBARRIER_CMD_GLOBAL) == 0); };
  thread_ = std::thread([this] { run(); });
}

KernelGracePeriods::~KernelGracePeriods() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wanted_.notify_one();
  thread_.join();
}

uint64_t KernelGracePeriods::ask() {
  uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++asked_;
  }
  wanted_.notify_one();
  return ticket;
}

void KernelGracePeriods::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return stop_ || asked_ > ended_.load(); });
    if (stop_) return;
    const uint64_t covered = asked_;
    lock.unlock();
    wait_();
    ended_.store(covered);
    on_passed_();
    lock.lock();
  }
}

}  // namespace rampart::maps
