// SPDX-License-Identifier: Apache-2.0
#include "control/apply.h"

#include <string>
#include <utility>

#include "maps/backend_state.h"

namespace rampart::control {
namespace {

// One visitor a kind of write: the write itself, then what is now observed.
class Applier {
 public:
  Applier(Observed& observed, maps::MapStore& store, maps::GracePeriods& grace)
      : observed_(observed), store_(store), grace_(grace) {}

  Result<void> operator()(SetNatBackends& write) {
    if (auto done = store_.set_nat_backends(write.count); !done) return done;
    observed_.nat_backends = write.count;
    return {};
  }

  Result<void> operator()(WriteBackend& write) {
    if (auto done = store_.write_backend(write.id, write.value); !done) return done;
    observed_.resting.erase(write.id);
    observed_.incarnations[write.id] = maps::incarnation_of(write.value);
    observed_.backends.insert_or_assign(write.id, write.value);
    return {};
  }

  Result<void> operator()(ServeBackend& write) {
    return set_state(write.id, RP_BACKEND_SERVING, 0);
  }

  Result<void> operator()(KeepFlows& write) { return set_flows_move(write.id, false); }
  Result<void> operator()(MoveFlows& write) { return set_flows_move(write.id, true); }

  Result<void> operator()(RescopeBackend& write) {
    if (auto done = store_.set_backend_scope(write.id, write.scope_hash); !done) return done;
    observed_.backends.at(write.id).scope_hash = write.scope_hash;
    return {};
  }

  Result<void> operator()(JoinCount& write) {
    if (auto done = store_.join_count(write.index, write.joined); !done) return done;
    if (write.joined == 0) {
      observed_.joins.erase(write.index);
    } else {
      observed_.joins.insert_or_assign(write.index, write.joined);
    }
    return {};
  }

  Result<void> operator()(WriteVip& write) {
    if (auto done = store_.create_table(write.number, write.slots); !done) return done;
    if (auto done = store_.write_vip_state(write.number, write.state); !done) return done;
    unannounced_[write.number] = ObservedVip{.address = write.address,
                                             .state = write.state,
                                             .table = std::move(write.slots),
                                             .members = std::move(write.members),
                                             .flipped = 0};
    return {};
  }

  Result<void> operator()(RenumberBackend& write) {
    if (auto done = store_.set_backend_vip(write.id, write.number); !done) return done;
    observed_.backends.at(write.id).vip = raw(write.number);
    return {};
  }

  Result<void> operator()(SetVip& write) { return set_settings(write.number, write.settings); }

  // The former table is gone from every program when create_table() returns, so the larger size is
  // stored only then.
  Result<void> operator()(GrowTable& write) {
    if (auto done = store_.create_table(write.number, write.slots); !done) return done;
    observed_.vips.at(write.number).table = std::move(write.slots);
    return set_settings(write.number, write.settings);
  }

  // What programs read stays what it was.
  Result<void> operator()(GrowMembers& write) {
    return store_.create_members(write.number, write.members, write.room);
  }

  Result<void> operator()(PublishTable& write) {
    if (auto done = store_.publish(write.number, write.slots, write.members); !done) return done;
    ObservedVip& vip = observed_.vips.at(write.number);
    vip.table = std::move(write.slots);
    vip.members = std::move(write.members);
    flipped_.push_back(write.number);
    moved_[vip.address] += write.moves;
    return {};
  }

  Result<void> operator()(AnnounceVip& write) {
    if (auto done = store_.announce_vip(to_wire(write.address), write.number); !done) return done;
    observed_.vips.insert(unannounced_.extract(write.number));
    return {};
  }

  Result<void> operator()(WithdrawVip& write) {
    if (auto done = store_.withdraw_vip(to_wire(write.address)); !done) return done;
    observed_.vips.erase(write.number);
    observed_.retired[write.number] = RetiredVip{.address = write.address};
    retired_.push_back(write.number);
    return {};
  }

  Result<void> operator()(DrainBackend& write) {
    return set_state(write.id, RP_BACKEND_DRAINING, write.until);
  }

  Result<void> operator()(FreeBackend& write) {
    if (auto done = store_.set_backend_state(write.id, RP_BACKEND_FREE, 0); !done) return done;
    const CountIndex index{observed_.backends.at(write.id).count_index};
    observed_.backends.erase(write.id);
    observed_.resting[write.id] = RestingId{.ticket = 0, .swept = false, .count_index = index};
    freed_.push_back(write.id);
    return {};
  }

  Result<void> operator()(FreeVip& write) {
    if (auto done = store_.free_vip(write.number); !done) return done;
    observed_.retired.erase(write.number);
    return {};
  }

  // Numbers that were written but never announced, because a write failed in between, are retired:
  // nothing names them.
  void finish() {
    for (auto& [number, vip] : unannounced_) {
      observed_.retired[number] = RetiredVip{.address = vip.address};
      retired_.push_back(number);
    }
    if (flipped_.empty() && retired_.empty() && freed_.empty()) return;
    const uint64_t ticket = grace_.ask();
    for (const VipNumber number : flipped_) {
      const auto vip = observed_.vips.find(number);
      if (vip != observed_.vips.end()) vip->second.flipped = ticket;
    }
    for (const VipNumber number : retired_) observed_.retired.at(number).ticket = ticket;
    for (const BackendId id : freed_) observed_.resting.at(id).ticket = ticket;
  }

  std::map<VipAddress, SlotMoves> moved() && { return std::move(moved_); }

 private:
  Result<void> set_state(BackendId id, rp_backend_state state, uint32_t drain_until) {
    if (auto done = store_.set_backend_state(id, state, drain_until); !done) return done;
    rp_backend& backend = observed_.backends.at(id);
    backend.state = maps::with_state(backend.state, state);
    backend.drain_until = drain_until;
    return {};
  }

  Result<void> set_flows_move(BackendId id, bool move) {
    if (auto done = store_.set_flows_move(id, move); !done) return done;
    rp_backend& backend = observed_.backends.at(id);
    backend.state = maps::with_flows_move(backend.state, move);
    return {};
  }

  // Programs that read the former algorithm may still be about to read the half that belongs to it,
  // so the next flip waits for them.
  Result<void> set_settings(VipNumber number, const rp_vip_state& settings) {
    if (auto done = store_.set_vip_settings(number, settings); !done) return done;
    rp_vip_state& state = observed_.vips.at(number).state;
    if (state.algorithm != settings.algorithm) flipped_.push_back(number);
    const __u64 live = state.live;
    state = settings;
    state.live = live;
    return {};
  }

  Observed& observed_;
  maps::MapStore& store_;
  maps::GracePeriods& grace_;
  std::map<VipNumber, ObservedVip> unannounced_;
  std::vector<VipNumber> flipped_;
  std::vector<VipNumber> retired_;
  std::vector<BackendId> freed_;
  std::map<VipAddress, SlotMoves> moved_;
};

}  // namespace

Applied apply(Plan plan, Observed& observed, maps::MapStore& store, maps::GracePeriods& grace) {
  Applier applier(observed, store, grace);
  Applied applied;
  for (Write& write : plan.writes) {
    applied.outcome = std::visit([&](auto& one) { return applier(one); }, write);
    if (!applied.outcome) break;
    ++applied.writes;
  }
  applier.finish();
  applied.moved = std::move(applier).moved();
  return applied;
}

}  // namespace rampart::control
