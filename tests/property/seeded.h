// SPDX-License-Identifier: Apache-2.0
// Randomness for laws: a new seed at each run, printed, and replayed by RAMPART_SEED=<seed>.
#ifndef RAMPART_TESTS_PROPERTY_SEEDED_H_
#define RAMPART_TESTS_PROPERTY_SEEDED_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace rampart {

class Seeded : public testing::Test {
 protected:
  Seeded() : seed_(chosen_seed()), random_(seed_), trace_(__FILE__, __LINE__, text()) {
    std::cout << text() << "\n";
  }

  // Uniform in [least, most].
  template <typename T>
  T between(T least, T most) {
    return std::uniform_int_distribution<T>(least, most)(random_);
  }
  double real_between(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  bool one_in(int n) { return between(1, n) == 1; }
  std::mt19937_64& random() { return random_; }

 private:
  static uint64_t chosen_seed() {
    const char* given = std::getenv("RAMPART_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }
  std::string text() const { return "RAMPART_SEED=" + std::to_string(seed_); }

  uint64_t seed_;
  std::mt19937_64 random_;
  testing::ScopedTrace trace_;
};

}  // namespace rampart

#endif  // RAMPART_TESTS_PROPERTY_SEEDED_H_
