// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"

#include <net/if.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "api/http_server.h"
#include "api/routes.h"
#include "api/service.h"
#include "api/views.h"
#include "base/clock.h"
#include "base/log.h"
#include "control/config_diff.h"
#include "daemon/failures.h"
#include "daemon/interface_readings.h"
#include "daemon/plane.h"
#include "dataplane/preflight.h"
#include "health/checker.h"
#include "health/network_prober.h"

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
// Changes of routes and neighbours come in bursts.
constexpr std::chrono::milliseconds kSettle{20};
// Replies to clients whose neighbour entry is gone wait this long for the question to be asked.
constexpr std::chrono::milliseconds kResolveMissed{50};

class Daemon final : public api::Service {
 public:
  // Signals are taken from here on, so that one during the start is not the end.
  explicit Daemon(const Options& options)
      : options_(options), signals_(io_, SIGTERM, SIGINT, SIGHUP) {}

  Result<void> start(const control::Config& config);
  Result<void> loop();

  const control::Controller& controller() const override { return plane_->controller(); }
  const maps::Doors& doors() const override { return plane_->doors(); }
  const dataplane::Neighbours& neighbours() const override { return plane_->neighbours(); }
  std::vector<api::InterfaceReading> interfaces() const override;
  api::FlowTableReading flow_table() const override { return plane_->flow_table(); }
  const api::ReloadReading& last_reload() const override { return last_reload_; }
  const std::string& config_file() const override { return options_.config_file; }
  std::string program_tag() const override { return plane_->program_tag(); }
  system_clock::time_point started() const override { return started_; }
  dataplane::Mode mode_of(const control::InterfaceConfig& interface) const override {
    return daemon::mode_of(interface.mode);
  }
  api::ReloadReport reload() override;
  Result<dataplane::Attachment> attach(const std::string& interface, dataplane::Mode mode) override;
  Result<void> detach(const std::string& interface) override;
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
  void tick();
  void schedule_tick();
  // Runs `work` every `period` from now on.
  void repeat(Timer& timer, std::chrono::milliseconds period, void (Daemon::*work)());
  void confirm_neighbours() { warn_if_failed("next hops", plane_->refresh_next_hops()); }
  void begin_sweep() {
    if (!plane_->sweeping()) sweep();
  }
  void sweep() {
    if (!plane_->sweep()) asio::post(io_, [this] { sweep(); });
  }
  void resolve_missed() { plane_->resolve_missed(); }
  void housekeeping();
  void attach_what_returned();
  void log_events();
  void warn_if_failed(const std::string& what, const Result<void>& done) {
    failures_.note(what, done);
  }
  std::vector<std::string> follow_interfaces(const control::Config& from,
                                             const control::Config& to);

  // Has the checks be those of the configuration.
  void follow_checks() {
    checker_->set_targets(health::checked_scopes(*controller().config(), controller().snapshot()));
  }
  void on_verdict(const health::VerdictChange& change);

  Options options_;
  system_clock::time_point started_ = system_clock::now();
  asio::io_context io_;
  asio::signal_set signals_;
  Timer tick_timer_{io_};
  Timer housekeeping_timer_{io_};
  Timer neighbour_timer_{io_};
  Timer settle_timer_{io_};
  Timer sweep_timer_{io_};
  Timer missed_timer_{io_};
  std::unique_ptr<Plane> plane_;
  std::unique_ptr<health::Checker> checker_;
  std::unique_ptr<asio::posix::stream_descriptor> netlink_;
  std::unique_ptr<api::HttpServer> server_;
  std::map<std::string, std::string> attach_notes_;
  std::set<std::string> detached_;  // by command (O4)
  api::ReloadReading last_reload_{.successful = true, .at = started_, .problems = {}, .refused = 0};
  Failures failures_;
};

Result<void> Daemon::start(const control::Config& config) {
  auto plane = Plane::open(config, [this] { asio::post(io_, [this] { tick(); }); });
  if (!plane) return plane.error();
  plane_ = std::move(*plane);
  // Traffic is served by then if the plane was adopted, so a failure from here on must not take it
  // away.
  const auto give_up = [&](const Error& error) {
    if (!plane_->adopted()) warn_if_failed("removal", plane_->remove());
    return error;
  };
  if (auto accepted = plane_->accept(config); !accepted) return give_up(accepted.error());
  const auto attached = plane_->attach_all(config);
  if (!attached) return give_up(attached.error());
  for (const dataplane::Attachment& one : *attached) {
    attach_notes_[one.interface] = one.note;
    log::info("attached to " + one.interface + ", " + dataplane::name_of(one.mode) +
              (one.note.empty() ? "" : " (" + one.note + ")"));
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
  repeat(housekeeping_timer_, kHousekeeping, &Daemon::housekeeping);
  repeat(neighbour_timer_, kConfirmNeighbours, &Daemon::confirm_neighbours);
  repeat(sweep_timer_, kSweepFlows, &Daemon::begin_sweep);
  repeat(missed_timer_, kResolveMissed, &Daemon::resolve_missed);
  tick();
  io_.run();
  checker_.reset();
  netlink_->release();
  server_.reset();
  if (!options_.detach_on_exit) {
    log::info("stopped; the data plane stays attached");
    return {};
  }
  log::info("stopped; detaching");
  return plane_->remove();
}

void Daemon::on_signal() {
  signals_.async_wait([this](boost::system::error_code error, int number) {
    if (error) return;
    if (number == SIGHUP) {
      reload();
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

void Daemon::repeat(Timer& timer, std::chrono::milliseconds period, void (Daemon::*work)()) {
  timer.expires_after(period);
  timer.async_wait([this, &timer, period, work](boost::system::error_code cancelled) {
    if (cancelled) return;
    (this->*work)();
    repeat(timer, period, work);
  });
}

void Daemon::tick() {
  warn_if_failed("maps", plane_->controller().tick(boot_now()));
  warn_if_failed("state file", plane_->save_state());
  log_events();
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
  attach_what_returned();
  if (!plane_->neighbours().all_resolved()) confirm_neighbours();
}

// An interface of the file that went and came back, or came late, unless a person detached it.
void Daemon::attach_what_returned() {
  for (const api::InterfaceReading& one : interfaces()) {
    const std::string& name = one.attachment.interface;
    if (!one.in_file || one.attached || detached_.contains(name)) continue;
    if (if_nametoindex(name.c_str()) == 0) continue;
    for (const control::InterfaceConfig& listed : controller().config()->interfaces) {
      if (listed.name != name) continue;
      const auto attached = attach(name, mode_of(listed));
      warn_if_failed("attach " + name, attached ? Result<void>() : Result<void>(attached.error()));
    }
  }
}

void Daemon::log_events() {
  for (const engine::Event& event : plane_->controller().take_events()) {
    log::info("ramp " + std::string(engine::name_of(event.kind)) + ": " + event.scope + "/" +
              event.identity + (event.reason.empty() ? "" : ": " + event.reason));
  }
}

std::vector<api::InterfaceReading> Daemon::interfaces() const {
  return interface_readings(plane_->folder(), attach_notes_, *controller().config());
}

// Interfaces that the file gained or lost. Those attached or detached at run time stay as they are
// (O4).
std::vector<std::string> Daemon::follow_interfaces(const control::Config& from,
                                                   const control::Config& to) {
  std::vector<std::string> notes;
  for (const control::InterfaceConfig& one : to.interfaces) {
    if (std::find(from.interfaces.begin(), from.interfaces.end(), one) != from.interfaces.end()) {
      continue;
    }
    if (const auto done = attach(one.name, mode_of(one)); !done) {
      notes.push_back(done.error().text);
    }
  }
  for (const control::InterfaceConfig& one : from.interfaces) {
    const bool stays = std::any_of(to.interfaces.begin(), to.interfaces.end(),
                                   [&](const auto& other) { return other.name == one.name; });
    if (stays) continue;
    if (const auto done = detach(one.name); !done) notes.push_back(done.error().text);
  }
  return notes;
}

api::ReloadReport Daemon::reload() {
  api::ReloadReport report;
  control::ParseResult parsed = control::load_config(options_.config_file);
  for (const control::Problem& problem : parsed.problems)
    report.problems.push_back(control::to_string(problem, options_.config_file));
  for (const control::Problem& warning : parsed.warnings) {
    report.notes.push_back(control::to_string(warning, options_.config_file));
  }
  if (report.problems.empty()) {
    const control::Config from = *controller().config();
    for (std::string& line : control::needs_restart(from, parsed.config)) {
      report.notes.push_back(std::move(line));
    }
    control::Config to = control::keep_static_keys(from, std::move(parsed.config));
    const auto accepted = plane_->accept(to);
    if (accepted) {
      report.changes = control::describe_changes(from, to);
      for (std::string& line : follow_interfaces(from, to)) report.notes.push_back(std::move(line));
    } else if (accepted.error().code == Code::kInvalidConfig) {
      report.problems.push_back(options_.config_file + ": " + accepted.error().text);
    } else {
      report.notes.push_back(accepted.error().text + ": tried again every second");
    }
  }
  last_reload_.successful = report.problems.empty();
  last_reload_.at = system_clock::now();
  last_reload_.problems = report.problems;
  last_reload_.refused += report.problems.empty() ? 0 : 1;
  for (const std::string& line : report.problems) log::error("reload refused: " + line);
  for (const std::string& line : report.notes) log::warn("reload: " + line);
  for (const std::string& line : report.changes) log::info("reload: " + line);
  tick();
  follow_checks();
  return report;
}

Result<dataplane::Attachment> Daemon::attach(const std::string& interface, dataplane::Mode mode) {
  auto attached = plane_->attach(interface, mode);
  if (!attached) return attached;
  attach_notes_[interface] = attached->note;
  detached_.erase(interface);
  log::info("attached to " + interface + ", " + dataplane::name_of(attached->mode));
  return attached;
}

Result<void> Daemon::detach(const std::string& interface) {
  auto detached = plane_->detach(interface);
  if (!detached) return detached;
  detached_.insert(interface);
  log::info("detached from " + interface);
  return detached;
}

void Daemon::on_verdict(const health::VerdictChange& change) {
  plane_->controller().set_health(change.scope, change.identity, change.health, boot_now());
  const std::string node = change.scope + "/" + change.identity;
  const std::string line = node + ": " + engine::name_of(change.health) + ", " + change.reason;
  change.health == engine::Health::kDown ? log::warn(line) : log::info(line);
  tick();
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

Result<void> run(const Options& options) {
  control::ParseResult parsed = control::load_config(options.config_file);
  for (const control::Problem& problem : parsed.problems)
    std::fprintf(stderr, "%s\n", control::to_string(problem, options.config_file).c_str());
  if (!parsed.problems.empty()) {
    return Error{Code::kInvalidConfig,
                 options.config_file + ": " + std::to_string(parsed.problems.size()) + " problems"};
  }
  for (const control::Problem& warning : parsed.warnings)
    log::warn(control::to_string(warning, options.config_file));
  if (auto able = dataplane::check_privileges(); !able) return able;
  if (auto able = dataplane::check_bpffs(parsed.config.bpf.pin_path); !able) return able;
  if (auto able = dataplane::check_kernel(); !able) return able;
  Daemon daemon(options);
  if (auto started = daemon.start(parsed.config); !started) return started;
  return daemon.loop();
}

}  // namespace rampart::daemon
