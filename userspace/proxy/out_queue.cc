// SPDX-License-Identifier: Apache-2.0
#include "proxy/out_queue.h"

#include <algorithm>
#include <climits>

namespace rampart::proxy {
namespace {

// Drops what was written from the front; returns what is left.
std::span<iovec> rest_of(std::span<iovec> parts, size_t written) {
  while (!parts.empty() && written >= parts.front().iov_len) {
    written -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (!parts.empty()) {
    parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + written;
    parts.front().iov_len -= written;
  }
  return parts;
}

}  // namespace

Stream::Status OutQueue::write(Stream& stream, std::span<iovec> parts) {
  parts = rest_of(parts, 0);
  while (empty() && !parts.empty()) {
    const auto moved = stream.write(parts.first(std::min<size_t>(parts.size(), IOV_MAX)));
    if (moved.status == Stream::Status::kBlocked) break;
    if (moved.status != Stream::Status::kDone) return moved.status;
    parts = rest_of(parts, moved.bytes);
  }
  if (empty() && parts.empty()) return Stream::Status::kDone;
  if (empty()) clear();
  for (const iovec& part : parts) kept_.append(static_cast<char*>(part.iov_base), part.iov_len);
  return Stream::Status::kBlocked;
}

Stream::Status OutQueue::flush(Stream& stream) {
  while (!empty()) {
    const iovec rest = part_of(std::string_view(kept_).substr(sent_));
    const auto moved = stream.write({&rest, 1});
    if (moved.status != Stream::Status::kDone) return moved.status;
    sent_ += moved.bytes;
  }
  clear();
  return Stream::Status::kDone;
}

}  // namespace rampart::proxy
