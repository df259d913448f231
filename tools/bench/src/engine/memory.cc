// SPDX-License-Identifier: Apache-2.0
// Bytes that the daemon keeps, as the allocator counts them.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "bench/src/engine/pool.h"
#include "control/tables.h"
#include "engine/engine.h"

namespace rampart::bench {
namespace {

size_t allocated() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;  // hblkhd: large blocks have a mapping of their own
}

// A node that ramps, in the engine and in its snapshot.
void memory_of_a_node(benchmark::State& state) {
  const size_t nodes = static_cast<size_t>(state.range(0));
  double bytes = 0;
  for (auto _ : state) {
    engine::Scope scope = {"pool", {}, ramp_block()};
    for (size_t i = 0; i < nodes; ++i) scope.nodes.push_back({identity_of(i), kTarget});
    const size_t before = allocated();
    engine::Engine engine({});
    engine.set_desired({{"pool", {{"first", kTarget}}, ramp_block()}}, TimePoint());
    engine.set_desired({scope}, TimePoint());
    benchmark::DoNotOptimize(engine.step(TimePoint()));
    bytes = static_cast<double>(allocated() - before) / static_cast<double>(nodes);
  }
  state.counters["bytes"] = bytes;
}
BENCHMARK(memory_of_a_node)->ArgName("nodes")->Arg(1000)->Iterations(1)->Repetitions(1);

// A VIP's table and its goal. The kernel's two halves are not in it.
void memory_of_a_table(benchmark::State& state) {
  const Pool pool(static_cast<size_t>(state.range(0)), 0);
  double bytes = 0;
  for (auto _ : state) {
    const size_t before = allocated();
    control::Tables tables;
    const control::NextTable table =
        tables.next(pool.vip(), {}, pool.ids(), control::Refill::kNotNow);
    benchmark::DoNotOptimize(table.slots.data());
    bytes = static_cast<double>(allocated() - before);
  }
  state.counters["bytes"] = bytes;
}
BENCHMARK(memory_of_a_table)->ArgName("nodes")->Arg(10)->Arg(1000)->Iterations(1)->Repetitions(1);

}  // namespace
}  // namespace rampart::bench
