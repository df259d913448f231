// SPDX-License-Identifier: Apache-2.0
// What people and programs are shown of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "simulate/axis.h"
#include "simulate/markers.h"
#include "simulate/plot.h"
#include "simulate/series.h"
#include "simulate/svg.h"
#include "simulate/tabulate.h"
#include "simulate/to_json.h"
#include "unit/simulate/played.h"

namespace rampart::simulate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kJoin =
    "# A join.   S3.3\n"
    "pool a=100 window=300s table=251\n"
    "at 60s add b=100\n"
    "until 400s\n";

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::set<std::string> times_of(const Tabulation& table) {
  std::set<std::string> times;
  for (const auto& row : table.rows) {
    if (!row[0].empty()) times.insert(row[0]);
  }
  return times;
}

TEST(Tabulate, ShowsEveryMomentAndAboutTwentyTimesBetween) {
  const auto run = played(kJoin);
  const auto some = times_of(tabulate(run, Detail::kSome));
  EXPECT_TRUE(some.contains("60s"));
  EXPECT_TRUE(some.contains("400s"));
  EXPECT_GE(some.size(), 15u);
  EXPECT_LE(some.size(), 24u);
  EXPECT_THAT(times_of(tabulate(run, Detail::kAll)), SizeIs(303));  // 0, 60, 61 … 360, 400 s
}

TEST(Tabulate, LosesNoMoveBetweenRows) {
  const auto run = played(kJoin);
  int64_t gained = 0;
  for (const auto& row : tabulate(run, Detail::kSome).rows) {
    if (row[2] == "b") gained += std::stoll(row[7]);
  }
  EXPECT_EQ(gained, 125);  // half of 251; a, the first by name, keeps the odd one (W5)
}

TEST(Tabulate, NodesOfABigPoolThatAreAlikeShareARow) {
  const auto table = tabulate(played("pool b1..b10=100 table=251\nat 5s down b3\n"), Detail::kSome);
  const auto& last = table.rows.back();
  ASSERT_THAT(table.rows, SizeIs(3));
  EXPECT_THAT(table.rows[1], ElementsAre("5s", "down b3", "b1 b2 b4..b10", "mature", "100",
                                         "100.00", "251", "+25"));
  EXPECT_THAT(last, ElementsAre("", "", "b3", "down", "0", "0.00", "0", "-25"));
}

TEST(Tabulate, HasColumnsForRequestsOnlyIfThereAreSome) {
  EXPECT_THAT(tabulate(played(kJoin), Detail::kSome).headings, SizeIs(8));
  const auto table =
      tabulate(played("pool a=1 requests=1/s lasting=9s\nuntil 9s\n"), Detail::kSome);
  EXPECT_THAT(table.headings, SizeIs(10));
  EXPECT_EQ(table.rows.back()[9], "9");
}

TEST(Tabulate, ShowsEveryNodeOfABigPool) {
  std::string text = "pool window=9s";
  for (int i = 1; i <= 20000; ++i) text += " n" + std::to_string(i) + "=" + std::to_string(i);
  const Scenario scenario = scenario_of(text + "\nat 1s weight n1=7\nuntil 3s\n");
  EXPECT_GT(tabulate(run_scenario(scenario, 0), Detail::kAll).rows.size(), 20000u);
}

TEST(Tabulate, CutsWhatHappenedShort) {  // every row is as wide
  std::string text = "pool a=1\nat 1s";
  for (int i = 0; i < 50; ++i) text += " add ü" + std::to_string(i) + "=1";
  const std::string what = tabulate(played(text), Detail::kAll).rows[1][1];
  EXPECT_TRUE(what.starts_with("add ü0, add ü1"));
  EXPECT_LE(what.size(), 203u);
  EXPECT_EQ(what.substr(what.size() - 3), "…");
}

TEST(Json, HasWhatThePageDescribes) {  // docs/simulate.md
  const Scenario scenario = scenario_of(kJoin);
  std::string text;
  write_json(scenario, run_scenario(scenario, 7), 7,
             [&](const std::string& piece) { text += piece; });
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(text, json.dump(2) + "\n");  // in pieces, but one form
  EXPECT_EQ(json["title"], "A join.");
  EXPECT_EQ(json["rules"], nlohmann::json({"S3.3"}));
  EXPECT_EQ(json["algorithm"], "roundrobin");
  EXPECT_EQ(json["table_size"], 251);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["failures"], nlohmann::json::array());
  EXPECT_THAT(json["samples"], SizeIs(303));
  const auto& moment = json["samples"][1];
  EXPECT_EQ(moment["at"], 60);
  EXPECT_EQ(moment["line"], 3);
  EXPECT_EQ(moment["actions"], nlohmann::json({"add b"}));
  EXPECT_EQ(moment["panic"], false);
  EXPECT_EQ(moment["moved"], 2);  // 251/101 is 2.49
  EXPECT_EQ(moment["unserved"], 0);
  const auto& node = moment["nodes"][1];
  EXPECT_EQ(node["name"], "b");
  EXPECT_EQ(node["listed"], true);
  EXPECT_EQ(node["state"], "ramping");
  EXPECT_EQ(node["lifecycle"], "ramping");
  EXPECT_EQ(node["admin"], "none");
  EXPECT_EQ(node["health"], "unknown");
  EXPECT_EQ(node["priority"], 0);
  EXPECT_EQ(node["addresses"], nlohmann::json::array());
  EXPECT_EQ(node["weight"]["configured"], 100);
  EXPECT_EQ(node["weight"]["override"], nullptr);
  EXPECT_EQ(node["weight"]["shown"], 1);
  EXPECT_EQ(node["weight"]["effective"], 1.0);
  EXPECT_EQ(node["slots"], 2);
  EXPECT_EQ(node["share"], 0.797);
  EXPECT_EQ(node["gained"], 2);
  EXPECT_EQ(node["requests"], 0);
  EXPECT_EQ(node["in_flight"], 0);
  EXPECT_EQ(node["ramp"]["start"], 60);
  EXPECT_EQ(node["ramp"]["seconds_left"], 300);
  EXPECT_THAT(node["reason"].get<std::string>(), HasSubstr("it joined a running scope"));
  const auto& event = json["events"][0];
  EXPECT_EQ(event["at"], 60);
  EXPECT_EQ(event["kind"], "began");
  EXPECT_EQ(event["node"], "b");
  EXPECT_FALSE(event["reason"].get<std::string>().empty());
}

TEST(Plot, HasEachNodeInEachPanel) {
  const Scenario scenario = scenario_of(
      "# One.\npool a=100 c1..c3=50 requests=5/s lasting=9s window=9s\nat 20s add b=100\nuntil "
      "60s\n");
  const std::string svg = plot(scenario, 0);
  EXPECT_EQ(count_of(svg, "data-nodes=\"a\""), 3u);  // weight, share, in flight
  EXPECT_EQ(count_of(svg, "data-nodes=\"b\""), 3u);
  EXPECT_EQ(count_of(svg, "data-nodes=\"c1 c2 c3\""), 3u);
  EXPECT_EQ(count_of(svg, "class=\"moved\""), 1u);
  EXPECT_THAT(svg, HasSubstr(">add b</text>"));
  EXPECT_THAT(svg, HasSubstr(">One.</text>"));
  EXPECT_THAT(svg, HasSubstr(">time</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Series, LoadIsThatOfEachNode) {  // L2: equal load looks equal
  const auto series =
      series_of(played("pool a=100 b=100 c=200 requests=40/s lasting=1s\nuntil 5s\n").samples);
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_THAT(series[0].nodes, ElementsAre("a", "b"));
  EXPECT_EQ(series[0].in_flight.back(), 10);
  EXPECT_EQ(series[1].in_flight.back(), 20);
}

TEST(Plot, LinesOnTheSameLevelHaveTheColoursOfTheirNodes) {  // nothing is smoothed
  const std::string svg = plot(
      scenario_of("pool a=1 b=3 c=7 window=9s\nat 7s add d=2\nat 17s weight b=1 c=1 d=1\n"), 0);
  const std::regex curve(
      "d=\"M([^\"]*)\" class=\"curve\" stroke=\"[^\"]*\" stroke-width=\"([^\"]*)\"");
  std::vector<std::string> widths;
  std::set<std::string> levels;  // at the end
  for (std::sregex_iterator it(svg.begin(), svg.end(), curve), end; it != end; ++it) {
    EXPECT_EQ((*it)[1].str().find('.'), std::string::npos) << (*it)[1];
    widths.push_back((*it)[2]);
    const std::string path = (*it)[1];
    levels.insert(path.substr(path.rfind('V')));
  }
  EXPECT_THAT(widths, Each("2"));
  EXPECT_THAT(levels, SizeIs(4 + 1));  // side by side, and what moved
  EXPECT_THAT(svg, HasSubstr("shape-rendering:crispEdges"));
}

TEST(Series, LinesOnOneLevelLieSideBySide) {
  const auto levels = [](const std::vector<Curve>& lines) {
    std::vector<double> list;
    for (const Curve& line : side_by_side(lines, 2)) list.push_back(line[0].value_or(-1));
    return list;
  };
  EXPECT_THAT(levels({}), ElementsAre());
  EXPECT_THAT(levels({{50.0}, {70.0}, {std::nullopt}}), ElementsAre(50, 70, -1));
  EXPECT_THAT(levels({{50.0}, {50.0}, {70.0}}), ElementsAre(49, 51, 70));
  EXPECT_THAT(levels({{50.0}, {50.0}, {50.0}}), ElementsAre(48, 50, 52));
  const std::vector<Curve> eight(8, Curve{50.0});
  EXPECT_THAT(levels(eight), ElementsAre(47, 47, 49, 49, 51, 51, 53, 53));
}

TEST(Plot, NamesAreText) {
  const Scenario scenario = scenario_of("# <&>\npool \"<a>&=1\nat 1s down \"<a>&\n");
  const std::string svg = plot(scenario, 0);
  EXPECT_THAT(svg, HasSubstr("data-nodes=\"&quot;&lt;a&gt;&amp;\""));
  EXPECT_THAT(svg, HasSubstr(">&lt;&amp;&gt;</text>"));
}

TEST(Plot, DrawsAnEmptyPoolToo) {
  const Scenario scenario = scenario_of("pool\n");
  EXPECT_THAT(plot(scenario, 0), HasSubstr("</svg>"));
}

TEST(Svg, KnowsHowWideTextIs) {
  EXPECT_NEAR(text_width("b1..b10", 12), 45.8, 0.1);  // dots are narrow
  EXPECT_NEAR(text_width("mmm", 12), 35.1, 0.1);
  EXPECT_NEAR(text_width("a …", 10), 19.3, 0.1);
}

TEST(Markers, NoLabelCoversAnother) {
  std::vector<Marker> markers;
  for (int i = 0; i < 40; ++i)
    markers.push_back({.x = 17.0 * (i * i % 41), .label = "drain b1..b9"});
  std::sort(markers.begin(), markers.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  const auto found = placed(markers, 700, 12);
  std::map<int, double> end_of_lane;
  for (const Marker& marker : found) {
    if (!marker.labelled) continue;
    const double width = text_width(marker.label, 12);
    const double from = marker.ends_at_x ? marker.x - width : marker.x;
    EXPECT_LE(from + width, 700 + 1e-9);
    const auto lane = end_of_lane.find(marker.lane);
    EXPECT_GE(from, lane == end_of_lane.end() ? from : lane->second);
    end_of_lane[marker.lane] = from + width;
  }
}

TEST(Markers, ALineIsBrokenAtText) {
  const auto parts = [](double x) {
    std::string text;
    for (const Stretch& one : uncovered(x, {10, 100}, {{0, 50, 40, 60}, {20, 30, 5, 20}})) {
      text += svg_number(one.top) + "-" + svg_number(one.bottom) + " ";
    }
    return text;
  };
  EXPECT_EQ(parts(10), "10-40 60-100 ");
  EXPECT_EQ(parts(25), "20-40 60-100 ");
  EXPECT_EQ(parts(51), "10-100 ");
}

TEST(Plot, NoLineOfAMarkerRunsThroughATitle) {
  const std::string svg =
      plot(scenario_of("pool a=1 b=1 table=3\nat 1s down a\nat 99s down b\nuntil 100s\n"), 0);
  EXPECT_EQ(count_of(svg, "class=\"marker\""), 4u + 1u);  // beside three titles, right of all
}

TEST(Axis, TicksAreRoundNumbersThatReachTheMost) {
  EXPECT_EQ(ticks_to(100, 5).back().value, 100);
  EXPECT_EQ(ticks_to(65537, 3).back().label, "100k");
  EXPECT_EQ(ticks_to(0, 5).back().value, 1);
}

TEST(Axis, TimesAreCountedAsPeopleDo) {
  const auto step = [](double seconds) { return time_ticks(seconds, 10)[1].label; };
  EXPECT_EQ(step(1), "0.1 s");
  EXPECT_EQ(step(60), "10 s");
  EXPECT_EQ(step(175), "30 s");
  EXPECT_EQ(step(400), "60 s");
  EXPECT_EQ(step(700), "2 min");
  EXPECT_EQ(step(7200), "15 min");
  EXPECT_EQ(time_ticks(7200, 10).back().label, "120 min");
}

TEST(Plot, ShowsWhatTheLastEventDoes) {
  const std::string svg = plot(scenario_of("pool a=1 b=1 table=3\nat 10s down a\n"), 0);
  EXPECT_THAT(svg, HasSubstr("<line x1=\"743.9\""));  // 62 + 716 * 10 / 10.5
  EXPECT_THAT(plot(scenario_of("pool a=1\nat 10s expect a=1\n"), 0),
              HasSubstr("<line x1=\"778\""));  // an expectation is no event: 10 s are the edge
}

TEST(Plot, APoolToWhichNothingHappensIsShownForASecond) {
  const std::string svg = plot(scenario_of("pool a=1\n"), 0);
  EXPECT_THAT(svg, HasSubstr(">1 s</text>"));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M62 "));
  EXPECT_THAT(svg, HasSubstr("H778\""));
}

TEST(Plot, CutsOffNoTime) {
  const Scenario scenario = scenario_of("pool a=1\nuntil 2h\n");
  EXPECT_THAT(plot(scenario, 0), HasSubstr("\"end quiet\">120 min</text>"));
}

}  // namespace
}  // namespace rampart::simulate
