// SPDX-License-Identifier: Apache-2.0
#include "simulate/series.h"

#include <algorithm>
#include <map>
#include <set>

#include "simulate/measure.h"
#include "simulate/names.h"

namespace rampart::simulate {
namespace {

std::vector<Identity> nodes_in(const std::vector<Sample>& samples) {
  std::vector<Identity> nodes;
  std::set<Identity> seen;
  for (const Sample& sample : samples) {
    std::vector<Identity> here;
    for (const auto& [node, counts] : sample.counts) {
      if (seen.insert(node).second) here.push_back(node);
    }
    sort_naturally(here);
    nodes.insert(nodes.end(), here.begin(), here.end());
  }
  return nodes;
}

Series series_of_one(const Identity& node, const std::vector<Sample>& samples) {
  Series series = {{node}, {}, {}, {}};
  for (const Sample& sample : samples) {
    const auto state = sample.scope.nodes.find(node);
    const bool listed = state != sample.scope.nodes.end();
    series.weight.push_back(listed ? std::optional(state->second.effective.to_double())
                                   : std::nullopt);
    const auto counts = sample.counts.find(node);
    const bool counted = counts != sample.counts.end();
    series.share.push_back(counted ? share_of(sample, node) : 0);
    series.in_flight.push_back(
        counted ? std::optional(static_cast<double>(counts->second.in_flight)) : std::nullopt);
  }
  return series;
}

void add(Curve& sum, const Curve& other) {
  for (size_t i = 0; i < sum.size(); ++i) {
    if (other[i]) sum[i] = sum[i].value_or(0) + *other[i];
  }
}

Curve mean_of(const std::vector<Curve>& curves) {
  Curve mean;
  for (size_t i = 0; i < curves.front().size(); ++i) {
    double sum = 0;
    int count = 0;
    for (const Curve& curve : curves) {
      if (!curve[i]) continue;
      sum += *curve[i];
      ++count;
    }
    mean.push_back(count > 0 ? std::optional(sum / count) : std::nullopt);
  }
  return mean;
}

}  // namespace

std::vector<Series> series_of(const std::vector<Sample>& samples) {
  std::vector<Series> all;
  std::map<Curve, size_t> places;             // by weight
  std::vector<std::vector<Curve>> in_flight;  // of each series: of each node
  for (const Identity& node : nodes_in(samples)) {
    Series one = series_of_one(node, samples);
    const auto [place, is_new] = places.try_emplace(one.weight, all.size());
    if (is_new) {
      in_flight.push_back({one.in_flight});
      all.push_back(std::move(one));
      continue;
    }
    Series& alike = all[place->second];
    alike.nodes.push_back(node);
    add(alike.share, one.share);
    in_flight[place->second].push_back(one.in_flight);
  }
  for (size_t i = 0; i < all.size(); ++i) all[i].in_flight = mean_of(in_flight[i]);
  return all;
}

std::vector<Curve> side_by_side(std::vector<Curve> levels, int width) {
  constexpr size_t kMostPlaces = 4;
  const size_t samples = levels.empty() ? 0 : levels.front().size();
  for (size_t i = 0; i < samples; ++i) {
    std::map<double, std::vector<Curve*>> lines;  // by level
    for (Curve& line : levels) {
      if (line[i]) lines[*line[i]].push_back(&line);
    }
    for (const auto& [level, alike] : lines) {
      const size_t places = std::min(kMostPlaces, alike.size());
      const double first = level - width * static_cast<double>(places - 1) / 2;
      for (size_t k = 0; k < alike.size(); ++k) {
        (*alike[k])[i] = first + width * static_cast<double>(k * places / alike.size());
      }
    }
  }
  return levels;
}

Curve total_moved(const std::vector<Sample>& samples) {
  Curve curve;
  double total = 0;
  for (const Sample& sample : samples) curve.push_back(total += sample.moved);
  return curve;
}

}  // namespace rampart::simulate
