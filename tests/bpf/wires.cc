// SPDX-License-Identifier: Apache-2.0
#include "bpf/wires.h"

#include <net/if.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rampart::bpf_test {
namespace {

void ip(const std::string& arguments) {
  std::istringstream words("ip " + arguments);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : list) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, "ip", nullptr, nullptr, argv.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error("ip " + arguments);
  }
}

void add_wire(const std::string& name, const std::string& our_address) {
  ip("link add " + name + " type veth peer name " + name + "-far");
  ip("link set " + name + " up");
  ip("link set " + name + "-far up");
  ip("addr add " + our_address + " dev " + name);
}

}  // namespace

Wires::Wires() {
  if (unshare(CLONE_NEWNET) != 0) throw std::runtime_error("unshare");
  ip("link set lo up");
  add_wire("client", "198.51.100.1/24");
  add_wire("servers", "192.0.2.254/24");
  ip("link set client address 02:00:00:00:00:f1");
  client_side_mac_ = {0x02, 0, 0, 0, 0, 0xf1};
  ip("route add 10.0.0.0/8 via 198.51.100.254");
  ip("neigh add 198.51.100.7 lladdr 02:00:00:00:00:0c dev client nud permanent");
  std::ofstream("/proc/sys/net/ipv4/conf/all/forwarding") << "1";
  client_ = if_nametoindex("client");
  servers_ = if_nametoindex("servers");
}

}  // namespace rampart::bpf_test
