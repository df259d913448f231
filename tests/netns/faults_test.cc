// SPDX-License-Identifier: Apache-2.0
// What the machine does not give: descriptors, room on the disk. Traffic goes on, the log says what
// is missing, and all is well once it is there again.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>

#include "netns/stand.h"
#include "support/wait.h"

namespace rampart::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kSome = 200;  // answers that show that traffic flows

int times_in_log(Stand& stand, const std::string& text) {
  const std::string log = stand.daemon.process().output();
  int times = 0;
  for (size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++times;
  return times;
}
bool says(Stand& stand, const std::string& text) {
  return wait_until([&] { return times_in_log(stand, text) > 0; });
}

// What a running process may open from now on; what it has open stays so.
rlimit limit_descriptors(pid_t pid, const rlimit& limit) {
  rlimit former = {};
  if (prlimit(pid, RLIMIT_NOFILE, &limit, &former) != 0) throw BedFailure("prlimit");
  return former;
}

// A disk of its own, so that it can be full.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& at) : at_(at) {
    std::filesystem::create_directories(at_);
    if (mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=64k") != 0) throw BedFailure("mount tmpfs");
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() { umount2(at_.c_str(), MNT_DETACH); }

  std::filesystem::path path() const { return at_; }
  void fill() const {
    const Fd fd(open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    constexpr std::array<char, 4096> kPage = {};
    while (write(fd.get(), kPage.data(), kPage.size()) > 0) {
    }
  }
  void empty() const { std::filesystem::remove(filler()); }

 private:
  std::filesystem::path filler() const { return at_ / "filler"; }

  std::filesystem::path at_;
};

json checked(json config) {
  upstream(config)["checks"]["active"] = {
      {"type", "tcp"},
      {"healthy", {{"interval", 1}, {"successes", 1}}},
      {"unhealthy", {{"interval", 1}, {"tcp_failures", 1}, {"timeouts", 1}}}};
  return config;
}

std::string health(const Stand& stand, int number) {
  return stand.daemon.backends().at(stand.name(number)).at("health");
}

// O1, C3: nothing that the daemon does is possible without a descriptor.
TEST_F(NetnsTest, ADaemonWithoutDescriptorsServesOnAndIsBackWithThem) {
  Stand stand;
  json config = checked(stand.config_of_first(2));
  config["reconcile_interval"] = 1;
  stand.serve(config, {"b1", "b2"});
  ASSERT_TRUE(wait_until([&] { return health(stand, 1) == "up" && health(stand, 2) == "up"; }));
  Traffic traffic(stand.bed.client(), stand.ask());
  EXPECT_TRUE(traffic.wait_for(kSome));

  constexpr rlim_t kStandardOnes = 3;
  const pid_t daemon = stand.daemon.process().pid();
  rlimit none = {};
  prlimit(daemon, RLIMIT_NOFILE, nullptr, &none);
  none.rlim_cur = kStandardOnes;
  const rlimit former = limit_descriptors(daemon, none);
  auto asked = std::async(std::launch::async, [&] { return stand.daemon.get("/v1/status"); });
  EXPECT_TRUE(says(stand, "control socket: accept on " + stand.bed.folder().string()));
  json other = checked(stand.config_of_first(1));
  other["reconcile_interval"] = 1;
  stand.daemon.write(other);
  stand.daemon.process().signal(SIGHUP);
  EXPECT_TRUE(says(stand, "reload refused: "));
  EXPECT_TRUE(says(stand, "health checks cannot be made, verdicts stand"));
  const Tally before = traffic.so_far();
  EXPECT_TRUE(traffic.wait_for(kSome));
  EXPECT_GT(traffic.so_far().since(before).of("b2"), 0u) << "the last good file is in force";

  limit_descriptors(daemon, former);
  const json status = asked.get();
  ASSERT_FALSE(status.is_null()) << "who asked meanwhile is answered";
  EXPECT_EQ(status.at("repairs"), 0);
  EXPECT_EQ(stand.daemon.cli({"reload"}).exit_code, 0);
  EXPECT_EQ(stand.daemon.backends().at(stand.name(1)).at("health"), "up");
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 10).of("b1"), 10u);
  EXPECT_EQ(traffic.stop().failed, 0u);
  EXPECT_EQ(times_in_log(stand, "control socket: accept on "), 1);
  EXPECT_EQ(times_in_log(stand, "control socket: works again"), 1);
  EXPECT_THAT(stand.daemon.process().output(), Not(HasSubstr("mended")));
}

// S3.21, O1
TEST_F(NetnsTest, AFullDiskLosesNoTrafficAndTheStateIsSavedWhenThereIsRoom) {
  Stand stand;
  const SmallDisk disk(stand.bed.folder() / "state");
  json config = stand.config_of_first(2);
  config["state_dir"] = disk.path().string();
  stand.serve(config, {"b1", "b2"});
  const std::filesystem::path file = disk.path() / (stand.bed.name() + ".json");
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(file); }));
  Traffic traffic(stand.bed.client(), stand.ask());

  disk.fill();
  ASSERT_EQ(stand.daemon.cli({"drain", stand.name(2)}).exit_code, 0);
  const std::string line = "state file: write " + file.string() + ".next: No space left on device";
  EXPECT_TRUE(says(stand, line));
  ASSERT_EQ(stand.daemon.cli({"weight", stand.name(1), "7"}).exit_code, 0) << "tried again";
  EXPECT_TRUE(traffic.wait_for(kSome));
  EXPECT_EQ(times_in_log(stand, "No space left"), 1);
  EXPECT_TRUE(std::filesystem::exists(file)) << "the former one";
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".next"));

  disk.empty();
  EXPECT_TRUE(says(stand, "state file: works again"));
  stand.daemon.kill();
  EXPECT_TRUE(traffic.wait_for(kSome));
  stand.daemon.start();
  const auto backends = stand.daemon.backends();
  EXPECT_EQ(backends.at(stand.name(2)).at("admin"), "drain");
  EXPECT_EQ(backends.at(stand.name(1)).at("weight").at("override"), 7);
  EXPECT_EQ(ask_times(stand.bed.client(), stand.ask(), 6).of("b1"), 6u);
  EXPECT_EQ(traffic.stop().failed, 0u);
}

}  // namespace
}  // namespace rampart::test
