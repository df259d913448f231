// SPDX-License-Identifier: Apache-2.0
// The compiled BPF object, opened for an instance's folder: the one place where its sizes, switches
// and pins are set, for the program that serves and for the one that explains.
#ifndef RAMPART_USERSPACE_DATAPLANE_SKELETON_H_
#define RAMPART_USERSPACE_DATAPLANE_SKELETON_H_

#include <memory>
#include <string>

#include "base/result.h"
#include "dataplane/object.h"

struct rampart_bpf;

namespace rampart::dataplane {

// Which of the object's programs is loaded: one of them, because switches are the object's.
enum class Entry { kServe, kExplain };

struct Skeleton {
  rampart_bpf* bpf = nullptr;

  Skeleton() = default;
  ~Skeleton();
  Skeleton(const Skeleton&) = delete;
  Skeleton& operator=(const Skeleton&) = delete;
};

// Sizes, switches and pins set, nothing loaded. Fails if maps are pinned with other sizes.
Result<std::unique_ptr<Skeleton>> open_skeleton(const ObjectOptions& options,
                                                const std::string& folder, Entry entry);
// Loads it. Maps that are pinned are used as they are, others are made and pinned.
Result<void> load_skeleton(Skeleton& skeleton);

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_SKELETON_H_
