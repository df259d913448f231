// SPDX-License-Identifier: Apache-2.0
#include "http/verdicts.h"

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "base/log.h"
#include "control/planes.h"
#include "health/network_prober.h"

namespace rampart::http {
namespace {

// Verdicts come in bursts: all of so long are told at once.
constexpr std::chrono::milliseconds kSettle{20};

std::optional<health::Report> report_of(const TryReport& report,
                                        const control::PassiveCheck& check) {
  switch (report.end) {
    case proxy::TryEnd::kResponse:
      if (check.unhealthy_statuses.contains(static_cast<uint16_t>(report.status))) {
        return health::Report::kHttpFailure;
      }
      if (check.healthy_statuses.contains(static_cast<uint16_t>(report.status))) {
        return health::Report::kSuccess;
      }
      return std::nullopt;
    case proxy::TryEnd::kBadAnswer:
      return health::Report::kHttpFailure;
    case proxy::TryEnd::kTimeout:
      return health::Report::kTimeout;
    case proxy::TryEnd::kRefused:
    case proxy::TryEnd::kReset:
      break;
  }
  return health::Report::kTcpFailure;
}

std::string words_of(const TryReport& report) {
  switch (report.end) {
    case proxy::TryEnd::kResponse:
      return "requests were answered with status " + std::to_string(report.status);
    case proxy::TryEnd::kBadAnswer:
      return "requests were answered with what is no HTTP";
    case proxy::TryEnd::kTimeout:
      return "requests were not answered in time";
    case proxy::TryEnd::kRefused:
      return "no connection for requests";
    case proxy::TryEnd::kReset:
      break;
  }
  return "connections of requests were cut";
}

}  // namespace

Verdicts::Verdicts(boost::asio::io_context& io, engine::Engine& engine,
                   std::function<void()> on_told)
    : engine_(engine),
      on_told_(std::move(on_told)),
      timer_(io),
      checker_(io, health::make_network_prober(io),
               {.on_verdict =
                    [this](const health::VerdictChange& change) {
                      take(change.scope, change.identity, change.health, change.reason);
                    },
                .on_fault = [](const std::string& fault) { log::warn("checks: " + fault); }}) {}

void Verdicts::follow(const control::Config& config, const engine::Snapshot& snapshot) {
  checker_.set_targets(health::checked_scopes(config, control::Plane::kL7, snapshot));
  passive_checks_.clear();
  for (const control::UpstreamConfig& upstream : config.upstreams) {
    if (upstream.passive_check) passive_checks_[upstream.id] = *upstream.passive_check;
  }
  nodes_.clear();
  for (const auto& [scope, state] : snapshot.scopes) {
    for (const auto& [identity, node] : state.nodes) nodes_[scope].insert(identity);
  }
  passive_.keep_only(nodes_);
  std::erase_if(said_, [&](const auto& entry) {
    const auto scope = nodes_.find(entry.first.first);
    return scope == nodes_.end() || !scope->second.contains(entry.first.second);
  });
}

void Verdicts::note(const TryReport& report) {
  const auto check = passive_checks_.find(report.scope);
  const auto scope = nodes_.find(report.scope);
  if (check == passive_checks_.end() || scope == nodes_.end() ||
      !scope->second.contains(report.identity)) {
    return;
  }
  const auto meant = report_of(report, check->second);
  if (!meant || !passive_.count(report.scope, report.identity, *meant, check->second)) return;
  checker_.take_down(report.scope, report.identity);
  take(report.scope, report.identity, engine::Health::kDown, words_of(report));
}

void Verdicts::take(const ScopeId& scope, const Identity& identity, engine::Health health,
                    const std::string& reason) {
  const std::string line = scope + "/" + identity + ": " + engine::name_of(health) + ", " + reason;
  health == engine::Health::kDown ? log::warn(line) : log::info(line);
  said_[{scope, identity}] = {.reason = reason, .at = std::chrono::system_clock::now()};
  waiting_.push_back({scope, identity, health});
  if (waiting_.size() > 1) return;
  timer_.expires_after(kSettle);
  timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) tell();
  });
}

void Verdicts::tell() {
  if (waiting_.empty()) return;
  engine_.set_health(std::exchange(waiting_, {}), boot_now());
  on_told_();
}

// Of a node without a ramp that returns there is nothing to say.
void Verdicts::note(const engine::Event& event) {
  if (event.kind == engine::Event::Kind::kResumed) {
    const auto snapshot = engine_.snapshot();
    const auto scope = snapshot->scopes.find(event.scope);
    if (scope == snapshot->scopes.end()) return;
    const auto node = scope->second.nodes.find(event.identity);
    if (node == scope->second.nodes.end() ||
        node->second.lifecycle != engine::Lifecycle::kRamping) {
      return;
    }
  }
  log::info("ramp " + std::string(engine::name_of(event.kind)) + ": " + event.scope + "/" +
            event.identity + (event.reason.empty() ? "" : ": " + event.reason));
}

const api::VerdictReading* Verdicts::said(const ScopeId& scope, const Identity& identity) const {
  const auto found = said_.find({scope, identity});
  return found == said_.end() ? nullptr : &found->second;
}

}  // namespace rampart::http
