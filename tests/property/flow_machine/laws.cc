// SPDX-License-Identifier: Apache-2.0
// The protocol of the flow table (bpf/flowtable.h), by its own code: two CPUs take every path through
// each other with up to three changes of turn, three CPUs random ones. After each of them a flow has
// one entry, and counts are what the entries hold.
#include <gtest/gtest.h>
#include <ucontext.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bpf/flow_word.h"
#include "property/flow_machine/machine.h"
#include "property/seeded.h"

namespace rampart {
namespace {

constexpr uint8_t kFin = 0x01, kRst = 0x04, kAck = 0x10;
constexpr int kFull = -1, kLost = -2;  // RP_FLOW_FULL, RP_FLOW_LOST
constexpr int kMade = 1, kOurs = 2;    // REPLY_MADE, REPLY_OURS
constexpr uint32_t kNow = 1000;

using Work = std::function<void()>;

// Runs pieces of work as coroutines; `choose` says before each step who goes on.
class Cpus {
 public:
  explicit Cpus(std::vector<Work> work) : work_(std::move(work)), contexts_(work_.size()) {
    for (size_t i = 0; i < work_.size(); ++i) stacks_.push_back(std::make_unique<Stack>());
  }

  // Returns the steps that were taken.
  int run(const std::function<size_t(int step, size_t current)>& choose) {
    running_ = this;
    machine_step = [] { running_->step(); };
    choose_ = &choose;
    done_.assign(work_.size(), false);
    steps_ = 0;
    for (size_t i = 0; i < work_.size(); ++i) {
      getcontext(&contexts_[i]);
      contexts_[i].uc_stack.ss_sp = stacks_[i]->data();
      contexts_[i].uc_stack.ss_size = stacks_[i]->size();
      contexts_[i].uc_link = &main_;
      makecontext(&contexts_[i], &Cpus::enter, 0);
    }
    for (size_t next = 0; next < work_.size(); next = next_undone()) {
      turn_to(next);
      swapcontext(&main_, &contexts_[next]);
    }
    machine_step = [] {};
    return steps_;
  }

 private:
  using Stack = std::array<char, 65536>;

  static void enter() {
    running_->work_[running_->current_]();
    running_->done_[running_->current_] = true;
  }
  void step() {
    const size_t next = (*choose_)(steps_++, current_);
    if (next == current_ || next >= work_.size() || done_[next]) return;
    const size_t from = current_;
    turn_to(next);
    swapcontext(&contexts_[from], &contexts_[next]);
  }
  void turn_to(size_t cpu) {
    current_ = cpu;
    machine_cpu = static_cast<uint32_t>(cpu);
  }
  size_t next_undone() const {
    for (size_t i = 0; i < work_.size(); ++i) {
      if (!done_[i]) return i;
    }
    return work_.size();
  }

  static inline Cpus* running_ = nullptr;
  std::vector<Work> work_;
  std::vector<ucontext_t> contexts_;
  std::vector<std::unique_ptr<Stack>> stacks_;
  ucontext_t main_ = {};
  const std::function<size_t(int, size_t)>* choose_ = nullptr;
  std::vector<bool> done_;
  size_t current_ = 0;
  int steps_ = 0;
};

uint64_t syn_word(uint32_t backend) {
  return make_word(backend, 1, RP_FLOW_SYN, kNow);
}

// Two candidate buckets that differ, among four.
constexpr uint64_t kTag = 0x00000001c0000001, kOtherTag = 0x00000002c0000002;

std::vector<uint64_t> words_of(uint64_t tag) {
  std::vector<uint64_t> words;
  for (const rp_flow_bucket& bucket : machine_flows) {
    for (const rp_flow& flow : bucket.flow) {
      if (flow.tag == tag && holds_flow(flow.word)) words.push_back(flow.word);
    }
  }
  return words;
}

// I: counts are what the entries hold, nothing is half made, and no flow has two entries.
void expect_consistent() {
  std::array<uint64_t, MACHINE_BACKENDS> held = {};
  for (const rp_flow_bucket& bucket : machine_flows) {
    for (const rp_flow& flow : bucket.flow) {
      ASSERT_FALSE(is_being_made(flow.word));
      if (holds_count(flow.word)) ++held[word_backend(flow.word)];
    }
  }
  for (size_t i = 0; i < held.size(); ++i) {
    ASSERT_EQ(machine_counts[i].opened - machine_counts[i].closed, held[i]) << "backend " << i;
  }
  ASSERT_LE(words_of(kTag).size(), 1u);
  ASSERT_LE(words_of(kOtherTag).size(), 1u);
  ASSERT_LE(words_of(machine_own_tag()).size(), 1u);
  ASSERT_LE(words_of(machine_reply_tag(1)).size(), 1u);
}

class FlowTable : public Seeded {
 protected:
  // Every interleaving of two pieces of work with up to three changes of turn.
  void on_two_cpus(const Work& prepare, const Work& one, const Work& other, const Work& expect) {
    Cpus cpus({one, other});
    const auto run = [&](std::array<int, 3> turns) {
      prepare();
      const int steps = cpus.run([&](int step, size_t current) {
        for (const int turn : turns) {
          if (step == turn) return 1 - current;
        }
        return current;
      });
      expect_consistent();
      expect();
      return steps;
    };
    const int most = run({-1, -1, -1});
    int runs = 0;
    for (int first = 0; first < most; ++first) {
      for (int second = first + 1; second <= most; ++second) {
        for (int third = second + 1; third <= most + 1; ++third, ++runs) {
          run({first, second, third});
          if (HasFatalFailure()) {
            FAIL() << "turns change before steps " << first << ", " << second << ", " << third;
          }
        }
      }
    }
    std::cout << runs << " interleavings of " << most << " steps\n";
  }

  // `one` with the whole of `other` before each of its steps in turn.
  void interrupted(const Work& prepare, const Work& one, const Work& other, const Work& expect) {
    Cpus cpus({one, other});
    int steps = 1;
    for (int turn = 0; turn < steps; ++turn) {
      prepare();
      steps = cpus.run([&](int step, size_t current) { return step == turn ? 1 : current; });
      expect_consistent();
      expect();
      if (HasFatalFailure()) FAIL() << "interrupted before step " << turn;
    }
  }

  // A table in which the flow's candidates are in one bucket or two, and so many entries are taken.
  static void prepare(uint32_t buckets, int taken) {
    machine_reset(buckets);
    for (int i = 0; i < taken; ++i) {
      for (rp_flow_bucket& bucket : machine_flows) {
        bucket.flow[i] = {.tag = 77, .word = make_word(3, 1, RP_FLOW_ESTABLISHED, kNow)};
        ++machine_counts[3].opened;
      }
    }
  }
};

TEST_F(FlowTable, AFlowThatTwoCpusBeginHasOneEntryAndOneCount) {  // F1, F6
  int one = 0, other = 0;
  for (const uint32_t buckets : {1u, 4u}) {
    for (const int taken : {0, 2, 3}) {
      if (buckets == 1 && taken == 3) continue;  // room for one of them only: the other case below
      on_two_cpus([&] { prepare(buckets, taken); }, [&] { one = machine_begin(kTag, syn_word(1)); },
                  [&] { other = machine_begin(kTag, syn_word(2)); },
                  [&] {
                    ASSERT_EQ(words_of(kTag).size(), 1u);
                    ASSERT_EQ((one >= 0) + (other >= 0), 1) << one << ", " << other;
                    ASSERT_EQ(std::min(one, other), kLost);
                    const uint32_t stays = word_backend(words_of(kTag).front());
                    ASSERT_EQ(stays, one >= 0 ? 1u : 2u);
                  });
    }
  }
}

TEST_F(FlowTable, WhereThereIsRoomForOneOfTwoOneIsRefused) {  // F8
  int one = 0, other = 0;
  on_two_cpus([&] { prepare(1, 3); }, [&] { one = machine_begin(kTag, syn_word(1)); },
              [&] { other = machine_begin(kTag, syn_word(2)); },
              [&] {
                ASSERT_EQ(words_of(kTag).size(), 1u);
                ASSERT_EQ(std::max(one, other), 3);
                ASSERT_EQ(std::min(one, other), kFull);
              });
}

TEST_F(FlowTable, ACountIsGivenBackOnceWhoeverEndsTheFlow) {  // F6
  const auto begun = [] {
    prepare(4, 0);
    machine_step = [] {};
    machine_begin(kTag, syn_word(1));
  };
  const Work ends[] = {[] { machine_packet(kTag, kRst, kNow); },
                       [] { machine_packet(kTag, kFin | kAck, kNow + 1); },
                       [] { machine_packet(kTag, kAck, kNow + 2); }, [] { machine_sweep(kTag); }};
  for (const Work& one : ends) {
    for (const Work& other : ends) {
      on_two_cpus(begun, one, other, [] { ASSERT_LE(machine_counts[1].closed, 1u); });
    }
  }
}

TEST_F(FlowTable, AnEndIsNotLostToAPacketOfTheSameMoment) {  // F6
  for (const uint8_t end : {kRst, kFin}) {
    on_two_cpus(
        [] {
          prepare(4, 0);
          machine_step = [] {};
          machine_begin(kTag, syn_word(1));
        },
        [&] { machine_packet(kTag, end, kNow); }, [] { machine_packet(kTag, kAck, kNow + 1); },
        [] {
          ASSERT_EQ(word_state(words_of(kTag).at(0)), uint32_t{RP_FLOW_CLOSING});
          ASSERT_EQ(machine_counts[1].closed, 1u);
        });
  }
}

TEST_F(FlowTable, AnEntryThatIsTakenByAnotherFlowIsNotFollowed) {  // F1
  uint64_t went_by = 0;
  on_two_cpus(
      [] {
        prepare(1, 3);
        machine_step = [] {};
        machine_begin(kTag, syn_word(1));
      },
      [&] { went_by = machine_packet(kTag, kAck, kNow); },
      [] {
        machine_sweep(kTag);
        machine_begin(kOtherTag, syn_word(2));
      },
      [&] {
        ASSERT_TRUE(went_by == 0 || word_backend(went_by) == 1);
        // Swept, it makes room; kept alive by its packet, it does not.
        ASSERT_EQ(words_of(kTag).size() + words_of(kOtherTag).size(), 1u);
      });
}

TEST_F(FlowTable, WhatGivesWayGivesItsCountBack) {  // F6, F8
  on_two_cpus(
      [] {
        prepare(1, 3);
        machine_step = [] {};
        machine_begin(kTag, make_word(1, 1, RP_FLOW_SYN, kNow - 10));
      },
      [] { machine_packet(kTag, kAck, kNow); }, [] { machine_begin(kOtherTag, syn_word(2)); },
      [] { ASSERT_EQ(words_of(kTag).size() + words_of(kOtherTag).size(), 1u); });
}

// --- a nat flow's pair of entries ---------------------------------------------------------------

// Each CPU makes a reply entry first; whoever loses undoes his, unless it is the winner's too.
TEST_F(FlowTable, APairThatTwoCpusBeginIsOnePair) {  // F1, F11
  for (const uint32_t chosen : {1u, 2u}) {
    interrupted([] { prepare(4, 0); }, [] { machine_begin_pair(1, kNow); },
                [&] { machine_begin_pair(chosen, kNow); },
                [] {
                  const uint32_t stays = word_backend(words_of(machine_own_tag()).at(0));
                  ASSERT_EQ(words_of(machine_reply_tag(stays)).size(), 1u);
                  ASSERT_TRUE(words_of(machine_reply_tag(3 - stays)).empty());
                });
  }
}

// A nat flow of which the client's first packet was seen.
void begin_pair() {
  machine_step = [] {};
  machine_bind(syn_word(1));
  machine_begin(machine_own_tag(), syn_word(1));
}
void expect_a_pair() {
  const uint64_t own = words_of(machine_own_tag()).at(0);
  const uint64_t reply = make_word(1, 1, word_state(own), word_seen(own));
  ASSERT_EQ(words_of(machine_reply_tag(1)).at(0), with_mark(reply, RP_FLOW_REPLY));
}

TEST_F(FlowTable, BothEntriesOfAPairSayTheSameWhoeverComesFirst) {  // F6, F11
  for (const uint8_t flags : {kAck, kFin, kRst}) {
    for (const uint8_t answer : {kAck, kFin, kRst}) {
      for (const uint32_t later : {0u, 1u}) {
        on_two_cpus(
            [] {
              prepare(4, 0);
              begin_pair();
            },
            [&] { machine_client(flags, 0, kNow); }, [&] { machine_answer(answer, kNow + later); },
            expect_a_pair);
        if (HasFatalFailure()) FAIL() << int{flags} << " " << int{answer} << " " << later;
      }
    }
  }
}

TEST_F(FlowTable, AnAnswerThatAClientsPacketInterruptsIsNotLost) {  // F6, F11
  for (const uint8_t flags : {kAck, kFin, kRst}) {
    for (const uint8_t answer : {kAck, kFin, kRst}) {
      interrupted(
          [] {
            prepare(4, 0);
            begin_pair();
          },
          [&] { machine_answer(answer, kNow); }, [&] { machine_client(flags, 0, kNow); },
          expect_a_pair);
      if (HasFatalFailure()) FAIL() << int{flags} << " " << int{answer};
    }
  }
}

// The reply entry says "established" before the backend's RST, and again after the client's data.
TEST_F(FlowTable, ARevivalIsNotUndoneByTheRstBeforeIt) {  // F6, F11
  on_two_cpus(
      [] {
        prepare(4, 0);
        begin_pair();
        machine_client(kAck, 0, kNow);
      },
      [] { machine_answer(kRst, kNow); }, [] { machine_client(kAck, 1, kNow); }, expect_a_pair);
}

TEST_F(FlowTable, AReplyEntryThatGoesWhileItIsLookedAtIsMadeAnew) {  // F11
  for (const uint32_t former : {1u, uint32_t{MACHINE_TWIN}}) {
    int bound = 0;
    on_two_cpus(
        [&] {
          prepare(4, 0);
          machine_step = [] {};
          machine_bind(syn_word(former));
        },
        [&] { bound = machine_bind(make_word(1, 1, RP_FLOW_SYN, kNow + 40)); },  // `former` expired
        [] { machine_sweep(machine_reply_tag(1)); },
        [&] {
          ASSERT_TRUE(bound == kMade || (bound == kOurs && former == 1)) << bound;
          for (const uint64_t word : words_of(machine_reply_tag(1))) {
            ASSERT_EQ(word_backend(word), 1u);
          }
        });
  }
}

TEST_F(FlowTable, AReplyEntryWhosePlaceAnotherFlowHadIsMadeAnew) {  // F11
  on_two_cpus(
      [] {
        prepare(1, 0);
        machine_step = [] {};
        machine_bind(syn_word(1));
      },
      [] { machine_bind(make_word(1, 1, RP_FLOW_ESTABLISHED, kNow)); },
      [] {
        machine_sweep(machine_reply_tag(1));
        machine_begin(kOtherTag, syn_word(2));
        machine_sweep(kOtherTag);
      },
      [] { ASSERT_TRUE(words_of(kOtherTag).empty()); });
}

TEST_F(FlowTable, TwoCpusThatBindOneFlowBothHaveItsReplyEntry) {  // F11
  int one = 0, other = 0;
  on_two_cpus(
      [] {
        prepare(4, 0);
        machine_step = [] {};
        machine_bind(syn_word(1));
      },
      [&] { one = machine_bind(make_word(1, 1, RP_FLOW_ESTABLISHED, kNow)); },
      [&] { other = machine_bind(make_word(1, 1, RP_FLOW_SYN, kNow + 1)); },
      [&] {
        ASSERT_EQ(one, kOurs);
        ASSERT_EQ(other, kOurs);
      });
}

// Of two VIPs on one node: the one's entry expires, the other's flow takes it.
TEST_F(FlowTable, WhoeverUndoesAReplyEntryUndoesHisOwn) {  // F11
  int bound = 0;
  on_two_cpus(
      [] {
        prepare(4, 0);
        machine_step = [] {};
        machine_bind(syn_word(1));
      },
      [] { machine_unbind(syn_word(1)); },
      [&] {
        machine_sweep(machine_reply_tag(1));
        bound = machine_bind(syn_word(MACHINE_TWIN));
      },
      [&] {
        ASSERT_EQ(bound, kMade);
        ASSERT_EQ(words_of(machine_reply_tag(1)).size(), 1u);
        ASSERT_EQ(word_backend(words_of(machine_reply_tag(1)).at(0)), uint32_t{MACHINE_TWIN});
      });
}

TEST_F(FlowTable, ThreeCpusAtRandomKeepTheInvariants) {  // F1, F6
  const auto work = [&] {
    const uint64_t tag = one_in(2) ? kTag : kOtherTag;
    const uint32_t backend = between<uint32_t>(0, 2);
    const uint32_t now = kNow + between<uint32_t>(0, 3);
    const int kind = between(0, 9);
    return [=] {
      if (kind < 5) {
        machine_begin(tag, make_word(backend, 1, RP_FLOW_SYN, now));
      } else if (kind < 8) {
        machine_packet(tag, kind == 5 ? kRst : kind == 6 ? kAck : kFin, now);
      } else {
        machine_sweep(tag);
      }
    };
  };
  for (int history = 0; history < 5000; ++history) {
    const uint32_t buckets = one_in(2) ? 1 : 4;
    const int taken = between(0, 2);
    std::vector<Work> works;
    for (int cpu = 0; cpu < 3; ++cpu) {
      std::vector<Work> parts;
      for (int i = between(1, 3); i > 0; --i) {
        // Nobody begins a flow that it has just found.
        parts.push_back([part = work()] { part(); });
      }
      works.push_back([parts] {
        for (const Work& part : parts) part();
      });
    }
    prepare(buckets, taken);
    Cpus cpus(works);
    cpus.run([&](int, size_t current) { return one_in(4) ? between<size_t>(0, 2) : current; });
    expect_consistent();
    ASSERT_FALSE(HasFatalFailure()) << "history " << history;
  }
}

}  // namespace
}  // namespace rampart
