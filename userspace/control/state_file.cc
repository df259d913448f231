// SPDX-License-Identifier: Apache-2.0
#include "control/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/fd.h"
#include "base/file.h"

namespace rampart::control {
namespace {

namespace fs = std::filesystem;

void shift(std::optional<TimePoint>& at, Duration by) {
  if (at) *at += by;
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("write " + path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// The file's bytes are on the disk before its name is.
Result<void> write_file(const std::string& path, std::string_view bytes) {
  constexpr mode_t kOwnerWritesGroupReads = 0640;
  const Fd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerWritesGroupReads));
  if (!fd) return system_error("create " + path, errno);
  if (auto done = write_all(fd.get(), bytes, path); !done) return done;
  if (::fsync(fd.get()) != 0) return system_error("fsync " + path, errno);
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes) {
  std::error_code ignored;  // what matters fails below, by name
  fs::create_directories(fs::path(path).parent_path(), ignored);
  const std::string next = path + ".next";
  if (auto done = write_file(next, bytes); !done) {
    ::unlink(next.c_str());
    return done;
  }
  if (::rename(next.c_str(), path.c_str()) != 0) return system_error("rename to " + path, errno);
  return {};
}

}  // namespace

BootFrame boot_frame() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  BootFrame frame;
  std::getline(file, frame.boot_id);
  frame.boot_clock = boot_now();
  frame.wall_clock = std::chrono::system_clock::now().time_since_epoch();
  return frame;
}

engine::EngineState in_frame(const SavedState& saved, const BootFrame& now) {
  engine::EngineState state = saved.engine;
  if (saved.frame.boot_id == now.boot_id) return state;
  const Duration wall_passed = now.wall_clock - saved.frame.wall_clock;
  const Duration by = now.boot_clock - saved.frame.boot_clock - wall_passed;
  for (engine::ScopeRecord& scope : state) {
    shift(scope.filled_at, by);
    for (auto& [identity, node] : scope.nodes) {
      if (node.history == engine::NodeHistory()) continue;
      node.history.ramp_start += by;
      node.history.last_transition += by;
      shift(node.history.unusable_since, by);
      shift(node.history.absent_since, by);
    }
  }
  return state;
}

Result<std::optional<SavedState>> StateFile::load() const {
  struct stat ignored = {};
  if (::lstat(path_.c_str(), &ignored) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return std::optional<SavedState>();
  }
  const auto document = read_file(path_, kMostStateBytes);
  if (!document) return Error{Code::kFailed, path_ + ": " + document.error().text};
  auto state = parse_state(*document);
  if (state) return std::optional(std::move(*state));
  const std::string aside = path_ + ".bad";
  const bool moved = std::rename(path_.c_str(), aside.c_str()) == 0;
  return Error{Code::kFailed, path_ + ": " + state.error().text +
                                  (moved ? "; it is kept as " + aside : "; it stays there")};
}

Result<void> StateFile::save(SavedState state) {
  if (holds(state.engine)) return {};
  if (auto done = replace_file(path_, format_state(state)); !done) return done.within("state file");
  written_ = std::move(state.engine);
  return {};
}

}  // namespace rampart::control
