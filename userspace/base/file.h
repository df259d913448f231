// SPDX-License-Identifier: Apache-2.0
// Reads files that people and earlier processes left: what lies at a path may be anything. And the
// loops around read(2) and write(2), which do a part of the work at will.
#ifndef RAMPART_USERSPACE_BASE_FILE_H_
#define RAMPART_USERSPACE_BASE_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rampart {

// The whole of a regular file. Waits for nobody: a FIFO, a device, a socket or a directory is an
// error, as is more than `most_bytes` (whole MiB, so that the sentence can say so). The error says
// what is wrong with the file and leaves its name to the caller: "cannot be read: …".
Result<std::string> read_file(const std::string& path, size_t most_bytes);

// What an open file, pipe or device gives until its end; of more than `most_bytes` somewhat more than
// that, so that the caller sees it. An error is "cannot be read: …".
Result<std::string> read_until_end(int fd, size_t most_bytes);
// False, with errno, if not all could be written.
bool write_all(int fd, std::string_view bytes);

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_FILE_H_
