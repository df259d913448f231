// SPDX-License-Identifier: Apache-2.0
// A folder for one test bed. Its name, "rpt-PID-N", is unique on the machine, so everything that
// the bed makes (namespaces, pins, the instance) is named after it, and what a killed test left
// behind can be told by its pid.
#ifndef RAMPART_TESTS_SUPPORT_TEMP_FOLDER_H_
#define RAMPART_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <filesystem>
#include <string>

namespace rampart::test {

class TempFolder {
 public:
  static constexpr char kPrefix[] = "rpt-";

  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.filename().string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_TEMP_FOLDER_H_
