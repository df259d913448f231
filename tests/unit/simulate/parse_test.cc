// SPDX-License-Identifier: Apache-2.0
#include "simulate/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/simulate/played.h"

namespace rampart::simulate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPool = "pool a=1 b=1 window=10s\n";

// The one problem of a scenario.
std::string problem_of(const std::string& text) {
  const auto lines = lines_of(parse_scenario(text).problems);
  return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " problems: " + text;
}

struct Case {
  std::string line;  // the second of the scenario
  std::string problem;
};
void PrintTo(const Case& one, std::ostream* stream) {
  *stream << one.line;
}

class BadLine : public testing::TestWithParam<Case> {};

TEST_P(BadLine, IsNamedWithWhatIsAllowed) {
  EXPECT_THAT(problem_of(kPool + GetParam().line), HasSubstr("2: " + GetParam().problem));
}

const Case kBadLines[] = {
    {"begin", "begins with 'begin', not with pool, at or until"},
    {"pool c=1", "there is one pool"},
    {"at 0s", "at needs a time, then an action or expect"},
    {"at soon up a", "'soon' is not a time: it is a number followed by s, m or h"},
    {"at 0s join c=1", "there is no action 'join'"},
    {"at 0s add c", "add: 'c' is not of the form NAME=VALUE"},
    {"at 0s add c=1.5", "add: the weight of c: '1.5' is not a whole number 0…65535"},
    {"at 0s add c=0x10", "add: the weight of c: '0x10' is not a whole number 0…65535"},
    {"at 0s add c=1 window=5s", "add: settings change by set"},
    {"at 0s add a=1", "a is listed already: weight changes its weight"},
    {"at 0s add priority=1 c=1", "add: priority= follows the node it is about"},
    {"at 0s add c=1 priority=1", "nodes of differing priority do not go with slow start"},  // S1.3
    {"at 0s add c=1 address=10.0.0.1 d=1 address=10.0.0.1",
     "10.0.0.1 is the address of c and of d"},
    {"at 0s add windw=10s", "add: there is no setting 'windw' (did you mean window?), and no node"},
    {"at 0s add c=1 priorty=1", "add: there is no setting 'priorty' (did you mean priority?)"},
    {"at 0s remove c", "there is no node 'c' so far"},
    {"at 0s remove a=1", "remove: 'a=1': this action takes names of nodes only"},
    {"at 0s remove", "remove: what is it about?"},
    {"at 0s set speed=1", "set: there is no setting 'speed'"},
    {"at 0s set florr=5%", "set: there is no setting 'florr' (did you mean floor?)"},
    {"at 0s set table=251", "set: table is set by pool only"},
    {"at 0s set window=10", "set: window: '10' is not a whole number of seconds, 1s…604800s"},
    {"at 0s set window=0s", "set: window: '0s' is not a whole number of seconds, 1s…604800s"},
    {"at 0s set window=1.5s", "set: window: '1.5s' is not a whole number of seconds"},
    {"at 0s set interval=11s", "set: the interval is longer than the window"},
    {"at 0s set floor=0%", "set: floor: '0%' is not a whole number 1…100 followed by %"},
    {"at 0s set aggression=nan", "set: aggression: 'nan' is not a number 0.01…100"},
    {"at 0s set on_recovery=maybe", "set: on_recovery: 'maybe' is neither resume nor ramp"},
    {"at 0s set panic=101%", "set: panic: '101%' is not a whole number 0…100"},
    {"at 0s set fail_closed=yes", "set: fail_closed: 'yes' is neither on nor off"},
    {"at 0s set requests=50", "set: requests: '50' is not a rate: it is like 50/s"},
    {"at 0s set requests=1000000/s", "set: requests: '1000000/s' is more than 100000/s"},
    {"at 0s set requests=1e-10/s", "set: requests: '1e-10/s' is less than 0.000001/s"},
    {"at 99999h up a", "'99999h' is longer than 10000h"},
    {"at 0s set lasting=~5", "set: lasting: '5' is not a time"},
    {"at 0s restart state=kept", "restart: 'state=kept': a restart takes away=TIME and state=lost"},
    {"at 0s up a expect", "expect needs NODE=WEIGHT or another value"},
    {"at 0s expect a", "'a' is not of the form NAME=VALUE"},
    {"at 0s expect state=ramping", "state= follows the node it is about"},
    {"at 0s expect a=1 state=down", "state=down: a state is pending, ramping, mature or none"},
    {"at 0s expect a=1 share=half", "share=half: 'half' is not a number followed by %"},
    {"at 0s expect panic=1", "panic=1: panic is on or off"},
    {"until", "until: '' is not a time"},
};
INSTANTIATE_TEST_SUITE_P(Lines, BadLine, testing::ValuesIn(kBadLines));

TEST(Parse, TellsEveryLineThatIsWrong) {
  EXPECT_THAT(lines_of(parse_scenario("pool a=1\nat 1s up c\nat 2s up a\nat 1s up a\n").problems),
              ElementsAre(HasSubstr("2: there is no node 'c'"), "4: times never decrease"));
}

TEST(Parse, SaysNothingMoreAfterABadPool) {
  EXPECT_THAT(problem_of("pool a=1 table=10\nat 1s up a\n"),
              HasSubstr("1: table: '10' is not prime"));
  EXPECT_THAT(problem_of("# nothing\n"), HasSubstr("there is no pool"));
  EXPECT_THAT(problem_of("at 0s up a\n"), HasSubstr("1: the pool comes before anything else"));
}

TEST(Parse, AScenarioEndsOnce) {
  const std::string text = "pool a=1\nat 50s up a\n";
  EXPECT_EQ(problem_of(text + "until 5s\n"), "3: until 5s is before the last moment, at 50s");
  EXPECT_TRUE(parse_scenario(text + "until 50s\n").problems.empty());
  EXPECT_EQ(problem_of("pool a=1\nuntil 5s\nuntil 9s\n"),
            "3: there is one until, and it comes last");
  EXPECT_EQ(problem_of("pool a=1\nuntil 0s\nat 5s up a\n"), "3: until comes last");
}

TEST(Parse, AScenarioIsText) {
  EXPECT_EQ(problem_of("pool a=1\nat 1s up \xff\n"),
            "2: the byte 0xff is a control character or no UTF-8");
  EXPECT_THAT(problem_of("# \xc3\npool a=1\n"), HasSubstr("1: the byte 0xc3 is"));  // cut off
  EXPECT_THAT(problem_of("pool a=1\n\n# \x1b[2J\n"), HasSubstr("3: the byte 0x1b is"));
  EXPECT_TRUE(parse_scenario("# Zürich\r\npool\tä=1\r\n").problems.empty());
}

TEST(Parse, AnIndentedLineThatBeginsLikeAStatementIsAMistake) {
  EXPECT_THAT(problem_of("pool a=1\n at 5s down a\n"),
              HasSubstr("2: 'at' begins a line that is indented: an indented line continues"));
  EXPECT_THAT(problem_of("pool a=1\nat 5s down a\n\n  until 9s\n"), HasSubstr("4: 'until' begins"));
  EXPECT_TRUE(parse_scenario(" pool a=1\n").problems.empty());  // nothing to continue
}

TEST(Parse, ASettingThatIsMisspeltIsNoNode) {
  EXPECT_THAT(problem_of("pool a=100 tabel=1021\n"),
              HasSubstr("1: there is no setting 'tabel' (did you mean table?)"));
  // Too short to tell, far from any setting, a range.
  EXPECT_TRUE(parse_scenario("pool tab=1 server=1 table1..table2=1\n").problems.empty());
}

TEST(Parse, AWordWithAMeaningIsNoNode) {
  for (const std::string word : {"pool", "at", "until", "expect", "drain", "up", "restart", "state",
                                 "slots", "share", "moved", "in_flight", "mature", "none"}) {
    EXPECT_THAT(problem_of("pool a=1 " + word + "=1\n"),
                HasSubstr("1: '" + word + "' cannot be a node"));
  }
}

TEST(Parse, EveryNodeHasASlot) {  // W4
  EXPECT_THAT(problem_of("pool a1..a4=1 table=3\n"),
              HasSubstr("1: there are more nodes than slots"));
  EXPECT_THAT(problem_of("pool a1..a2=1 table=3\nat 1s move a1=x,y,z\n"),
              HasSubstr("2: there are more nodes than slots"));
}

TEST(Parse, NamesAreNotEndless) {
  const std::string name(256, 'x');
  EXPECT_EQ(problem_of("pool " + name + "=1\n"), "1: names and addresses have at most 255 bytes");
  EXPECT_THAT(problem_of("pool a=1 address=" + name), HasSubstr("at most 255 bytes"));
  EXPECT_TRUE(parse_scenario("pool " + name.substr(1) + "=1\n").problems.empty());
}

TEST(Parse, NoStatementNamesMoreThanATableTellsApart) {
  std::string many;
  for (int i = 0; i < 66; ++i) many += " b1..b1000=1";
  const std::string problem = "a scenario has at most 65535 nodes and addresses";
  EXPECT_EQ(problem_of("pool" + many), "1: " + problem);
  EXPECT_EQ(problem_of("pool a=1\nat 1s expect" + many), "2: " + problem);
}

// What can be played, and the problem of a little more.
TEST(Parse, WhatTakesTooLongIsRefusedBeforeItIsPlayed) {  // docs/simulate.md
  const auto fits = [](const std::string& text) { return parse_scenario(text).problems.empty(); };
  const std::string requests = "pool a=1 requests=1000/s\nat 1s set requests=500/s\n";
  EXPECT_TRUE(fits(requests + "until 9999s\n"));
  EXPECT_EQ(problem_of(requests + "until 10000s\n"),
            "3: there are too many requests until here: about 5000500 of at most 5000000; lower "
            "requests=, or end earlier");
  EXPECT_FALSE(fits("pool a=1 requests=1000/s\nuntil 100000s\nat 100001s up a\n"));

  EXPECT_TRUE(fits("pool a=1 requests=10000/s lasting=100s\nuntil 200s\n"));
  EXPECT_TRUE(fits("pool a=1 requests=10000/s lasting=1h\nuntil 100s\n"));  // no more come
  EXPECT_EQ(problem_of("pool a=1 requests=10000/s lasting=101s\nuntil 200s\n"),
            "2: there are too many requests in flight: about 1010000 of at most 1000000; lower "
            "requests= or lasting=");

  const std::string join = "pool a=100 b=1 window=24h\nat 1s add c=5\n";
  EXPECT_TRUE(fits(join + "until 15200s\n"));
  EXPECT_TRUE(fits("pool a=100 b=1 window=24h\nuntil 24h\n"));  // nothing ramps
  EXPECT_EQ(problem_of(join + "until 24h\n"),
            "3: there are too many steps times slots until here: about 5662787079 of at most "
            "1000000000; raise interval=, or take a smaller table=");
  EXPECT_TRUE(fits("pool a=100 b=1 window=24h interval=60s\nat 1s add c=5\nuntil 9000h\n"));

  EXPECT_TRUE(fits("pool n1..n99=1 window=5000s\nat 1s add c=1\nuntil 4950s\n"));
  EXPECT_EQ(problem_of("pool n1..n99=1 window=5001s\nat 1s restart away=1h add c=1\nuntil 9h\n"),
            "3: there are too many steps times nodes until here: about 860400 of at most 500000; "
            "raise interval=, or list fewer nodes");
  EXPECT_FALSE(fits("pool n1..n1000=1 n1001..n2000=1 n2001..n3000=1 requests=1/s\nuntil 1h\n"));
}

TEST(Parse, SaysNothingMoreOfAScenarioThatTakesTooLong) {
  EXPECT_THAT(problem_of("pool a=1 requests=1000/s\nat 100h up a\nat 1h up a\nuntil 9h\n"),
              HasSubstr("2: there are too many requests"));
}

TEST(Parse, NobodyIsHeardWhileTheProcessIsAway) {  // S3.21
  const std::string text = std::string(kPool) + "at 5s restart away=2s\n";
  EXPECT_THAT(problem_of(text + "at 6s down a"), HasSubstr("3: the process is away"));
  EXPECT_THAT(problem_of(text + "at 6s expect a=1"), HasSubstr("3: the process is away"));
  EXPECT_TRUE(parse_scenario(text + "at 6s add c=1\nat 7s down a").problems.empty());
}

TEST(Parse, TakesTitleAndRulesFromTheFirstLine) {
  const Scenario scenario = scenario_of("# A node joins.   S3.3 W6\npool a=1\n");
  EXPECT_EQ(scenario.title, "A node joins.");
  EXPECT_THAT(scenario.rules, ElementsAre("S3.3", "W6"));
}

}  // namespace
}  // namespace rampart::simulate
