// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/measure.h"

#include <linux/bpf.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace rampart::bench {
namespace {

// More would only take time: a table of 65,536 flows is beyond the nearer caches already.
constexpr uint32_t kMostWarmUp = 65536;

struct Run {
  const Case& kase;
  const Subject& subject;
  const Effort& effort;
};

uint32_t warm_up_of(const Case& kase, uint32_t packets) {
  if (kase.begins != Begins::kNone) return warm_up_of_new(packets);
  return std::min(std::max(kase.stream.flows, warm_up_of_new(packets)), kMostWarmUp);
}

uint32_t verdict_of(rp_outcome outcome) {
  return outcome == RP_forward_tx ? XDP_TX : XDP_PASS;
}

uint64_t most_begun(Begins begins, uint32_t packets) {
  if (begins == Begins::kEach) return packets;
  return begins == Begins::kFew ? packets / 100 : 0;
}

Result<void> check_verdict(const Run& run, uint32_t verdict) {
  const uint32_t wanted = run.subject.verdict.value_or(verdict_of(run.kase.outcome));
  if (verdict == wanted) return {};
  return Error{Code::kFailed,
               "verdict " + std::to_string(verdict) + " instead of " + std::to_string(wanted)};
}

// That the packets became what the case says, and no flow began that was to be live already.
Result<void> check_counts(const Run& run, const Counts& before, const Counts& after) {
  const uint32_t packets = run.effort.packets;
  const auto slack = static_cast<uint64_t>(packets * run.subject.slack);
  const uint64_t became = after.packets.at(run.kase.outcome) - before.packets.at(run.kase.outcome);
  if (became + slack < packets) {
    return Error{Code::kFailed, "of " + std::to_string(packets) + " packets " +
                                    std::to_string(became) + " became what the case says"};
  }
  const uint64_t begun = after.flows_begun - before.flows_begun;
  const uint64_t most = most_begun(run.kase.begins, packets) + slack;
  const uint64_t least = run.kase.begins == Begins::kEach ? packets - slack : 0;
  if (begun >= least && begun <= most) return {};
  return Error{Code::kFailed, std::to_string(packets) + " packets began " + std::to_string(begun) +
                                  " flows, at most " + std::to_string(most) + " are to"};
}

Result<double> run_once(Replay& replay, const Run& run) {
  const Subject& subject = run.subject;
  const Stream& stream = run.kase.stream;
  const uint32_t packets = run.effort.packets;
  if (auto aimed = replay.aim_at(subject.program_fd); !aimed) return aimed.error();
  if (auto warm = replay.run(stream, warm_up_of(run.kase, packets)); !warm) return warm.error();
  const auto before = subject.counts ? subject.counts() : Result<Counts>(Counts());
  if (!before) return before.error();
  const auto cost = replay.run(stream, packets);
  if (!cost) return cost.error();
  if (auto right = check_verdict(run, cost->verdict); !right) return right.error();
  if (subject.counts) {
    const auto after = subject.counts();
    if (!after) return after.error();
    if (auto right = check_counts(run, *before, *after); !right) return right.error();
  }
  if (run.kase.begins != Begins::kNone && subject.forget_new) subject.forget_new();
  return cost->nanoseconds;
}

// The largest case's flows contain those of the others. Yardsticks keep no flows.
Result<void> prime(Replay& replay, const std::vector<Case>& cases, const Subject& subject) {
  const Case* largest = nullptr;
  for (const Case& kase : cases) {
    if (!kase.is_primed || !runs(subject, kase)) continue;
    if (largest == nullptr || kase.live_flows() > largest->live_flows()) largest = &kase;
  }
  if (largest == nullptr || subject.verdict) return {};
  if (auto aimed = replay.aim_at(subject.program_fd); !aimed) return aimed;
  for (const Stream& stream : {syn_of(*largest), largest->stream}) {
    if (auto sent = replay.run(stream, stream.flows); !sent) return sent.error();
  }
  return {};
}

}  // namespace

uint32_t warm_up_of_new(uint32_t packets) {
  return std::max(packets / 10, 1u);
}

const Cell* Cells::find(const std::string& kase, const std::string& subject) const {
  for (const Cell& cell : cells_) {
    if (cell.kase == kase && cell.subject == subject) return &cell;
  }
  return nullptr;
}

std::vector<double> Cells::net(const Cell& cell) const {
  const Cell* replay = find(cell.kase, kAtOnce);
  RP_CHECK(replay != nullptr);
  std::vector<double> net;
  for (size_t i = 0; i < cell.nanoseconds.size(); ++i) {
    net.push_back(cell.nanoseconds[i] - replay->nanoseconds[i]);
  }
  return net;
}

std::vector<double> Cells::ratios(const Cell& cell, const Cell& to) const {
  const std::vector<double> ours = net(cell), theirs = net(to);
  std::vector<double> ratios;
  for (size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return ratios;
}

Result<Cells> measure(Replay& replay, const std::vector<Case>& cases,
                      const std::vector<Subject>& subjects, const Effort& effort) {
  for (const Subject& subject : subjects) {
    if (auto primed = prime(replay, cases, subject); !primed) {
      return primed.within("prime " + subject.name);
    }
  }
  std::vector<Cell> cells;
  std::vector<Run> round;
  for (const Case& kase : cases) {
    for (const Subject& subject : subjects) {
      if (!runs(subject, kase)) continue;
      cells.push_back({kase.name, subject.name, {}});
      round.push_back({kase, subject, effort});
    }
  }
  for (uint32_t done = 0; done < effort.rounds; ++done) {
    for (size_t i = 0; i < round.size(); ++i) {
      const auto cost = run_once(replay, round[i]);
      if (!cost) return cost.within(cells[i].kase + ", " + cells[i].subject);
      cells[i].nanoseconds.push_back(*cost);
    }
  }
  return Cells(std::move(cells));
}

}  // namespace rampart::bench
