// SPDX-License-Identifier: Apache-2.0
#include "simulate/tabulate.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "simulate/axis.h"
#include "simulate/measure.h"
#include "simulate/names.h"

namespace rampart::simulate {
namespace {

constexpr int kBetween = 20;     // times between moments
constexpr size_t kMostRows = 6;  // of one time, before nodes share rows
constexpr size_t kWidestNames = 24;
constexpr size_t kWidestWhat = 200;  // bytes

bool is_moment(const Sample& sample) {
  return sample.line > 0 || !sample.happened.empty();
}

// Adds what `earlier` counted, so that nothing is lost when it is not shown.
Sample with_counts_of(Sample sample, const Sample& earlier) {
  sample.moved += earlier.moved;
  sample.unserved += earlier.unserved;
  for (const auto& [node, counts] : earlier.counts) {
    const auto found = sample.counts.find(node);
    if (found == sample.counts.end()) continue;
    found->second.gained += counts.gained;
    found->second.requests += counts.requests;
  }
  return sample;
}

// Nodes that one row is about.
struct Group {
  std::vector<Identity> nodes;
  std::string state;
  std::string weight;
  NodeCounts sum;
  double share = 0;
};

void add_node(Group& group, const Sample& sample, const Identity& node, const NodeCounts& counts) {
  group.nodes.push_back(node);
  group.sum.slots += counts.slots;
  group.sum.gained += counts.gained;
  group.sum.requests += counts.requests;
  group.sum.in_flight += counts.in_flight;
  group.share += share_of(sample, node);
}

std::vector<Group> groups_of(const Sample& sample) {
  const bool share_rows = sample.counts.size() > kMostRows;
  std::vector<Identity> order;
  for (const auto& [node, counts] : sample.counts) order.push_back(node);
  sort_naturally(order);
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, size_t> places;  // by state and weight
  for (const Identity& node : order) {
    const auto found = sample.scope.nodes.find(node);
    const bool listed = found != sample.scope.nodes.end();
    const std::string state = listed ? summary_of(found->second) : "removed";
    const std::string weight = listed ? std::to_string(found->second.shown) : "-";
    const auto [place, is_new] = places.try_emplace({state, weight}, groups.size());
    const bool joins = share_rows && !is_new;
    if (!joins) groups.push_back({{}, state, weight, {}, 0});
    add_node(joins ? groups[place->second] : groups.back(), sample, node, sample.counts.at(node));
  }
  return groups;
}

std::string name_of(const Group& group) {
  const std::string names = short_form(group.nodes);
  if (group.nodes.size() == 1 || names.size() <= kWidestNames) return names;
  return std::to_string(group.nodes.size()) + " nodes";
}

std::string formatted(const char* format, double value) {
  char text[48] = {};
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string signed_text(int64_t number) {
  return (number > 0 ? "+" : "") + std::to_string(number);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool has_traffic(const Run& run) {
  return std::any_of(run.samples.begin(), run.samples.end(), [](const Sample& sample) {
    return sample.unserved > 0 ||
           std::any_of(sample.counts.begin(), sample.counts.end(), [](const auto& node) {
             return node.second.requests > 0 || node.second.in_flight > 0;
           });
  });
}

std::vector<std::string> row_of(const Group& group, bool traffic) {
  std::vector<std::string> cells = {name_of(group),
                                    group.state,
                                    group.weight,
                                    formatted("%.2f", group.share),
                                    std::to_string(group.sum.slots),
                                    signed_text(group.sum.gained)};
  if (!traffic) return cells;
  cells.push_back(std::to_string(group.sum.requests));
  cells.push_back(std::to_string(group.sum.in_flight));
  return cells;
}

// Every row is as wide.
std::string shortened(std::string text) {
  if (text.size() <= kWidestWhat) return text;
  size_t end = kWidestWhat;
  while ((static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;  // within a character
  return text.substr(0, end) + "…";
}

Duration step_of(const Run& run) {
  const double seconds = seconds_of(run.samples.back().at);
  return seconds > 0 ? duration_of_seconds(round_step(seconds / kBetween)) : Duration(0);
}

// What a pool that serves nothing, or everything, has to say beside what happened.
std::string what_of(const Sample& sample) {
  std::vector<std::string> words = sample.happened;
  if (sample.scope.panic) words.push_back("(panic)");
  if (sample.unserved > 0) words.push_back("(" + std::to_string(sample.unserved) + " unserved)");
  return shortened(joined(words));
}

}  // namespace

std::vector<Sample> thinned(const std::vector<Sample>& samples, Duration step) {
  std::vector<Sample> shown;
  TimePoint next;
  Sample hidden;
  for (const Sample& sample : samples) {
    Sample whole = with_counts_of(sample, hidden);
    const bool is_last = &sample == &samples.back();
    if (!is_moment(sample) && !is_last && sample.at < next) {
      hidden = std::move(whole);
      continue;
    }
    while (sample.at >= next && step > Duration(0)) next += step;
    hidden = {};
    shown.push_back(std::move(whole));
  }
  return shown;
}

Tabulation tabulate(const Run& run, Detail detail) {
  const bool traffic = has_traffic(run);
  Tabulation table;
  table.headings = {"TIME", "WHAT", "NODE", "STATE", ">WEIGHT", ">SHARE %", ">SLOTS", ">MOVED"};
  if (traffic) table.headings.insert(table.headings.end(), {">REQUESTS", ">IN FLIGHT"});
  const std::vector<Sample> samples =
      detail == Detail::kAll ? run.samples : thinned(run.samples, step_of(run));
  for (const Sample& sample : samples) {
    std::vector<std::string> begin = {text_of(sample.at), what_of(sample)};
    if (sample.counts.empty()) {
      begin.insert(begin.end(), {"-", "no node"});
      begin.resize(table.headings.size());
      table.rows.push_back(begin);
    }
    for (const Group& group : groups_of(sample)) {
      std::vector<std::string> cells = begin;
      for (std::string& cell : row_of(group, traffic)) cells.push_back(std::move(cell));
      table.rows.push_back(std::move(cells));
      begin = {"", ""};  // said once for all nodes of a time
    }
  }
  return table;
}

}  // namespace rampart::simulate
