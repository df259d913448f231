// SPDX-License-Identifier: Apache-2.0
// Owns a file descriptor.
#ifndef RAMPART_USERSPACE_BASE_FD_H_
#define RAMPART_USERSPACE_BASE_FD_H_

#include <unistd.h>

#include <utility>

namespace rampart {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  Fd& operator=(Fd&& from) noexcept {
    reset(std::exchange(from.fd_, -1));
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_FD_H_
