// SPDX-License-Identifier: Apache-2.0
#include "control/repair.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "maps/backend_state.h"
#include "maps/live_word.h"

namespace rampart::control {
namespace {

template <typename Value>
bool same(const Value& a, const Value& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool same_but_live(rp_vip_state there, const rp_vip_state& written) {
  there.live = written.live;
  return same(there, written);
}

std::string text(BackendId id) {
  return "rp_backends: backend " + std::to_string(raw(id));
}

// Each step returns false if a write failed, which ends the whole.
class Repairer {
 public:
  Repairer(Observed& observed, maps::MapStore& store, maps::GracePeriods& grace)
      : observed_(observed), store_(store), grace_(grace) {}

  // Backends before the tables that name them, tables before the keys that lead to them: the order of a
  // plan, for the same reasons.
  Repairs run() && {
    (void)(mend_nat_backends() && mend_backends() && mend_joins() && mend_vips() && mend_keys());
    return std::move(repairs_);
  }

 private:
  bool mend(const std::string& what, Result<void> written) {
    if (!written) {
      repairs_.outcome = std::move(written).within(what);
      return false;
    }
    repairs_.lines.push_back(what);
    return true;
  }

  bool mend_nat_backends() {
    const bool known = observed_.nat_backends != UINT32_MAX;
    if (!known || store_.nat_backends() == observed_.nat_backends) return true;
    return mend("rp_runtime: the number of nat backends was another",
                store_.set_nat_backends(observed_.nat_backends));
  }

  bool mend_backends() {
    for (const auto& [id, written] : observed_.backends) {
      if (same(store_.backend(id), written)) continue;
      if (!mend(text(id) + " was changed", store_.restore_backend(id, written))) return false;
    }
    for (uint32_t raw_id = 1; raw_id <= observed_.max_backends; ++raw_id) {
      const auto id = static_cast<BackendId>(raw_id);
      const bool is_free = maps::state_of(store_.backend(id)) == RP_BACKEND_FREE;
      if (is_free || observed_.backends.contains(id)) continue;
      const auto freed = store_.set_backend_state(id, RP_BACKEND_FREE, 0);
      if (!mend(text(id) + " is none of ours", freed)) return false;
    }
    return true;
  }

  bool mend_joins() {
    for (uint32_t i = 1; i <= observed_.max_backends; ++i) {
      const CountIndex index{i};
      const auto written = observed_.joins.find(index);
      const uint64_t joined = written == observed_.joins.end() ? 0 : written->second;
      if (store_.flow_count(index).joined == joined) continue;
      const std::string what =
          "rp_flow_counts: count " + std::to_string(i) + " was joined to others than it should be";
      if (!mend(what, store_.join_count(index, joined))) return false;
    }
    return true;
  }

  bool mend_vips() {
    for (auto& [number, vip] : observed_.vips) {
      const std::string name = vip.address.to_string();
      if (!same_but_live(store_.vip_state(number), vip.state) &&
          !mend("rp_vip_state: settings of " + name + " were changed",
                store_.set_vip_settings(number, vip.state))) {
        return false;
      }
      if (!store_.in_place(number) &&
          !mend("rp_slots: the tables of " + name + " were missing or replaced",
                replace_tables(number, vip))) {
        return false;
      }
      if (!mend_contents(number, vip, name)) return false;
    }
    return true;
  }

  Result<void> replace_tables(VipNumber number, const ObservedVip& vip) {
    const uint32_t room = store_.member_room(number);
    if (auto made = store_.create_table(number, vip.table); !made) return made;
    if (room == 0) return {};
    return store_.create_members(number, vip.members.value_or(Members()), room);
  }

  // A table that was flipped a moment ago is looked at the next time.
  bool mend_contents(VipNumber number, ObservedVip& vip, const std::string& name) {
    const Members members = vip.members.value_or(Members());
    const bool has_room = store_.table_room(number) >= vip.table.size() &&
                          store_.member_room(number) >= members.size();
    if (!has_room || !grace_.passed(vip.flipped)) return true;  // a plan is about to replace it
    const uint32_t counted = maps::live_of(store_.vip_state(number).live).members;
    const bool are_members = counted == members.size() && store_.live_members(number) == members;
    const bool are_slots = store_.live_slots(number, vip.state.table_size) == vip.table;
    if (are_members && are_slots) return true;
    const std::string what = are_slots ? "rp_members: members of " : "rp_slots: slots of ";
    const auto published = store_.publish(number, vip.table, members);
    vip.flipped = grace_.ask();
    return mend(what + name + " were changed", published);
  }

  bool mend_keys() {
    const auto found = store_.vips();
    if (!found) {
      repairs_.outcome = found.error();
      return false;
    }
    std::map<VipAddress, VipNumber> wanted = observed_.numbers();
    for (const auto& [key, number] : *found) {
      const VipAddress address = from_wire(key);
      const auto ours = wanted.find(address);
      if (ours != wanted.end() && ours->second == number) {
        wanted.erase(ours);
        continue;
      }
      const char* what = ours == wanted.end() ? " is none of ours" : " led elsewhere";
      if (!mend("rp_vips: " + address.to_string() + what, store_.withdraw_vip(key))) return false;
    }
    for (const auto& [address, number] : wanted) {
      if (!mend("rp_vips: " + address.to_string() + " was missing",
                store_.announce_vip(to_wire(address), number))) {
        return false;
      }
    }
    return true;
  }

  Observed& observed_;
  maps::MapStore& store_;
  maps::GracePeriods& grace_;
  Repairs repairs_;
};

}  // namespace

Repairs repair(Observed& observed, maps::MapStore& store, maps::GracePeriods& grace) {
  return Repairer(observed, store, grace).run();
}

}  // namespace rampart::control
