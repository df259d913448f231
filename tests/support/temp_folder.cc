// SPDX-License-Identifier: Apache-2.0
#include "support/temp_folder.h"

#include <unistd.h>

#include "support/process.h"

namespace rampart::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
  const std::string stem = kPrefix + std::to_string(getpid()) + "-";
  constexpr int kMany = 1000;
  for (int number = 1; number < kMany; ++number) {
    path_ = fs::temp_directory_path() / (stem + std::to_string(number));
    std::error_code failure;
    if (fs::create_directory(path_, failure)) return;  // false: another bed of this process has it
    if (failure) throw BedFailure("make " + path_.string() + ": " + failure.message());
  }
  throw BedFailure("no free name " + stem + "N");
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace rampart::test
