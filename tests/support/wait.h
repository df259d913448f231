// SPDX-License-Identifier: Apache-2.0
// Waiting for a condition with a deadline, the only kind of waiting that tests do.
#ifndef RAMPART_TESTS_SUPPORT_WAIT_H_
#define RAMPART_TESTS_SUPPORT_WAIT_H_

#include <chrono>
#include <thread>

namespace rampart::test {

// How long anything may take before a test calls it missing. Far above what is ever needed on an
// idle machine (a daemon is ready in well under a second), because only a failing test waits this
// long and an emulated kernel is ten times slower.
constexpr std::chrono::milliseconds kPatience{30000};

// Looks at `condition` again and again until it holds; false once `limit` has passed without it.
template <typename Condition>
[[nodiscard]] bool wait_until(Condition condition, std::chrono::milliseconds limit = kPatience) {
  constexpr std::chrono::milliseconds kPause{5};  // short beside what is waited for, cheap to poll
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_WAIT_H_
