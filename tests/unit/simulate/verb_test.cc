// SPDX-License-Identifier: Apache-2.0
// `rampart simulate` as a person runs it. It needs no daemon, no root and no BPF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/temp_folder.h"

namespace rampart::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kJoin =
    "# A node joins.   S3.3\n"
    "pool a=100 window=10s\n"
    "at 5s add b=100 expect b=10\n"
    "until 20s\n";

std::string text_in(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class SimulateVerb : public testing::Test {
 protected:
  Finished simulate(const std::string& text, std::vector<std::string> options = {}) {
    std::ofstream(file()) << text;
    options.insert(options.begin(), {program("rampart"), "simulate", file()});
    return run(options);
  }
  std::string file() const { return folder_.path() / "scenario.txt"; }
  std::string picture() const { return folder_.path() / "out.svg"; }
  std::string beside(const char* name) const { return folder_.path() / name; }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

 private:
  TempFolder folder_;
};

TEST_F(SimulateVerb, PrintsATable) {
  const Finished done = simulate(kJoin);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(done.out, StartsWith("TIME  WHAT   NODE  STATE    WEIGHT  SHARE %  SLOTS  MOVED\n"));
  EXPECT_THAT(done.out, HasSubstr("5s    add b  a     mature      100    90.91  59579  -5958\n"
                                  "             b     ramping      10     9.09   5958  +5958\n"));
}

TEST_F(SimulateVerb, TellsProgramsEverything) {
  const auto json = nlohmann::json::parse(simulate(kJoin, {"-o", "json", "--seed", "3"}).out);
  EXPECT_EQ(json["seed"], 3);
  EXPECT_EQ(json["samples"].size(), 13u);
}

TEST_F(SimulateVerb, ExitsWithOneIfAnExpectationDoesNotHold) {
  const Finished done = simulate("pool a=100\nat 1s expect a=99\n");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, StartsWith("rampart: " + file() + ":2: at 1s: a shows 100, not 99"));
  EXPECT_THAT(done.out, HasSubstr("WEIGHT"));  // what was instead
}

TEST_F(SimulateVerb, TellsWhatDoesNotHoldBelowTheTable) {
  std::ofstream(file()) << "pool a=100 window=600s\nat 1s add b=100 expect a=99\nuntil 600s\n";
  const Finished done = run({"sh", "-c", "\"$@\" 2>&1", "sh", program("rampart"), "simulate",
                             file(), "--all"});  // more than a buffer full
  const size_t failure = done.out.find("rampart: ");
  ASSERT_NE(failure, std::string::npos);
  EXPECT_EQ(done.out.find('\n', failure), done.out.size() - 1);
  EXPECT_EQ(done.out[failure - 1], '\n');
}

TEST_F(SimulateVerb, ExitsWithOneIfItsOutputCannotBeWritten) {
  std::ofstream(file()) << kJoin;
  const auto to_full_disk = [](std::vector<std::string> command) {
    command.insert(command.begin(), {"sh", "-c", "\"$@\" > /dev/full", "sh"});
    return run(command);
  };
  for (const char* output : {"text", "json"}) {
    const Finished done = to_full_disk({program("rampart"), "simulate", file(), "-o", output});
    EXPECT_EQ(done.exit_code, 1) << output;
    EXPECT_THAT(done.err, StartsWith("rampart: standard output could not be written"));
  }
  const Finished help = to_full_disk({program("rampart"), "--help"});
  EXPECT_EQ(help.exit_code, 1);
  EXPECT_EQ(help.err, "rampart: write standard output: No space left on device\n");
}

TEST_F(SimulateVerb, ExitsWithThreeIfTheFileIsInvalid) {
  const Finished done = simulate("pool a=100\nat 1s join b=1\nat 2s expect\n");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.out, IsEmpty());
  EXPECT_EQ(done.err, "rampart: " + file() + ":2: there is no action 'join'\n" +
                          "rampart: " + file() + ":3: expect needs NODE=WEIGHT or another value\n");
}

TEST_F(SimulateVerb, ExitsWithThreeIfTheFileCannotBeRead) {
  const Finished missing = run({program("rampart"), "simulate", file() + ".missing"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.err,
            "rampart: " + file() + ".missing: cannot be opened: No such file or directory\n");
  const Finished folder = run({program("rampart"), "simulate", "/"});
  EXPECT_EQ(folder.exit_code, 3);
  EXPECT_EQ(folder.err, "rampart: /: cannot be read: Is a directory\n");
  const Finished endless = run({program("rampart"), "simulate", "/dev/zero"});
  EXPECT_EQ(endless.exit_code, 3);
  EXPECT_EQ(endless.err, "rampart: /dev/zero: is longer than 4 MiB: no scenario is\n");
}

TEST_F(SimulateVerb, ExitsWithTwoIfItIsUsedWrongly) {
  EXPECT_EQ(run({program("rampart"), "simulate"}).exit_code, 2);
  for (const char* seed : {"some", "-1", "1.5", "18446744073709551616"}) {
    const Finished done = simulate(kJoin, {"--seed", seed});
    EXPECT_EQ(done.exit_code, 2) << seed;
    EXPECT_THAT(done.err, StartsWith("rampart: --seed " + std::string(seed) + ": it is a whole"));
  }
  EXPECT_EQ(simulate(kJoin, {"--force"}).exit_code, 2);
  EXPECT_EQ(run({program("rampart"), "status", "--plot", "x.svg"}).exit_code, 2);
}

TEST_F(SimulateVerb, DrawsAWellFormedPicture) {
  const Finished done = simulate(kJoin, {"--plot", picture()});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(files(), 2u);  // no draft
  EXPECT_THAT(text_in(picture()), HasSubstr("data-nodes=\"b\""));
  if (run({"sh", "-c", "command -v xmllint"}).exit_code != 0) GTEST_SKIP() << "no xmllint here";
  const Finished lint = run({"xmllint", "--noout", picture()});
  EXPECT_EQ(lint.exit_code, 0) << lint.err;
}

TEST_F(SimulateVerb, WritesThePictureIntoAPipe) {
  must_run({"mkfifo", picture()});
  std::ofstream(file()) << kJoin;
  const Finished done =
      run({"sh", "-c", "cat \"$3\" & \"$1\" simulate \"$2\" --plot \"$3\" >&2; wait", "sh",
           program("rampart"), file(), picture()});
  EXPECT_TRUE(std::filesystem::is_fifo(picture()));
  EXPECT_THAT(done.out, HasSubstr("</svg>"));
}

TEST_F(SimulateVerb, WritesThePictureToWhereALinkPoints) {
  std::ofstream(beside("there.svg")) << "former";
  for (const char* target : {"there.svg", "new.svg"}) {
    std::filesystem::remove(picture());
    std::filesystem::create_symlink(target, picture());
    EXPECT_EQ(simulate(kJoin, {"--plot", picture()}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(picture()));
    EXPECT_THAT(text_in(beside(target)), HasSubstr("</svg>"));
  }
}

TEST_F(SimulateVerb, WritesThePictureToItsOwnOutputBeforeTheTable) {
  std::ofstream(file()) << kJoin;
  must_run({"sh", "-c", "\"$1\" simulate \"$2\" --plot /dev/stdout > \"$3\"", "sh",
            program("rampart"), file(), beside("all")});
  EXPECT_THAT(text_in(beside("all")), AllOf(HasSubstr("</svg>\nTIME"), HasSubstr("ramping")));
}

TEST_F(SimulateVerb, DraftsThePictureUnderANameOfItsOwn) {
  for (const char* name : {"out.svg", "out.svg.tmp"}) std::ofstream(beside(name)) << "other";
  std::filesystem::permissions(picture(), std::filesystem::perms(0640));
  EXPECT_EQ(simulate(kJoin, {"--plot", picture()}).exit_code, 0);
  EXPECT_EQ(text_in(beside("out.svg.tmp")), "other");
  EXPECT_EQ(std::filesystem::status(picture()).permissions(), std::filesystem::perms(0640));
}

TEST_F(SimulateVerb, SaysWhyThePictureCannotBeWritten) {
  const Finished done = simulate(kJoin, {"--plot", "/nowhere/at/all.svg"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("write /nowhere/at/all.svg: No such file or directory"));
}

}  // namespace
}  // namespace rampart::test
