// SPDX-License-Identifier: Apache-2.0
#include "bench/src/veth/namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <thread>

namespace rampart::bench {

Result<Namespace> Namespace::make() {
  Fd fd;
  int error = 0;
  std::thread([&] {
    if (unshare(CLONE_NEWNET) == 0)
      fd.reset(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!fd) error = errno;
  }).join();
  if (!fd) return system_error("make a network namespace", error);
  Namespace made(std::move(fd));
  for (const std::string scope : {"all", "default"}) {
    for (const auto& [sysctl, value] : {std::pair("ipv6/conf/" + scope + "/disable_ipv6", "1"),
                                        std::pair("ipv4/conf/" + scope + "/rp_filter", "0")}) {
      if (auto done = made.set(sysctl, value); !done) return done.error();
    }
  }
  return made;
}

std::string Namespace::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_.get());
}

Result<void> Namespace::enter() const {
  if (setns(fd_.get(), CLONE_NEWNET) == 0) return {};
  return system_error("enter the network namespace", errno);
}

Result<void> Namespace::inside(const std::function<Result<void>()>& task) const {
  Result<void> done;
  std::thread([&] {
    done = enter();
    if (done) done = task();
  }).join();
  return done;
}

Result<void> Namespace::feed(const std::string& command, const std::string& input) const {
  return inside([&]() -> Result<void> {
    FILE* pipe = popen(command.c_str(), "we");
    if (pipe == nullptr) return system_error(command, errno);
    const bool is_written = fwrite(input.data(), 1, input.size(), pipe) == input.size();
    const int status = pclose(pipe);
    if (is_written && status == 0) return {};
    return Error{Code::kFailed, command + " failed on:\n" + input};
  });
}

Result<void> Namespace::set(const std::string& sysctl, const std::string& value) const {
  return inside([&]() -> Result<void> {
    std::ofstream file("/proc/sys/net/" + sysctl);
    file << value << std::flush;
    if (file) return {};
    return Error{Code::kFailed, "write " + value + " to net/" + sysctl};
  });
}

}  // namespace rampart::bench
