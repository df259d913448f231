// SPDX-License-Identifier: Apache-2.0
#include "proxy/serving.h"

#include <algorithm>

namespace rampart::proxy {

bool Serving::trusts(const IpAddress& peer) const {
  return std::any_of(trusted.begin(), trusted.end(),
                     [&](const IpRange& range) { return range.contains(peer); });
}

}  // namespace rampart::proxy
