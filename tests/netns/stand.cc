// SPDX-License-Identifier: Apache-2.0
#include "netns/stand.h"

namespace rampart::test {
namespace {

// The backends' servers listen on both: direct return leaves the VIP's port, nat goes to the
// node's.
constexpr uint16_t kVipPort = 80;
constexpr uint16_t kNatPort = 8080;

BedOptions bed_options(const StandOptions& options) {
  BedOptions bed;
  bed.shape = options.shape;
  bed.backends = options.backends;
  if (options.forward == "l2") bed.addresses_on_backends = {kVip};
  return bed;
}

uint16_t node_port(const StandOptions& options) {
  return options.forward == "l2" ? kVipPort : kNatPort;
}

}  // namespace

Stand::Stand(const StandOptions& wanted)
    : options(wanted), bed(bed_options(wanted)), daemon(bed, wanted.mode) {
  for (int number = 1; number <= bed.backends(); ++number) {
    const std::map<uint16_t, std::string> names = {{kVipPort, Bed::backend_name(number)},
                                                   {kNatPort, Bed::backend_name(number)}};
    http.push_back(std::make_unique<HttpServer>(bed.backend(number), names));
    udp.push_back(std::make_unique<UdpServer>(bed.backend(number), names));
  }
}

nlohmann::json Stand::config(const nlohmann::json& nodes) const {
  nlohmann::json file = daemon.config();
  file["upstreams"] = {{{"id", "web"}, {"type", "roundrobin"}, {"nodes", nodes}}};
  file["vips"] = {{{"id", "web"},
                   {"address", kVip},
                   {"port", kVipPort},
                   {"protocol", options.protocol},
                   {"forward", options.forward},
                   {"upstream_id", "web"}}};
  return file;
}

nlohmann::json Stand::node(int number, int weight) const {
  return {{"host", Bed::backend_address(number)}, {"port", node_port(options)}, {"weight", weight}};
}

std::string Stand::name(int number) const {
  return "web/" + Bed::backend_address(number) + ":" + std::to_string(node_port(options));
}

nlohmann::json Stand::config_of_first(int count) const {
  nlohmann::json nodes = nlohmann::json::array();
  for (int number = 1; number <= count; ++number) nodes.push_back(node(number));
  return config(nodes);
}

void Stand::serve(const nlohmann::json& config, const std::vector<std::string>& answering) {
  daemon.write(config);
  daemon.start();
  if (!all_answer(bed.client(), ask(), answering)) {
    throw BedFailure("not every backend answers: " + daemon.process().output() +
                     daemon.cli({"status"}).out + daemon.cli({"backends"}).out);
  }
}

Ask Stand::ask() const {
  if (options.protocol == "udp") {
    // Far above any round trip here, and short enough to try again while the bed comes up.
    constexpr std::chrono::milliseconds kLost{5000};
    return [] { return udp_ask(kVip, kVipPort, kLost); };
  }
  return [] { return http_ask(kVip, kVipPort); };
}

std::vector<HttpConnection> Stand::hold(int count) const {
  return bed.client().run([&] {
    std::vector<HttpConnection> held;
    for (int i = 0; i < count; ++i) {
      auto connection = HttpConnection::to(kVip, kVipPort);
      if (!connection || !connection->request("GET", "/")) break;
      held.push_back(std::move(*connection));
    }
    return held;
  });
}

int Stand::flows(const std::string& what) const {
  int sum = 0;
  for (const auto& [name, backend] : daemon.backends()) {
    sum += backend.at("flows").at(what).get<int>();
  }
  return sum;
}

int Stand::flow_table(const std::string& what) const {
  return daemon.get("/v1/status").at("flow_table").at(what).get<int>();
}

std::vector<std::string> who_answers(std::vector<HttpConnection>& held) {
  std::vector<std::string> names;
  for (HttpConnection& connection : held) {
    const auto answer = connection.request("GET", "/");
    names.push_back(answer ? answer->body : "nobody");
    if (!answer) break;
  }
  return names;
}

nlohmann::json& upstream(nlohmann::json& config) {
  return config.at("upstreams").at(0);
}
nlohmann::json& vip(nlohmann::json& config) {
  return config.at("vips").at(0);
}

void NetnsTest::SetUp() {
  const std::string why_not = why_no_namespaces();
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  remove_leftovers();
}

}  // namespace rampart::test
