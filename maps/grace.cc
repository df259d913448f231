// SPDX-License-Identifier: Apache-2.0
#include "maps/grace.h"

#include <bpf/bpf.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fd.h"
#include "rampart/limits.h"
#include "rampart/slots.h"

namespace rampart::maps {
namespace {
long membarrier(int command) {
  return syscall(__NR_membarrier, command, 0, 0);
}
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

std::function<void()> wait_by_map_update(int slots_fd) {
  return [slots_fd] {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP);
    const Fd inner(bpf_map_create(BPF_MAP_TYPE_ARRAY, "rp_slots_0", sizeof(uint32_t),
                                  sizeof(rp_slot_block), RP_HALVES, &options));
    const uint32_t number = RP_NO_VIP;
    const int inner_fd = inner.get();
    RP_CHECK(inner && bpf_map_update_elem(slots_fd, &number, &inner_fd, BPF_ANY) == 0);
  };
}

}  // namespace rampart::maps
