// SPDX-License-Identifier: Apache-2.0
#include "maps/doors.h"

#include <cerrno>
#include <cstddef>

namespace rampart::maps {
namespace {

struct Opened {
  Fd fd;
  uint32_t entries;
};

// Opens one pin and holds it to what this build was compiled with: a pin of another shape would be
// read as nonsense.
Result<Opened> open_pin(const std::string& folder, const char* name, size_t value_size) {
  const std::string path = folder + "/" + name;
  Fd fd(bpf_obj_get(path.c_str()));
  if (!fd) return system_error("open " + path, errno);
  bpf_map_info info = {};
  uint32_t length = sizeof info;
  if (bpf_obj_get_info_by_fd(fd.get(), &info, &length) != 0) {
    return system_error("inspect " + path, errno);
  }
  if (info.value_size != value_size) {
    return Error{Code::kCannotAttach, path + ": its values are " + std::to_string(info.value_size) +
                                          " bytes, expected " + std::to_string(value_size) +
                                          ": it was made by another version"};
  }
  return Opened{std::move(fd), info.max_entries};
}

template <typename Value>
Result<MappedArray<Value>> open_array(const std::string& folder, const char* name) {
  auto pin = open_pin(folder, name, sizeof(Value));
  if (!pin) return pin.error();
  auto array = MappedArray<Value>::map(pin->fd, pin->entries);
  if (!array) return array.within(std::string(name));
  return array;
}

}  // namespace

#define RP_OPEN(variable, expression) \
  auto variable = expression;         \
  if (!variable) return variable.error()

Result<Doors> Doors::open(const std::string& folder) {
  RP_OPEN(vips, open_pin(folder, "rp_vips", sizeof(rp_vip)));
  RP_OPEN(vip_state, open_array<rp_vip_state>(folder, "rp_vip_state"));
  RP_OPEN(slots, open_pin(folder, "rp_slots", sizeof(uint32_t)));
  RP_OPEN(members, open_pin(folder, "rp_members", sizeof(uint32_t)));
  RP_OPEN(backends, open_array<rp_backend>(folder, "rp_backends"));
  RP_OPEN(ports, open_array<rp_port>(folder, "rp_ports"));
  RP_OPEN(flows, open_array<rp_flow_bucket>(folder, "rp_flows"));
  RP_OPEN(origins, open_array<rp_flow_origin>(folder, "rp_flow_origins"));
  RP_OPEN(flow_stats, open_pin(folder, "rp_flow_stats", sizeof(rp_flow_stats)));
  RP_OPEN(flow_counts, open_array<rp_flow_count>(folder, "rp_flow_counts"));
  RP_OPEN(vip_stats, open_pin(folder, "rp_vip_stats", sizeof(rp_vip_stats)));
  RP_OPEN(backend_stats, open_pin(folder, "rp_stats", sizeof(rp_backend_stats)));
  RP_OPEN(runtime, open_array<rp_runtime>(folder, "rp_runtime"));
  RP_OPEN(unresolved, open_pin(folder, "rp_unresolved", sizeof(rp_addr)));
  return Doors{.vips = HashMap<rp_vip_key, rp_vip>(std::move(vips->fd)),
               .vip_state = std::move(*vip_state),
               .slots = std::move(slots->fd),
               .members = std::move(members->fd),
               .backends = std::move(*backends),
               .ports = std::move(*ports),
               .flows = FlowTable(std::move(*flows), std::move(*origins)),
               .flow_stats = PerCpuArray<rp_flow_stats>(std::move(flow_stats->fd)),
               .flow_counts = std::move(*flow_counts),
               .vip_stats = PerCpuArray<rp_vip_stats>(std::move(vip_stats->fd)),
               .backend_stats = PerCpuArray<rp_backend_stats>(std::move(backend_stats->fd)),
               .runtime = std::move(*runtime),
               .unresolved = std::move(unresolved->fd)};
}

#undef RP_OPEN

Result<rp_backend_stats> sum_backend_stats(const Doors& doors, uint32_t id) {
  const auto per_cpu = doors.backend_stats.read(id);
  if (!per_cpu) return per_cpu.within("rp_stats");
  rp_backend_stats sum = {};
  for (const rp_backend_stats& cpu : *per_cpu) {
    sum.packets += cpu.packets;
    sum.bytes += cpu.bytes;
    sum.flows += cpu.flows;
  }
  return sum;
}

Result<rp_flow_stats> sum_flow_stats(const Doors& doors) {
  const auto per_cpu = doors.flow_stats.read(0);
  if (!per_cpu) return per_cpu.within("rp_flow_stats");
  rp_flow_stats sum = {};
  for (const rp_flow_stats& cpu : *per_cpu) {
    sum.evicted += cpu.evicted;
    sum.refused += cpu.refused;
    sum.limited += cpu.limited;
    sum.revived += cpu.revived;
  }
  return sum;
}

Result<rp_vip_stats> sum_vip_stats(const Doors& doors, uint32_t number) {
  const auto per_cpu = doors.vip_stats.read(number);
  if (!per_cpu) return per_cpu.within("rp_vip_stats");
  rp_vip_stats sum = {};
  for (const rp_vip_stats& cpu : *per_cpu) {
    for (int outcome = 0; outcome < RP_OUTCOME_SLOTS; ++outcome) {
      sum.packets[outcome] += cpu.packets[outcome];
    }
  }
  return sum;
}

}  // namespace rampart::maps
