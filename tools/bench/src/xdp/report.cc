// SPDX-License-Identifier: Apache-2.0
#include "bench/src/xdp/report.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "bench/src/quantile.h"
#include "bench/src/xdp/bars.h"
#include "bench/src/xdp/ladder.h"

namespace rampart::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

// Of a cell to a yardstick in the same case; none if that was not measured.
std::optional<double> ratio_to(const Cells& cells, const Cell& cell, const char* yardstick) {
  const Cell* to = cells.find(cell.kase, yardstick);
  if (to == nullptr || cell.subject == kAtOnce) return std::nullopt;
  return median(cells.ratios(cell, *to));
}

// Of the replay itself what it took, of the others what they added.
std::vector<double> shown(const Cells& cells, const Cell& cell) {
  return cell.subject == kAtOnce ? cell.nanoseconds : cells.net(cell);
}

void print(std::ostream& out, std::optional<double> value) {
  out << std::setw(9);
  if (value) {
    out << *value;
  } else {
    out << "-";
  }
}

void print_cells(std::ostream& out, const Cells& cells) {
  out << std::left << std::setw(12) << "case" << std::setw(26) << "subject" << std::right
      << std::setw(9) << "ns" << std::setw(18) << "quartiles" << std::setw(9) << "x bare"
      << std::setw(9) << "x lru"
      << "\n";
  std::string former;
  for (const Cell& cell : cells.all()) {
    const std::vector<double> values = shown(cells, cell);
    out << std::left << std::setw(12) << (cell.kase == former ? "" : cell.kase) << std::setw(26)
        << cell.subject << std::right << std::setprecision(1) << std::setw(9) << median(values)
        << std::setw(9) << quantile(values, 0.25) << std::setw(9) << quantile(values, 0.75)
        << std::setprecision(2);
    if (cell.subject == kAtOnce) {
      out << "   is subtracted below";
    } else {
      print(out, ratio_to(cells, cell, kBare));
      print(out, ratio_to(cells, cell, kLru));
    }
    out << "\n";
    former = cell.kase;
  }
}

void print_tables(std::ostream& out, const std::vector<Subject>& subjects) {
  for (const Subject& subject : subjects) {
    if (subject.max_flows == 0) continue;
    out << std::left << std::setw(26) << subject.name << std::right << std::setw(10)
        << subject.max_flows << " flows at most, maps of " << std::setprecision(0)
        << static_cast<double>(subject.map_bytes) / kMiB << " MiB\n";
  }
}

void print_bars(std::ostream& out, const Cells& cells) {
  for (const Judged& judged : judge(cells)) {
    const Bar& bar = judged.bar;
    out << std::left << std::setw(12) << bar.kase << std::setw(20) << bar.subject << "to "
        << std::setw(18) << bar.to << std::right << std::setprecision(2) << "at most "
        << bar.at_most;
    if (!judged.figure) {
      out << "   not measured\n";
      continue;
    }
    out << std::setw(8) << *judged.figure << (judged.is_met() ? "  met" : "  NOT MET") << " ("
        << *judged.with_replay << " with the replay)\n";
  }
}

// What each step adds to the ones before it, in one case.
void print_steps(std::ostream& out, const Cells& cells, const char* kase) {
  const Cell* whole = cells.find(kase, kL2);
  if (whole == nullptr || cells.find(kase, rungs().front().subject) == nullptr) return;
  out << kase << "\n";
  double before = 0;
  const auto print_step = [&](const Cell& cell, const char* step) {
    const double until = median(cells.net(cell));
    out << std::setprecision(1) << std::setw(9) << until - before << "  " << step << "\n";
    before = until;
  };
  for (const Rung& rung : rungs()) print_step(*cells.find(kase, rung.subject), rung.step);
  print_step(*whole, "outcome and backend counted");
}

void print_sweep(std::ostream& out, const std::optional<SweepCost>& sweep) {
  out << "\nA pass of the sweep: ";
  if (!sweep) {
    out << "not measured\n";
    return;
  }
  out << std::setprecision(1) << median(sweep->milliseconds) << " ms over " << sweep->flows
      << " live flows, every " << std::setprecision(0) << kSweepPeriod
      << " s: " << std::setprecision(2) << sweep->percent_of_a_cpu() << " % of a CPU, at most "
      << kMostOfACpu << (sweep->is_met() ? "  met" : "  NOT MET") << "\n";
}

nlohmann::ordered_json json_of(const Cells& cells, const Cell& cell) {
  const std::vector<double> values = shown(cells, cell);
  nlohmann::ordered_json one = {{"case", cell.kase},
                                {"subject", cell.subject},
                                {"ns", median(values)},
                                {"lower_quartile", quantile(values, 0.25)},
                                {"upper_quartile", quantile(values, 0.75)}};
  if (const auto ratio = ratio_to(cells, cell, kBare)) one["x_bare"] = *ratio;
  if (const auto ratio = ratio_to(cells, cell, kLru)) one["x_lru"] = *ratio;
  one["rounds"] = values;
  return one;
}

nlohmann::ordered_json json_of(const Judged& judged) {
  nlohmann::ordered_json one = {{"case", judged.bar.kase}, {"subject", judged.bar.subject},
                                {"to", judged.bar.to},     {"at_most", judged.bar.at_most},
                                {"figure", nullptr},       {"met", nullptr}};
  if (judged.figure) one["figure"] = *judged.figure;
  if (judged.figure) one["met"] = judged.is_met();
  return one;
}

}  // namespace

std::string as_table(const Report& report) {
  std::ostringstream out;
  out << std::fixed << "Nanoseconds of a packet: medians of " << report.effort.rounds
      << " rounds of " << report.effort.packets << " packets\n\n";
  print_cells(out, report.cells);
  out << "\nFlow tables\n";
  print_tables(out, report.subjects);
  out << "\nBars\n";
  print_bars(out, report.cells);
  out << "\nWhere the nanoseconds go (l2)\n";
  for (const char* kase : {"not_ours", "live_1", "live_64k", "live_1m"}) {
    print_steps(out, report.cells, kase);
  }
  print_sweep(out, report.sweep);
  return out.str();
}

std::string as_json(const Report& report) {
  nlohmann::ordered_json all = {{"rounds", report.effort.rounds},
                                {"packets", report.effort.packets}};
  for (const Cell& cell : report.cells.all()) all["cells"].push_back(json_of(report.cells, cell));
  for (const Subject& subject : report.subjects) {
    if (subject.max_flows == 0) continue;
    all["tables"].push_back({{"subject", subject.name},
                             {"max_flows", subject.max_flows},
                             {"map_bytes", subject.map_bytes}});
  }
  for (const Judged& judged : judge(report.cells)) all["bars"].push_back(json_of(judged));
  if (report.sweep) {
    all["sweep"] = {{"flows", report.sweep->flows},
                    {"milliseconds", median(report.sweep->milliseconds)},
                    {"percent_of_a_cpu", report.sweep->percent_of_a_cpu()},
                    {"at_most", kMostOfACpu},
                    {"met", report.sweep->is_met()}};
  }
  return all.dump(2) + "\n";
}

}  // namespace rampart::bench
