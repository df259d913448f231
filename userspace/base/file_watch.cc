// SPDX-License-Identifier: Apache-2.0
#include "base/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>

namespace rampart {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel follows

}  // namespace

Result<FileWatch> FileWatch::open(const std::string& path) {
  Fd fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return system_error("watch " + path, errno);
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  FileWatch watch(std::move(fd), failed ? path : absolute.string());
  watch.watch_the_way();
  return watch;
}

// Walks to the file step by step, as the kernel does. What can be replaced is the file and every symbolic
// link; a link's target is walked instead of it.
void FileWatch::watch_the_way() {
  names_.clear();
  fs::path folder = "/";
  std::deque<fs::path> steps;
  const fs::path whole = fs::path(path_).relative_path();
  steps.assign(whole.begin(), whole.end());
  for (int links = 0; !steps.empty() && links <= kMostLinks;) {
    const fs::path name = steps.front();
    steps.pop_front();
    std::error_code failed;
    const fs::path target = fs::read_symlink(folder / name, failed);
    const bool is_link = !failed;
    if (is_link || steps.empty()) watch(folder, name);
    if (!is_link) {
      folder /= name;
      continue;
    }
    ++links;
    if (target.is_absolute()) folder = "/";
    const fs::path onward = target.relative_path();
    steps.insert(steps.begin(), onward.begin(), onward.end());
  }
}

// To watch what is watched already changes nothing.
void FileWatch::watch(const std::string& folder, const std::string& name) {
  const int watch = inotify_add_watch(fd_.get(), folder.c_str(), IN_MOVED_TO | IN_ONLYDIR);
  if (watch >= 0) names_[watch].insert(name);
}

// True if something on the way was renamed to what it is called.
bool FileWatch::take_events() {
  bool named = false;
  alignas(inotify_event) std::array<char, 16384> events;
  while (true) {
    const ssize_t length = read(fd_.get(), events.data(), events.size());
    if (length <= 0) return named;
    for (ssize_t at = 0; at < length;) {
      inotify_event event;
      std::memcpy(&event, events.data() + at, sizeof event);
      const char* name = events.data() + at + sizeof event;
      const auto watched = names_.find(event.wd);
      named |= (event.mask & IN_MOVED_TO) != 0 && event.len > 0 && watched != names_.end() &&
               watched->second.contains(name);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

bool FileWatch::look() {
  const bool named = take_events();
  watch_the_way();
  return named;
}

}  // namespace rampart
