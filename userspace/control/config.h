// SPDX-License-Identifier: Apache-2.0
// The configuration file as values, and its one way in.
//
// Every key of docs/configuration.md is known to the parser. A value whose capability this version
// does not have is an error "not supported by this version": nothing is ever accepted and ignored.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/ip.h"
#include "control/active_check.h"
#include "control/http_config.h"
#include "control/passive_check.h"
#include "engine/scope.h"
#include "rampart/keys.h"
#include "rampart/slots.h"
#include "rampart/values.h"

namespace rampart::control {

enum class AttachMode { kAuto, kNative, kGeneric };

struct InterfaceConfig {
  std::string name;
  AttachMode mode = AttachMode::kAuto;
  bool operator==(const InterfaceConfig&) const = default;
};

// When the daemon reads the file again by itself (C4).
enum class Watch { kOff, kRename };

struct BpfConfig {
  std::string pin_path = "/sys/fs/bpf/rampart";
  uint32_t max_vips = 512;
  uint32_t max_backends = 4096;
  uint32_t max_flows = 1048576;
  uint32_t new_flow_limit_per_cpu = 125000;
  uint32_t hash_seed = 0;
  bool operator==(const BpfConfig&) const = default;
};

struct NodeConfig {
  IpAddress address;
  uint16_t port = 0;  // 0 = not given: the VIP's port
  uint32_t weight = 1;
  int priority = 0;
  bool operator==(const NodeConfig&) const = default;

  // S4.1: host and port.
  Identity identity() const { return host_and_port(address.to_string(), port); }
};

struct UpstreamConfig {
  // Its own, or that of the VIP, service or route that embeds it; "ROUTE#N" in a traffic split.
  ScopeId id;
  rp_algorithm algorithm = RP_ROUNDROBIN;
  std::vector<NodeConfig> nodes;
  std::optional<engine::SlowStart> slow_start;
  rp_hash_on hash_on = RP_HASH_5TUPLE;
  std::optional<ActiveCheck> active_check{};
  std::optional<PassiveCheck> passive_check{};  // only beside an active one
  engine::PanicPolicy panic{};
  HttpUpstreamConfig http{};
  bool operator==(const UpstreamConfig&) const = default;
};

struct Timeouts {
  std::chrono::seconds syn{30}, established{3600}, closing{30}, udp{60};
  bool operator==(const Timeouts&) const = default;
};

// What becomes of TCP flows whose backend is down or in maintenance (F3).
enum class OnDown { kStay, kMove };

struct VipConfig {
  std::string id;
  IpAddress address;
  uint16_t port = 0;
  uint8_t protocol = 0;  // IPPROTO_TCP or IPPROTO_UDP
  rp_forward forward = RP_FORWARD_NAT;
  ScopeId scope;  // names an entry of Config::upstreams
  uint32_t table_size = RP_DEFAULT_TABLE_SIZE;
  rp_hash_on hash_on = RP_HASH_5TUPLE;
  rp_on_no_backend on_no_backend = RP_NO_BACKEND_DROP;
  OnDown on_down = OnDown::kStay;
  Timeouts timeouts;
  std::chrono::seconds drain_timeout{300};
  uint32_t refill_slots = 64;  // 0 = never, else at least 2: one swap
  bool operator==(const VipConfig&) const = default;
};

struct Config {
  std::string instance = "default";
  std::vector<InterfaceConfig> interfaces;
  BpfConfig bpf;
  std::chrono::seconds reconcile_interval{30};
  Watch watch = Watch::kOff;
  std::string state_dir = "/var/lib/rampart";
  std::string control_socket;             // completed to /run/rampart/INSTANCE.sock
  std::vector<UpstreamConfig> upstreams;  // stand-alone and embedded alike
  std::vector<VipConfig> vips;
  std::optional<HttpConfig> http;
  std::vector<RouteConfig> routes;
};

// REQUIRES: the VIP is of this configuration.
const UpstreamConfig& upstream_of(const Config& config, const VipConfig& vip);

// One thing that is wrong with a file.
struct Problem {
  int line = 0;  // from 1
  int column = 0;
  std::string path;  // "vips[0].port"; empty for the document itself
  std::string text;  // what was found and what is allowed
  bool operator==(const Problem&) const = default;
};

// "FILE:LINE:COL: path.of.field: what is wrong", the form in which people and editors read it.
std::string to_string(const Problem& problem, const std::string& file);

struct ParseResult {
  Config config;                  // meaningful only without problems
  std::vector<Problem> problems;  // every one of the file, in its order (C1)
  std::vector<Problem> warnings;  // accepted, with a word to its author (deprecated spellings)
};

// Checks and completes a document (YAML or JSON). Never throws, whatever the bytes.
ParseResult parse_config(std::string_view document);

// Reads `path` and parses it. A file that cannot be read is one problem at line 0.
ParseResult load_config(const std::string& path);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_H_
