// SPDX-License-Identifier: Apache-2.0
#include "simulate/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "base/file.h"

namespace rampart::simulate {
namespace {

constexpr mode_t kReadAndWrite = 0666;  // less the umask

// These are false, with errno, where something went wrong.

// Also makes the file that a dangling link points at.
bool write_in_place(const std::string& file, std::string_view text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, kReadAndWrite));
  return fd && write_all(fd.get(), text);
}

// The name of the draft is nobody else's.
bool replace(const std::string& file, mode_t mode, std::string_view text) {
  std::string draft = file + ".XXXXXX";
  const Fd fd(::mkostemp(draft.data(), O_CLOEXEC));
  if (!fd) return false;
  if (write_all(fd.get(), text) && ::fchmod(fd.get(), mode) == 0 &&
      std::rename(draft.c_str(), file.c_str()) == 0) {
    return true;
  }
  const int error = errno;
  ::unlink(draft.c_str());
  errno = error;
  return false;
}

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kReadAndWrite & ~mask;
}

// The standard stream that goes to the file of `status`; -1: neither does.
int stream_to(const struct stat& status) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own = {};
    if (::fstat(fd, &own) != 0) continue;
    if (own.st_dev == status.st_dev && own.st_ino == status.st_ino) return fd;
  }
  return -1;
}

bool write_somehow(const std::string& file, std::string_view text) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) return false;
    const bool is_link = ::lstat(file.c_str(), &status) == 0;
    return is_link ? write_in_place(file, text) : replace(file, mode_of_new_files(), text);
  }
  if (const int fd = stream_to(status); fd >= 0) return write_all(fd, text);
  if (!S_ISREG(status.st_mode)) return write_in_place(file, text);
  std::error_code error;
  const std::string target = std::filesystem::canonical(file, error);
  if (error) {
    errno = error.value();
    return false;
  }
  return replace(target, status.st_mode & 07777, text);
}

}  // namespace

Result<void> write_file(const std::string& file, std::string_view text) {
  if (write_somehow(file, text)) return {};
  return system_error("write " + file, errno);
}

}  // namespace rampart::simulate
