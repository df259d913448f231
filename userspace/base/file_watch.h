// SPDX-License-Identifier: Apache-2.0
// Sees when a file is replaced as a whole: another one was renamed to its name, or to that of a symbolic
// link on the way to it, as Kubernetes does for a ConfigMap. A write in place is not seen: half a YAML
// file can be valid (C4, D2). Source: inotify(7).
//
// Thread-safety: none.
#ifndef RAMPART_USERSPACE_BASE_FILE_WATCH_H_
#define RAMPART_USERSPACE_BASE_FILE_WATCH_H_

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace rampart {

class FileWatch {
 public:
  // The file need not exist. A folder that does not is looked for again by each look().
  static Result<FileWatch> open(const std::string& path);

  // Becomes readable when it is worth looking.
  int fd() const { return fd_.get(); }
  // Takes the events off. True if the file was replaced since the last look, or since open().
  bool look();

 private:
  explicit FileWatch(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  void watch_the_way();
  void watch(const std::string& folder, const std::string& name);
  bool take_events();

  Fd fd_;
  std::string path_;
  std::map<int, std::set<std::string>> names_;  // by watch: what is on the way in that folder
};

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_FILE_WATCH_H_
