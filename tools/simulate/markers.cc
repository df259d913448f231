// SPDX-License-Identifier: Apache-2.0
#include "simulate/markers.h"

#include <algorithm>
#include <array>

#include "simulate/svg.h"

namespace rampart::simulate {
namespace {

constexpr int kMostLanes = 6;
constexpr double kGap = 10;  // px between a label and the next one in its lane
constexpr size_t kLongest = 34;

// Never cuts a name: the last word goes whole.
std::string shortened(const std::string& label) {
  if (label.size() <= kLongest) return label;
  const size_t cut = label.rfind(' ', kLongest);
  return label.substr(0, cut == std::string::npos ? kLongest : cut) + " …";
}

struct Extent {
  double from, to;
};

Extent extent_of(const Marker& marker, double font_size) {
  const double width = text_width(marker.label, font_size) + kGap;
  if (marker.ends_at_x) return {marker.x - width, marker.x};
  return {marker.x, marker.x + width};
}

}  // namespace

std::vector<Marker> placed(std::vector<Marker> markers, double width, double font_size) {
  for (size_t i = 0; i < markers.size(); ++i) {
    Marker& marker = markers[i];
    marker.label = shortened(marker.label);
    marker.ends_at_x = extent_of(marker, font_size).to - kGap > width;
    const Extent own = extent_of(marker, font_size);
    int below = 0;  // the lane under all that covers its place
    std::array<bool, kMostLanes> taken = {};
    for (size_t k = 0; k < i; ++k) {
      const Extent other = extent_of(markers[k], font_size);
      const bool overlap = own.from < other.to && other.from < own.to;
      if (!markers[k].labelled || !overlap) continue;
      below = std::max(below, markers[k].lane + 1);
      taken[static_cast<size_t>(markers[k].lane)] = true;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    marker.labelled = free != taken.end();
    marker.lane = below < kMostLanes ? below : static_cast<int>(free - taken.begin());
  }
  return markers;
}

std::vector<Stretch> uncovered(double x, Stretch line, std::vector<Box> texts) {
  std::sort(texts.begin(), texts.end(), [](const Box& a, const Box& b) { return a.top < b.top; });
  std::vector<Stretch> parts;
  for (const Box& text : texts) {
    if (x < text.left || x > text.right || text.bottom <= line.top) continue;
    if (text.top >= line.bottom) break;
    if (text.top > line.top) parts.push_back({line.top, text.top});
    line.top = text.bottom;
  }
  if (line.top < line.bottom) parts.push_back(line);
  return parts;
}

int lanes_of(const std::vector<Marker>& markers) {
  int lanes = 0;
  for (const Marker& marker : markers) {
    if (marker.labelled) lanes = std::max(lanes, marker.lane + 1);
  }
  return lanes;
}

}  // namespace rampart::simulate
