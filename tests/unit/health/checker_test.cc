// SPDX-License-Identifier: Apache-2.0
// The checker on a real event loop, in front of a prober whose checks end when the test says so; and
// once with everything.
#include "health/checker.h"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <map>

#include "unit/health/scopes.h"
#include "unit/health/servers.h"

namespace rampart::health {
namespace {

using engine::Health;
using testing::ElementsAre;
using testing::IsEmpty;

// The checks that are under way, by address.
using Running = std::map<std::string, Prober::Done>;

class FakeProbe final : public Probe {
 public:
  FakeProbe(Running& running, std::string address)
      : running_(running), address_(std::move(address)) {}
  ~FakeProbe() override { running_.erase(address_); }

 private:
  Running& running_;
  std::string address_;
};

class FakeProber final : public Prober {
 public:
  explicit FakeProber(Running& running) : running_(running) {}

  std::unique_ptr<Probe> start(const ProbeTarget& target, Done done) override {
    const std::string address = target.address.to_string();
    const bool fresh = running_.emplace(address, std::move(done)).second;
    EXPECT_TRUE(fresh) << address << " is checked twice at once";
    return std::make_unique<FakeProbe>(running_, address);
  }

 private:
  Running& running_;
};

class CheckerTest : public testing::Test {
 protected:
  CheckerTest() {
    checker_.emplace(
        io_, std::make_unique<FakeProber>(running_),
        Checker::Callbacks{[this](const VerdictChange& change) {
                             changes_.push_back(change.identity + " " +
                                                engine::name_of(change.health) + ": " +
                                                change.reason);
                             if (on_change_) on_change_();
                           },
                           [this](const std::string& text) { faults_.push_back(text); }});
  }

  // Waits until `address` is being checked, and ends that check.
  void end(const std::string& address, const ProbeEnd& end) {
    ASSERT_TRUE(run_until(io_, [&] { return running_.contains(address); })) << address;
    const Prober::Done done = running_.at(address);
    done(end);
  }

  boost::asio::io_context io_;
  Running running_;
  std::vector<std::string> changes_;
  std::vector<std::string> faults_;
  std::function<void()> on_change_;
  std::optional<Checker> checker_;
};

TEST_F(CheckerTest, ReportsVerdictsWithTheirReasons) {
  checker_->set_targets({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  end("10.0.0.1", passed());
  EXPECT_THAT(changes_, ElementsAre("10.0.0.1:80 up: connected"));
  end("10.0.0.2", refused());
  EXPECT_EQ(changes_.size(), 1u);
  end("10.0.0.2", refused());
  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[1], "10.0.0.2:80 down: connect: Connection refused");
}

TEST_F(CheckerTest, ATargetThatIsRemovedWhileItsCheckRunsReportsNothing) {
  checker_->set_targets({scope("orders", {target("10.0.0.1")})});
  ASSERT_TRUE(run_until(io_, [this] { return !running_.empty(); }));
  checker_->set_targets({});
  EXPECT_TRUE(running_.empty());  // it was given up
  EXPECT_EQ(checker_->figures().under_way, 0u);
  EXPECT_EQ(checker_->figures().targets, 0u);
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(CheckerTest, NothingIsCalledOnceItIsGone) {
  checker_->set_targets({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  ASSERT_TRUE(run_until(io_, [this] { return !running_.empty(); }));
  checker_.reset();
  EXPECT_TRUE(running_.empty());
  io_.restart();
  io_.run();  // ends: no timer is left
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(CheckerTest, TheLoopMayStopInTheMiddle) {
  checker_->set_targets({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  ASSERT_TRUE(run_until(io_, [this] { return !running_.empty(); }));
  io_.stop();
  checker_.reset();
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(CheckerTest, OurOwnFaultIsSaidOnceAndIsNoReport) {
  const ProbeEnd fault{ProbeEnd::Kind::kOwnFault, "connect: Too many open files"};
  checker_->set_targets({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  end("10.0.0.1", fault);
  end("10.0.0.2", fault);
  end("10.0.0.1", fault);
  EXPECT_THAT(faults_,
              ElementsAre("health checks cannot be made, verdicts stand: connect: Too many "
                          "open files"));
  EXPECT_THAT(changes_, IsEmpty());
  end("10.0.0.1", passed());  // it was tried again
  EXPECT_EQ(changes_.size(), 1u);
}

TEST_F(CheckerTest, ACallbackMaySetTargets) {
  checker_->set_targets({scope("orders", {target("10.0.0.1")})});
  on_change_ = [this] { checker_->set_targets({scope("orders", {target("10.0.0.2")})}); };
  end("10.0.0.1", passed());
  end("10.0.0.2", passed());
  EXPECT_EQ(changes_.size(), 2u);
}

TEST_F(CheckerTest, ACallbackMayDestroyIt) {
  checker_->set_targets({scope("orders", {target("10.0.0.1"), target("10.0.0.2")})});
  on_change_ = [this] { checker_.reset(); };
  end("10.0.0.1", passed());
  EXPECT_TRUE(running_.empty());
  io_.restart();
  io_.run();
}

// H8
TEST_F(CheckerTest, TellsWhatABoundHoldsBack) {
  control::ActiveCheck check = some_check();
  check.concurrency = 1;
  checker_->set_targets({scope("orders", {target("10.0.0.1"), target("10.0.0.2")}, check)});
  ASSERT_TRUE(run_until(io_, [this] { return checker_->figures().waiting == 1; }));
  const Checker::Figures figures = checker_->figures();
  EXPECT_EQ(figures.targets, 2u);
  EXPECT_EQ(figures.under_way, 1u);
  EXPECT_EQ(figures.started, 1u);
}

TEST(Checker, FollowsARealServerDownAndUp) {
  boost::asio::io_context io;
  std::vector<std::string> changes;
  Checker checker(io, make_network_prober(io),
                  {[&changes](const VerdictChange& change) {
                     changes.push_back(change.scope + " " + engine::name_of(change.health) + ": " +
                                       change.reason);
                   },
                   [](const std::string& text) { ADD_FAILURE() << text; }});
  const Bound bound(SOCK_STREAM);
  checker.set_targets({scope("orders", {target("127.0.0.1", bound.port())})});
  EXPECT_TRUE(run_until(io, [&changes] { return changes.size() == 1; }));
  listen(bound.fd().get(), 16);
  EXPECT_TRUE(run_until(io, [&changes] { return changes.size() == 2; }));
  EXPECT_THAT(changes,
              ElementsAre("orders down: connect: Connection refused", "orders up: connected"));
}

}  // namespace
}  // namespace rampart::health
