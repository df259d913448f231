// SPDX-License-Identifier: Apache-2.0
// C4, D2: only a file that is replaced as a whole is seen.
#include "base/file_watch.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace rampart {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return fs::path(temporary_.path()) / name; }
  static void write(const fs::path& path) { std::ofstream(path) << "text"; }
  void replace(const std::string& name) const {
    write(at("next"));
    fs::rename(at("next"), at(name));
  }
  // As `ln -sfn` does.
  void relink(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, at("link"));
    fs::rename(at("link"), at(name));
  }
  FileWatch watch(const std::string& name) const { return FileWatch::open(at(name)).value(); }

  test::TempFolder temporary_;
};

TEST_F(FileWatchTest, SeesAFileReplacedOnceEachTime) {
  write(at("file"));
  FileWatch watched = watch("file");
  EXPECT_FALSE(watched.look());
  for (int time = 0; time < 3; ++time) {
    replace("file");
    EXPECT_TRUE(watched.look());
    EXPECT_FALSE(watched.look());
  }
}

TEST_F(FileWatchTest, SeesNoWriteInPlace) {
  write(at("file"));
  FileWatch watched = watch("file");
  write(at("file"));
  chmod(at("file").c_str(), 0600);
  fs::remove(at("file"));
  write(at("file"));
  replace("beside");
  EXPECT_FALSE(watched.look());
}

TEST_F(FileWatchTest, SeesAFileThatComes) {
  FileWatch watched = watch("file");
  replace("file");
  EXPECT_TRUE(watched.look());
}

// As the volumes of Kubernetes: file -> ..data/file, ..data -> ..1.
TEST_F(FileWatchTest, SeesALinkOnTheWayReplaced) {
  for (const char* version : {"..1", "..2", "..3"}) {
    fs::create_directory(at(version));
    write(at(version) / "file");
  }
  fs::create_symlink("..1", at("..data"));
  fs::create_symlink("..data/file", at("file"));
  FileWatch watched = watch("file");
  for (const char* version : {"..2", "..3"}) {
    relink(version, "..data");
    EXPECT_TRUE(watched.look());
    EXPECT_FALSE(watched.look());
  }
  write(at("next"));
  fs::rename(at("next"), at("..3/file"));
  EXPECT_TRUE(watched.look()) << "in the folder that the link leads to";
}

TEST_F(FileWatchTest, FindsAFolderThatComesBack) {
  fs::create_directory(at("folder"));
  FileWatch watched = watch("folder/file");
  fs::remove(at("folder"));
  EXPECT_FALSE(watched.look());
  fs::create_directory(at("folder"));
  EXPECT_FALSE(watched.look());
  replace("folder/file");
  EXPECT_TRUE(watched.look());
}

TEST_F(FileWatchTest, EndsALoopOfLinks) {
  fs::create_symlink("one", at("two"));
  fs::create_symlink("two", at("one"));
  FileWatch watched = watch("one");
  replace("one");
  EXPECT_TRUE(watched.look());
}

}  // namespace
}  // namespace rampart
