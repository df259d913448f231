// SPDX-License-Identifier: Apache-2.0
#include "dataplane/flow_sweeper.h"

#include <time.h>

#include <algorithm>

#include "bpf/flow_word.h"
#include "dataplane/flow_list.h"

namespace rampart::dataplane {
namespace {

// Seconds. A program that has taken an entry makes it live within a microsecond; one that is being
// made for longer than this belongs to nobody any more (bpf/flowtable.h, 4).
constexpr uint32_t kMakingGrace = 1;

// An entry that is no longer what was read was touched by a packet: it is looked at once more.
constexpr int kLooks = 2;

}  // namespace

FlowSweeper::FlowSweeper(maps::FlowTable& flows, const maps::MappedArray<rp_backend>& backends,
                         const maps::MappedArray<rp_vip_state>& vips,
                         maps::MappedArray<rp_flow_count>& counts)
    : flows_(flows), backends_(backends), vips_(vips), counts_(counts), audits_(counts.size()) {}

FlowSweeper::FlowSweeper(maps::Doors& doors)
    : FlowSweeper(doors.flows, doors.backends, doors.vip_state, doors.flow_counts) {}

uint32_t FlowSweeper::now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint32_t>(now.tv_sec);
}

std::optional<Sweep> FlowSweeper::step(uint32_t places, uint32_t now) {
  if (next_ == 0) begin(now);
  const uint32_t end_of_step = next_ + std::min(places, flows_.places() - next_);
  while (next_ < end_of_step) look_at(next_++, now);
  if (next_ < flows_.places()) return std::nullopt;
  next_ = 0;
  if (is_audit_) audit();
  return found_;
}

Sweep FlowSweeper::pass(uint32_t now) {
  return *step(flows_.places(), now);
}

void FlowSweeper::begin(uint32_t now) {
  found_ = {};
  is_audit_ = now != last_audit_;
  last_audit_ = now;
  met_.assign(counts_.size(), 0);
  before_.clear();
  before_.reserve(counts_.size());
  for (uint32_t i = 0; i < counts_.size(); ++i) before_.push_back(maps::read_count(counts_.at(i)));
}

void FlowSweeper::audit() {
  for (uint32_t i = 0; i < counts_.size(); ++i) {
    rp_flow_count& count = counts_.at(i);
    const int64_t surplus = audits_[i].scanned(before_[i], maps::read_count(count), met_[i]);
    if (surplus > 0) maps::add(count.closed, static_cast<__u64>(surplus));
    if (surplus < 0) maps::add(count.opened, static_cast<__u64>(-surplus));
    found_.drift += static_cast<uint64_t>(surplus < 0 ? -surplus : surplus);
  }
}

void FlowSweeper::look_at(uint32_t place, uint32_t now) {
  uint64_t word = flows_.word(place);
  if (word == 0) return;
  if (is_being_made(word)) {
    if (flow_age(word, now) > kMakingGrace) flows_.swap(place, word, 0);
    return;
  }
  ++found_.seen;
  for (int look = 0; look < kLooks; ++look) {
    if (const rp_backend* backend = backend_if_live(word, now); backend != nullptr) {
      ++found_.live;
      if (holds_count(word)) ++met_[backend->count_index];
      return;
    }
    if (free(place, word)) {
      ++found_.removed;
      return;
    }
    word = flows_.word(place);
  }
}

const rp_backend* FlowSweeper::backend_if_live(uint64_t word, uint32_t now) const {
  if (!holds_flow(word)) return nullptr;
  const rp_backend* backend = backend_of_word(word, backends_);
  if (backend == nullptr || backend->vip >= vips_.size()) return nullptr;
  return is_expired(word, &vips_.at(backend->vip), now) ? nullptr : backend;
}

bool FlowSweeper::free(uint32_t place, uint64_t word) {
  if (!holds_flow(word) || !flows_.swap(place, word, 0)) return false;
  if (!holds_count(word)) return true;
  // As a program closes it: an id keeps its count index while it is free.
  const uint32_t id = word_backend(word);
  if (id >= backends_.size()) return true;
  const rp_backend& backend = backends_.at(id);
  if (maps::load(backend.state) >> RP_STATE_INCARNATION_SHIFT != word_incarnation(word))
    return true;
  maps::add(counts_.at(backend.count_index).closed, __u64{1});
  return true;
}

}  // namespace rampart::dataplane
