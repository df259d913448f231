// SPDX-License-Identifier: Apache-2.0
// What an instance knows, over restarts and reboots (S3.21): STATE_DIR/INSTANCE.json.
//
// The engine dates everything by the boot clock, which another boot starts anew. So the file says
// which boot it is from and what both clocks showed when it was written: within that boot times
// stand as they are, in another they are carried over by the wall clock.
//
// The file is replaced by rename, so a reader sees the former whole or the new whole. What cannot
// be read is put aside and never stops a start: without it a start is a baseline, or continues from
// the pinned maps. Nor is it ever replaced: as long as it cannot be put aside, nothing is saved.
#ifndef RAMPART_USERSPACE_CONTROL_STATE_FILE_H_
#define RAMPART_USERSPACE_CONTROL_STATE_FILE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "engine/state.h"

namespace rampart::control {

// Which boot it is and what its clocks show: the frame in which a state's times have a meaning.
struct BootFrame {
  std::string boot_id;
  TimePoint boot_clock;
  std::chrono::nanoseconds wall_clock{0};  // since 1970, UTC

  bool operator==(const BootFrame&) const = default;
};
// Of this machine, now.
BootFrame boot_frame();

struct SavedState {
  BootFrame frame;  // when it was saved
  engine::EngineState engine;

  bool operator==(const SavedState&) const = default;
};

// The times of a state are no farther than this from zero: 73 years, far from where sums of them
// could overflow.
inline constexpr Duration kFarthestTime{INT64_MAX / 4};

// The state in the times of another frame, so that it can be written and read again whatever the
// clocks show: a time that would be farther is the farthest. What `now` says lies ahead is left so;
// the engine counts it as now.
engine::EngineState in_frame(const SavedState& saved, const BootFrame& now);

// No file is larger, neither read nor written. 65,535 backends take 13 MB, and 27 MB if there is
// everything to say of each.
inline constexpr size_t kMostStateBytes = size_t{32} << 20;

std::string format_state(const SavedState& saved);
// An error says what is wrong and where. A document of another version is one.
Result<SavedState> parse_state(std::string_view document);

// One file. Thread-safety: none.
class StateFile {
 public:
  explicit StateFile(std::string path) : path_(std::move(path)) {}

  // Nothing if there is no file. What cannot be read or understood, whatever it is, is an error and
  // renamed to the first free one of PATH.bad, PATH.bad.1, …, PATH.bad.9.
  Result<std::optional<SavedState>> load();
  // Whether this object wrote just this last, and something lies there: then there is nothing to save.
  bool holds(const engine::EngineState& state) const;
  // Writes, unless it holds the engine's part already. What load() could not put aside is put aside
  // now, or nothing is written.
  Result<void> save(SavedState state);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool in_the_way_ = false;  // what load() could neither use nor put aside
  std::optional<engine::EngineState> written_;
};

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_STATE_FILE_H_
