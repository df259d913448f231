// SPDX-License-Identifier: Apache-2.0
#include "simulate/to_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/explain.h"
#include "simulate/measure.h"
#include "simulate/names.h"

namespace rampart::simulate {
namespace {

using nlohmann::json;

// As the API rounds.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

json ramp_view(const engine::NodeState& node) {
  if (!node.ramp_start) return nullptr;
  const double elapsed = std::chrono::duration<double>(node.ramp_elapsed).count();
  const double left = std::chrono::duration<double>(node.ramp_left).count();
  return {{"start", seconds_of(*node.ramp_start)},
          {"seconds_left", rounded(left)},
          {"percent", rounded(100 * elapsed / (elapsed + left))}};
}

json weight_view(const engine::NodeState& node) {
  const auto& given = node.condition.override_weight;
  return {{"configured", node.configured},
          {"override", given ? json(*given) : json(nullptr)},
          {"shown", node.shown},
          {"effective", node.effective.to_double()}};
}

json counts_view(const Sample& sample, const Identity& name) {
  const NodeCounts& counts = sample.counts.at(name);
  return {{"name", name},
          {"slots", counts.slots},
          {"share", rounded(share_of(sample, name))},
          {"gained", counts.gained},
          {"requests", counts.requests},
          {"in_flight", counts.in_flight}};
}

json node_view(const Sample& sample, const Identity& name) {
  json view = counts_view(sample, name);
  const auto found = sample.scope.nodes.find(name);
  view["listed"] = found != sample.scope.nodes.end();
  if (found == sample.scope.nodes.end()) return view;
  const engine::NodeState& node = found->second;
  view["state"] = summary_of(node);
  view["lifecycle"] = name_of(node.lifecycle);
  view["admin"] = name_of(node.condition.admin);
  view["health"] = name_of(node.condition.health);
  view["priority"] = node.priority;
  view["addresses"] = node.addresses;
  view["weight"] = weight_view(node);
  view["ramp"] = ramp_view(node);
  view["reason"] = why(sample.scope, name);
  return view;
}

json sample_view(const Sample& sample) {
  json nodes = json::array();
  for (const auto& [name, counts] : sample.counts) nodes.push_back(node_view(sample, name));
  return {{"at", seconds_of(sample.at)},
          {"line", sample.line},
          {"actions", sample.happened},
          {"panic", sample.scope.panic},
          {"moved", sample.moved},
          {"unserved", sample.unserved},
          {"nodes", nodes}};
}

// All but the samples.
json frame_of(const Scenario& scenario, const Run& run, uint64_t seed) {
  json view = {{"title", scenario.title},
               {"rules", scenario.rules},
               {"algorithm", name_of(scenario.settings.algorithm)},
               {"table_size", scenario.settings.table_size},
               {"seed", seed},
               {"samples", json::array()},
               {"events", json::array()},
               {"failures", json::array()}};
  for (const Happening& one : run.happenings) {
    view["events"].push_back({{"at", seconds_of(one.at)},
                              {"kind", one.kind},
                              {"node", one.node},
                              {"reason", one.reason}});
  }
  for (const Failure& one : run.failures) {
    view["failures"].push_back({{"line", one.line}, {"text", one.text}});
  }
  return view;
}

// As it stands within something else.
std::string indented(const json& value, size_t blanks) {
  std::string text;
  for (const char letter : value.dump(2)) {
    text += letter;
    if (letter == '\n') text.append(blanks, ' ');
  }
  return text;
}

}  // namespace

void write_json(const Scenario& scenario, const Run& run, uint64_t seed,
                const std::function<void(const std::string&)>& write) {
  std::string before = "{\n  ";
  const json frame = frame_of(scenario, run, seed);
  for (const auto& [name, value] : frame.items()) {
    write(before + "\"" + name + "\": ");
    before = ",\n  ";
    if (name != "samples") {
      write(indented(value, 2));
      continue;
    }
    std::string before_sample = "[\n    ";
    for (const Sample& sample : run.samples) {
      write(before_sample + indented(sample_view(sample), 4));
      before_sample = ",\n    ";
    }
    write("\n  ]");  // there is a sample
  }
  write("\n}\n");
}

}  // namespace rampart::simulate
