// SPDX-License-Identifier: Apache-2.0
#include "support/pass_program.h"

#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <string.h>

#include "xdp_pass.skel.h"

namespace rampart::test {

PassProgram::PassProgram() : loaded_(xdp_pass__open_and_load()) {
  if (loaded_ == nullptr) throw BedFailure(std::string("load xdp_pass: ") + strerror(errno));
}

PassProgram::~PassProgram() {
  xdp_pass__destroy(loaded_);
}

void PassProgram::attach(const Netns& netns, const std::string& interface) const {
  netns.run([&] {
    const int index = static_cast<int>(if_nametoindex(interface.c_str()));
    const int program = bpf_program__fd(loaded_->progs.xdp_pass);
    const int error = bpf_xdp_attach(index, program, XDP_FLAGS_DRV_MODE, nullptr);
    if (error != 0) throw BedFailure("xdp_pass on " + interface + ": " + strerror(-error));
  });
}

unsigned xdp_program_on(const Netns& netns, const std::string& interface) {
  return netns.run([&] {
    unsigned id = 0;
    const int index = static_cast<int>(if_nametoindex(interface.c_str()));
    const int error = bpf_xdp_query_id(index, 0, &id);
    if (error != 0) throw BedFailure("query XDP on " + interface + ": " + strerror(-error));
    return id;
  });
}

}  // namespace rampart::test
