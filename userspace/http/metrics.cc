// SPDX-License-Identifier: Apache-2.0
#include "http/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/version.h"

namespace rampart::http {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

MetricFamily family(const char* name, const char* help, MetricType type) {
  MetricFamily made;
  made.name = name;
  made.help = help;
  made.type = type;
  return made;
}

void add(MetricFamily& to, Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  (to.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  to.metric.push_back(std::move(metric));
}

MetricFamily gauge(const char* name, const char* help, double value) {
  MetricFamily made = family(name, help, MetricType::Gauge);
  add(made, {}, value);
  return made;
}

MetricFamily latency(const RequestCounts& counts) {
  MetricFamily made =
      family("rampart_http_request_seconds", "From a request's head to the end of its response",
             MetricType::Histogram);
  ClientMetric metric;
  uint64_t sum = 0;
  for (size_t i = 0; i < counts.latency.size(); ++i) {
    sum += counts.latency[i];
    const double bound =
        i < kLatencyBounds.size() ? kLatencyBounds[i] : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({.cumulative_count = sum, .upper_bound = bound});
  }
  metric.histogram.sample_count = sum;
  metric.histogram.sample_sum = counts.seconds;
  made.metric.push_back(std::move(metric));
  return made;
}

MetricFamily requests(const RequestCounts& counts) {
  MetricFamily made =
      family("rampart_http_requests_total",
             "Requests that ended, by route (empty: none) and status (0: none was sent)",
             MetricType::Counter);
  for (const auto& [key, count] : counts.requests) {
    add(made, {{"route", key.first}, {"code", std::to_string(key.second)}},
        static_cast<double>(count));
  }
  return made;
}

// What is known of each node.
std::vector<MetricFamily> nodes(const Reading& reading) {
  MetricFamily in_flight = family("rampart_http_upstream_in_flight",
                                  "Requests that are at a node now", MetricType::Gauge);
  MetricFamily total = family("rampart_backend_flows_total", "Requests that were sent to a node",
                              MetricType::Counter);
  MetricFamily bytes = family("rampart_backend_bytes_total", "Bytes of bodies from and to a node",
                              MetricType::Counter);
  MetricFamily weight = family("rampart_backend_weight", "The node's weights", MetricType::Gauge);
  MetricFamily state =
      family("rampart_backend_state", "1 for the state that the node is in", MetricType::Gauge);
  MetricFamily progress =
      family("rampart_ramp_progress_ratio", "How much of its window a ramping node has behind it",
             MetricType::Gauge);
  for (const auto& [scope, known] : reading.authority.snapshot().scopes) {
    for (const auto& [identity, node] : known.nodes) {
      const proxy::NodeLoad* load = reading.authority.publisher().load(scope, identity);
      const Labels labels = {{"vip", ""}, {"backend", scope + "/" + identity}};
      const auto with = [&](const char* name, const std::string& value) {
        Labels more = labels;
        more.push_back({name, value});
        return more;
      };
      add(in_flight, {{"upstream", scope}, {"node", identity}},
          load == nullptr ? 0 : load->in_flight.load());
      add(total, labels, load == nullptr ? 0 : static_cast<double>(load->requests.load()));
      add(bytes, labels, load == nullptr ? 0 : static_cast<double>(load->bytes.load()));
      add(weight, with("kind", "configured"), node.configured);
      add(weight, with("kind", "shown"), node.shown);
      add(weight, with("kind", "effective"), node.effective.to_double());
      add(state, with("state", engine::summary_of(node)), 1);
      if (node.ramp_start) {
        const double past = std::chrono::duration<double>(node.ramp_elapsed).count();
        const double left = std::chrono::duration<double>(node.ramp_left).count();
        add(progress, labels, past / (past + left));
      }
    }
  }
  return {in_flight, total, bytes, weight, state, progress};
}

MetricFamily panic(const engine::Snapshot& snapshot) {
  MetricFamily made =
      family("rampart_upstream_panic", "1 while health is ignored (H6)", MetricType::Gauge);
  for (const auto& [scope, state] : snapshot.scopes) add(made, {{"scope", scope}}, state.panic);
  return made;
}

}  // namespace

api::Response metrics_answer(const Reading& reading) {
  const auto since_1970 = [](std::chrono::system_clock::time_point at) {
    return std::chrono::duration<double>(at.time_since_epoch()).count();
  };
  std::vector<MetricFamily> families = nodes(reading);
  families.push_back(requests(reading.requests));
  families.push_back(latency(reading.requests));
  families.push_back(
      family("rampart_http_retries_total", "Tries beyond a request's first", MetricType::Counter));
  add(families.back(), {}, static_cast<double>(reading.requests.retries));
  families.push_back(panic(reading.authority.snapshot()));
  families.push_back(gauge("rampart_config_last_reload_successful",
                           "1 if the last reload was taken", reading.last_reload.successful));
  families.push_back(gauge("rampart_config_last_reload_timestamp_seconds",
                           "When the file was read last", since_1970(reading.last_reload.at)));
  families.push_back(family("rampart_build_info", "1, with the version", MetricType::Gauge));
  add(families.back(), {{"version", kVersion}, {"plane", "l7"}}, 1);
  return {.status = 200,
          .content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = prometheus::TextSerializer().Serialize(families)};
}

}  // namespace rampart::http
