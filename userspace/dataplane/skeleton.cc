// SPDX-License-Identifier: Apache-2.0
#include "dataplane/skeleton.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "base/fd.h"
#include "base/log.h"
#include "rampart.skel.h"
#include "rampart/flows.h"

namespace rampart::dataplane {
namespace {

// libbpf's own words: at debug level in the log, the last warning in the error that a person reads.
thread_local std::string last_warning;

int keep_words(libbpf_print_level level, const char* format, va_list arguments) {
  char line[1024];
  vsnprintf(line, sizeof line, format, arguments);
  std::string text(line);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (level == LIBBPF_WARN && !text.empty()) last_warning = text;
  if (level != LIBBPF_DEBUG) log::debug(text);
  return 0;
}

struct MapSize {
  std::string map;
  uint32_t entries;
  const char* option;
  uint32_t configured;
  uint32_t (*configured_for)(uint32_t entries);  // the option's value that makes so many
};

uint32_t flows_of_origins(uint32_t places) {
  return RP_FLOWS_OF_BUCKETS(places / RP_BUCKET_FLOWS);
}

// Sizes that follow from the configuration. Arrays by number or id have one entry more: 0 names
// nothing.
std::vector<MapSize> sizes_of(const ObjectOptions& options) {
  const auto one_less = [](uint32_t entries) { return entries - 1; };
  const auto by_number = [&](const char* map) {
    return MapSize{map, options.max_vips + 1, "bpf.max_vips", options.max_vips, one_less};
  };
  const auto by_id = [&](const char* map) {
    return MapSize{map, options.max_backends + 1, "bpf.max_backends", options.max_backends,
                   one_less};
  };
  const uint32_t buckets = RP_FLOW_BUCKETS(options.max_flows);
  return {MapSize{"rp_vips", options.max_vips, "bpf.max_vips", options.max_vips,
                  [](uint32_t entries) { return entries; }},
          by_number("rp_vip_state"),
          by_number("rp_slots"),
          by_number("rp_members"),
          by_number("rp_vip_stats"),
          by_number("rp_cursors"),
          by_id("rp_backends"),
          by_id("rp_stats"),
          by_id("rp_flow_counts"),
          MapSize{"rp_flows", buckets, "bpf.max_flows", options.max_flows,
                  [](uint32_t entries) { return RP_FLOWS_OF_BUCKETS(entries); }},
          MapSize{"rp_flow_origins", buckets * RP_BUCKET_FLOWS, "bpf.max_flows", options.max_flows,
                  flows_of_origins}};
}

// A pinned map of another size cannot be used, and making it anew would drop what it holds.
Result<void> check_pinned_size(const std::string& folder, const MapSize& size) {
  const Fd pinned(bpf_obj_get((folder + "/" + size.map).c_str()));
  if (!pinned) return {};
  bpf_map_info info = {};
  uint32_t length = sizeof info;
  if (bpf_obj_get_info_by_fd(pinned.get(), &info, &length) != 0) {
    return system_error("inspect " + folder + "/" + size.map, errno, Code::kCannotAttach);
  }
  if (info.max_entries == size.entries) return {};
  const uint32_t pinned_value = size.configured_for(info.max_entries);
  return Error{Code::kCannotAttach,
               std::string(size.option) + ": " + std::to_string(size.configured) +
                   " differs from the pinned maps' " + std::to_string(pinned_value) +
                   ": set it back, or give up flows and counters with 'rampart detach --all' while "
                   "rampartd is stopped, then start again"};
}

Error load_error(int error_number) {
  Error error = system_error("load the BPF object", error_number, Code::kCannotAttach);
  if (!last_warning.empty()) error.text += ": " + last_warning;
  if (error_number == ENOMEM || error_number == E2BIG) {
    error.text += ": the maps do not fit into memory: lower bpf.max_flows";
  }
  return error;
}

void set_switches(rampart_bpf& bpf, const ObjectOptions& options, Entry entry) {
  const bool explains = entry == Entry::kExplain;
  bpf.rodata->rp_config = {.new_flow_limit_per_cpu = options.new_flow_limit_per_cpu,
                           .flow_buckets = RP_FLOW_BUCKETS(options.max_flows),
                           .explains = explains};
  bpf_program__set_autoload(bpf.progs.rampart_xdp, !explains);
  bpf_program__set_autoload(bpf.progs.rampart_explain, explains);
}

}  // namespace

Skeleton::~Skeleton() {
  rampart_bpf__destroy(bpf);
}

Result<std::unique_ptr<Skeleton>> open_skeleton(const ObjectOptions& options,
                                                const std::string& folder, Entry entry) {
  libbpf_set_print(keep_words);
  auto skeleton = std::make_unique<Skeleton>();
  skeleton->bpf = rampart_bpf__open();
  if (skeleton->bpf == nullptr) {
    return system_error("open the BPF object", errno, Code::kCannotAttach);
  }
  bpf_object* bpf = skeleton->bpf->obj;
  for (const MapSize& size : sizes_of(options)) {
    if (auto same = check_pinned_size(folder, size); !same) return same.error();
    bpf_map__set_max_entries(bpf_object__find_map_by_name(bpf, size.map.c_str()), size.entries);
  }
  set_switches(*skeleton->bpf, options, entry);
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, bpf) {
    if (bpf_map__is_internal(map)) continue;
    const std::string pin = folder + "/" + bpf_map__name(map);
    if (bpf_map__set_pin_path(map, pin.c_str()) != 0) return system_error("pin " + pin, errno);
  }
  return skeleton;
}

Result<void> load_skeleton(Skeleton& skeleton) {
  const int failed = rampart_bpf__load(skeleton.bpf);
  if (failed != 0) return load_error(-failed);
  return {};
}

}  // namespace rampart::dataplane
