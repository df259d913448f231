// SPDX-License-Identifier: Apache-2.0
#include "control/state_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "control/desired.h"
#include "engine/engine.h"
#include "rampart/limits.h"
#include "support/temp_folder.h"

namespace rampart::control {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr TimePoint at(Duration since_zero) {
  return TimePoint(since_zero);
}

engine::NodeRecord ramping(TimePoint start) {
  engine::NodeRecord node;
  node.listed = true;
  node.history = {.lifecycle = engine::Lifecycle::kRamping,
                  .cause = engine::Cause::kJoined,
                  .ramp_start = start,
                  .last_transition = start};
  return node;
}

SavedState everything() {
  SavedState saved;
  saved.frame = {.boot_id = "first", .boot_clock = at(1000s), .wall_clock = 50000s};
  engine::NodeRecord away = ramping(at(900s));
  away.listed = false;
  away.discovered = true;
  away.history.unusable_since = at(930s);
  away.history.absent_since = at(950s) + 1ns;
  engine::NodeRecord said;
  said.condition = {.health = engine::Health::kDown,
                    .checked_by = UINT64_MAX,
                    .admin = engine::Admin::kMaintenance,
                    .override_weight = 0,
                    .admin_by = "root, 2026-11-30T12:00:00Z",
                    .override_by = "uid 1000, 2026-11-30T12:00:01Z"};
  engine::NodeRecord pending;
  pending.listed = true;
  pending.history = {.lifecycle = engine::Lifecycle::kPending,
                     .cause = engine::Cause::kNeverEligible,
                     .last_transition = at(7s)};
  saved.engine = {{.id = "orders",
                   .had_block = true,
                   .filled_at = at(800s),
                   .panic_seen = at(900s),
                   .nodes = {{"10.0.0.1:80", ramping(at(990s))},
                             {"10.0.0.2:80", away},
                             {"[2001:db8::1]:80", said},
                             {"10.0.0.3:80", pending}}},
                  {.id = "empty", .had_block = false, .filled_at = {}, .nodes = {}}};
  return saved;
}

// Of which everything() tells.
UpstreamConfig orders() {
  UpstreamConfig upstream;
  upstream.id = "orders";
  for (const char* address : {"10.0.0.1", "10.0.0.2", "10.0.0.3"}) {
    upstream.nodes.push_back(
        {.address = *IpAddress::parse(address), .port = 80, .weight = 100, .priority = 0});
  }
  upstream.slow_start = engine::SlowStart{.window = 600s, .min_weight_percent = 10};
  return upstream;
}

TEST(StateDocument, ComesBackAsItWas) {  // S3.21
  const SavedState saved = everything();
  const auto read = parse_state(format_state(saved));
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(*read, saved);
}

TEST(StateDocument, IsRefusedWholeIfItIsCutAnywhere) {  // S3.21
  const std::string document = format_state(everything());
  for (size_t length = 0; length + 2 < document.size(); ++length) {
    EXPECT_FALSE(parse_state(document.substr(0, length)).ok()) << length;
  }
}

// What is still a document is read as what it then says, and an engine goes on from it.
TEST(StateDocument, IsRefusedOrOfUseWhateverByteIsDamaged) {  // S3.21
  const std::string document = format_state(everything());
  Config config;
  config.upstreams = {orders()};
  int refused = 0;
  for (size_t at_byte = 0; at_byte < document.size(); ++at_byte) {
    for (const char byte : {'\0', '\xff', '-', '9', '"', char(document[at_byte] ^ 1)}) {
      std::string damaged = document;
      damaged[at_byte] = byte;
      const auto read = parse_state(damaged);
      refused += !read.ok();
      if (!read.ok()) continue;
      EXPECT_TRUE(parse_state(format_state(*read)).ok()) << "byte " << at_byte;
      const BootFrame now = {.boot_id = "first", .boot_clock = at(1001s), .wall_clock = 50001s};
      engine::Engine engine({.process_start = now.boot_clock});
      engine.restore(in_frame(*read, now), now.boot_clock);
      engine.set_desired(scopes_of(config), now.boot_clock);
      EXPECT_EQ(engine.step(now.boot_clock).snapshot->scopes.size(), 1u) << "byte " << at_byte;
      EXPECT_TRUE(parse_state(format_state({now, engine.state(now.boot_clock)})).ok());
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(StateDocument, SaysWhatIsWrong) {  // S3.21
  const std::string good = format_state(everything());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    const size_t where = bad.find(from);
    EXPECT_NE(where, std::string::npos) << from;
    bad.replace(where, from.size(), to);
    const auto read = parse_state(bad);
    return read.ok() ? "accepted" : read.error().text;
  };
  EXPECT_THAT(with("\"version\": 1", "\"version\": 2"), HasSubstr("this program reads version 1"));
  EXPECT_THAT(with("\"version\": 1", "\"version\": 0"), HasSubstr("version 0"));
  EXPECT_THAT(with("\"ramping\"", "\"running\""), HasSubstr("there is no \"running\""));
  EXPECT_THAT(with("\"ramp_start\": 990000000000", "\"ramp_start\": \"soon\""),
              HasSubstr("ramp_start is not of its type"));
  EXPECT_THAT(with("\"ramp_start\": 990000000000", "\"x\": 1"), HasSubstr("no \"ramp_start\""));
  EXPECT_THAT(with("\"ramp_start\": 990000000000", "\"ramp_start\": 9223372036854775807"),
              HasSubstr("no time"));
  EXPECT_THAT(with("\"override\": 0", "\"override\": 65536"), HasSubstr("no weight"));
  EXPECT_THAT(with("\"id\": \"empty\"", "\"id\": \"orders\""), HasSubstr("one id"));
  EXPECT_THAT(with("\"scopes\": [", "\"scopes\": 1, \"others\": ["), HasSubstr("not an array"));
  EXPECT_FALSE(parse_state("[]").ok());
  EXPECT_FALSE(parse_state("{\"version\": 1}").ok());
}

// As many as a file has room for; looking through all for each would take longer than a test may.
TEST(StateDocument, TakesAsMuchTimeAsItIsLong) {  // S3.21
  SavedState saved = everything();
  saved.engine.resize(2);
  for (int i = 0; i < 200'000; ++i) {
    saved.engine.push_back(
        {.id = std::to_string(i), .had_block = false, .filled_at = {}, .nodes = {}});
  }
  const auto read = parse_state(format_state(saved));
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->engine.size(), saved.engine.size());
}

// The largest instance, of whose nodes there is everything to say.
TEST(StateDocument, FitsIntoAFileForAsManyBackendsAsThereCanBe) {  // S3.21
  const engine::ScopeRecord orders = everything().engine[0];
  engine::NodeRecord node = orders.nodes.at("10.0.0.2:80");
  node.listed = true;
  node.condition = orders.nodes.at("[2001:db8::1]:80").condition;
  SavedState saved = everything();
  for (int i = 0; i < RP_MAX_BACKENDS; ++i) {
    saved.engine[0].nodes["10.100.100.100:" + std::to_string(i)] = node;
  }
  EXPECT_LT(format_state(saved).size(), kMostStateBytes);
}

TEST(StateDocument, BoundsNesting) {  // S3.21
  const auto with = [](const std::string& value) {
    std::string document = format_state(everything());
    document.insert(document.find("\"version\""), "\"later\": " + value + ",");
    const auto read = parse_state(document);
    return read.ok() ? "accepted" : read.error().text;
  };
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(with(nested(63)), "accepted") << "the document is a level itself";
  EXPECT_EQ(with(nested(64)), "its brackets nest deeper than allowed: 64");
  EXPECT_EQ(with("\"\\\"" + std::string(100, '[') + "\""), "accepted") << "a string is none";
  EXPECT_EQ(with("[\"\\\\\", " + nested(64) + "]"), "its brackets nest deeper than allowed: 64");
  EXPECT_EQ(with(std::string(30'000'000, '[')), "its brackets nest deeper than allowed: 64");
}

TEST(StateFrame, LeavesTimesOfThisBootAsTheyAre) {  // S3.21
  const SavedState saved = everything();
  // The wall clock was set meanwhile: of no concern.
  EXPECT_EQ(in_frame(saved, {"first", at(1500s), 9s}), saved.engine);
}

// 100 s later by the wall clock, 20 s after another boot: what was 10 s old then is 110 s old.
TEST(StateFrame, CarriesEveryTimeOfAnotherBootOverByTheWallClock) {  // S3.21
  const auto state = in_frame(everything(), {"second", at(20s), 50100s});
  SavedState expected = everything();
  engine::ScopeRecord& orders = expected.engine[0];
  orders.filled_at = at(20s - 300s);
  orders.panic_seen.reset();  // nobody served in between (S3.18)
  orders.nodes["10.0.0.1:80"].history.ramp_start = at(20s - 110s);
  orders.nodes["10.0.0.1:80"].history.last_transition = at(20s - 110s);
  engine::NodeHistory& away = orders.nodes["10.0.0.2:80"].history;
  away.ramp_start = at(20s - 200s);
  away.last_transition = at(20s - 200s);
  away.unusable_since = at(20s - 170s);
  away.absent_since = at(20s - 150s + 1ns);
  engine::NodeHistory& pending = orders.nodes["10.0.0.3:80"].history;
  pending.ramp_start = state.at(0).nodes.at("10.0.0.3:80").history.ramp_start;  // means nothing
  pending.last_transition = at(20s - 1093s);
  EXPECT_EQ(state, expected.engine);
}

// Wherever clocks were set: the next start reads what this one saves.
TEST(StateFrame, KeepsTimesWithinWhatAFileMayHold) {  // S3.21
  const Duration far = kFarthestTime;
  for (const Duration then : {-far, Duration(0), far}) {
    for (const Duration now : {-far, Duration(0), far}) {
      for (const Duration wall : {Duration::min(), -far, Duration(0), far, Duration::max()}) {
        SavedState saved = everything();
        saved.frame.boot_clock = at(then);
        saved.frame.wall_clock = -far;
        saved.engine[0].filled_at = at(now);
        SavedState carried = {{"second", at(now), wall}, {}};
        carried.engine = in_frame(saved, carried.frame);
        const auto read = parse_state(format_state(carried));
        EXPECT_TRUE(read.ok()) << read.error().text;
      }
    }
  }
}

TEST(StateFrame, TakesAFarTimeForTheFarthest) {  // S3.21
  SavedState saved = everything();
  saved.frame = {.boot_id = "first", .boot_clock = at(0s), .wall_clock = -kFarthestTime};
  const BootFrame ages_later = {"second", at(0s), Duration::max()};
  EXPECT_EQ(in_frame(saved, ages_later)[0].filled_at, at(-kFarthestTime));
  saved.frame.wall_clock = Duration::max();
  const BootFrame ages_before = {"second", at(0s), Duration::min()};
  EXPECT_EQ(in_frame(saved, ages_before)[0].filled_at, at(kFarthestTime));
}

TEST(StateFrame, TakesAWallClockOfAnyYear) {  // S3.21
  SavedState saved = everything();
  constexpr std::chrono::hours kYear{8766};
  saved.frame.wall_clock = 100 * kYear;  // 2070
  const auto read = parse_state(format_state(saved));
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(*read, saved);
}

class StateFiles : public testing::Test {
 protected:
  StateFiles() {
    folder = temporary_.path();
    path = folder + "/deeper/default.json";
  }
  void write(const std::string& text) const {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  // By folders, which no file replaces.
  void take_all_names() const {
    fs::create_directories(path + ".bad/full");
    for (int i = 1; i < 10; ++i) {
      fs::create_directories(path + ".bad." + std::to_string(i) + "/full");
    }
  }
  // What loading complains of.
  std::string complaint() const {
    const auto loaded = StateFile(path).load();
    return loaded ? "nothing" : loaded.error().text;
  }
  static std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  test::TempFolder temporary_;
  std::string folder, path;
};

TEST_F(StateFiles, AreNothingWhereThereIsNone) {  // S3.21
  const auto loaded = StateFile(path).load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().text;
  EXPECT_FALSE(loaded->has_value());
}

TEST_F(StateFiles, AreReplacedWhole) {  // S3.21
  ASSERT_TRUE(StateFile(path).save(everything()).ok());
  const auto loaded = StateFile(path).load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().text;
  EXPECT_EQ(**loaded, everything());
  EXPECT_FALSE(fs::exists(path + ".next"));
}

TEST_F(StateFiles, AreWrittenOnlyWhenSomethingChanged) {
  StateFile file(path);
  SavedState state = everything();
  ASSERT_TRUE(file.save(state).ok());
  write("another's");
  state.frame.boot_clock += 1s;
  ASSERT_TRUE(file.save(state).ok());
  EXPECT_EQ(fs::file_size(path), 9u) << "only the clocks went on";
  state.engine.pop_back();
  ASSERT_TRUE(file.save(state).ok());
  EXPECT_TRUE(StateFile(path).load().ok());
}

TEST_F(StateFiles, ThatSomebodyTookAwayAreWrittenAgain) {  // B6
  StateFile file(path);
  ASSERT_TRUE(file.save(everything()).ok());
  fs::remove(path);
  EXPECT_FALSE(file.holds(everything().engine));
  ASSERT_TRUE(file.save(everything()).ok());
  EXPECT_TRUE(file.holds(everything().engine));
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(StateFiles, ThatCannotBeReadArePutAside) {  // S3.21
  write("{\"version\": 1, \"boot_id");
  EXPECT_EQ(complaint(), path + ": it is not whole JSON; it is kept as " + path + ".bad");
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(text_of(path + ".bad"), "{\"version\": 1, \"boot_id");
}

TEST_F(StateFiles, ThatCannotBeReadKeepTheirOwnNames) {  // S3.21
  fs::create_directories(path + ".bad/full");
  write("first");
  EXPECT_THAT(complaint(), HasSubstr("it is kept as " + path + ".bad.1"));
  write("second");
  EXPECT_THAT(complaint(), HasSubstr("it is kept as " + path + ".bad.2"));
  EXPECT_EQ(text_of(path + ".bad.1"), "first");
  EXPECT_EQ(text_of(path + ".bad.2"), "second");
}

TEST_F(StateFiles, ThatCannotBeReadReplaceOnlyTheLastOfTen) {  // S3.21
  for (int i = 0; i < 10; ++i) {
    write(std::to_string(i) + "th");
    EXPECT_THAT(complaint(), Not(HasSubstr("in place of")));
  }
  write("one more");
  EXPECT_THAT(complaint(), HasSubstr(path + ".bad.9, in place of an earlier one"));
  EXPECT_EQ(text_of(path + ".bad"), "0th");
  EXPECT_EQ(text_of(path + ".bad.8"), "8th");
  EXPECT_EQ(text_of(path + ".bad.9"), "one more");
}

TEST_F(StateFiles, ThatCannotBePutAsideAreNotReplaced) {  // S3.21
  take_all_names();
  write("broken");
  StateFile file(path);
  const auto loaded = file.load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().text, HasSubstr("cannot be put aside"));

  const auto saved = file.save(everything());
  ASSERT_FALSE(saved.ok());
  EXPECT_THAT(saved.error().text, StartsWith("state file: " + path + ": cannot be put aside"));
  EXPECT_EQ(file.save(everything()).error().text, saved.error().text) << "so it is said once";
  EXPECT_EQ(text_of(path), "broken");

  fs::remove_all(path + ".bad.3");
  ASSERT_TRUE(file.save(everything()).ok());
  EXPECT_EQ(text_of(path + ".bad.3"), "broken");
  EXPECT_EQ(**StateFile(path).load(), everything());
}

TEST_F(StateFiles, ThatSomebodyTookAwayAreInNobodysWay) {  // S3.21
  take_all_names();
  write("broken");
  StateFile file(path);
  ASSERT_FALSE(file.load().ok());
  fs::remove(path);
  ASSERT_TRUE(file.save(everything()).ok());
  EXPECT_EQ(**file.load(), everything());
}

// Also what is no file at all, or cannot be opened: the next save would replace it.
TEST_F(StateFiles, ThatAreNoFilesArePutAsideAndHoldNobodyUp) {  // S3.21
  fs::create_directories(path);
  EXPECT_EQ(complaint(),
            path + ": cannot be read: it is a directory; it is kept as " + path + ".bad");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(complaint(),
            path + ": cannot be read: it is no regular file; it is kept as " + path + ".bad.1");
  fs::create_symlink(path, path);
  EXPECT_THAT(complaint(), HasSubstr("cannot be opened"));
  EXPECT_TRUE(fs::is_symlink(path + ".bad.2"));
  fs::create_symlink(folder + "/unmounted", path);
  EXPECT_THAT(complaint(), HasSubstr("cannot be opened"));
  EXPECT_TRUE(fs::is_symlink(path + ".bad.3"));
}

TEST_F(StateFiles, ThatAreTooLargeArePutAside) {  // S3.21
  write("");
  fs::resize_file(path, kMostStateBytes + 1);
  EXPECT_EQ(complaint(), path + ": is larger than allowed: 32 MiB; it is kept as " + path + ".bad");
}

// The next start would not read it.
TEST_F(StateFiles, ThatWouldBeTooLargeLeaveTheFormerOne) {  // S3.21
  StateFile file(path);
  ASSERT_TRUE(file.save(everything()).ok());
  SavedState large = everything();
  large.engine[0].id.assign(kMostStateBytes, 'x');
  const auto saved = file.save(large);
  ASSERT_FALSE(saved.ok());
  EXPECT_THAT(saved.error().text, HasSubstr("what there is to save is larger than 32 MiB"));
  EXPECT_EQ(**StateFile(path).load(), everything());
}

// Opening a FIFO to write waits for a reader.
TEST_F(StateFiles, AreWrittenWhateverADeadProcessLeft) {
  write("");
  ASSERT_EQ(::mkfifo((path + ".next").c_str(), 0600), 0);
  ASSERT_TRUE(StateFile(path).save(everything()).ok());
  EXPECT_EQ(**StateFile(path).load(), everything());
}

TEST_F(StateFiles, ThatCannotBeWrittenLeaveTheFormerOne) {  // S3.21
  StateFile file(path);
  ASSERT_TRUE(file.save(everything()).ok());
  fs::create_directory(path + ".next");  // in the way
  SavedState other = everything();
  other.engine.pop_back();
  const auto saved = file.save(other);
  ASSERT_FALSE(saved.ok());
  EXPECT_THAT(saved.error().text, HasSubstr("state file: create " + path));
  EXPECT_EQ(**StateFile(path).load(), everything());
  fs::remove(path + ".next");
  EXPECT_TRUE(file.save(other).ok()) << "tried again";
}

}  // namespace
}  // namespace rampart::control
