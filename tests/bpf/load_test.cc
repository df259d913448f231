// SPDX-License-Identifier: Apache-2.0
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/packet_path.h"
#include "rampart.skel.h"

namespace rampart::bpf_test {
namespace {

using Load = PacketPathTest;

// What the verifier may look at for one program: a fifth of its own limit, so that there is room on
// kernels that prune worse.
constexpr uint32_t kVerifiedInstructions = 200000;

uint32_t verified_instructions(const bpf_program* program) {
  bpf_prog_info info = {};
  uint32_t bytes = sizeof(info);
  EXPECT_EQ(bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes), 0);
  return info.verified_insns;
}

TEST_F(Load, EveryProgramStaysWithinTheVerifiersBudget) {
  if (!path_->skeleton()) return;
  const auto& programs = path_->skeleton()->progs;
  for (const bpf_program* program : {programs.rampart_xdp}) {
    const uint32_t verified = verified_instructions(program);
    printf("%s: %u of %u verified instructions\n", bpf_program__name(program), verified,
           kVerifiedInstructions);
    EXPECT_GT(verified, 0u);
    EXPECT_LE(verified, kVerifiedInstructions);
  }
}

TEST_F(Load, FreshlyLoadedEverythingPasses) {
  const Handled run = path_->run(Packet{});
  EXPECT_EQ(run.outcome, RP_pass_no_vip);
  EXPECT_EQ(run.vip, static_cast<uint32_t>(RP_NO_VIP));
  EXPECT_EQ(run.frame, Packet{}.to_bytes());
}

}  // namespace
}  // namespace rampart::bpf_test
