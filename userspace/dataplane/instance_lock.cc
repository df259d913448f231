// SPDX-License-Identifier: Apache-2.0
#include "dataplane/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace rampart::dataplane {

namespace {

// Whether `fd` is the folder that the path names now: one that was removed meanwhile guards nothing.
bool is_current(int fd, const std::string& folder) {
  struct stat held = {};
  struct stat named = {};
  return fstat(fd, &held) == 0 && stat(folder.c_str(), &named) == 0 && held.st_ino == named.st_ino;
}

}  // namespace

Result<Fd> lock_instance(const std::string& pin_path, const std::string& instance) {
  const std::string folder = pin_path + "/" + instance;
  while (true) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Error{Code::kCannotAttach, "make " + folder + ": " + error.message()};
    Fd lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock && errno == ENOENT) continue;
    if (!lock) return system_error("open " + folder, errno, Code::kCannotAttach);
    if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return system_error("lock " + folder, errno);
      return Error{Code::kFailed, "another rampartd runs the instance " + instance + " (" + folder +
                                      " is locked): stop it, or give this one another name"};
    }
    if (is_current(lock.get(), folder)) return lock;
  }
}

}  // namespace rampart::dataplane
