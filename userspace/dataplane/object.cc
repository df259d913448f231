// SPDX-License-Identifier: Apache-2.0
#include "dataplane/object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/log.h"
#include "dataplane/attach.h"
#include "rampart.skel.h"
#include "rampart/abi.h"
#include "rampart/flows.h"
#include "rampart/limits.h"

namespace rampart::dataplane {
namespace {

constexpr char kProgram[] = "rampart_xdp";

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

// Folders of other ABI versions beside ours.
Result<void> check_other_versions(const std::string& folder) {
  const std::filesystem::path ours(folder);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(ours.parent_path(), error)) {
    if (entry.path() == ours) continue;
    return Error{
        Code::kCannotAttach,
        "this instance is pinned by ABI version " + entry.path().filename().string() + " (" +
            entry.path().string() + "), this program has " + ours.filename().string() +
            ": run that version's 'rampart detach --all' first; flows and counters start anew"};
  }
  return {};
}

Error load_error(int error_number) {
  Error error = system_error("load the BPF object", error_number, Code::kCannotAttach);
  if (!last_warning.empty()) error.text += ": " + last_warning;
  if (error_number == ENOMEM || error_number == E2BIG) {
    error.text += ": the maps do not fit into memory: lower bpf.max_flows";
  }
  return error;
}

// Makes the key of flow tags, once in the life of the map: with another, no flow would be found again.
// A daemon that was killed before it came to this has left zeros, and no flows.
Result<void> make_secret(const bpf_map* map) {
  const uint32_t zero = 0;
  rp_flow_secret secret = {};
  const auto* bytes = reinterpret_cast<const uint8_t*>(&secret);
  if (bpf_map_lookup_elem(bpf_map__fd(map), &zero, &secret) != 0) {
    return system_error("read rp_flow_secret", errno, Code::kCannotAttach);
  }
  if (std::any_of(bytes, bytes + sizeof secret, [](uint8_t byte) { return byte != 0; })) return {};
  // One call of up to 256 bytes is never short (getrandom(2)).
  if (getrandom(&secret, sizeof secret, 0) != sizeof secret ||
      bpf_map_update_elem(bpf_map__fd(map), &zero, &secret, BPF_ANY) != 0) {
    return system_error("make the key of flow tags", errno, Code::kCannotAttach);
  }
  return {};
}

Result<void> make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return Error{Code::kCannotAttach, "make " + folder + ": " + error.message()};
}

}  // namespace

std::string instance_folder(const std::string& pin_path, const std::string& instance) {
  return pin_path + "/" + instance + "/v" + std::to_string(RP_ABI_VERSION);
}

struct Object::Skeleton {
  rampart_bpf* bpf = nullptr;
  ~Skeleton() { rampart_bpf__destroy(bpf); }
};

Object::Object(std::unique_ptr<Skeleton> skeleton, std::string folder)
    : skeleton_(std::move(skeleton)), folder_(std::move(folder)) {}
Object::~Object() = default;

Result<std::unique_ptr<Object>> Object::load(const ObjectOptions& options) {
  libbpf_set_print(keep_words);
  const std::string folder = instance_folder(options.pin_path, options.instance);
  if (auto other = check_other_versions(folder); !other) return other.error();
  if (auto made = make_folder(folder); !made) return made.error();

  auto skeleton = std::make_unique<Skeleton>();
  skeleton->bpf = rampart_bpf__open();
  if (skeleton->bpf == nullptr)
    return system_error("open the BPF object", errno, Code::kCannotAttach);
  bpf_object* bpf = skeleton->bpf->obj;
  const bool adopted = access((folder + "/rp_vips").c_str(), F_OK) == 0;
  for (const MapSize& size : sizes_of(options)) {
    if (auto same = check_pinned_size(folder, size); !same) return same.error();
    bpf_map__set_max_entries(bpf_object__find_map_by_name(bpf, size.map.c_str()), size.entries);
  }
  skeleton->bpf->rodata->rp_config = {.new_flow_limit_per_cpu = options.new_flow_limit_per_cpu,
                                      .flow_buckets = RP_FLOW_BUCKETS(options.max_flows)};
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, bpf) {
    if (bpf_map__is_internal(map)) continue;
    const std::string pin = folder + "/" + bpf_map__name(map);
    if (bpf_map__set_pin_path(map, pin.c_str()) != 0) return system_error("pin " + pin, errno);
  }
  if (const int failed = rampart_bpf__load(skeleton->bpf); failed != 0) {
    // A folder that was made for nothing would look like an instance.
    if (!adopted) (void)remove_instance(folder).ok();
    return load_error(-failed);
  }
  if (auto made = make_secret(skeleton->bpf->maps.rp_flow_secret); !made) return made.error();
  const std::string pin = folder + "/" + kProgram;
  unlink(pin.c_str());
  if (bpf_obj_pin(bpf_program__fd(skeleton->bpf->progs.rampart_xdp), pin.c_str()) != 0) {
    return system_error("pin " + pin, errno, Code::kCannotAttach);
  }
  std::unique_ptr<Object> object(new Object(std::move(skeleton), folder));
  object->adopted_ = adopted;
  return object;
}

int Object::program_fd() const {
  return bpf_program__fd(skeleton_->bpf->progs.rampart_xdp);
}

std::string Object::program_tag() const {
  bpf_prog_info info = {};
  uint32_t length = sizeof info;
  if (bpf_obj_get_info_by_fd(program_fd(), &info, &length) != 0) return "";
  std::string tag;
  for (const __u8 byte : info.tag) {
    constexpr char kDigits[] = "0123456789abcdef";
    tag += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return tag;
}

maps::InnerMapTypes Object::inner_map_types() const {
  const int btf_fd = bpf_object__btf_fd(skeleton_->bpf->obj);
  const auto type_of = [btf_fd](bpf_map* outer) -> maps::InnerMapType {
    const bpf_map* inner = bpf_map__inner_map(outer);
    if (inner == nullptr) return {};
    return {.btf_fd = btf_fd,
            .key_type = bpf_map__btf_key_type_id(inner),
            .value_type = bpf_map__btf_value_type_id(inner)};
  };
  return {.slots = type_of(skeleton_->bpf->maps.rp_slots),
          .members = type_of(skeleton_->bpf->maps.rp_members)};
}

}  // namespace rampart::dataplane
