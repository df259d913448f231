// SPDX-License-Identifier: Apache-2.0
#include "support/traffic.h"

#include <chrono>

namespace rampart::test {
namespace {

void enter_into(Tally& tally, const std::optional<std::string>& answer) {
  if (answer) {
    ++tally.answers[*answer];
  } else {
    ++tally.failed;
  }
}

}  // namespace

uint64_t Tally::answered() const {
  uint64_t sum = 0;
  for (const auto& [name, count] : answers) sum += count;
  return sum;
}

uint64_t Tally::of(const std::string& name) const {
  const auto found = answers.find(name);
  return found == answers.end() ? 0 : found->second;
}

double Tally::share(const std::string& name) const {
  const uint64_t all = answered();
  return all == 0 ? 0.0 : 100.0 * static_cast<double>(of(name)) / static_cast<double>(all);
}

Tally Tally::since(const Tally& earlier) const {
  Tally difference = *this;
  difference.failed -= earlier.failed;
  for (auto& [name, count] : difference.answers) count -= earlier.of(name);
  return difference;
}

Traffic::Traffic(const Netns& client, Ask ask, int threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, &client, ask] { ask_on(client, ask); });
  }
}

void Traffic::ask_on(const Netns& client, const Ask& ask) {
  constexpr std::chrono::microseconds kPause{500};
  client.enter();
  while (!stopping_) {
    const std::optional<std::string> answer = ask();
    {
      const std::lock_guard lock(mutex_);
      enter_into(tally_, answer);
    }
    std::this_thread::sleep_for(kPause);
  }
}

Tally Traffic::so_far() const {
  const std::lock_guard lock(mutex_);
  return tally_;
}

bool Traffic::wait_for(uint64_t answers) const {
  const uint64_t goal = so_far().answered() + answers;
  return wait_until([&] { return so_far().answered() >= goal; });
}

Tally Traffic::stop() {
  stopping_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return so_far();
}

Tally ask_times(const Netns& client, const Ask& ask, int count) {
  return client.run([&] {
    Tally tally;
    for (int i = 0; i < count; ++i) enter_into(tally, ask());
    return tally;
  });
}

}  // namespace rampart::test
