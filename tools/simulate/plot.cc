// SPDX-License-Identifier: Apache-2.0
#include "simulate/plot.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "simulate/axis.h"
#include "simulate/markers.h"
#include "simulate/names.h"
#include "simulate/run.h"
#include "simulate/series.h"
#include "simulate/svg.h"
#include "simulate/tabulate.h"

namespace rampart::simulate {
namespace {

constexpr double kWidth = 800, kLeft = 62, kRight = 22;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kTitleLine = 22, kLegendLine = 20, kLane = 16;
constexpr double kPanelGap = 38, kBottom = 42;
constexpr double kSmall = 12;   // px, of ticks, labels and legend
constexpr int kTimeTicks = 10;  // at most; "120 min" leaves room for more
// px, even: on whole pixels a line fills some and touches no other, so that nothing is smoothed to a
// colour that no node has.
constexpr int kLineWidth = 2;
constexpr int kTitleGlyphs = 78;

// Okabe and Ito, "Color Universal Design" (2008): told apart with any colour vision. Their yellow is
// left out: on white it is hardly seen. A second round is dashed, and its areas are paler.
constexpr const char* kPalette[] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                    "#56B4E9", "#D55E00", "#444444"};
constexpr size_t kColours = std::size(kPalette);

// Its own background, so that it reads alike on light and dark pages.
constexpr const char* kStyle =
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;fill:#333}"
    ".page{fill:#fff;stroke:#d0d0d0}.title{font-size:16px;font-weight:600;fill:#111}"
    ".panel{font-weight:600}.halo{paint-order:stroke;stroke:#fff;stroke-width:4px;"
    "stroke-linejoin:round}.end{text-anchor:end}.middle{text-anchor:middle}.quiet{fill:#666}"
    ".grid{stroke:#e6e6e6}.axis{stroke:#888}.marker{stroke:#777;stroke-dasharray:2 3}"
    ".curve{fill:none;shape-rendering:crispEdges}.area{stroke:#fff;stroke-width:.6}"
    ".panic{fill:#D55E00;fill-opacity:.10}";

struct Panel {
  const char* title;
  double height;
  double top = 0;
  double most = 1;  // end of its scale
};

class Plotter {
 public:
  Plotter(const Scenario& scenario, const Run& run)
      : scenario_(scenario),
        seconds_(seconds_of(scenario.until)),
        samples_(thinned(run.samples, duration_of_seconds(seconds_ / kPlotWidth))),
        series_(series_of(samples_)),
        markers_(placed(markers(), kPlotWidth, kSmall)) {}

  std::string draw() {
    const std::vector<std::string> title = title_lines();
    double y = 12 + kTitleLine * static_cast<double>(title.size());
    const double legend_top = y + kLegendLine;
    y = legend_top + legend_height();
    lanes_top_ = y + 10;
    y = lanes_top_ + kLane * lanes_of(markers_);
    for (Panel* panel : panels()) {
      panel->top = y + kPanelGap - 12;
      y = panel->top + panel->height + 12;
    }
    bottom_ = y - 12;
    Svg svg(kWidth, bottom_ + kBottom, scenario_.title, kStyle);
    svg.rect({0.5, 0.5}, kWidth - 1, bottom_ + kBottom - 1, "rx=\"6\" class=\"page\"");
    for (size_t i = 0; i < title.size(); ++i) {
      svg.text({16, 12 + kTitleLine * (static_cast<double>(i) + 0.7)}, title[i], "class=\"title\"");
    }
    draw_legend(svg, legend_top);
    draw_panels(svg);
    draw_markers(svg);
    return std::move(svg).finish();
  }

 private:
  double x_of(TimePoint at) const { return kLeft + kPlotWidth * seconds_of(at) / seconds_; }
  static double y_of(const Panel& panel, double value) {
    return panel.top + panel.height * (1 - value / panel.most);
  }
  std::vector<Panel*> panels() {
    std::vector<Panel*> list = {&weight_, &share_, &moved_};
    if (has_traffic()) list.push_back(&in_flight_);
    return list;
  }
  bool has_traffic() const {
    return std::any_of(series_.begin(), series_.end(), [](const Series& one) {
      return std::any_of(one.in_flight.begin(), one.in_flight.end(),
                         [](const auto& value) { return value.value_or(0) > 0; });
    });
  }

  bool has_groups() const {
    return std::any_of(series_.begin(), series_.end(),
                       [](const Series& one) { return one.nodes.size() > 1; });
  }

  // Where one curve is about several nodes, what it says of them.
  std::string title_of(const Panel& panel) const {
    const char* note = "";
    if (has_groups() && &panel == &share_) note = "; nodes of one colour together";
    if (has_groups() && &panel == &in_flight_) note = "; mean of the nodes of one colour";
    return std::string(panel.title) + note;
  }

  std::vector<std::string> title_lines() const {
    std::vector<std::string> lines = {""};
    std::istringstream words(scenario_.title);
    for (std::string word; words >> word;) {
      if (!lines.back().empty() && lines.back().size() + word.size() > kTitleGlyphs) {
        lines.emplace_back();
      }
      lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
  }

  std::vector<Marker> markers() const {
    std::vector<Marker> list;
    for (const Sample& sample : samples_) {
      for (const std::string& action : sample.happened) {
        const double x = kPlotWidth * seconds_of(sample.at) / seconds_;
        if (!list.empty() && x - list.back().x < 2) {
          list.back().label += ", " + action;
        } else {
          list.push_back({.x = x, .label = action});
        }
      }
    }
    return list;
  }

  // The legend.

  static std::string paint_of(size_t index) { return kPalette[index % kColours]; }
  static bool is_dashed(size_t index) { return index / kColours % 2 == 1; }

  // Where each entry stands, from (0, 0).
  std::vector<Point> legend_places() const {
    std::vector<Point> places;
    Point next;
    for (const Series& one : series_) {
      const double width = 36 + text_width(short_form(one.nodes), kSmall);
      if (next.x > 0 && next.x + width > kWidth - 32) next = {0, next.y + kLegendLine};
      places.push_back(next);
      next.x += width;
    }
    return places;
  }
  double legend_height() const { return series_.empty() ? 0 : legend_places().back().y; }
  void draw_legend(Svg& svg, double top) const {
    const std::vector<Point> places = legend_places();
    for (size_t i = 0; i < series_.size(); ++i) {
      const Point at = {16 + places[i].x, top + places[i].y};
      const std::string dash = is_dashed(i) ? "stroke-dasharray=\"5 3\" " : "";
      svg.path({{at.x, at.y - 4}, {at.x + 16, at.y - 4}}, false,
               "stroke=\"" + paint_of(i) + "\" " + dash + "stroke-width=\"5\"");
      svg.text({at.x + 21, at.y}, short_form(series_[i].nodes), "");
    }
  }

  // The panels.

  void draw_panels(Svg& svg) {
    weight_.most = end_of_scale(weight_, highest(&Series::weight));
    share_.most = 100;
    const Curve moved = total_moved(samples_);
    moved_.most = end_of_scale(moved_, moved.back().value_or(0));
    in_flight_.most = end_of_scale(in_flight_, highest(&Series::in_flight));
    for (const Panel* panel : panels()) draw_frame(svg, *panel, panel == panels().back());
    draw_panic(svg);
    draw_curves(svg, weight_, &Series::weight);
    draw_shares(svg);
    svg.open_group("class=\"moved\"");
    for (const auto& points : steps(levels_of(moved_, moved))) {
      svg.path(on_pixels(points), false, "class=\"curve\" stroke=\"#444444\" stroke-width=\"2\"");
    }
    svg.close_group();
    if (has_traffic()) draw_curves(svg, in_flight_, &Series::in_flight);
  }

  double highest(Curve Series::*curve) const {
    double most = 0;
    for (const Series& one : series_) {
      for (const auto& value : one.*curve) most = std::max(most, value.value_or(0));
    }
    return most;
  }
  static int ticks_for(const Panel& panel) { return panel.height > 120 ? 5 : 3; }
  static double end_of_scale(const Panel& panel, double most) {
    return ticks_to(most, ticks_for(panel)).back().value;
  }

  void draw_frame(Svg& svg, const Panel& panel, bool is_last) const {
    for (const Tick& tick : ticks_to(panel.most, ticks_for(panel))) {
      const double y = y_of(panel, tick.value);
      svg.line({kLeft, y}, {kWidth - kRight, y}, tick.value == 0 ? "axis" : "grid");
      svg.text({kLeft - 8, y + 4}, tick.label, "class=\"end quiet\"");
    }
    const double floor = panel.top + panel.height;
    for (const Tick& tick : time_ticks(seconds_, kTimeTicks)) {
      const double x = kLeft + kPlotWidth * tick.value / seconds_;
      svg.line({x, panel.top}, {x, floor}, "grid");
      svg.line({x, floor}, {x, floor + 4}, "axis");
      if (is_last) draw_time(svg, {x, floor + 18}, tick.label);
    }
    if (is_last) svg.text({kLeft + kPlotWidth / 2, floor + 34}, "time", "class=\"middle quiet\"");
  }

  // In the middle of `at`, but never beyond the page.
  static void draw_time(Svg& svg, Point at, const std::string& label) {
    constexpr double kEnd = kWidth - 6;
    if (at.x + text_width(label, kSmall) / 2 <= kEnd) {
      svg.text(at, label, "class=\"middle quiet\"");
    } else {
      svg.text({kEnd, at.y}, label, "class=\"end quiet\"");
    }
  }

  void draw_panic(Svg& svg) const {
    for (size_t i = 0; i + 1 < samples_.size(); ++i) {
      if (!samples_[i].scope.panic) continue;
      size_t last = i + 1;
      while (last + 1 < samples_.size() && samples_[last].scope.panic) ++last;
      const double from = x_of(samples_[i].at);
      svg.rect({from, weight_.top}, x_of(samples_[last].at) - from, bottom_ - weight_.top,
               "class=\"panic\"");
      svg.text({from + 4, weight_.top + 20}, "panic", "class=\"halo\"");
      i = last;
    }
  }

  static Curve levels_of(const Panel& panel, Curve curve) {
    for (auto& value : curve) {
      if (value) value = y_of(panel, *value);
    }
    return curve;
  }

  // The runs of a curve where the node is there, as steps.
  std::vector<std::vector<Point>> steps(const Curve& levels) const {
    std::vector<std::vector<Point>> runs;
    bool open = false;
    for (size_t i = 0; i < levels.size(); ++i) {
      const double x = x_of(samples_[i].at);
      if (open) runs.back().push_back({x, runs.back().back().y});
      if (!levels[i]) {
        open = false;
        continue;
      }
      if (!open) runs.emplace_back();
      open = true;
      runs.back().push_back({x, *levels[i]});
    }
    for (auto& points : runs) points = without_repeats(points);
    return runs;
  }
  static std::vector<Point> on_pixels(std::vector<Point> points) {
    for (Point& point : points) point = {std::round(point.x), std::round(point.y)};
    return without_repeats(points);
  }
  // Points in the middle of a level stretch say nothing.
  static std::vector<Point> without_repeats(const std::vector<Point>& points) {
    std::vector<Point> kept;
    for (size_t i = 0; i < points.size(); ++i) {
      const bool level = i > 0 && i + 1 < points.size() && points[i - 1].y == points[i].y &&
                         points[i].y == points[i + 1].y;
      if (!level) kept.push_back(points[i]);
    }
    return kept;
  }

  static std::string group_of(const Series& one) {
    std::string names;
    for (const Identity& node : one.nodes) names += (names.empty() ? "" : " ") + node;
    return "class=\"series\" data-nodes=\"" + xml_escaped(names) + "\"";
  }

  static std::string stroke_of(size_t index) {
    return "class=\"curve\" stroke=\"" + paint_of(index) + "\" stroke-width=\"" +
           std::to_string(kLineWidth) + "\"" +
           (is_dashed(index) ? " stroke-dasharray=\"5 3\"" : "");
  }

  void draw_curves(Svg& svg, const Panel& panel, Curve Series::*curve) const {
    std::vector<Curve> levels;
    for (const Series& one : series_) {
      levels.push_back(levels_of(panel, one.*curve));
      for (auto& level : levels.back()) {
        if (level) level = std::round(*level);
      }
    }
    levels = side_by_side(std::move(levels), kLineWidth);
    for (size_t i = 0; i < series_.size(); ++i) {
      svg.open_group(group_of(series_[i]));
      for (const auto& points : steps(levels[i])) svg.path(on_pixels(points), false, stroke_of(i));
      svg.close_group();
    }
  }

  // Areas on top of each other, the first series at the bottom.
  void draw_shares(Svg& svg) const {
    Curve below(samples_.size(), 0.0);
    for (size_t i = 0; i < series_.size(); ++i) {
      Curve above = below;
      for (size_t k = 0; k < above.size(); ++k) *above[k] += series_[i].share[k].value_or(0);
      std::vector<Point> outline = steps(levels_of(share_, above)).front();
      std::vector<Point> back = steps(levels_of(share_, below)).front();
      outline.insert(outline.end(), back.rbegin(), back.rend());
      svg.open_group(group_of(series_[i]));
      svg.path(outline, true,
               "class=\"area\" fill=\"" + paint_of(i) + "\" fill-opacity=\"" +
                   (is_dashed(i) ? ".5" : ".85") + "\"");
      svg.close_group();
      below = std::move(above);
    }
  }

  static Point place_of(const Marker& marker, double lanes_top) {
    return {kLeft + marker.x + (marker.ends_at_x ? -4 : 4), lanes_top + kLane * marker.lane + 13};
  }

  // Where lines of markers would run through text.
  std::vector<Box> texts() {
    constexpr double kAround = 2, kBold = 1.12;
    std::vector<Box> boxes;
    for (const Panel* panel : panels()) {
      const double width = kBold * text_width(title_of(*panel), kSmall);
      boxes.push_back({kLeft, kLeft + width + kAround, panel->top - 20, panel->top - 4});
    }
    for (const Marker& marker : markers_) {
      if (!marker.labelled) continue;
      const Point at = place_of(marker, lanes_top_);
      const double width = text_width(marker.label, kSmall);
      const double left = marker.ends_at_x ? at.x - width : at.x;
      boxes.push_back({left - kAround, left + width + kAround, at.y - 11, at.y + 3});
    }
    return boxes;
  }

  // Lines and labels last: they are over the curves.
  void draw_markers(Svg& svg) {
    const std::vector<Box> boxes = texts();
    for (const Marker& marker : markers_) {
      const double x = kLeft + marker.x;
      const double top = lanes_top_ + kLane * marker.lane + 2;
      for (const Stretch& part : uncovered(x, {top, bottom_}, boxes)) {
        svg.line({x, part.top}, {x, part.bottom}, "marker");
      }
    }
    for (const Panel* panel : panels()) {
      svg.text({kLeft, panel->top - 8}, title_of(*panel), "class=\"panel halo\"");
    }
    for (const Marker& marker : markers_) {
      if (!marker.labelled) continue;
      svg.text(place_of(marker, lanes_top_), marker.label,
               marker.ends_at_x ? "class=\"end halo\"" : "class=\"halo\"");
    }
  }

  const Scenario& scenario_;
  const double seconds_;
  const std::vector<Sample> samples_;
  const std::vector<Series> series_;
  const std::vector<Marker> markers_;  // x from the plot's left edge

  Panel weight_ = {"effective weight of each node", 150};
  Panel share_ = {"share of the slots, %", 150};
  Panel moved_ = {"slots moved since the beginning", 90};
  Panel in_flight_ = {"requests in flight, each", 110};
  double lanes_top_ = 0;
  double bottom_ = 0;
};

TimePoint end_of_picture(const Scenario& scenario) {
  const Duration length = scenario.until.time_since_epoch();
  if (length == Duration(0)) return TimePoint(std::chrono::seconds(1));
  const bool ends_with_event = std::any_of(
      scenario.moments.begin(), scenario.moments.end(),
      [&](const Moment& moment) { return moment.at == scenario.until && !moment.actions.empty(); });
  return TimePoint(ends_with_event ? length + length / 20 : length);
}

}  // namespace

std::string plot(Scenario scenario, uint64_t seed) {
  scenario.until = end_of_picture(scenario);
  return Plotter(scenario, run_scenario(scenario, seed)).draw();
}

}  // namespace rampart::simulate
