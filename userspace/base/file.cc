// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"

namespace rampart {
namespace {

Error too_large(size_t most_bytes) {
  return Error{Code::kFailed,
               "is larger than allowed: " + std::to_string(most_bytes >> 20) + " MiB"};
}

}  // namespace

Result<std::string> read_file(const std::string& path, size_t most_bytes) {
  // O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return system_error("cannot be opened", errno);
  struct stat kind = {};
  if (::fstat(file.get(), &kind) != 0) return system_error("cannot be read", errno);
  if (!S_ISREG(kind.st_mode)) {
    return Error{Code::kFailed, S_ISDIR(kind.st_mode) ? "cannot be read: it is a directory"
                                                      : "cannot be read: it is no regular file"};
  }
  auto bytes = read_until_end(file.get(), most_bytes);
  if (bytes && bytes->size() > most_bytes) return too_large(most_bytes);
  return bytes;
}

Result<std::string> read_until_end(int fd, size_t most_bytes) {
  std::string bytes;
  std::string chunk(size_t{1} << 16, '\0');
  while (bytes.size() <= most_bytes) {
    const ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("cannot be read", errno);
    if (count == 0) break;
    bytes.append(chunk, 0, static_cast<size_t>(count));
  }
  return bytes;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace rampart
