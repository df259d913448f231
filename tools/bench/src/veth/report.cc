// SPDX-License-Identifier: Apache-2.0
#include "bench/src/veth/report.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/src/quantile.h"
#include "bench/src/veth/contestants.h"

namespace rampart::bench {
namespace {

// The ratio that three of four rounds must exceed.
struct Bar {
  const char* to;
  double at_least;
};
constexpr Bar kBars[] = {{kNetdev, 1.3}, {kDnat, 2.5}};

struct Judged {
  Bar bar;
  std::vector<double> ratios;  // by round; empty: not measured

  double figure() const { return quantile(ratios, 0.25); }
  bool is_met() const { return !ratios.empty() && figure() >= bar.at_least; }
};

const Rates* find(const std::vector<Rates>& all, const std::string& contestant) {
  for (const Rates& rates : all) {
    if (rates.contestant == contestant) return &rates;
  }
  return nullptr;
}

std::vector<Judged> judge(const std::vector<Rates>& all) {
  std::vector<Judged> judged;
  const Rates* ours = find(all, kRampart);
  for (const Bar& bar : kBars) {
    Judged one = {bar, {}};
    const Rates* theirs = find(all, bar.to);
    if (ours != nullptr && theirs != nullptr) {
      for (size_t i = 0; i < ours->millions.size(); ++i) {
        one.ratios.push_back(ours->millions[i] / theirs->millions[i]);
      }
    }
    judged.push_back(one);
  }
  return judged;
}

}  // namespace

std::string as_table(const Effort& effort, const std::vector<Rates>& all) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << "Millions of frames a second: medians of "
      << effort.rounds << " rounds of " << effort.frames << " frames, none lost\n\n"
      << std::left << std::setw(14) << "contestant" << std::right << std::setw(8) << "Mpps"
      << std::setw(16) << "quartiles"
      << "\n";
  for (const Rates& rates : all) {
    out << std::left << std::setw(14) << rates.contestant << std::right << std::setw(8)
        << median(rates.millions) << std::setw(8) << quantile(rates.millions, 0.25) << std::setw(8)
        << quantile(rates.millions, 0.75) << "\n";
  }
  out << "\nBars: lower quartiles of the ratios of " << kRampart << ", round by round\n";
  for (const Judged& judged : judge(all)) {
    out << "to " << std::left << std::setw(14) << judged.bar.to << "at least "
        << judged.bar.at_least;
    if (judged.ratios.empty()) {
      out << "  not measured\n";
      continue;
    }
    out << std::right << std::setw(8) << judged.figure()
        << (judged.is_met() ? "  met" : "  NOT MET") << " (rounds:";
    for (const double ratio : judged.ratios) out << " " << ratio;
    out << ")\n";
  }
  return out.str();
}

std::string as_json(const Effort& effort, const std::vector<Rates>& all) {
  nlohmann::ordered_json json = {{"rounds", effort.rounds}, {"frames", effort.frames}};
  for (const Rates& rates : all) {
    json["contestants"].push_back({{"name", rates.contestant},
                                   {"mpps", median(rates.millions)},
                                   {"lower_quartile", quantile(rates.millions, 0.25)},
                                   {"upper_quartile", quantile(rates.millions, 0.75)},
                                   {"rounds", rates.millions}});
  }
  for (const Judged& judged : judge(all)) {
    nlohmann::ordered_json bar = {{"to", judged.bar.to},
                                  {"at_least", judged.bar.at_least},
                                  {"figure", nullptr},
                                  {"met", nullptr},
                                  {"rounds", judged.ratios}};
    if (!judged.ratios.empty()) bar["figure"] = judged.figure();
    if (!judged.ratios.empty()) bar["met"] = judged.is_met();
    json["bars"].push_back(bar);
  }
  return json.dump(2) + "\n";
}

}  // namespace rampart::bench
