// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "api/http_server.h"
#include "api/routes.h"
#include "api/service.h"
#include "api/views.h"
#include "base/clock.h"
#include "base/failures.h"
#include "base/file_watch.h"
#include "base/log.h"
#include "daemon/accept_read.h"
#include "daemon/event_log.h"
#include "daemon/interfaces.h"
#include "daemon/plane.h"
#include "dataplane/preflight.h"
#include "health/checker.h"
#include "health/network_prober.h"
#include "program/reloads.h"

namespace rampart::daemon {
namespace {

namespace asio = boost::asio;
using std::chrono::system_clock;

// What drains, and neighbours that nobody resolved, are looked at this often.
constexpr std::chrono::seconds kHousekeeping{1};
// Neighbours that are known are confirmed this often: well under the kernel's gc_stale_time (60 s).
constexpr std::chrono::seconds kConfirmNeighbours{5};
// A pass over 1 M flow entries takes some tens of milliseconds.
constexpr std::chrono::seconds kSweepFlows{5};
constexpr std::chrono::milliseconds kSettle{20};  // routes, neighbours, verdicts come in bursts
// Replies to clients whose neighbour entry is gone wait this long for the question to be asked.
constexpr std::chrono::milliseconds kResolveMissed{50};

class Daemon final : public api::Service {
 public:
  // Signals are taken from here on, so that one during the start is not the end.
  Daemon(const program::Options& options, bool pins_stay)
      : options_(options), pins_stay_(pins_stay), signals_(io_, SIGTERM, SIGINT, SIGHUP) {}

  Result<void> start(const control::Config& config);
  Result<void> loop();

  const control::Controller& controller() const override { return plane_->controller(); }
  const maps::Doors& doors() const override { return plane_->doors(); }
  const dataplane::Neighbours& neighbours() const override { return plane_->neighbours(); }
  std::vector<api::InterfaceReading> interfaces() const override {
    return interfaces_->readings(*controller().config());
  }
  api::FlowTableReading flow_table() const override { return plane_->flow_table(); }
  const api::ReloadReading& last_reload() const override { return reloads_->last(); }
  const std::string& config_file() const override { return options_.config_file; }
  std::string program_tag() const override { return plane_->program_tag(); }
  system_clock::time_point started() const override { return started_; }
  dataplane::Mode mode_of(const control::InterfaceConfig& interface) const override {
    return daemon::mode_of(interface.mode);
  }
  const api::VerdictReading* verdict(const ScopeId& scope,
                                     const Identity& identity) const override {
    return event_log_.verdict(scope, identity);
  }
  uint64_t repairs() const override { return plane_->repairs(); }
  api::ReloadReport reload(api::Brake brake) override {
    return reload_by([this, brake] { return reloads_->run(brake); });
  }
  Result<dataplane::Attachment> attach(const std::string& interface,
                                       dataplane::Mode mode) override {
    return interfaces_->attach(interface, mode);
  }
  Result<void> detach(const std::string& interface) override {
    return interfaces_->detach(interface, *controller().config());
  }
  void set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin,
                 const std::string& by) override;
  void set_override(const ScopeId& scope, const Identity& identity, std::optional<uint32_t> weight,
                    const std::string& by) override;
  bool start_ramp(const ScopeId& scope, const Identity& identity) override {
    return plane_->controller().start_ramp(scope, identity, boot_now());
  }
  Result<dataplane::Explanation> explain(const dataplane::Probe& probe) override {
    return plane_->explain(probe);
  }
  uint32_t ifindex_towards(const IpAddress& address) override {
    return plane_->neighbours().ifindex_towards(address);
  }

 private:
  using Timer = asio::steady_timer;

  void on_signal();
  void on_netlink();
  void on_file_event();
  void look_at_file();
  // `watch` of the configuration in force, as it may have changed (C4).
  void follow_watch();
  void tick();
  void schedule_tick();
  // Runs `work` every `period` from now on.
  void repeat(Timer& timer, std::chrono::milliseconds period, void (Daemon::*work)());
  void reconcile();
  void confirm_neighbours() { warn_if_failed("next hops", plane_->refresh_next_hops()); }
  void begin_sweep() {
    if (!plane_->sweeping()) sweep();
  }
  void sweep() {
    if (!plane_->sweep()) asio::post(io_, [this] { sweep(); });
  }
  void resolve_missed() { plane_->resolve_missed(); }
  void housekeeping();
  void warn_if_failed(const std::string& what, const Result<void>& done) {
    failures_.note(what, done);
  }
  // Verdicts that are told after it would pass for ones of its checks (H3).
  api::ReloadReport reload_by(const std::function<api::ReloadReport()>& run);

  // Has the checks be those of the configuration.
  void follow_checks() {
    checker_->set_targets(health::checked_scopes(*controller().config(), control::Plane::kL4,
                                                 controller().snapshot()));
    event_log_.keep_verdicts_of(controller().snapshot());
  }
  // With thousands of nodes a tick takes tens of milliseconds, and they may all fail at once: it is
  // one for all verdicts of kSettle.
  void on_verdict(const health::VerdictChange& change);
  void tell_verdicts() {
    if (verdicts_.empty()) return;
    plane_->controller().set_health(std::exchange(verdicts_, {}), boot_now());
  }

  program::Options options_;
  const bool pins_stay_;  // and what is attached with them
  system_clock::time_point started_ = system_clock::now();
  asio::io_context io_;
  asio::signal_set signals_;
  Timer tick_timer_{io_};
  Timer verdict_timer_{io_};
  std::vector<engine::NodeHealth> verdicts_;  // not yet told
  Timer housekeeping_timer_{io_};
  Timer neighbour_timer_{io_};
  Timer settle_timer_{io_};
  Timer sweep_timer_{io_};
  Timer reconcile_timer_{io_};
  Timer missed_timer_{io_};
  std::unique_ptr<Plane> plane_;
  std::unique_ptr<Interfaces> interfaces_;
  std::unique_ptr<program::Reloads> reloads_;
  std::unique_ptr<health::Checker> checker_;
  std::unique_ptr<asio::posix::stream_descriptor> netlink_;
  std::optional<FileWatch> file_watch_;  // while the file says watch: rename
  std::unique_ptr<asio::posix::stream_descriptor> file_events_;
  std::unique_ptr<api::HttpServer> server_;
  Failures failures_;
  EventLog event_log_;
};

Result<void> Daemon::start(const control::Config& config) {
  auto plane = Plane::open(config, [this] { asio::post(io_, [this] { tick(); }); });
  if (!plane) return plane.error();
  plane_ = std::move(*plane);
  interfaces_ = std::make_unique<Interfaces>(*plane_);
  reloads_ = std::make_unique<program::Reloads>(
      options_.config_file,
      program::Reloads::Target{
          .in_force = [this]() -> const control::Config& { return *controller().config(); },
          .apply =
              [this](control::Config read, api::ReloadReport& report) {
                return accept_read(std::move(read), options_.config_file, *plane_, *interfaces_,
                                   report);
              }});
  // Traffic is served by then if the plane was adopted, so a failure from here on must not take it
  // away.
  const auto give_up = [&](const Error& error) {
    if (!plane_->adopted()) warn_if_failed("removal", plane_->remove());
    return error;
  };
  if (auto able = interfaces_->check_listed(config); !able) return give_up(able.error());
  if (auto accepted = plane_->accept(config); !accepted) return give_up(accepted.error());
  if (auto attached = interfaces_->attach_listed(config); !attached) {
    return give_up(attached.error());
  }
  auto server = api::HttpServer::listen(
      io_, config.control_socket,
      [this](const api::Request& request) { return api::answer(request, *this); });
  if (!server) return give_up(server.error());
  server_ = std::move(*server);
  for (const std::string& warning : api::warnings(*this)) log::warn(warning);
  log::info("instance " + config.instance + (plane_->adopted() ? ": adopted" : ": started") +
            ", control socket " + config.control_socket);
  return {};
}

Result<void> Daemon::loop() {
  on_signal();
  // The descriptor stays owned by the neighbours: released before it is destroyed.
  netlink_ = std::make_unique<asio::posix::stream_descriptor>(io_, plane_->neighbours().event_fd());
  on_netlink();
  checker_ = std::make_unique<health::Checker>(
      io_, health::make_network_prober(io_),
      health::Checker::Callbacks{
          .on_verdict = [this](const health::VerdictChange& change) { on_verdict(change); },
          .on_fault = [](const std::string& fault) { log::warn("checks: " + fault); }});
  follow_checks();
  follow_watch();
  repeat(housekeeping_timer_, kHousekeeping, &Daemon::housekeeping);
  repeat(neighbour_timer_, kConfirmNeighbours, &Daemon::confirm_neighbours);
  repeat(sweep_timer_, kSweepFlows, &Daemon::begin_sweep);
  repeat(missed_timer_, kResolveMissed, &Daemon::resolve_missed);
  reconcile();
  tick();
  io_.run();
  checker_.reset();
  netlink_->release();
  if (file_events_) file_events_->release();
  server_.reset();
  if (!options_.detach_on_exit) {
    log::info(pins_stay_ ? "stopped; the data plane stays attached"
                         : "stopped; the data plane goes with this mount namespace");
    return {};
  }
  log::info("stopped; detaching");
  return plane_->remove();
}

void Daemon::on_signal() {
  signals_.async_wait([this](boost::system::error_code error, int number) {
    if (error) return;
    if (number == SIGHUP) {
      reload_by([this] { return reloads_->run_by_signal(boot_now()); });
      on_signal();
    } else {
      io_.stop();
    }
  });
}

void Daemon::on_netlink() {
  netlink_->async_wait(asio::posix::stream_descriptor::wait_read,
                       [this](boost::system::error_code error) {
                         if (error) return;
                         plane_->neighbours().drain();
                         settle_timer_.expires_after(kSettle);
                         settle_timer_.async_wait([this](boost::system::error_code cancelled) {
                           if (!cancelled) confirm_neighbours();
                         });
                         on_netlink();
                       });
}

void Daemon::follow_watch() {
  const bool wanted = controller().config()->watch == control::Watch::kRename;
  if (wanted == file_watch_.has_value()) return;
  if (!wanted) {
    file_events_->release();
    file_events_.reset();
    file_watch_.reset();
    return;
  }
  auto opened = FileWatch::open(options_.config_file);
  warn_if_failed("watch", opened ? Result<void>() : Result<void>(opened.error()));
  if (!opened) return;
  file_watch_ = std::move(*opened);
  file_events_ = std::make_unique<asio::posix::stream_descriptor>(io_, file_watch_->fd());
  on_file_event();
}

void Daemon::on_file_event() {
  file_events_->async_wait(asio::posix::stream_descriptor::wait_read,
                           [this](boost::system::error_code error) {
                             if (error) return;
                             look_at_file();
                             if (file_events_) on_file_event();
                           });
}

// Also without an event, for the file's folder may have come back.
void Daemon::look_at_file() {
  if (file_watch_ && file_watch_->look()) {
    log::info(options_.config_file + ": replaced");
    reload(api::Brake::kHolds);
  }
}

void Daemon::repeat(Timer& timer, std::chrono::milliseconds period, void (Daemon::*work)()) {
  timer.expires_after(period);
  timer.async_wait([this, &timer, period, work](boost::system::error_code cancelled) {
    if (cancelled) return;
    (this->*work)();
    repeat(timer, period, work);
  });
}

// The interval is that of the configuration then in force.
void Daemon::reconcile() {
  reconcile_timer_.expires_after(controller().config()->reconcile_interval);
  reconcile_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (cancelled) return;
    warn_if_failed("reconcile", plane_->reconcile());
    reconcile();
  });
}

void Daemon::tick() {
  tell_verdicts();
  warn_if_failed("maps", plane_->controller().tick(boot_now()));
  warn_if_failed("state file", plane_->save_state());
  event_log_.note(plane_->controller());
  schedule_tick();
}

void Daemon::schedule_tick() {
  const auto deadline = plane_->controller().next_deadline();
  if (!deadline) {
    tick_timer_.cancel();
    return;
  }
  tick_timer_.expires_after(std::max(*deadline - boot_now(), Duration{0}));
  tick_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) tick();
  });
}

void Daemon::housekeeping() {
  tick();
  look_at_file();
  for (const auto& [name, done] : interfaces_->attach_returned(*controller().config())) {
    warn_if_failed("attach " + name, done);
  }
  if (!plane_->neighbours().all_resolved()) confirm_neighbours();
}

api::ReloadReport Daemon::reload_by(const std::function<api::ReloadReport()>& run) {
  tell_verdicts();
  api::ReloadReport report = run();
  tick();
  follow_checks();
  follow_watch();
  return report;
}

void Daemon::on_verdict(const health::VerdictChange& change) {
  event_log_.note(change);
  verdicts_.push_back({change.scope, change.identity, change.health});
  if (verdicts_.size() > 1) return;
  verdict_timer_.expires_after(kSettle);
  verdict_timer_.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) tick();
  });
}

void Daemon::set_admin(const ScopeId& scope, const Identity& identity, engine::Admin admin,
                       const std::string& by) {
  plane_->controller().set_admin(scope, identity, admin, boot_now(), by);
  log::info(scope + "/" + identity + ": admin " + engine::name_of(admin) + ", by " + by);
  tick();
}

void Daemon::set_override(const ScopeId& scope, const Identity& identity,
                          std::optional<uint32_t> weight, const std::string& by) {
  plane_->controller().set_override(scope, identity, weight, boot_now(), by);
  log::info(scope + "/" + identity + ": weight " +
            (weight ? std::to_string(*weight) : "as configured") + ", by " + by);
  tick();
}

}  // namespace

Result<void> run(const program::Options& options) {
  auto config = program::load_for_start(options);
  if (!config) return config.error();
  if (auto able = dataplane::check_privileges(); !able) return able;
  if (auto able = dataplane::check_bpffs(config->bpf.pin_path); !able) return able;
  if (auto able = dataplane::check_kernel(); !able) return able;
  const bool pins_stay = dataplane::pins_stay(config->bpf.pin_path);
  if (!pins_stay) {
    log::warn(config->bpf.pin_path +
              " lies in a mount namespace of this process's own, as 'ip netns exec' makes one: "
              "forwarding ends with it, and nobody else sees the pins: start it with 'nsenter "
              "--net=/run/netns/NAME' instead");
  }
  Daemon daemon(options, pins_stay);
  const auto started = daemon.start(*config);
  return started ? daemon.loop() : started;
}

}  // namespace rampart::daemon
