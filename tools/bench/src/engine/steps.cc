// SPDX-License-Identifier: Apache-2.0
// What a second of ramping costs, and what lies beside it on the scale.
#include <benchmark/benchmark.h>

#include <cstring>

#include "bench/src/engine/maglev.h"
#include "bench/src/engine/pool.h"
#include "control/tables.h"
#include "engine/apportion.h"
#include "engine/engine.h"
#include "engine/slots.h"

namespace rampart::bench {
namespace {

// One VIP's next table, as the daemon makes it each second, while a tenth of the nodes ramp.
void table_step(benchmark::State& state) {
  const size_t nodes = static_cast<size_t>(state.range(0));
  Pool pool(nodes, nodes / 10);
  control::Tables tables;
  pool.ramp_to(0);
  engine::SlotTable table = tables.next(pool.vip(), {}, pool.ids(), control::Refill::kNotNow).slots;
  uint64_t moved = 0;
  int step = 0;
  for (auto _ : state) {
    pool.ramp_to(++step);
    control::NextTable next = tables.next(pool.vip(), table, pool.ids(), control::Refill::kNotNow);
    if (next.moves.retarget > 0) table = std::move(next.slots);
    moved += next.moves.retarget;
  }
  state.counters["moves"] =
      benchmark::Counter(static_cast<double>(moved), benchmark::Counter::kAvgIterations);
}
BENCHMARK(table_step)
    ->ArgName("nodes")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);

// When nodes or target weights change.
void goal_table(benchmark::State& state) {
  const size_t count = static_cast<size_t>(state.range(0));
  const std::vector<Weight> weights(count, Weight::whole(kTarget));
  const std::vector<uint32_t> slots = engine::apportion(weights, kTableSize);
  std::vector<engine::GoalNode> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back({static_cast<engine::Owner>(i + 1), identity_of(i), slots[i]});
  }
  for (auto _ : state) benchmark::DoNotOptimize(engine::goal_table(nodes, kTableSize, 7));
}
BENCHMARK(goal_table)
    ->ArgName("nodes")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);

void maglev(benchmark::State& state) {
  std::vector<MaglevNode> nodes;
  for (size_t i = 0; i < static_cast<size_t>(state.range(0)); ++i) {
    nodes.push_back({static_cast<engine::Owner>(i + 1), identity_of(i), Weight::whole(kTarget)});
  }
  for (auto _ : state) benchmark::DoNotOptimize(maglev_fill(nodes, kTableSize));
}
BENCHMARK(maglev)->ArgName("nodes")->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

// The engine's own part of a second: the weights of one scope in which every node ramps.
void engine_step(benchmark::State& state) {
  engine::Scope scope = {"pool", {}, ramp_block()};
  scope.nodes.push_back({"first", kTarget});
  TimePoint now;
  engine::Engine engine({});
  engine.set_desired({scope}, now);
  for (size_t i = 1; i < static_cast<size_t>(state.range(0)); ++i) {
    scope.nodes.push_back({identity_of(i), kTarget});
  }
  engine.set_desired({scope}, now);
  for (auto _ : state) {
    now += std::chrono::milliseconds(1);  // the ramps outlast the measurement
    benchmark::DoNotOptimize(engine.step(now));
  }
}
BENCHMARK(engine_step)
    ->ArgName("nodes")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);

// What measuring costs.
void empty_loop(benchmark::State& state) {
  for (auto _ : state) benchmark::ClobberMemory();
}
BENCHMARK(empty_loop);

// What touching every slot once costs.
void copy_of_a_table(benchmark::State& state) {
  const engine::SlotTable from(kTableSize, 1);
  engine::SlotTable to(kTableSize, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kTableSize * sizeof(engine::Owner));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(copy_of_a_table)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rampart::bench
