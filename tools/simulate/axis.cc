// SPDX-License-Identifier: Apache-2.0
#include "simulate/axis.h"

#include <cmath>
#include <cstdio>

namespace rampart::simulate {
namespace {

std::string label_of(double value) {
  char text[48] = {};
  if (value >= 10000) {
    std::snprintf(text, sizeof text, "%gk", value / 1000);
  } else {
    std::snprintf(text, sizeof text, "%g", value);
  }
  return text;
}

// In seconds, minutes and hours, people count by 5, 10, 15, 30.
double time_step(double least) {
  if (least <= 10) return round_step(least);
  for (const double step : {15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400}) {
    if (step >= least) return step;
  }
  return 14400 * std::ceil(least / 14400);
}

struct Unit {
  double seconds;
  const char* name;
};

Unit unit_for(double seconds, double step) {
  const auto divides = [&](double unit) { return std::fmod(step, unit) == 0; };
  if (seconds >= 3 * 3600 && divides(1800)) return {3600, " h"};
  if (seconds >= 600 && divides(60)) return {60, " min"};
  return {1, " s"};
}

}  // namespace

double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= least * (1 - 1e-9)) return times * power;
  }
  return 10 * power;
}

std::vector<Tick> ticks_to(double most, int count) {
  const double end = most > 0 ? most : 1;
  const double step = round_step(end / count);
  std::vector<Tick> ticks;
  const int last = static_cast<int>(std::ceil(end / step - 1e-9));
  for (int i = 0; i <= last; ++i) ticks.push_back({i * step, label_of(i * step)});
  return ticks;
}

std::vector<Tick> time_ticks(double seconds, int count) {
  const double end = seconds > 0 ? seconds : 1;
  const double step = time_step(end / count);
  const Unit unit = unit_for(end, step);
  std::vector<Tick> ticks;
  for (int i = 0; i * step <= end * (1 + 1e-9); ++i) {
    char label[48] = {};
    std::snprintf(label, sizeof label, "%g%s", i * step / unit.seconds, unit.name);
    ticks.push_back({i * step, label});
  }
  return ticks;
}

}  // namespace rampart::simulate
