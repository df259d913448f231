// SPDX-License-Identifier: Apache-2.0
#include "support/daemon.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/statfs.h>

#include <fstream>
#include <set>

#include "support/http.h"

namespace rampart::test {
namespace {

constexpr char kBpfFilesystem[] = "/sys/fs/bpf";
constexpr long kBpfMagic = 0xcafe4a11;  // BPF_FS_MAGIC of linux/magic.h

// systemd mounts it at boot; a container or an emulated kernel may not have it yet.
void mount_bpf_filesystem() {
  struct statfs found = {};
  if (statfs(kBpfFilesystem, &found) == 0 && found.f_type == kBpfMagic) return;
  if (mount("bpf", kBpfFilesystem, "bpf", 0, nullptr) != 0) {
    throw BedFailure(std::string("mount ") + kBpfFilesystem + ": " + strerror(errno));
  }
}

}  // namespace

Daemon::Daemon(const Bed& bed, Mode mode) : bed_(bed), mode_(mode) {
  mount_bpf_filesystem();
}

Daemon::~Daemon() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(pins(), ignored);
}

nlohmann::json Daemon::config() const {
  nlohmann::json interfaces = nlohmann::json::array();
  for (const std::string& arm : bed_.arms()) {
    interfaces.push_back({{"name", arm}, {"mode", mode_ == Mode::kNative ? "native" : "generic"}});
  }
  return {
      {"version", 1},
      {"instance", bed_.name()},
      {"interfaces", interfaces},
      {"bpf", {{"max_vips", 128}, {"max_backends", 1024}, {"max_flows", 131072}}},
      {"state_dir", bed_.folder().string()},
      {"control_socket", socket()},
  };
}

// As an editor does it: never half a file under the name.
void Daemon::write_text(const std::string& text) const {
  const std::string next = config_file() + ".next";
  std::ofstream(next) << text;
  std::filesystem::rename(next, config_file());
}

Command Daemon::command(const Command& prefix) const {
  Command whole = prefix;
  for (const std::string& word : {program(program_), std::string("--config"), config_file()}) {
    whole.push_back(word);
  }
  return bed_.balancer().inside(whole);
}

void Daemon::start(const Command& options) {
  Command whole = command();
  whole.insert(whole.end(), options.begin(), options.end());
  process_.emplace(whole);
  const auto answers = [this] { return !process_->running() || !get("/v1/status").is_null(); };
  if (!wait_until(answers) || !process_->running()) {
    throw BedFailure("rampartd does not come up: " + process_->output());
  }
}

void Daemon::kill() {
  if (!process_) return;
  process_->signal(SIGKILL);
  (void)process_->wait_exit();
}

std::optional<int> Daemon::terminate() {
  process_->signal(SIGTERM);
  return process_->wait_exit();
}

Finished Daemon::cli(Command verb) const {
  verb.insert(verb.begin(), program("rampart"));
  verb.insert(verb.end(), {"--socket", socket()});
  return run(verb);
}

nlohmann::json Daemon::get(const std::string& target) const {
  std::optional<HttpConnection> connection = HttpConnection::to_socket(socket());
  if (!connection) return nullptr;
  const auto answer = connection->request("GET", target, HttpConnection::After::kClose);
  if (!answer || answer->status != 200) return nullptr;
  return nlohmann::json::parse(answer->body, nullptr, false);
}

std::map<std::string, nlohmann::json> Daemon::backends() const {
  std::map<std::string, nlohmann::json> by_name;
  for (const nlohmann::json& backend : get("/v1/backends")) {
    by_name[backend.at("name")] = backend;
  }
  return by_name;
}

std::filesystem::path Daemon::maps() const {
  for (const auto& entry : std::filesystem::directory_iterator(pins())) {
    if (entry.path().filename().string().rfind('v', 0) == 0) return entry.path();
  }
  throw BedFailure("no folder vN in " + pins());
}

nlohmann::json node(int number, int weight, int port) {
  return {{"host", Bed::backend_address(number)}, {"port", port}, {"weight", weight}};
}

bool all_answer(const Netns& client, const Ask& ask, const std::vector<std::string>& names) {
  std::set<std::string> missing(names.begin(), names.end());
  return client.run([&] {
    return wait_until([&] {
      if (const auto answer = ask()) missing.erase(*answer);
      return missing.empty();
    });
  });
}

}  // namespace rampart::test
