// SPDX-License-Identifier: Apache-2.0
// What a pick costs at L7, for one worker and for two that share a scope.
#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "bench/src/engine/pool.h"
#include "engine/picker.h"

namespace rampart::bench {
namespace {

using engine::Algorithm;

// Weights from 1 to 100, so that no order is trivial.
std::shared_ptr<const engine::PickerNodes> picker_nodes(Algorithm algorithm, size_t count) {
  std::vector<engine::PickerNode> nodes;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t units = static_cast<uint32_t>(mix64(i) % kTarget + 1);
    nodes.push_back({.identity = identity_of(i),
                     .effective = Weight::whole(units),
                     .ramped = Weight::whole(units),
                     .target = units,
                     .addresses = {identity_of(i)}});
  }
  const auto made = engine::PickerNodes::make({.algorithm = algorithm}, std::move(nodes), nullptr);
  RP_CHECK(made.ok());
  return made.value();
}

// Requests of a worker that are out at a time, so that least_conn has loads to compare.
constexpr size_t kInFlight = 64;

template <Algorithm kAlgorithm>
class Pick : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State& state) override {
    if (state.thread_index() != 0) return;
    nodes_ = picker_nodes(kAlgorithm, static_cast<size_t>(state.range(0)));
  }
  void TearDown(const benchmark::State& state) override {
    if (state.thread_index() == 0) nodes_ = nullptr;
  }

 protected:
  void run(benchmark::State& state) {
    std::vector<engine::Lease> leases(kInFlight);
    std::unique_ptr<engine::Picker> picker;
    const uint64_t worker = static_cast<uint64_t>(state.thread_index());
    uint64_t request = 0;
    for (auto _ : state) {
      // Here all threads have begun, and so the nodes are there.
      if (!picker) picker = std::make_unique<engine::Picker>(nodes_, worker);
      auto pick = picker->pick(mix64(request));
      benchmark::DoNotOptimize(pick->node);
      leases[request++ % kInFlight] = std::move(pick->lease);
    }
  }

 private:
  std::shared_ptr<const engine::PickerNodes> nodes_;
};

void nodes_and_threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("nodes")->Arg(2)->Arg(10)->Arg(100)->Arg(1000);
  benchmark->Threads(1)->Threads(2)->UseRealTime();
}

BENCHMARK_TEMPLATE_DEFINE_F(Pick, roundrobin, Algorithm::kRoundRobin)(benchmark::State& state) {
  run(state);
}
BENCHMARK_REGISTER_F(Pick, roundrobin)->Apply(nodes_and_threads);

BENCHMARK_TEMPLATE_DEFINE_F(Pick, least_conn, Algorithm::kLeastConn)(benchmark::State& state) {
  run(state);
}
BENCHMARK_REGISTER_F(Pick, least_conn)->Apply(nodes_and_threads);

BENCHMARK_TEMPLATE_DEFINE_F(Pick, chash, Algorithm::kChash)(benchmark::State& state) {
  run(state);
}
BENCHMARK_REGISTER_F(Pick, chash)->Apply(nodes_and_threads);

}  // namespace
}  // namespace rampart::bench
