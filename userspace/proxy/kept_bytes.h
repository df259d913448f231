// SPDX-License-Identifier: Apache-2.0
#ifndef RAMPART_USERSPACE_PROXY_KEPT_BYTES_H_
#define RAMPART_USERSPACE_PROXY_KEPT_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace rampart::proxy {

// Keeps what is behind `from` of `bytes`: of another buffer, or of `kept` itself, which may have been cleared
// meanwhile.
inline void keep_rest(std::string& kept, std::string_view bytes, size_t from) {
  if (bytes.data() == kept.data()) {
    kept.erase(0, std::min(from, kept.size()));
  } else {
    kept.assign(bytes.substr(from));
  }
}

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_KEPT_BYTES_H_
