// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cstring>

namespace rampart {

Error system_error(const std::string& step, int error_number, Code code) {
  return Error{code, step + ": " + std::strerror(error_number)};
}

}  // namespace rampart
