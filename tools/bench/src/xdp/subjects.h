// SPDX-License-Identifier: Apache-2.0
// What is measured: programs, each with the cases that make sense for it. To add one is to add a line
// to a list here: a program that is loaded by other means needs an fd, and what of `Subject` it can
// tell.
#ifndef RAMPART_TOOLS_BENCH_SRC_XDP_SUBJECTS_H_
#define RAMPART_TOOLS_BENCH_SRC_XDP_SUBJECTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/src/xdp/cases.h"
#include "bench/src/xdp/pinned.h"
#include "bench/src/xdp/replay.h"

namespace rampart::bench {

struct Subject {
  std::string name;
  int program_fd = -1;
  std::vector<std::string> cases;   // names; empty: all
  std::optional<uint32_t> verdict;  // of every packet; none: as the case's outcome says

  // What it counted since it was loaded; none: it cannot be asked, and its figures are believed.
  std::function<Result<Counts>()> counts;
  // The share of a run's packets whose flow it may refuse to keep, or have lost.
  double slack = 0;
  // Takes the flows away that saw one packet only, so that the next run finds the same room; none: a
  // subject that makes its own room.
  std::function<void()> forget_new;
  std::function<Pass()> sweep;  // of its flow table; none: it is not ours to sweep
  // For people: how large its flow table is.
  uint32_t max_flows = 0;
  uint64_t map_bytes = 0;

  std::shared_ptr<void> owner;  // keeps the program loaded
};

constexpr char kAtOnce[] = "at_once";  // subtracted from all others
constexpr char kBare[] = "bare";       // the yardstick that every figure is compared with
constexpr char kLru[] = "lru";         // the one for flow tables
constexpr char kL2[] = "l2";           // Rampart, by forwarding: all that depends on the flow table
constexpr char kNat[] = "nat";
constexpr char kLimited[] = "l2-limited";  // with a limit of one new flow a second

// "l2-roundrobin-16": Rampart, where it depends on how a backend is chosen.
std::string name_of(const Setting& setting);

// The algorithms that this version has, by the names that configurations use.
struct NamedAlgorithm {
  const char* name;
  rp_algorithm algorithm;
};
inline constexpr NamedAlgorithm kAlgorithms[] = {
    {"roundrobin", RP_ROUNDROBIN}, {"chash", RP_CHASH}, {"least_conn", RP_LEAST_CONN}};

struct Selection {
  std::vector<rp_forward> forwards = {RP_FORWARD_L2, RP_FORWARD_NAT};
  std::vector<rp_algorithm> algorithms;
  std::vector<uint32_t> backends = {16, 100};
  std::vector<std::string> programs;  // NAME=PIN
  std::vector<Case> cases;
  uint32_t packets = 0;  // of a run
};

// All that the selection asks for, loaded and configured, with room in their tables for its cases.
Result<std::vector<Subject>> make_subjects(const Replay& replay, const Selection& selection);

bool runs(const Subject& subject, const Case& kase);

}  // namespace rampart::bench

#endif  // RAMPART_TOOLS_BENCH_SRC_XDP_SUBJECTS_H_
