// SPDX-License-Identifier: Apache-2.0
#include "dataplane/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

namespace rampart::dataplane {

Result<Fd> lock_instance(const std::string& pin_path, const std::string& instance) {
  const std::string folder = pin_path + "/" + instance;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{Code::kCannotAttach, "make " + folder + ": " + error.message()};
  Fd lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return system_error("open " + folder, errno, Code::kCannotAttach);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) {
    return Error{Code::kFailed, "another rampartd runs the instance " + instance + " (" + folder +
                                    " is locked): stop it, or give this one another instance:"};
  }
  return system_error("lock " + folder, errno);
}

}  // namespace rampart::dataplane
