// SPDX-License-Identifier: Apache-2.0
#include "support/netns.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/fd.h"
#include "support/temp_folder.h"

namespace rampart::test {
namespace {

namespace fs = std::filesystem;

// The process that a bed's name belongs to; 0 for any other name.
pid_t owner_of(const std::string& name) {
  if (name.rfind(TempFolder::kPrefix, 0) != 0) return 0;
  return atoi(name.c_str() + strlen(TempFolder::kPrefix));
}

// Names in `folder` whose owner is gone.
std::vector<std::string> orphans(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    const pid_t owner = owner_of(name);
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) names.push_back(name);
  }
  return names;
}

void end_processes_in(const std::string& netns) {
  std::istringstream pids(run({"ip", "netns", "pids", netns}).out);
  for (pid_t pid; pids >> pid;) kill(pid, SIGKILL);
}

// What a case mounted in the folder of its bed.
void unmount_in(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_directory(ignored)) umount2(entry.path().c_str(), MNT_DETACH);
  }
}

}  // namespace

std::string why_no_namespaces() {
  if (geteuid() != 0) return "network namespaces need root";
  const std::string name = TempFolder().name();
  const Finished made = test::run({"ip", "netns", "add", name});
  if (made.exit_code != 0) return "ip netns add: " + made.err;
  test::run({"ip", "netns", "delete", name});
  return "";
}

void remove_leftovers() {
  for (const std::string& name : orphans("/run/netns")) {
    end_processes_in(name);
    test::run({"ip", "netns", "delete", name});
  }
  std::error_code ignored;
  for (const fs::path& place : {fs::path("/sys/fs/bpf/rampart"), fs::temp_directory_path()}) {
    for (const std::string& name : orphans(place)) {
      unmount_in(place / name);
      fs::remove_all(place / name, ignored);
    }
  }
}

Netns::Netns(std::string name) : name_(std::move(name)) {
  must_run({"ip", "netns", "add", name_});
  for (const char* scope : {"all", "default"}) {
    set(std::string("ipv6/conf/") + scope + "/disable_ipv6", "1");
    set(std::string("ipv4/conf/") + scope + "/rp_filter", "0");
    set(std::string("ipv4/conf/") + scope + "/send_redirects", "0");
  }
  ip({"link set lo up"});
}

Netns::~Netns() {
  test::run({"ip", "netns", "delete", name_});
}

Command Netns::inside(const Command& command) const {
  Command whole = {"nsenter", "--net=" + path(), "--"};
  whole.insert(whole.end(), command.begin(), command.end());
  return whole;
}

void Netns::enter() const {
  const Fd there(open(path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!there || setns(there.get(), CLONE_NEWNET) != 0) {
    throw BedFailure("enter " + name_ + ": " + strerror(errno));
  }
}

void Netns::set(const std::string& sysctl, const std::string& value) const {
  run([&] {
    std::ofstream file("/proc/sys/net/" + sysctl);
    file << value << std::flush;
    if (!file) throw BedFailure("write " + value + " to net/" + sysctl + " in " + name_);
  });
}

void Netns::ip(const std::vector<std::string>& lines) const {
  std::string batch;
  for (const std::string& line : lines) batch += line + "\n";
  must_run(inside({"ip", "-batch", "-"}), batch);
}

void Netns::without_checksum_offload(const std::string& interface) const {
  run([&] {
    ethtool_value off = {};
    off.cmd = ETHTOOL_STXCSUM;
    ifreq request = {};
    strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
    request.ifr_data = reinterpret_cast<char*>(&off);
    const Fd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (ioctl(any.get(), SIOCETHTOOL, &request) != 0) {
      throw BedFailure("checksum offload of " + interface + ": " + strerror(errno));
    }
  });
}

}  // namespace rampart::test
