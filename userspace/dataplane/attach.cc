// SPDX-License-Identifier: Apache-2.0
#include "dataplane/attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/fd.h"

namespace rampart::dataplane {
namespace {

constexpr std::string_view kLinkPrefix = "link_";

// bpffs refuses names with a dot, interfaces may have one (eth0.100).
std::string pin_name(const std::string& interface) {
  std::string name(kLinkPrefix);
  for (const char c : interface) {
    if (c == '%') {
      name += "%25";
    } else if (c == '.') {
      name += "%2e";
    } else {
      name += c;
    }
  }
  return name;
}
std::string interface_of(const std::string& pin) {
  std::string interface;
  for (size_t at = kLinkPrefix.size(); at < pin.size(); ++at) {
    const bool escape = pin[at] == '%' && at + 2 < pin.size();
    interface += !escape ? pin[at] : pin[at + 1] == '2' && pin[at + 2] == 'e' ? '.' : '%';
    if (escape) at += 2;
  }
  return interface;
}

// What this project pins, and nothing else.
bool is_our_pin(const std::string& name) {
  return name.starts_with("rp_") || name.starts_with("rampart_") || name.starts_with(kLinkPrefix);
}

// The rule of the kernel's dev_valid_name().
bool is_interface_name(const std::string& name) {
  if (name.empty() || name.size() >= IF_NAMESIZE || name == "." || name == "..") return false;
  return std::none_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '/' || c == ':' || c == '\0' || std::isspace(c);
  });
}

Result<uint32_t> index_of(const std::string& interface) {
  const uint32_t index = is_interface_name(interface) ? if_nametoindex(interface.c_str()) : 0;
  if (index != 0) return index;
  return Error{Code::kCannotAttach, "attach " + interface.substr(0, IF_NAMESIZE) +
                                        ": there is no such interface: 'ip link' lists those that "
                                        "are there, interfaces: in the file names those wanted"};
}

std::optional<bpf_link_info> info_of(int link_fd) {
  bpf_link_info info = {};
  uint32_t length = sizeof info;
  if (bpf_obj_get_info_by_fd(link_fd, &info, &length) != 0) return std::nullopt;
  return info;
}

uint32_t program_id(int program_fd) {
  bpf_prog_info info = {};
  uint32_t length = sizeof info;
  return bpf_obj_get_info_by_fd(program_fd, &info, &length) == 0 ? info.id : 0;
}

// "program 12 (xdp_filter)". The name needs CAP_SYS_ADMIN, the id does not.
std::string program_text(uint32_t id) {
  std::string text = "program " + std::to_string(id);
  const Fd fd(bpf_prog_get_fd_by_id(id));
  bpf_prog_info info = {};
  uint32_t length = sizeof info;
  if (fd && bpf_obj_get_info_by_fd(fd.get(), &info, &length) == 0) {
    text += std::string(" (") + info.name + ")";
  }
  return text;
}

struct Held {
  uint32_t program = 0;
  Mode mode = Mode::kNative;
};

// What XDP program an interface carries.
Held held_by(uint32_t ifindex) {
  LIBBPF_OPTS(bpf_xdp_query_opts, query);
  if (bpf_xdp_query(static_cast<int>(ifindex), 0, &query) != 0) return {};
  const bool generic = query.attach_mode == XDP_ATTACHED_SKB;
  return {query.prog_id, generic ? Mode::kGeneric : Mode::kNative};
}

uint32_t mtu_of(const std::string& interface) {
  uint32_t mtu = 0;
  std::ifstream("/sys/class/net/" + interface + "/mtu") >> mtu;
  return mtu;
}

Error explain_refusal(const std::string& interface, uint32_t ifindex, Mode mode, int error_number) {
  const std::string step = "attach " + interface + " (" + name_of(mode) + ")";
  const Held held = held_by(ifindex);
  if ((error_number == EBUSY || error_number == EEXIST) && held.program != 0) {
    return Error{Code::kCannotAttach, step + ": the interface already carries XDP " +
                                          program_text(held.program) +
                                          ": detach that first ('ip link set dev " + interface +
                                          " xdp off', or 'bpftool link' if a link holds it)"};
  }
  Error error = system_error(step, error_number, Code::kCannotAttach);
  if (error_number == EOPNOTSUPP) error.text += ": the driver has no native XDP: use mode: generic";
  if (error_number == EINVAL || error_number == ERANGE) {
    const uint32_t mtu = mtu_of(interface);
    error.text += ": the driver refuses this set-up: look at the MTU";
    if (mtu != 0) error.text += " (now " + std::to_string(mtu) + ")";
    error.text += ", LRO ('ethtool -K " + interface + " lro off') and the number of queues";
  }
  return error;
}

struct Created {
  Fd link;
  Mode mode;
};

Result<Created> create_link(const std::string& interface, uint32_t ifindex, int program_fd,
                            Mode mode) {
  LIBBPF_OPTS(bpf_link_create_opts, options,
              .flags = mode == Mode::kGeneric ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
  Fd link(bpf_link_create(program_fd, static_cast<int>(ifindex), BPF_XDP, &options));
  if (!link) return explain_refusal(interface, ifindex, mode, errno);
  return Created{std::move(link), mode};
}

Result<Attachment> attach_afresh(const std::string& folder, int program_fd,
                                 const std::string& interface, uint32_t ifindex, Mode mode) {
  std::string note;
  const Mode first = mode == Mode::kAuto ? Mode::kNative : mode;
  auto created = create_link(interface, ifindex, program_fd, first);
  if (!created && mode == Mode::kAuto && held_by(ifindex).program == 0) {
    note = created.error().text;
    created = create_link(interface, ifindex, program_fd, Mode::kGeneric);
  }
  if (!created) return created.error();
  const std::string pin = folder + "/" + pin_name(interface);
  if (bpf_obj_pin(created->link.get(), pin.c_str()) != 0) {
    return system_error("pin " + pin, errno, Code::kCannotAttach);
  }
  return Attachment{.interface = interface,
                    .ifindex = ifindex,
                    .mode = created->mode,
                    .program_id = program_id(program_fd),
                    .note = note};
}

}  // namespace

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::kAuto:
      return "auto";
    case Mode::kNative:
      return "native";
    case Mode::kGeneric:
      return "generic";
  }
  return "";
}

Result<void> check_interfaces(const std::string& folder,
                              const std::vector<std::string>& interfaces) {
  for (const std::string& interface : interfaces) {
    if (const auto found = index_of(interface); !found) return found.error();
    const Fd pinned(bpf_obj_get((folder + "/" + pin_name(interface)).c_str()));
    const auto info = pinned ? info_of(pinned.get()) : std::nullopt;
    // A link is no longer on an interface that is gone.
    if (!info || info->xdp.ifindex == 0) continue;
    if (held_by(info->xdp.ifindex).program == info->prog_id) continue;
    return Error{Code::kCannotAttach,
                 "attach " + interface +
                     ": this instance is attached to an interface of that name in another network "
                     "namespace: start it there, or take it away first: rampart detach --all"};
  }
  return {};
}

Result<Attachment> attach(const std::string& folder, int program_fd, const std::string& interface,
                          Mode mode) {
  const auto found = index_of(interface);
  if (!found) return found.error();
  const uint32_t ifindex = *found;
  const std::string pin = folder + "/" + pin_name(interface);
  const Fd pinned(bpf_obj_get(pin.c_str()));
  if (!pinned) return attach_afresh(folder, program_fd, interface, ifindex, mode);

  const auto info = info_of(pinned.get());
  const Held held = held_by(ifindex);
  const bool ours = info && info->xdp.ifindex == ifindex && held.program == info->prog_id;
  if (ours && (mode == Mode::kAuto || mode == held.mode)) {
    if (bpf_link_update(pinned.get(), program_fd, nullptr) != 0) {
      return system_error("replace the program on " + interface, errno, Code::kCannotAttach);
    }
    return Attachment{.interface = interface,
                      .ifindex = ifindex,
                      .mode = held.mode,
                      .program_id = program_id(program_fd),
                      .note = {}};
  }
  // The interface was made anew under this name, or another mode is asked for: an interface has one
  // program at a time, so the former goes first, and comes back if the other mode is refused.
  if (auto gone = detach(folder, interface); !gone) return gone.error();
  auto attached = attach_afresh(folder, program_fd, interface, ifindex, mode);
  if (attached || !ours) return attached;
  Error error = attached.error();
  const auto former = attach_afresh(folder, program_fd, interface, ifindex, held.mode);
  error.text += former ? std::string(": it stays attached in mode ") + name_of(held.mode)
                       : ": and " + former.error().text;
  return error;
}

bool forwards_ipv4(const std::string& interface) {
  int forwarding = 0;
  std::ifstream("/proc/sys/net/ipv4/conf/" + interface + "/forwarding") >> forwarding;
  return forwarding == 1;
}

Result<void> detach(const std::string& folder, const std::string& interface) {
  const std::string pin = folder + "/" + pin_name(interface);
  const Fd link(bpf_obj_get(pin.c_str()));
  if (!link) {
    if (errno == ENOENT) return {};
    return system_error("detach " + interface + ": open " + pin, errno);
  }
  // A link whose interface is gone refuses to be detached: its pin is all that is left of it.
  if (bpf_link_detach(link.get()) != 0 && errno != ENODEV && errno != EINVAL && errno != ENOLINK) {
    return system_error("detach " + interface, errno);
  }
  if (unlink(pin.c_str()) != 0 && errno != ENOENT) return system_error("unpin " + pin, errno);
  return {};
}

std::vector<Attachment> attachments(const std::string& folder) {
  std::vector<Attachment> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kLinkPrefix)) continue;
    const Fd link(bpf_obj_get(entry.path().c_str()));
    if (!link) continue;
    const auto info = info_of(link.get());
    if (!info) continue;
    found.push_back(
        {.interface = interface_of(name),
         .ifindex = info->xdp.ifindex,
         .mode = info->xdp.ifindex == 0 ? Mode::kNative : held_by(info->xdp.ifindex).mode,
         .program_id = info->prog_id,
         .note = {}});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.interface < b.interface; });
  return found;
}

Result<void> remove_instance(const std::string& folder) {
  for (const Attachment& one : attachments(folder)) {
    if (auto gone = detach(folder, one.interface); !gone) return gone;
  }
  std::error_code error;
  std::vector<std::filesystem::path> pins;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (is_our_pin(entry.path().filename())) pins.push_back(entry.path());
  }
  for (const auto& pin : pins) {
    if (unlink(pin.c_str()) != 0 && errno != ENOENT) {
      return system_error("unpin " + pin.string(), errno);
    }
  }
  // The folders go if nothing else is in them.
  const std::filesystem::path instance = std::filesystem::path(folder).parent_path();
  rmdir(folder.c_str());
  rmdir(instance.c_str());
  rmdir(instance.parent_path().c_str());
  return {};
}

}  // namespace rampart::dataplane
