// SPDX-License-Identifier: Apache-2.0
#include "control/config_system.h"

#include <limits>
#include <map>

#include "rampart/limits.h"

namespace rampart::control {
namespace {

constexpr int64_t kVersion = 1;
constexpr int64_t kMaxU32 = std::numeric_limits<uint32_t>::max();
// Entries of a kernel map; at some 100 bytes each this is beyond any machine's memory.
constexpr int64_t kMostFlows = int64_t{1} << 28;
constexpr int64_t kDay = 86400;

enum class Capability { kPresent };

uint32_t small(const Field& field, int64_t low, int64_t high, uint32_t otherwise) {
  return static_cast<uint32_t>(field.integer(low, high).value_or(otherwise));
}

InterfaceConfig read_interface(const Field& field) {
  const Block block(field, {"name", "mode", "attach"});
  InterfaceConfig conf;
  conf.name = block.required("name").text(kInterfaceName).value_or("");
  conf.mode = block.optional("mode")
                  .choice<AttachMode>({{"auto", AttachMode::kAuto},
                                       {"native", AttachMode::kNative},
                                       {"generic", AttachMode::kGeneric}})
                  .value_or(conf.mode);
  block.optional("attach").choice<Capability>(
      {{"link", Capability::kPresent}, {"dispatcher", std::nullopt}});
  return conf;
}

std::vector<InterfaceConfig> read_interfaces(const Field& field) {
  std::vector<InterfaceConfig> list;
  std::map<std::string, std::string> paths;
  for (const Field& item : field.items()) {
    list.push_back(read_interface(item));
    const auto [first, fresh] = paths.emplace(list.back().name, item.path());
    if (fresh || list.back().name.empty()) continue;
    item.problem("found the interface " + quoted(list.back().name) +
                 " again; allowed: once (it is " + first->second + ")");
  }
  return list;
}

BpfConfig read_bpf(const Field& field) {
  BpfConfig conf;
  if (!field.present()) return conf;
  const Block block(field, {"pin_path", "max_vips", "max_backends", "max_flows",
                            "new_flow_limit_per_cpu", "hash_seed"});
  conf.pin_path = block.optional("pin_path").text(kAbsolutePath).value_or(conf.pin_path);
  conf.max_vips = small(block.optional("max_vips"), 1, RP_MAX_VIPS, conf.max_vips);
  conf.max_backends = small(block.optional("max_backends"), 1, RP_MAX_BACKENDS, conf.max_backends);
  conf.max_flows = small(block.optional("max_flows"), 1, kMostFlows, conf.max_flows);
  conf.new_flow_limit_per_cpu =
      small(block.optional("new_flow_limit_per_cpu"), 0, kMaxU32, conf.new_flow_limit_per_cpu);
  conf.hash_seed = small(block.optional("hash_seed"), 0, kMaxU32, conf.hash_seed);
  return conf;
}

void refuse_what_is_to_come(const Block& document) {
  const Field api = document.optional("http_api");
  if (api.text(kAddressPort)) api.unsupported("no such key");
}

}  // namespace

Config read_system(const Block& document) {
  Config conf;
  document.required("version").integer(kVersion, kVersion);
  conf.instance = document.optional("instance").text(kInstanceName).value_or(conf.instance);
  const Field interfaces = document.optional("interfaces");
  if (interfaces.present()) conf.interfaces = read_interfaces(interfaces);
  conf.bpf = read_bpf(document.optional("bpf"));
  conf.reconcile_interval =
      document.optional("reconcile_interval").seconds(1, kDay).value_or(conf.reconcile_interval);
  conf.watch = document.optional("watch")
                   .choice<Watch>({{"off", Watch::kOff}, {"rename", Watch::kRename}})
                   .value_or(conf.watch);
  conf.state_dir = document.optional("state_dir").text(kAbsolutePath).value_or(conf.state_dir);
  conf.control_socket = document.optional("control_socket")
                            .text(kSocketPath)
                            .value_or("/run/rampart/" + conf.instance + ".sock");
  refuse_what_is_to_come(document);
  return conf;
}

}  // namespace rampart::control
