// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include "dataplane/attach.h"
#include "dataplane/instance_lock.h"
#include "dataplane/object.h"
#include "dataplane/preflight.h"
#include "rampart/client.h"
#include "rampart/command.h"

namespace rampart::cli {
namespace {

using nlohmann::json;

// What the daemon would do, done on the pins: they are all that there is.
int detach_without_daemon(const Command& command) {
  const std::string folder = dataplane::instance_folder(command.pin_path, command.instance);
  if (!std::filesystem::exists(folder)) {
    std::printf("nothing is attached: there is no %s\n", folder.c_str());
    return 0;
  }
  if (const auto on_bpffs = dataplane::check_bpffs(folder); !on_bpffs)
    return fail(on_bpffs.error());
  const auto lock = dataplane::lock_instance(command.pin_path, command.instance);
  if (!lock) return fail(lock.error());
  const auto done = command.all ? dataplane::remove_instance(folder)
                                : dataplane::detach(folder, command.arguments.front());
  if (!done) return fail(done.error());
  std::puts(command.all ? "detached, maps removed" : "detached");
  return 0;
}

}  // namespace

int run_attach(const Command& command) {
  if (command.arguments.size() != 1) {
    return fail(usage(command));
  }
  if (command.dispatcher) {
    return fail({Code::kUsage, "--dispatcher: not supported by this version"});
  }
  json body = {{"interface", command.arguments.front()}};
  if (command.mode) body["mode"] = *command.mode;
  const auto attached = ask_daemon(command, "POST", "/v1/attach", body.dump());
  if (!attached) return fail(attached.error());
  const std::string note = attached->value("note", "");
  std::printf("attached to %s, %s%s\n", command.arguments.front().c_str(),
              attached->value("mode", "").c_str(), note.empty() ? "" : (" (" + note + ")").c_str());
  return 0;
}

int run_detach(const Command& command) {
  if (command.all == !command.arguments.empty() || command.arguments.size() > 1) {
    return fail(usage(command));
  }
  const json body =
      command.all ? json{{"all", true}} : json{{"interface", command.arguments.front()}};
  const auto detached = ask_daemon(command, "POST", "/v1/detach", body.dump());
  if (!detached && detached.error().code == Code::kNoDaemon) return detach_without_daemon(command);
  if (!detached) return fail(detached.error());
  std::puts("detached");
  return 0;
}

}  // namespace rampart::cli
