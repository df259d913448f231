// SPDX-License-Identifier: Apache-2.0
// The packet programs, loaded: sizes and switches set, maps pinned or found pinned.
#ifndef RAMPART_USERSPACE_DATAPLANE_OBJECT_H_
#define RAMPART_USERSPACE_DATAPLANE_OBJECT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "maps/kernel_map_store.h"

namespace rampart::dataplane {

struct ObjectOptions {
  std::string pin_path;  // bpf.pin_path
  std::string instance;
  uint32_t max_vips = 0;
  uint32_t max_backends = 0;
  uint32_t max_flows = 0;
  uint32_t new_flow_limit_per_cpu = 0;  // 0 = no limit (F9)
};

// PIN_PATH/INSTANCE/vABI: where everything of an instance is pinned.
std::string instance_folder(const std::string& pin_path, const std::string& instance);

struct Skeleton;

class Object {
 public:
  // Loads the object; maps that are pinned already are used as they are, so flows, ids and counters
  // go on. Fails, with what to do, if the pinned maps have other sizes, or were made by another ABI
  // version.
  static Result<std::unique_ptr<Object>> load(const ObjectOptions& options);
  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const std::string& folder() const { return folder_; }
  bool adopted() const { return adopted_; }  // the maps were there before
  int program_fd() const;                    // rampart_xdp
  // Pins again what is pinned no longer, so that a next process finds it; the names of those.
  Result<std::vector<std::string>> repin() const;
  // The kernel's digest of rampart_xdp's instructions, in hex: equal programs have equal tags.
  std::string program_tag() const;
  maps::InnerMapTypes inner_map_types() const;

 private:
  Object(std::unique_ptr<Skeleton> skeleton, std::string folder);

  std::unique_ptr<Skeleton> skeleton_;
  std::string folder_;
  bool adopted_ = false;
};

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_OBJECT_H_
