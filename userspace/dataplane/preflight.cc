// SPDX-License-Identifier: Apache-2.0
#include "dataplane/preflight.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/fd.h"

namespace rampart::dataplane {
namespace {

constexpr char kMinimumKernel[] = "6.1";
constexpr char kBpffs[] = "/sys/fs/bpf";

std::string join(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : ", ") + part;
  return joined;
}

uint64_t effective_capabilities() {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets = {};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return 0;
  return uint64_t{sets[1].effective} << 32 | sets[0].effective;
}

// The smallest program with a compare-and-exchange: 5.12 brought it, together with the other
// atomics that return a value.
bool has_compare_and_exchange() {
  constexpr __s32 kSlot = -8;
  const bpf_insn program[] = {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_STX | BPF_MEM | BPF_DW,
       .dst_reg = BPF_REG_10,
       .src_reg = BPF_REG_0,
       .off = kSlot,
       .imm = 0},
      {.code = BPF_STX | BPF_ATOMIC | BPF_DW,
       .dst_reg = BPF_REG_10,
       .src_reg = BPF_REG_0,
       .off = kSlot,
       .imm = BPF_CMPXCHG},
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
  };
  const Fd loaded(bpf_prog_load(BPF_PROG_TYPE_XDP, "rp_probe", "GPL", program,
                                sizeof program / sizeof program[0], nullptr));
  return static_cast<bool>(loaded);
}

bool on_bpffs(const std::string& path) {
  struct statfs info = {};
  return statfs(path.c_str(), &info) == 0 && info.f_type == BPF_FS_MAGIC;
}

// The nearest folder of `path` that exists.
std::string existing_parent(const std::string& path) {
  std::filesystem::path at = std::filesystem::path(path).lexically_normal();
  std::error_code error;
  while (at.has_relative_path() && !std::filesystem::exists(at, error)) at = at.parent_path();
  return at;
}

std::optional<dev_t> device_of(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? std::optional(info.st_dev) : std::nullopt;
}

}  // namespace

Result<void> check_privileges() {
  struct Needed {
    int bit;
    const char* name;
  };
  constexpr Needed kNeeded[] = {
      {CAP_BPF, "CAP_BPF"}, {CAP_NET_ADMIN, "CAP_NET_ADMIN"}, {CAP_PERFMON, "CAP_PERFMON"}};
  const uint64_t have = effective_capabilities();
  // Before 5.8 the three were one; a process that has it is refused nothing.
  const bool admin = (have >> CAP_SYS_ADMIN & 1) != 0;
  std::vector<std::string> missing;
  for (const auto& [bit, name] : kNeeded) {
    const bool part_of_admin = bit != CAP_NET_ADMIN;
    if ((have >> bit & 1) == 0 && !(admin && part_of_admin)) missing.push_back(name);
  }
  if (missing.empty()) return {};
  return Error{Code::kMissingPrivilege,
               "missing privilege: " + join(missing) +
                   ": run as root, or give the service these (AmbientCapabilities=)"};
}

Result<void> check_kernel() {
  std::vector<std::string> missing;
  const auto need = [&](bool there, const char* feature) {
    if (!there) missing.push_back(feature);
  };
  need(has_compare_and_exchange(), "BPF compare-and-exchange (Linux 5.12)");
  need(libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, BPF_FUNC_for_each_map_elem, nullptr) == 1,
       "bpf_for_each_map_elem (5.13)");
  need(libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_SYSCALL, nullptr) == 1,
       "BPF syscall programs (5.14)");
  if (missing.empty()) return {};
  utsname kernel = {};
  uname(&kernel);
  return Error{Code::kCannotAttach, std::string("this kernel (") + kernel.release +
                                        ") lacks what the packet path needs: " + join(missing) +
                                        ": Rampart needs Linux " + kMinimumKernel + " or newer"};
}

Result<void> check_bpffs(const std::string& pin_path) {
  if (on_bpffs(existing_parent(pin_path))) return {};
  const bool usual_place = pin_path.starts_with(kBpffs);
  if (usual_place && mount("bpf", kBpffs, "bpf", 0, "mode=0700") == 0) return {};
  return Error{Code::kCannotAttach, pin_path +
                                        ": not on a BPF file system: run 'mount -t bpf bpf " +
                                        kBpffs + "', or set bpf.pin_path to a folder on one"};
}

bool pins_stay(const std::string& pin_path) {
  const std::string folder = existing_parent(pin_path);
  const auto here = device_of(folder);
  const auto theirs = device_of("/proc/1/root" + folder);
  return !theirs || here == theirs;
}

}  // namespace rampart::dataplane
