// SPDX-License-Identifier: Apache-2.0
#include "control/config_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ip.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostPort = 65535;
constexpr int64_t kMostConcurrency = 1024;
constexpr int64_t kMostCount = 254;  // as APISIX's checker, whose counters are bytes
constexpr int64_t kLongestInterval = 86400;
constexpr double kShortestTimeout = 0.001;
constexpr double kLongestTimeout = 86400;
constexpr int64_t kLeastStatus = 200;
constexpr int64_t kMostStatus = 599;

bool accepts_host(std::string_view text) {
  return is_host_name(text) || IpAddress::parse(text).has_value();
}

// What may stand in a request line: a space would end the path there.
bool accepts_request_path(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// RFC 9110, 5.6.2: a token, then a colon. Nothing of the value can end the line: text has one.
bool accepts_header(std::string_view text) {
  constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";
  const std::string_view name = text.substr(0, text.find(':'));
  if (name.empty() || name.size() == text.size()) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || kTokenMarks.find(c) != std::string_view::npos;
  });
}

const TextForm kHost = {"a host name or an IP address", accepts_host};
const TextForm kRequestPath = {"a path that begins with '/', without spaces", accepts_request_path};
const TextForm kHeader = {"NAME: VALUE", accepts_header};

std::optional<CheckType> read_type(const Field& field) {
  return field.choice<CheckType>({{"tcp", CheckType::kTcp},
                                  {"http", CheckType::kHttp},
                                  {"https", CheckType::kHttps},
                                  {"udp", CheckType::kUdp}});
}

uint32_t read_count(const Field& field, uint32_t otherwise) {
  return static_cast<uint32_t>(field.integer(0, kMostCount).value_or(otherwise));
}

// Nothing if the list is absent.
std::optional<std::set<uint16_t>> read_statuses(const Field& field) {
  if (!field.present()) return std::nullopt;
  std::set<uint16_t> statuses;
  const std::vector<Field> items = field.items();
  if (field.is_list() && items.empty()) {
    field.problem("found an empty list; allowed: at least one status");
  }
  for (const Field& item : items) {
    const auto status = item.integer(kLeastStatus, kMostStatus);
    if (status) statuses.insert(static_cast<uint16_t>(*status));
  }
  return statuses;
}

struct Statuses {
  std::set<uint16_t> good;
  std::set<uint16_t> bad;
};

// `otherwise`: the defaults. A status that one list names is taken out of the other's default.
Statuses read_both_statuses(const Block& healthy, const Block& unhealthy, Statuses otherwise) {
  Statuses both = std::move(otherwise);
  const Field rejected = unhealthy.optional("http_statuses");
  const auto listed_good = read_statuses(healthy.optional("http_statuses"));
  const auto listed_bad = read_statuses(rejected);
  if (listed_bad) {
    both.bad = *listed_bad;
    for (const uint16_t status : both.bad) both.good.erase(status);
  }
  if (!listed_good) return both;
  both.good = *listed_good;
  for (const uint16_t status : both.good) {
    if (both.bad.erase(status) == 0 || !listed_bad) continue;
    rejected.problem("found " + std::to_string(status) +
                     ", which is in healthy.http_statuses too; allowed: in one of them");
  }
  return both;
}

CheckHeader split_header(const std::string& text) {
  const size_t colon = text.find(':');
  const size_t first = text.find_first_not_of(" \t", colon + 1);
  CheckHeader header{.name = text.substr(0, colon), .value = ""};
  if (first == std::string::npos) return header;
  header.value = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  return header;
}

std::multiset<CheckHeader> read_headers(const Field& field) {
  std::multiset<CheckHeader> headers;
  if (!field.present()) return headers;
  for (const Field& item : field.items()) {
    const auto text = item.text(kHeader);
    if (!text) continue;
    CheckHeader header = split_header(*text);
    const std::string name = lower_case(header.name);
    if (name == "host") item.problem("found the header Host; allowed: checks.active.host");
    if (name == "connection" || name == "content-length" || name == "transfer-encoding") {
      item.problem("found the header " + header.name + "; allowed: others, because checks decide " +
                   "about their connection and have no body");
    }
    headers.insert(std::move(header));
  }
  return headers;
}

// Keys that mean something beside some types only: elsewhere they would be accepted and ignored.
class Fit {
 public:
  // `read`: nothing if it is absent, and if it is wrong, which is a problem of its own.
  Fit(Field type, std::optional<CheckType> read) : type_(std::move(type)), read_(read) {
    if (!type_.present()) read_ = ActiveCheck().type;
  }

  void only_with(std::initializer_list<CheckType> types, const std::string& words,
                 std::initializer_list<Field> fields) const {
    if (!read_ || std::find(types.begin(), types.end(), *read_) != types.end()) return;
    const std::string beside =
        type_.present() ? "beside that type" : "without a type, which is http";
    for (const Field& field : fields) {
      if (field.present()) field.problem("found " + beside + "; allowed: with type: " + words);
    }
  }

 private:
  Field type_;
  std::optional<CheckType> read_;
};

class ActiveReader {
 public:
  explicit ActiveReader(const Field& field)
      : block_(field, {"type", "timeout", "concurrency", "host", "port", "http_path",
                       "https_verify_certificate", "req_headers", "payload", "expected_prefix",
                       "healthy", "unhealthy"}),
        healthy_(block_.optional("healthy"), {"interval", "successes", "http_statuses"}),
        unhealthy_(block_.optional("unhealthy"),
                   {"interval", "tcp_failures", "http_failures", "timeouts", "http_statuses"}) {}

  ActiveCheck read() {
    const auto type = read_type(block_.optional("type"));
    check_.type = type.value_or(check_.type);
    read_effort();
    read_request();
    read_counts();
    Statuses statuses = read_both_statuses(
        healthy_, unhealthy_, {check_.healthy.http_statuses, check_.unhealthy.http_statuses});
    check_.healthy.http_statuses = std::move(statuses.good);
    check_.unhealthy.http_statuses = std::move(statuses.bad);
    check_fit(Fit(block_.optional("type"), type));
    return std::move(check_);
  }

 private:
  void read_effort() {
    const auto timeout = block_.optional("timeout").duration(kShortestTimeout, kLongestTimeout);
    check_.timeout = timeout.value_or(check_.timeout);
    const auto concurrency = block_.optional("concurrency").integer(1, kMostConcurrency);
    check_.concurrency = static_cast<uint32_t>(concurrency.value_or(check_.concurrency));
    check_.port = static_cast<uint16_t>(block_.optional("port").integer(1, kMostPort).value_or(0));
    const auto interval = [](const Block& block, std::chrono::seconds otherwise) {
      return block.optional("interval").seconds(1, kLongestInterval).value_or(otherwise);
    };
    check_.healthy.interval = interval(healthy_, check_.healthy.interval);
    check_.unhealthy.interval = interval(unhealthy_, check_.unhealthy.interval);
  }

  void read_request() {
    check_.host = block_.optional("host").text(kHost).value_or("");
    check_.http_path = block_.optional("http_path").text(kRequestPath).value_or(check_.http_path);
    const auto verify = block_.optional("https_verify_certificate").boolean();
    check_.https_verify_certificate = verify.value_or(check_.https_verify_certificate);
    check_.req_headers = read_headers(block_.optional("req_headers"));
    check_.payload = block_.optional("payload").lines().value_or("");
    check_.expected_prefix = block_.optional("expected_prefix").lines().value_or("");
  }

  void read_counts() {
    CheckUnhealthy& bad = check_.unhealthy;
    const Field successes = healthy_.optional("successes");
    check_.healthy.successes = read_count(successes, check_.healthy.successes);
    if (check_.healthy.successes == 0) {
      successes.warning(
          "found 0: passes then bring no node up, neither one that is down nor one that joins");
    }
    bad.tcp_failures = read_count(unhealthy_.optional("tcp_failures"), bad.tcp_failures);
    bad.http_failures = read_count(unhealthy_.optional("http_failures"), bad.http_failures);
    bad.timeouts = read_count(unhealthy_.optional("timeouts"), bad.timeouts);
  }

  void check_fit(const Fit& fit) const {
    fit.only_with({CheckType::kHttp, CheckType::kHttps}, "http or https",
                  {block_.optional("host"), block_.optional("http_path"),
                   block_.optional("req_headers"), healthy_.optional("http_statuses"),
                   unhealthy_.optional("http_statuses"), unhealthy_.optional("http_failures")});
    fit.only_with({CheckType::kHttps}, "https", {block_.optional("https_verify_certificate")});
    fit.only_with({CheckType::kUdp}, "udp",
                  {block_.optional("payload"), block_.optional("expected_prefix")});
  }

  Block block_;
  Block healthy_;
  Block unhealthy_;
  ActiveCheck check_;
};

std::set<uint16_t> every_status() {
  std::set<uint16_t> all;
  for (int64_t status = kLeastStatus; status <= kMostStatus; ++status) {
    all.insert(static_cast<uint16_t>(status));
  }
  return all;
}

PassiveCheck read_passive(const Field& field) {
  const Block block(field, {"type", "healthy", "unhealthy"});
  const Block healthy(block.optional("healthy"), {"successes", "http_statuses"});
  const Block unhealthy(block.optional("unhealthy"),
                        {"tcp_failures", "http_failures", "timeouts", "http_statuses"});
  const Field type_field = block.optional("type");
  const auto type = type_field.choice<CheckType>(
      {{"http", CheckType::kHttp}, {"https", CheckType::kHttps}, {"tcp", CheckType::kTcp}});
  PassiveCheck check;
  check.successes = read_count(healthy.optional("successes"), check.successes);
  check.tcp_failures = read_count(unhealthy.optional("tcp_failures"), check.tcp_failures);
  check.http_failures = read_count(unhealthy.optional("http_failures"), check.http_failures);
  check.timeouts = read_count(unhealthy.optional("timeouts"), check.timeouts);
  Statuses statuses =
      read_both_statuses(healthy, unhealthy, {check.healthy_statuses, check.unhealthy_statuses});
  check.healthy_statuses = std::move(statuses.good);
  check.unhealthy_statuses = std::move(statuses.bad);
  Fit(type_field, type)
      .only_with({CheckType::kHttp, CheckType::kHttps}, "http or https",
                 {healthy.optional("http_statuses"), unhealthy.optional("http_statuses"),
                  unhealthy.optional("http_failures")});
  if (type != CheckType::kTcp) return check;
  // Connections alone count: whatever is answered, the node was reached.
  check.healthy_statuses = every_status();
  check.unhealthy_statuses.clear();
  check.http_failures = 0;
  return check;
}

}  // namespace

ReadChecks read_checks(const Field& field) {
  if (!field.present()) return {};
  const Block block(field, {"active", "passive"});
  const Field active = block.optional("active");
  const Field passive = block.optional("passive");
  ReadChecks checks;
  if (passive.present()) checks.passive = read_passive(passive);
  if (active.present()) checks.active = ActiveReader(active).read();
  if (checks.passive && !checks.active) {
    passive.problem(
        "found without checks.active, which alone brings a node back; allowed: with it");
  }
  return checks;
}

}  // namespace rampart::control
