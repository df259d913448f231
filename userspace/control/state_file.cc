// SPDX-License-Identifier: Apache-2.0
#include "control/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

// a - b, or the number that is closest to it.
Duration minus(Duration a, Duration b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a.count(), b.count(), &difference)) return Duration(difference);
  return b < Duration(0) ? Duration::max() : Duration::min();
}

// A clock that was set wildly must not take a time out of what a file may hold.
TimePoint earlier(TimePoint at, Duration by) {
  const Duration shifted = minus(at.time_since_epoch(), by);
  return TimePoint(std::clamp(shifted, -kFarthestTime, kFarthestTime));
}

std::optional<TimePoint> earlier(std::optional<TimePoint> at, Duration by) {
  if (at) at = earlier(*at, by);
  return at;
}

engine::NodeHistory earlier(engine::NodeHistory history, Duration by) {
  if (history == engine::NodeHistory()) return history;  // nothing is dated
  history.ramp_start = earlier(history.ramp_start, by);
  history.last_transition = earlier(history.last_transition, by);
  history.unusable_since = earlier(history.unusable_since, by);
  history.absent_since = earlier(history.absent_since, by);
  return history;
}

// The file's bytes are on the disk before its name is.
Result<void> write_file(const std::string& path, std::string_view bytes) {
  constexpr mode_t kOwnerWritesGroupReads = 0640;
  const Fd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerWritesGroupReads));
  if (!fd) return system_error("create " + path, errno);
  if (!write_all(fd.get(), bytes)) return system_error("write " + path, errno);
  if (::fsync(fd.get()) != 0) return system_error("fsync " + path, errno);
  return {};
}

Result<void> replace_file(const std::string& path, std::string_view bytes) {
  std::error_code ignored;  // what matters fails below, by name
  fs::create_directories(fs::path(path).parent_path(), ignored);
  const std::string next = path + ".next";
  ::unlink(next.c_str());  // what a dead process left, or anything else
  if (auto done = write_file(next, bytes); !done) {
    ::unlink(next.c_str());
    return done;
  }
  if (::rename(next.c_str(), path.c_str()) != 0) return system_error("rename to " + path, errno);
  return {};
}

bool nothing_at(const std::string& path) {
  struct stat ignored = {};
  return ::lstat(path.c_str(), &ignored) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// Renames what lies at `path`, and returns the name it has then. Ten of them are kept; the next one
// takes the last one's place.
Result<std::string> put_aside(const std::string& path) {
  constexpr int kMostKept = 10;
  std::string aside;
  int failure = EEXIST;
  for (int i = 0; i < kMostKept && failure == EEXIST; ++i) {
    aside = path + ".bad" + (i == 0 ? "" : "." + std::to_string(i));
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0) {
      return aside;
    }
    failure = errno;
  }
  if (failure == EEXIST) {
    if (::rename(path.c_str(), aside.c_str()) == 0) return aside + ", in place of an earlier one";
    failure = errno;
  }
  return system_error("cannot be put aside, and no state is saved until it is: rename to " + aside,
                      failure);
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
  const Duration wall_passed = minus(now.wall_clock, saved.frame.wall_clock);
  const Duration boot_passed =
      minus(now.boot_clock.time_since_epoch(), saved.frame.boot_clock.time_since_epoch());
  const Duration by = minus(wall_passed, boot_passed);
  for (engine::ScopeRecord& scope : state) {
    scope.filled_at = earlier(scope.filled_at, by);
    scope.panic_seen.reset();  // nobody served while the machine was down (S3.18)
    for (auto& [identity, node] : scope.nodes) node.history = earlier(node.history, by);
  }
  return state;
}

Result<std::optional<SavedState>> StateFile::load() {
  in_the_way_ = false;
  if (nothing_at(path_)) return std::optional<SavedState>();
  const auto document = read_file(path_, kMostStateBytes);
  auto state = document ? parse_state(*document) : document.error();
  if (state) return std::optional(std::move(*state));
  const auto aside = put_aside(path_);
  in_the_way_ = !aside.ok();
  return Error{Code::kFailed, path_ + ": " + state.error().text + "; it " +
                                  (aside ? "is kept as " + *aside : aside.error().text)};
}

bool StateFile::holds(const engine::EngineState& state) const {
  return written_ == state && !nothing_at(path_);
}

Result<void> StateFile::save(SavedState state) {
  if (holds(state.engine)) return {};
  if (in_the_way_ && !nothing_at(path_)) {
    if (const auto aside = put_aside(path_); !aside) return aside.within("state file: " + path_);
  }
  in_the_way_ = false;
  const std::string document = format_state(state);
  if (document.size() > kMostStateBytes) {
    return Error{Code::kFailed, "state file: " + path_ + ": what there is to save is larger than " +
                                    std::to_string(kMostStateBytes >> 20) + " MiB"};
  }
  if (auto done = replace_file(path_, document); !done) return done.within("state file");
  written_ = std::move(state.engine);
  return {};
}

}  // namespace rampart::control
