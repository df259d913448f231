// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/subjects.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "base/fd.h"
#include "bench/src/xdp/ladder.h"
#include "bench/src/xdp/lru.h"
#include "bench/src/xdp/measure.h"

namespace rampart::bench {
namespace {

// Of a flow table, at most: a fuller one costs more, and refuses.
constexpr double kMostLoad = 0.6;

// A flow of nat has a second entry, by which its replies are known.
uint32_t entries_of(rp_forward forward) {
  return forward == RP_FORWARD_NAT ? 2 : 1;
}

// A table that the live flows and one run of new ones fill to kMostLoad: the flows of a run are
// forgotten before the next.
uint32_t room_for(const Selection& selection, const Subject& subject, rp_forward forward) {
  uint32_t live = 0;
  for (const Case& kase : selection.cases) {
    if (runs(subject, kase)) live = std::max(live, kase.live_flows());
  }
  const double flows = live + selection.packets + warm_up_of_new(selection.packets);
  return static_cast<uint32_t>(std::ceil(flows * entries_of(forward) / kMostLoad));
}

// Done with the folder of its pins.
using WhilePinned = std::function<Result<void>(const std::string&, const Setting&)>;

// One configuration of Rampart. Its pins are gone before it is measured: descriptors and mappings
// keep the maps alive, and nothing is left behind whatever ends the bench.
Result<Subject> rampart_subject(const Selection& selection, Setting setting, std::string name,
                                std::vector<std::string> cases, const WhilePinned& while_pinned) {
  Subject subject;
  subject.name = std::move(name);
  subject.cases = std::move(cases);
  setting.max_flows = room_for(selection, subject, setting.forward);
  auto loaded = pin(passing_folder(), setting);
  const Result<void> used =
      loaded && while_pinned ? while_pinned(loaded->object->folder(), setting) : Result<void>();
  remove_passing();
  if (!loaded) return loaded.within(subject.name);
  if (!used) return used.within(subject.name);
  const auto pinned = std::make_shared<Pinned>(std::move(*loaded));
  subject.program_fd = pinned->object->program_fd();
  subject.slack = 0.001;  // of flows whose two buckets are full (F8)
  subject.counts = [pinned] { return counts_of(*pinned); };
  subject.forget_new = [pinned] { forget_new_flows(*pinned); };
  subject.sweep = [pinned] { return sweep_once(*pinned); };
  subject.max_flows = setting.max_flows;
  subject.map_bytes = pinned->map_bytes;
  subject.owner = pinned;
  return subject;
}

// How flows are kept and found, and packets that are no flow's. All algorithms do that alike.
const std::vector<std::string> kOfFlowTable = {"not_ours", "new",     "live_1",    "live_1k",
                                               "live_64k", "live_1m", "mid_stream"};
// How a backend is chosen. Subjects of their own, so that all have tables of one size: a new flow in
// a large table with a million live ones costs more.
const std::vector<std::string> kOfAlgorithm = {"new", "mid_stream"};
// Step by step.
const std::vector<std::string> kOfLadder = {"not_ours", "live_1", "live_64k", "live_1m"};
// Through the limit of new flows, which is a load-time switch.
const std::vector<std::string> kOfLimit = {"flood"};

// The yardstick for flow tables, with as many flows at most as the subject "l2".
Result<Subject> lru_subject(const Selection& selection, Setting setting,
                            std::vector<std::string> cases) {
  Subject subject;
  subject.name = kLru;
  subject.cases = std::move(cases);
  setting.max_flows = room_for(selection, subject, setting.forward);
  auto loaded = LruPath::load(setting);
  if (!loaded) return loaded.within(subject.name);
  const std::shared_ptr<LruPath> path = *loaded;
  subject.program_fd = path->program_fd();
  subject.slack = 0.05;  // it gives up live flows too
  subject.counts = [path] { return counts_of(path->pinned()); };
  subject.max_flows = setting.max_flows;
  subject.map_bytes = path->map_bytes();
  subject.owner = path;
  return subject;
}

Subject yardstick(const char* name, int program_fd) {
  Subject subject;
  subject.name = name;
  subject.program_fd = program_fd;
  subject.verdict = XDP_TX;
  return subject;
}

bool wants(const Selection& selection, const std::vector<std::string>& cases) {
  return std::any_of(selection.cases.begin(), selection.cases.end(), [&](const Case& kase) {
    return std::find(cases.begin(), cases.end(), kase.name) != cases.end();
  });
}

// Does nothing if none of these cases is to be measured.
Result<void> add_one(const Selection& selection, const Setting& setting, const std::string& name,
                     const std::vector<std::string>& cases, std::vector<Subject>& subjects,
                     const WhilePinned& while_pinned = {}) {
  if (!wants(selection, cases)) return {};
  auto subject = rampart_subject(selection, setting, name, cases, while_pinned);
  if (!subject) return subject.error();
  subjects.push_back(std::move(*subject));
  return {};
}

// And the ladder over its maps, whose flows are live once those of l2 are.
Result<void> add_l2(const Selection& selection, const Setting& setting,
                    std::vector<Subject>& subjects) {
  std::shared_ptr<Ladder> ladder;
  const auto load_ladder = [&](const std::string& folder,
                               const Setting& as_loaded) -> Result<void> {
    auto loaded = Ladder::load(folder, as_loaded);
    if (!loaded) return loaded.error();
    ladder = std::move(*loaded);
    return {};
  };
  if (auto added = add_one(selection, setting, kL2, kOfFlowTable, subjects, load_ladder); !added) {
    return added;
  }
  if (!ladder || !wants(selection, kOfLadder)) return {};
  const std::vector<int> programs = ladder->program_fds();
  for (size_t i = 0; i < programs.size(); ++i) {
    Subject rung = yardstick(rungs()[i].subject, programs[i]);
    rung.cases = kOfLadder;
    rung.owner = ladder;
    subjects.push_back(std::move(rung));
  }
  return {};
}

Result<void> add_flow_tables(const Selection& selection, std::vector<Subject>& subjects) {
  Setting setting = {.algorithm = selection.algorithms.front(),
                     .backends = selection.backends.front()};
  for (const rp_forward forward : selection.forwards) {
    setting.forward = forward;
    if (forward == RP_FORWARD_NAT) {
      if (auto added = add_one(selection, setting, kNat, kOfFlowTable, subjects); !added) {
        return added;
      }
      continue;
    }
    if (auto added = add_l2(selection, setting, subjects); !added) return added;
    if (!wants(selection, kOfFlowTable)) continue;
    auto lru = lru_subject(selection, setting, kOfFlowTable);
    if (!lru) return lru.error();
    subjects.push_back(std::move(*lru));
  }
  // By l2, since nat drops what has no entry.
  setting.forward = RP_FORWARD_L2;
  setting.new_flow_limit_per_cpu = 1;
  return add_one(selection, setting, kLimited, kOfLimit, subjects);
}

Result<void> add_algorithms(const Selection& selection, std::vector<Subject>& subjects) {
  for (const rp_forward forward : selection.forwards) {
    for (const rp_algorithm algorithm : selection.algorithms) {
      for (const uint32_t backends : selection.backends) {
        const Setting setting = {.forward = forward, .algorithm = algorithm, .backends = backends};
        auto added = add_one(selection, setting, name_of(setting), kOfAlgorithm, subjects);
        if (!added) return added;
      }
    }
  }
  return {};
}

// A program that someone else loaded and configured, for the VIP of the cases.
Result<Subject> pinned_subject(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return Error{Code::kUsage, "--program: '" + text + "' is not NAME=PINPATH"};
  }
  const std::string pin = text.substr(equals + 1);
  auto fd = std::make_shared<Fd>(bpf_obj_get(pin.c_str()));
  if (!*fd) return system_error("--program: open " + pin, errno);
  Subject subject;
  subject.name = text.substr(0, equals);
  subject.program_fd = fd->get();
  subject.owner = fd;
  return subject;
}

}  // namespace

std::string name_of(const Setting& setting) {
  std::string name = setting.forward == RP_FORWARD_NAT ? "nat" : "l2";
  for (const NamedAlgorithm& known : kAlgorithms) {
    if (known.algorithm == setting.algorithm) name += std::string("-") + known.name;
  }
  return name + "-" + std::to_string(setting.backends);
}

Result<std::vector<Subject>> make_subjects(const Replay& replay, const Selection& selection) {
  std::vector<Subject> subjects = {yardstick(kAtOnce, replay.at_once()),
                                   yardstick(kBare, replay.bare())};
  if (auto added = add_flow_tables(selection, subjects); !added) return added.error();
  if (auto added = add_algorithms(selection, subjects); !added) return added.error();
  for (const std::string& program : selection.programs) {
    auto subject = pinned_subject(program);
    if (!subject) return subject.error();
    subjects.push_back(std::move(*subject));
  }
  return subjects;
}

bool runs(const Subject& subject, const Case& kase) {
  if (subject.cases.empty()) return true;
  return std::find(subject.cases.begin(), subject.cases.end(), kase.name) != subject.cases.end();
}

}  // namespace rampart::bench
