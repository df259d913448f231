// SPDX-License-Identifier: Apache-2.0
// Every odd request, whole, in two pieces cut at every byte, and byte by byte: what becomes of it does not
// depend on how it comes, and what is behind a refused one is never taken for a request.
#include "support/odd_requests.h"

#include <gtest/gtest.h>

#include <charconv>
#include <string_view>

#include "support/proxy_bed.h"

namespace rampart::test {
namespace {

constexpr std::string_view kBehind = "GET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
// Long requests are cut at fewer places.
constexpr size_t kLong = 1000;

struct Outcome {
  int status = 0;  // of the first response that is not an interim one
  bool over = false;
  std::string seen;    // by nodes
  size_t records = 0;  // of the journal
  uint32_t in_flight = 0;
  bool spins = false;
};

int first_status(std::string_view sent) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  while (sent.starts_with(kContinue)) sent.remove_prefix(kContinue.size());
  if (!sent.starts_with(kVersion)) return 0;
  int status = 0;
  std::from_chars(sent.data() + kVersion.size(), sent.data() + sent.size(), status);
  return status;
}

class Fed {
 public:
  Fed() {
    bed_.on_request = [this](MemoryWire& wire) {
      const std::string before = wire.from_proxy;
      answer_each(wire);
      seen_ += before.substr(0, before.size() - wire.from_proxy.size());
    };
  }
  void feed(std::string_view bytes) {
    client_->to_proxy += bytes;
    spins_ = !bed_.run() || spins_;
  }
  Outcome outcome() {
    const std::string sent = client_->from_proxy;
    for (const auto& wire : bed_.node_wires()) seen_ += wire->from_proxy;
    const bool over = client_->finished || client_->closed;
    bed_.close_all();
    return {first_status(sent), over, seen_, bed_.requests().size(), bed_.in_flight(), spins_};
  }

 private:
  static ProxyBedSettings settings() {
    ProxyBedSettings settings;
    settings.max_body = 1000;
    return settings;
  }

  ProxyBed bed_{settings()};
  ProxyBed::Wire client_ = bed_.connect_client();
  std::string seen_;
  bool spins_ = false;
};

void expect(const OddRequest& odd, const Outcome& outcome, const std::string& how) {
  SCOPED_TRACE(odd.name + ", " + how);
  EXPECT_EQ(outcome.status, odd.status);
  EXPECT_TRUE(outcome.over);
  EXPECT_EQ(outcome.in_flight, 0u);
  EXPECT_FALSE(outcome.spins);
  const bool well = odd.seen == Seen::kAll;
  EXPECT_EQ(outcome.records, well ? 2u : 1u);
  EXPECT_EQ(outcome.seen.find("GET /behind ") != std::string::npos, well);
  if (odd.seen == Seen::kNothing) {
    EXPECT_EQ(outcome.seen, "");
  }
}

struct Group {
  const char* name;
  const std::vector<OddRequest>* requests;
};

class OddRequests : public testing::TestWithParam<Group> {
 protected:
  static std::string all_of(const OddRequest& odd) { return odd.bytes + std::string(kBehind); }
};

TEST_P(OddRequests, ComeToThisWhole) {
  for (const OddRequest& odd : *GetParam().requests) {
    Fed fed;
    fed.feed(all_of(odd));
    expect(odd, fed.outcome(), "whole");
  }
}

TEST_P(OddRequests, ComeToThisWhereverTheyAreCut) {
  for (const OddRequest& odd : *GetParam().requests) {
    const std::string all = all_of(odd);
    const size_t step = all.size() > kLong ? all.size() / 37 : 1;
    for (size_t cut = 1; cut < all.size() && !HasFailure(); cut += step) {
      Fed fed;
      fed.feed(all.substr(0, cut));
      fed.feed(all.substr(cut));
      expect(odd, fed.outcome(), "cut at " + std::to_string(cut));
    }
  }
}

TEST_P(OddRequests, ComeToThisByteByByte) {
  for (const OddRequest& odd : *GetParam().requests) {
    const std::string all = all_of(odd);
    Fed fed;
    for (const char& byte : all) fed.feed({&byte, 1});
    expect(odd, fed.outcome(), "byte by byte");
  }
}

constexpr Group kGroups[] = {
    {"FirstLines", &kFirstLines}, {"Targets", &kTargets}, {"Hosts", &kHosts},
    {"Lines", &kLines},           {"Fields", &kFields},   {"Lengths", &kLengths},
    {"Codings", &kCodings},       {"Large", &kLarge},     {"Chunks", &kChunks},
    {"Endless", &kEndless},       {"Well", &kWell}};

INSTANTIATE_TEST_SUITE_P(All, OddRequests, testing::ValuesIn(kGroups),
                         [](const auto& group) { return std::string(group.param.name); });

}  // namespace
}  // namespace rampart::test
