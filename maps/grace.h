// SPDX-License-Identifier: Apache-2.0
// Grace periods: when every packet that began before now has left the programs.
//
// A program that read the live word may read its half until it ends. So a half, a VIP number and a
// backend id are used again only after a grace period. membarrier(MEMBARRIER_CMD_GLOBAL) waits for
// one (membarrier(2): it returns after synchronize_rcu), 17–20 ms, up to 120 ms on a loaded
// machine. The control thread must not sleep that long, so a thread of its own does, and one wait
// serves everybody who asked before it began.
#ifndef RAMPART_MAPS_GRACE_H_
#define RAMPART_MAPS_GRACE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace rampart::maps {

class GracePeriods {
 public:
  virtual ~GracePeriods() = default;
  // A grace period that begins after this call has ended once passed() is true for the ticket.
  virtual uint64_t ask() = 0;
  virtual bool passed(uint64_t ticket) const = 0;
};

class KernelGracePeriods final : public GracePeriods {
 public:
  // `on_passed` is called on the helper thread after each grace period that somebody asked for;
  // `wait` blocks for one. Without `wait`, membarrier is used.
  explicit KernelGracePeriods(std::function<void()> on_passed, std::function<void()> wait = {});
  ~KernelGracePeriods() override;
  KernelGracePeriods(const KernelGracePeriods&) = delete;
  KernelGracePeriods& operator=(const KernelGracePeriods&) = delete;

  uint64_t ask() override;
  bool passed(uint64_t ticket) const override { return ended_.load() >= ticket; }

  // Whether this kernel's membarrier has the global command; nohz_full kernels refuse it.
  static bool membarrier_works();

 private:
  void run();

  std::function<void()> on_passed_;
  std::function<void()> wait_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  uint64_t asked_ = 0;  // guarded by mutex_
  bool stop_ = false;   // guarded by mutex_
  std::atomic<uint64_t> ended_{0};
  std::thread thread_;
};

// A wait for kernels whose membarrier refuses the global command: after a change of an array of
// maps the kernel waits for all programs, so number 0 of rp_slots, which no VIP has, is changed.
std::function<void()> wait_by_map_update(int slots_fd);

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_GRACE_H_
