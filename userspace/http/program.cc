// SPDX-License-Identifier: Apache-2.0
#include "http/program.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "api/http_server.h"
#include "api/orders.h"
#include "base/clock.h"
#include "base/failures.h"
#include "base/log.h"
#include "control/config_diff.h"
#include "control/config_diff_http.h"
#include "control/state_file.h"
#include "http/authority.h"
#include "http/instance.h"
#include "http/plane.h"
#include "http/verdicts.h"
#include "http/views.h"
#include "program/reloads.h"

namespace rampart::http {
namespace {

namespace asio = boost::asio;
using std::chrono::system_clock;

constexpr std::chrono::seconds kHousekeeping{1};
// While requests end, how often it is looked whether the last one has.
constexpr std::chrono::milliseconds kDrainLook{50};

// What the file may say and this version does not do: said, never ignored.
Result<void> check_supported(const control::HttpConfig& conf) {
  const auto refuse = [](const std::string& what) {
    return Error{Code::kInvalidConfig, what + ": not supported by this version of rampart-http"};
  };
  if (!conf.api.empty()) return refuse("http.api (readings and metrics are on the control socket)");
  for (const control::ListenerConfig& one : conf.listeners) {
    if (one.proxy_protocol) return refuse("http.listeners: proxy_protocol: true");
  }
  return {};
}

class Program final : public api::Steered {
 public:
  // Signals are taken from here on.
  explicit Program(const program::Options& options)
      : options_(options), signals_(io_, SIGTERM, SIGINT, SIGHUP) {
    signals_.add(SIGUSR1);
  }

  Result<void> start(control::Config config);
  Result<void> loop();

  const engine::Snapshot& snapshot() const override { return authority_.snapshot(); }
  nlohmann::json nodes_named(const std::string& name) const override;
  api::ReloadReport reload(api::Brake brake) override {
    return reload_by([this, brake] { return reloads_.run(brake); });
  }
  void set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin,
                 const std::string& by) override {
    authority_.engine().set_admin(scope, identity, admin, boot_now(), by);
    log::info(scope + "/" + identity + ": admin " + engine::name_of(admin) + ", by " + by);
    tick();
  }
  void set_override(const ScopeId& scope, const Identity& identity, std::optional<uint32_t> weight,
                    const std::string& by) override {
    authority_.engine().set_override(scope, identity, weight, boot_now(), by);
    log::info(scope + "/" + identity + ": weight " +
              (weight ? std::to_string(*weight) : "as configured") + ", by " + by);
    tick();
  }
  bool start_ramp(const ScopeId& scope, const Identity& identity) override {
    return authority_.engine().start_ramp(scope, identity, boot_now());
  }

 private:
  using Timer = asio::steady_timer;

  void on_signal();
  void tick();
  void schedule_tick();
  void housekeeping();
  void save_state();
  void drain();
  void look_at_drain(TimePoint deadline);
  std::vector<std::string> apply(control::Config read, api::ReloadReport& report);
  api::ReloadReport reload_by(const std::function<api::ReloadReport()>& run);
  api::Response answer(const api::Request& request);
  Reading reading() const;

  program::Options options_;
  system_clock::time_point started_ = system_clock::now();
  asio::io_context io_;
  asio::signal_set signals_;
  Timer tick_timer_{io_};
  Timer housekeeping_timer_{io_};
  Timer drain_timer_{io_};
  proxy::Board board_;
  Authority authority_{boot_now(), std::random_device()(), board_};
  program::Reloads reloads_{
      options_.config_file,
      {.in_force = [this]() -> const control::Config& { return authority_.config(); },
       .apply = [this](control::Config read,
                       api::ReloadReport& report) { return apply(std::move(read), report); }}};
  Fd lock_;
  std::unique_ptr<control::StateFile> state_file_;
  std::unique_ptr<Verdicts> verdicts_;
  std::unique_ptr<Plane> plane_;
  std::unique_ptr<api::HttpServer> server_;
  Failures failures_;
  bool draining_ = false;
};

Result<void> Program::start(control::Config config) {
  auto lock = lock_instance(config);
  if (!lock) return lock.error();
  lock_ = std::move(*lock);
  state_file_ = std::make_unique<control::StateFile>(state_file_of(config));
  const auto saved = state_file_->load();
  if (!saved) {
    log::warn("state file: " + saved.error().text + "; ramps, marks and tombstones are forgotten");
  } else if (*saved) {
    const control::BootFrame now = control::boot_frame();
    authority_.restore(control::in_frame(**saved, now), now.boot_clock);
  }
  if (auto accepted = authority_.accept(config, boot_now()); !accepted) return accepted;
  verdicts_ = std::make_unique<Verdicts>(io_, authority_.engine(), [this] { tick(); });
  verdicts_->follow(authority_.config(), authority_.snapshot());
  plane_ = std::make_unique<Plane>(io_, board_, config.http->workers,
                                   [this](const TryReport& one) { verdicts_->note(one); });
  if (auto followed = plane_->follow(*config.http); !followed) return followed;
  auto server = api::HttpServer::listen(
      io_, socket_of(config), [this](const api::Request& request) { return answer(request); });
  if (!server) return server.error();
  server_ = std::move(*server);
  log::info("instance " + config.instance + "-http: started, " + std::to_string(plane_->workers()) +
            " workers, control socket " + socket_of(config));
  return {};
}

Result<void> Program::loop() {
  on_signal();
  housekeeping();
  io_.run();
  server_.reset();
  plane_.reset();
  save_state();
  log::info("stopped");
  return {};
}

void Program::on_signal() {
  signals_.async_wait([this](boost::system::error_code error, int number) {
    if (error) return;
    if (number == SIGHUP) {
      reload_by([this] { return reloads_.run_by_signal(boot_now()); });
    } else if (number == SIGUSR1) {
      failures_.note("access_log", plane_->reopen_log());
    } else if (draining_) {
      io_.stop();
      return;
    } else {
      drain();
    }
    on_signal();
  });
}

void Program::drain() {
  draining_ = true;
  const Duration patience = authority_.config().http->drain_timeout;
  log::info("stopping: " + std::to_string(plane_->figures().clients) +
            " connections have time until their request ends");
  plane_->drain(patience);
  look_at_drain(boot_now() + patience);
}

void Program::look_at_drain(TimePoint deadline) {
  drain_timer_.expires_after(kDrainLook);
  drain_timer_.async_wait([this, deadline](boost::system::error_code cancelled) {
    if (cancelled) return;
    if (plane_->figures().clients == 0 || boot_now() > deadline + proxy::kTick) {
      io_.stop();
    } else {
      look_at_drain(deadline);
    }
  });
}

void Program::tick() {
  authority_.tick(boot_now());
  for (const engine::Event& event : authority_.take_events()) verdicts_->note(event);
  save_state();
  schedule_tick();
}

void Program::schedule_tick() {
  const auto deadline = authority_.next_deadline();
  if (!deadline) {
    tick_timer_.cancel();
    return;
  }
  tick_timer_.expires_after(std::max(*deadline - boot_now(), Duration{0}));
  tick_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) tick();
  });
}

void Program::housekeeping() {
  tick();
  housekeeping_timer_.expires_after(kHousekeeping);
  housekeeping_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) housekeeping();
  });
}

void Program::save_state() {
  engine::EngineState state = authority_.engine_state(boot_now());
  if (state_file_->holds(state)) return;
  failures_.note("state file", state_file_->save({control::boot_frame(), std::move(state)}));
}

api::ReloadReport Program::reload_by(const std::function<api::ReloadReport()>& run) {
  verdicts_->tell();
  api::ReloadReport report = run();
  tick();
  verdicts_->follow(authority_.config(), authority_.snapshot());
  return report;
}

// All or nothing: what may fail comes first, and is undone if something later does.
std::vector<std::string> Program::apply(control::Config read, api::ReloadReport& report) {
  const control::Config from = authority_.config();
  std::vector<std::string> waiting = control::http_needs_restart(from, read);
  report.notes.insert(report.notes.end(), waiting.begin(), waiting.end());
  const control::Config to = control::keep_static_http_keys(from, std::move(read));
  const auto refuse = [&](const Error& error) {
    report.problems.push_back(options_.config_file + ": " + error.text);
    return waiting;
  };
  if (!to.http) {
    return refuse({Code::kInvalidConfig, "http: missing; required: a running proxy has listeners"});
  }
  if (auto supported = check_supported(*to.http); !supported) return refuse(supported.error());
  const auto lost = control::lost_orders(authority_.snapshot(), to, control::Plane::kL7);
  if (auto followed = plane_->follow(*to.http); !followed) return refuse(followed.error());
  if (auto accepted = authority_.accept(to, boot_now()); !accepted) {
    failures_.note("listeners", plane_->follow(*from.http));
    return refuse(accepted.error());
  }
  plane_->forget_unused_nodes();
  report.changes = control::describe_changes(from, to);
  report.notes.insert(report.notes.end(), lost.begin(), lost.end());
  return waiting;
}

nlohmann::json Program::nodes_named(const std::string& name) const {
  nlohmann::json nodes = nlohmann::json::array();
  for (nlohmann::json& node : nodes_view(reading(), "")) {
    if (node["name"] == name) nodes.push_back(std::move(node));
  }
  return nodes;
}

Reading Program::reading() const {
  const Plane::Figures figures = plane_->figures();
  return {.authority = authority_,
          .verdict = [this](const ScopeId& scope,
                            const Identity& identity) { return verdicts_->said(scope, identity); },
          .last_reload = reloads_.last(),
          .config_file = options_.config_file,
          .started = started_,
          .clients = figures.clients,
          .kept = figures.kept,
          .log_lines_lost = figures.log_lines_lost,
          .requests = plane_->counts()};
}

api::Response Program::answer(const api::Request& request) {
  if (auto ordered = api::answer_order(request, *this)) return *std::move(ordered);
  return answer_reading(request, reading());
}

}  // namespace

Result<void> run(const program::Options& options) {
  auto config = program::load_for_start(options);
  if (!config) return config.error();
  if (!config->http) {
    return Error{Code::kInvalidConfig, options.config_file +
                                           ": http: missing; required: rampart-http serves what "
                                           "http.listeners and routes say"};
  }
  if (auto supported = check_supported(*config->http); !supported) {
    return supported.within(options.config_file);
  }
  Program program(options);
  if (auto started = program.start(std::move(*config)); !started) return started;
  return program.loop();
}

}  // namespace rampart::http
