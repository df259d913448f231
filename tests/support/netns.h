// SPDX-License-Identifier: Apache-2.0
// A network namespace, made with `ip netns` and removed with its owner.
//
// Programs enter it by `nsenter --net=`, which changes the network namespace alone. `ip netns exec`
// would mount /sys afresh as well, and pins under /sys/fs/bpf would be out of sight.
#ifndef RAMPART_TESTS_SUPPORT_NETNS_H_
#define RAMPART_TESTS_SUPPORT_NETNS_H_

#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

#include "support/process.h"

namespace rampart::test {

class Netns {
 public:
  // Makes it, with loopback up, without IPv6 and without reverse-path filtering.
  explicit Netns(std::string name);
  Netns(const Netns&) = delete;
  Netns& operator=(const Netns&) = delete;
  ~Netns();

  const std::string& name() const { return name_; }
  std::string path() const { return "/run/netns/" + name_; }

  // `command`, as it is started inside the namespace.
  Command inside(const Command& command) const;

  // Puts the calling thread into the namespace for the rest of its life. What it opens stays there.
  void enter() const;

  // Runs `task` inside and returns its result. It has a thread of its own, because the caller's
  // other sockets belong elsewhere.
  template <typename Task>
  auto run(Task task) const -> std::invoke_result_t<Task> {
    using Value = std::invoke_result_t<Task>;
    std::exception_ptr failure;
    if constexpr (std::is_void_v<Value>) {
      std::thread([&] { attempt([&] { task(); }, failure); }).join();
      if (failure) std::rethrow_exception(failure);
    } else {
      std::optional<Value> value;
      std::thread([&] { attempt([&] { value.emplace(task()); }, failure); }).join();
      if (failure) std::rethrow_exception(failure);
      return std::move(*value);
    }
  }

  // Writes a file of /proc/sys/net as this namespace sees it: set("ipv4/ip_forward", "1").
  void set(const std::string& sysctl, const std::string& value) const;

  // Runs lines of `ip` here: ip({"link add a type veth peer name b", "addr add …"}).
  void ip(const std::vector<std::string>& lines) const;

  // Leaves checksums to software on an interface: a frame that XDP sends on skips the step that
  // would have filled in a checksum left to hardware.
  void without_checksum_offload(const std::string& interface) const;

 private:
  template <typename Step>
  void attempt(Step step, std::exception_ptr& failure) const {
    try {
      enter();
      step();
    } catch (...) {
      failure = std::current_exception();
    }
  }

  std::string name_;
};

// Why namespaces cannot be made here; empty if they can. Tests skip with it.
std::string why_no_namespaces();

// Removes what test programs that were killed have left: namespaces, pins, and folders with what is
// mounted there, named after a pid that is gone.
void remove_leftovers();

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_NETNS_H_
