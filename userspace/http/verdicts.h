// SPDX-License-Identifier: Apache-2.0
// What is found out about nodes, by checks and by requests, and told to the engine: one authority for all
// workers (H5). Writes what happens to nodes to the log.
//
// Thread-safety: none; the control thread owns it.
#ifndef RAMPART_USERSPACE_HTTP_VERDICTS_H_
#define RAMPART_USERSPACE_HTTP_VERDICTS_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/steered.h"
#include "control/config.h"
#include "engine/engine.h"
#include "health/checker.h"
#include "health/passive.h"
#include "http/records.h"

namespace rampart::http {

class Verdicts {
 public:
  // `on_told`: after the engine was told something.
  Verdicts(boost::asio::io_context& io, engine::Engine& engine, std::function<void()> on_told);

  // Has the checks be those of the configuration.
  void follow(const control::Config& config, const engine::Snapshot& snapshot);
  // Counts what a request showed.
  void note(const TryReport& report);
  // Tells the engine what waits to be told.
  void tell();
  void note(const engine::Event& event);

  // What was said last of a node; nullptr if nothing was since the start.
  const api::VerdictReading* said(const ScopeId& scope, const Identity& identity) const;

 private:
  void take(const ScopeId& scope, const Identity& identity, engine::Health health,
            const std::string& reason);

  engine::Engine& engine_;
  std::function<void()> on_told_;
  boost::asio::steady_timer timer_;
  health::Checker checker_;
  health::PassiveVerdicts passive_;
  std::map<ScopeId, control::PassiveCheck> passive_checks_;
  std::map<ScopeId, std::set<Identity>> nodes_;
  std::vector<engine::NodeHealth> waiting_;
  std::map<std::pair<ScopeId, Identity>, api::VerdictReading> said_;
};

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_VERDICTS_H_
