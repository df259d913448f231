// SPDX-License-Identifier: Apache-2.0
// rampartd in a bed's balancer namespace, and the command line that talks to it.
#ifndef RAMPART_TESTS_SUPPORT_DAEMON_H_
#define RAMPART_TESTS_SUPPORT_DAEMON_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "support/bed.h"
#include "support/process.h"
#include "support/traffic.h"

namespace rampart::test {

enum class Mode { kNative, kGeneric };

class Daemon {
 public:
  static constexpr char kPinPath[] = "/sys/fs/bpf/rampart";

  // Nothing runs yet. The instance is named after the bed.
  explicit Daemon(const Bed& bed, Mode mode = Mode::kNative);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();  // SIGKILL, and removes the pins

  // A file that is complete but for `upstreams` and `vips`, which the test adds. It attaches to all
  // of the balancer's arms.
  nlohmann::json config() const;
  void write(const nlohmann::json& config) const { write_text(config.dump(2)); }
  void write_text(const std::string& text) const;
  std::string config_file() const { return (bed_.folder() / "rampart.yaml").string(); }

  // The command that runs it in the balancer; `prefix` goes before it (setpriv …).
  Command command(const Command& prefix = {}) const;

  // The program that is started from now on: "rampartd" unless told.
  void run_by(const std::string& name) { program_ = name; }

  // Starts it and waits until GET /v1/status answers.
  void start(const Command& options = {});
  void kill();                     // SIGKILL, and waits for its end
  std::optional<int> terminate();  // SIGTERM; its exit code
  Process& process() { return *process_; }

  // rampart VERB… --socket …
  Finished cli(Command verb) const;

  // A GET on the control socket; null if it does not answer with 200.
  nlohmann::json get(const std::string& target) const;

  // GET /v1/backends, as name → node.
  std::map<std::string, nlohmann::json> backends() const;

  std::string pins() const { return kPinPath + ("/" + bed_.name()); }
  // The one folder below it, which is named after the ABI.
  std::filesystem::path maps() const;

 private:
  std::string socket() const { return (bed_.folder() / "control.sock").string(); }

  const Bed& bed_;
  Mode mode_;
  std::string program_ = "rampartd";
  std::optional<Process> process_;
};

// A node of an upstream, `number` being the backend's of the bed.
nlohmann::json node(int number, int weight = 100, int port = 80);

// Asks until every one of `names` has answered, so that a test begins with routes and neighbours
// known.
[[nodiscard]] bool all_answer(const Netns& client, const Ask& ask,
                              const std::vector<std::string>& names);

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_DAEMON_H_
