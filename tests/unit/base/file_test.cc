// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace rampart {
namespace {

using testing::StartsWith;
namespace fs = std::filesystem;

constexpr size_t kMiB = size_t{1} << 20;

class ReadFile : public testing::Test {
 protected:
  ReadFile() {
    folder = temporary_.path();
    path = folder + "/file";
  }
  // What is wrong with what lies at `where`.
  static std::string complaint(const std::string& where) {
    const auto read = read_file(where, kMiB);
    return read ? "nothing" : read.error().text;
  }
  test::TempFolder temporary_;
  std::string folder, path;
};

TEST_F(ReadFile, GivesEveryByte) {
  for (const size_t size : {size_t{0}, size_t{1}, kMiB / 16, kMiB / 16 + 1, kMiB}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = '\0';
    std::ofstream(path, std::ios::binary) << text;
    const auto read = read_file(path, kMiB);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_TRUE(*read == text) << size;
  }
}

TEST_F(ReadFile, RefusesMoreThanItsLimit) {
  std::ofstream(path) << std::string(kMiB + 1, 'x');
  EXPECT_EQ(complaint(path), "is larger than allowed: 1 MiB");
}

TEST_F(ReadFile, ReadsAFileWhoseSizeNobodyKnows) {
  const auto read = read_file("/proc/self/status", kMiB);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_THAT(*read, StartsWith("Name:"));
}

TEST_F(ReadFile, RefusesWhatIsNoRegularFileAndWaitsForNobody) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(complaint(path), "cannot be read: it is no regular file");
  EXPECT_EQ(complaint("/dev/zero"), "cannot be read: it is no regular file");
  EXPECT_EQ(complaint(folder), "cannot be read: it is a directory");
}

TEST_F(ReadFile, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(complaint(path), "cannot be opened: No such file or directory");
  fs::create_symlink(path, path);
  EXPECT_EQ(complaint(path), "cannot be opened: Too many levels of symbolic links");
}

TEST_F(ReadFile, PassesOnThatTheReadFailed) {
  // A regular file whose first page is not mapped: read() of it fails with EIO.
  EXPECT_EQ(complaint("/proc/self/mem"), "cannot be read: Input/output error");
}

}  // namespace
}  // namespace rampart
