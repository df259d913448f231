// SPDX-License-Identifier: Apache-2.0
// A network namespace without a name: it lives as long as its descriptor, so however this process ends
// (Ctrl-C, SIGKILL), the namespace goes, and with it its interfaces, rules and attached programs.
#ifndef RAMPART_TOOLS_BENCH_SRC_VETH_NAMESPACE_H_
#define RAMPART_TOOLS_BENCH_SRC_VETH_NAMESPACE_H_

#include <functional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace rampart::bench {

class Namespace {
 public:
  // Makes it, without IPv6 (nobody is to speak unasked) and without reverse-path filtering.
  static Result<Namespace> make();

  // By which `ip link … netns` finds it.
  std::string path() const;
  // Puts the calling thread into it.
  Result<void> enter() const;
  // Does something inside, in a thread of its own. Programs that it starts are inside too.
  Result<void> inside(const std::function<Result<void>()>& task) const;
  // Starts a command inside, gives it this input, and waits for it.
  Result<void> feed(const std::string& command, const std::string& input) const;
  // Writes a file below /proc/sys/net.
  Result<void> set(const std::string& sysctl, const std::string& value) const;

 private:
  explicit Namespace(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_VETH_NAMESPACE_H_
