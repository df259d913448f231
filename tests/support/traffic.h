// SPDX-License-Identifier: Apache-2.0
// Clients that ask again and again in the background and keep count of who answered.
#ifndef RAMPART_TESTS_SUPPORT_TRAFFIC_H_
#define RAMPART_TESTS_SUPPORT_TRAFFIC_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/netns.h"

namespace rampart::test {

struct Tally {
  uint64_t failed = 0;
  std::map<std::string, uint64_t> answers;  // by the name in the answer

  uint64_t answered() const;
  uint64_t of(const std::string& name) const;
  double share(const std::string& name) const;  // percent of the answers; 0 without any

  // What came since an earlier reading of the same traffic.
  Tally since(const Tally& earlier) const;
};

// One question: the name in its answer, or nothing if there was none.
using Ask = std::function<std::optional<std::string>()>;

class Traffic {
 public:
  // Asks from `threads` threads inside `client`, each as soon as it has its answer and a short
  // pause is over, so that the balancer's daemon and the servers find a CPU as well.
  Traffic(const Netns& client, Ask ask, int threads = 2);
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  ~Traffic() { stop(); }

  Tally so_far() const;

  // Waits until `answers` more have come; false if they have not within kPatience.
  [[nodiscard]] bool wait_for(uint64_t answers) const;

  // Ends it after the answers that are under way, and returns the whole count.
  Tally stop();

 private:
  void ask_on(const Netns& client, const Ask& ask);

  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;  // guards tally_
  Tally tally_;
  std::vector<std::thread> threads_;
};

// Asks `count` times inside `client`, one after the other.
Tally ask_times(const Netns& client, const Ask& ask, int count);

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_TRAFFIC_H_
