// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/replay.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <sched.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bare.skel.h"
#include "base/check.h"
#include "replay.skel.h"

namespace rampart::bench {
namespace {

constexpr int kLoopback = 1;  // in every network namespace

// A step is x -> factor * x + 1 modulo 2^32. If the factor is 1 modulo 4, it goes through all numbers,
// and its lowest k bits go through all of theirs (Hull and Dobell, 1962).
constexpr uint32_t kScatter = 1664525;  // Knuth's, The Art of Computer Programming, 3.3.4

double thread_nanoseconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

struct Replay::Skeletons {
  replay_bpf* replay = nullptr;
  bare_bpf* bare = nullptr;
  ~Skeletons() {
    replay_bpf__destroy(replay);
    bare_bpf__destroy(bare);
  }
};

Replay::Replay(std::unique_ptr<Skeletons> skeletons) : skeletons_(std::move(skeletons)) {}
Replay::~Replay() = default;

Result<std::unique_ptr<Replay>> Replay::load() {
  auto skeletons = std::make_unique<Skeletons>();
  skeletons->replay = replay_bpf__open_and_load();
  if (skeletons->replay == nullptr) return system_error("load the replay program", errno);
  skeletons->bare = bare_bpf__open_and_load();
  if (skeletons->bare == nullptr) return system_error("load the bare forwarder", errno);
  if (unshare(CLONE_NEWNET) != 0) return system_error("make a network namespace", errno);
  const int program = bpf_program__fd(skeletons->replay->progs.replay);
  const int error = bpf_xdp_attach(kLoopback, program, XDP_FLAGS_SKB_MODE, nullptr);
  if (error != 0) return system_error("attach the replay program", -error);
  return std::unique_ptr<Replay>(new Replay(std::move(skeletons)));
}

int Replay::at_once() const {
  return bpf_program__fd(skeletons_->replay->progs.at_once);
}

int Replay::bare() const {
  return bpf_program__fd(skeletons_->bare->progs.bare);
}

Result<void> Replay::aim_at(int program_fd) {
  if (program_fd == target_) return {};
  const uint32_t zero = 0;
  const int targets = bpf_map__fd(skeletons_->replay->maps.targets);
  if (bpf_map_update_elem(targets, &zero, &program_fd, BPF_ANY) != 0) {
    return system_error("call the program from the replay (is it of type xdp?)", errno);
  }
  target_ = program_fd;
  return {};
}

Result<Cost> Replay::run(const Stream& stream, uint32_t packets) {
  RP_CHECK(target_ >= 0);
  auto& set = *skeletons_->replay->bss;
  static_assert(sizeof set.headers == kFrameBytes);
  std::memcpy(set.headers, stream.frame.data(), kFrameBytes);
  set.first_flow = stream.first_flow;
  set.flow_mask = stream.flows - 1;
  set.step_factor = stream.order == Order::kScattered ? kScatter : 1;
  set.step_increment = 1;
  LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = stream.frame.data(),
              .data_size_in = kFrameBytes, .repeat = static_cast<int>(packets));
  const int program = bpf_program__fd(skeletons_->replay->progs.replay);
  const double before = thread_nanoseconds();
  const int error = bpf_prog_test_run_opts(program, &options);
  const double after = thread_nanoseconds();
  if (error != 0) return system_error("run the program", -error);
  return Cost{.nanoseconds = (after - before) / packets, .verdict = options.retval};
}

}  // namespace rampart::bench
