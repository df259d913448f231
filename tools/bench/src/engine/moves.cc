// SPDX-License-Identifier: Apache-2.0
// Slots that change owner while one node ramps into others for 300 seconds: what the daemon moves,
// the fewest that the counts allow (W6), and what Maglev tables move that are filled afresh at each
// step. Figures of docs/decisions/0005-moves-against-maglev.md.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/src/engine/maglev.h"
#include "bench/src/engine/pool.h"
#include "control/tables.h"
#include "engine/apportion.h"

namespace rampart::bench {
namespace {

size_t differing(const engine::SlotTable& a, const engine::SlotTable& b) {
  size_t slots = 0;
  for (size_t i = 0; i < a.size(); ++i) slots += a[i] != b[i];
  return slots;
}

struct Moves {
  size_t moved = 0;   // by control::Tables
  size_t fewest = 0;  // by the counts of each step
  size_t maglev = 0;
  size_t net = 0;  // between the first table and the last
};

engine::SlotTable maglev_of(const Pool& pool) {
  std::vector<MaglevNode> nodes;
  for (size_t i = 0; i < pool.ids().size(); ++i) {
    const control::DesiredBackend& backend = pool.vip().backends[i];
    nodes.push_back({raw(pool.ids()[i]), backend.identity, backend.effective});
  }
  return maglev_fill(nodes, kTableSize);
}

size_t fewest_moves(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
  size_t moves = 0;
  for (size_t i = 0; i < from.size(); ++i) moves += to[i] - std::min(from[i], to[i]);
  return moves;
}

Moves moves_of_a_ramp(size_t others) {
  Pool pool(others + 1, 1);
  control::Tables tables;
  engine::SlotTable table = tables.next(pool.vip(), {}, pool.ids(), control::Refill::kNotNow).slots;
  const engine::SlotTable first = table;
  std::vector<uint32_t> slots = engine::apportion(pool.weights(), kTableSize);
  engine::SlotTable maglev = maglev_of(pool);
  Moves moves;
  for (int step = 0; step <= kSteps; ++step) {
    pool.ramp_to(step);
    control::NextTable next = tables.next(pool.vip(), table, pool.ids(), control::Refill::kNotNow);
    moves.moved += next.moves.retarget;
    if (!next.slots.empty()) table = std::move(next.slots);

    std::vector<uint32_t> next_slots = engine::apportion(pool.weights(), kTableSize);
    moves.fewest += fewest_moves(slots, next_slots);
    slots = std::move(next_slots);

    engine::SlotTable next_maglev = maglev_of(pool);
    moves.maglev += differing(maglev, next_maglev);
    maglev = std::move(next_maglev);
  }
  moves.net = differing(first, table);
  return moves;
}

void moves_of_one_ramp_into(benchmark::State& state) {
  Moves moves;
  for (auto _ : state) moves = moves_of_a_ramp(static_cast<size_t>(state.range(0)));
  state.counters["moved"] = static_cast<double>(moves.moved);
  state.counters["fewest"] = static_cast<double>(moves.fewest);
  state.counters["maglev"] = static_cast<double>(moves.maglev);
  state.counters["net"] = static_cast<double>(moves.net);
}
BENCHMARK(moves_of_one_ramp_into)
    ->ArgName("nodes")
    ->Arg(10)
    ->Arg(50)
    ->Arg(100)
    ->Iterations(1)
    ->Repetitions(1)  // the same at each run
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rampart::bench
