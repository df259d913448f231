// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_DATAPLANE_INSTANCE_LOCK_H_
#define RAMPART_USERSPACE_DATAPLANE_INSTANCE_LOCK_H_

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace rampart::dataplane {

// Takes the instance's lock, which lies on its folder of pins: what it guards is what it is named
// after, whatever sockets and files the two contenders have (O7). Held until the descriptor is
// closed, so also over kill -9. Makes the folder. Fails at once if another process holds it.
Result<Fd> lock_instance(const std::string& pin_path, const std::string& instance);

}  // namespace rampart::dataplane

#endif  // RAMPART_USERSPACE_DATAPLANE_INSTANCE_LOCK_H_
