// SPDX-License-Identifier: Apache-2.0
// Writes a picture where people ask for it.
#ifndef RAMPART_TOOLS_SIMULATE_WRITE_FILE_H_
#define RAMPART_TOOLS_SIMULATE_WRITE_FILE_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace rampart::simulate {

// A file is replaced by rename: who looks at it sees the whole text or the former one. Only a file
// is: a device, a pipe and the like are written to, and what a link points at is replaced or made,
// not the link. Where standard output or standard error goes to that very file (/dev/stdout), the
// text goes there too, and what stands in it stays.
Result<void> write_file(const std::string& file, std::string_view text);

}  // namespace rampart::simulate

#endif  // RAMPART_TOOLS_SIMULATE_WRITE_FILE_H_
