// SPDX-License-Identifier: Apache-2.0
#include "dataplane/object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "dataplane/attach.h"
#include "dataplane/skeleton.h"
#include "rampart.skel.h"
#include "rampart/abi.h"
#include "rampart/flows.h"

namespace rampart::dataplane {
namespace {

constexpr char kProgram[] = "rampart_xdp";

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

Object::Object(std::unique_ptr<Skeleton> skeleton, std::string folder)
    : skeleton_(std::move(skeleton)), folder_(std::move(folder)) {}
Object::~Object() = default;

Result<std::unique_ptr<Object>> Object::load(const ObjectOptions& options) {
  const std::string folder = instance_folder(options.pin_path, options.instance);
  if (auto other = check_other_versions(folder); !other) return other.error();
  if (auto made = make_folder(folder); !made) return made.error();

  const bool adopted = access((folder + "/rp_vips").c_str(), F_OK) == 0;
  auto opened = open_skeleton(options, folder, Entry::kServe);
  if (!opened) return opened.error();
  std::unique_ptr<Skeleton> skeleton = std::move(*opened);
  if (auto loaded = load_skeleton(*skeleton); !loaded) {
    // A folder that was made for nothing would look like an instance.
    if (!adopted) (void)remove_instance(folder).ok();
    return loaded.error();
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

Result<std::vector<std::string>> Object::repin() const {
  std::vector<std::pair<std::string, int>> pins = {{kProgram, program_fd()}};
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, skeleton_->bpf->obj) {
    if (bpf_map__pin_path(map) != nullptr) pins.emplace_back(bpf_map__name(map), bpf_map__fd(map));
  }
  std::vector<std::string> missing;
  if (auto made = make_folder(folder_); !made) return made.error();
  for (const auto& [name, fd] : pins) {
    const std::string path = folder_ + "/" + name;
    if (access(path.c_str(), F_OK) == 0) continue;
    if (bpf_obj_pin(fd, path.c_str()) != 0) return system_error("pin " + path, errno);
    missing.push_back(name);
  }
  return missing;
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
