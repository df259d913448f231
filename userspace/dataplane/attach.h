// SPDX-License-Identifier: Apache-2.0
// Attaching the program to interfaces, by links that are pinned: they outlive the daemon (O1).
#ifndef RAMPART_USERSPACE_DATAPLANE_ATTACH_H_
#define RAMPART_USERSPACE_DATAPLANE_ATTACH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace rampart::dataplane {

enum class Mode { kAuto, kNative, kGeneric };
const char* name_of(Mode mode);

struct Attachment {
  std::string interface;
  uint32_t ifindex = 0;  // 0: the interface is gone, its pin is not
  Mode mode = Mode::kNative;
  uint32_t program_id = 0;
  std::string note;  // why automatic became generic; empty otherwise
};

// Attaches `program_fd`, or puts it into the place of the program that the pinned link of this
// instance holds: atomically, no packet sees neither. kAuto takes native if the driver has it, else
// generic, and says so in the note. Fails with the reason: no such interface, another program
// (which), MTU, driver.
Result<Attachment> attach(const std::string& folder, int program_fd, const std::string& interface,
                          Mode mode);

// Whether attach() may be tried on all of these; touches none. Fails for one that does not exist, and for
// one whose link the instance holds in another network namespace: whoever is here by mistake must not
// take it away there.
Result<void> check_interfaces(const std::string& folder,
                              const std::vector<std::string>& interfaces);

// Whether the kernel forwards IPv4 packets that come in by an interface. bpf_fib_lookup, which finds the
// way of nat replies, refuses to answer for one where it does not.
bool forwards_ipv4(const std::string& interface);

// Needs no daemon and no loaded object. Detaching what is not attached is done already.
Result<void> detach(const std::string& folder, const std::string& interface);

// What is attached by the links pinned in `folder`, by interface name.
std::vector<Attachment> attachments(const std::string& folder);

// Detaches all and removes every pin of ours, and the folders where nothing else is in them: what the
// instance knew is gone. REQUIRES: the folder is on a BPF file system.
Result<void> remove_instance(const std::string& folder);

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_ATTACH_H_
