// SPDX-License-Identifier: Apache-2.0
#include "support/memory_stream.h"

#include <algorithm>

namespace rampart::test {
namespace {

using proxy::StreamOwner;
constexpr int kMostCalls = 200000;

void await(std::shared_ptr<StreamOwner>& place, std::shared_ptr<StreamOwner> owner) {
  if (!place) place = std::move(owner);
}

}  // namespace

proxy::Stream::Moved MemoryStream::establish() {
  switch (wire_->establishing) {
    case MemoryWire::Establishing::kDone:
      return {};
    case MemoryWire::Establishing::kPending:
      return {Status::kBlocked, 0};
    default:
      return {Status::kFailed, 0};
  }
}

proxy::Stream::Moved MemoryStream::read(std::span<char> into) {
  if (wire_->failed || wire_->closed) return {Status::kFailed, 0};
  std::string& bytes = wire_->to_proxy;
  const size_t size = std::min({into.size(), bytes.size(), wire_->most_read});
  if (size == 0) return {wire_->peer_ended ? Status::kEnd : Status::kBlocked, 0};
  std::copy_n(bytes.begin(), size, into.begin());
  bytes.erase(0, size);
  return {Status::kDone, size};
}

proxy::Stream::Moved MemoryStream::write(std::span<const iovec> parts) {
  if (wire_->failed || wire_->closed || wire_->finished) return {Status::kFailed, 0};
  size_t left = std::min(wire_->room, wire_->most_write);
  size_t written = 0;
  for (const iovec& part : parts) {
    const size_t size = std::min(left, part.iov_len);
    wire_->from_proxy.append(static_cast<const char*>(part.iov_base), size);
    left -= size;
    written += size;
  }
  if (wire_->room != kNoBound) wire_->room -= written;
  return written == 0 ? Moved{Status::kBlocked, 0} : Moved{Status::kDone, written};
}

void MemoryStream::await_established(std::shared_ptr<StreamOwner> owner) {
  await(wire_->for_established, std::move(owner));
}
void MemoryStream::await_readable(std::shared_ptr<StreamOwner> owner) {
  await(wire_->for_readable, std::move(owner));
}
void MemoryStream::await_writable(std::shared_ptr<StreamOwner> owner) {
  await(wire_->for_writable, std::move(owner));
}

// What waits is let go by the loop, not here: that may be the last that holds the caller.
void MemoryStream::close() {
  wire_->closed = true;
}

std::shared_ptr<MemoryWire> MemoryLoop::add() {
  wires_.push_back(std::make_shared<MemoryWire>());
  return wires_.back();
}

bool MemoryLoop::step() {
  for (size_t i = 0; i < wires_.size(); ++i) {
    const std::shared_ptr<MemoryWire> wire = wires_[i];
    if (wire->closed) {
      const auto established = std::exchange(wire->for_established, nullptr);
      const auto readable = std::exchange(wire->for_readable, nullptr);
      const auto writable = std::exchange(wire->for_writable, nullptr);
      wires_.erase(wires_.begin() + static_cast<ptrdiff_t>(i--));
      continue;
    }
    if (wire->for_established && wire->establishing != MemoryWire::Establishing::kPending) {
      std::exchange(wire->for_established, nullptr)->on_established();
      return true;
    }
    if (wire->for_writable && wire->writable()) {
      std::exchange(wire->for_writable, nullptr)->on_writable();
      return true;
    }
    if (wire->for_readable && wire->readable()) {
      std::exchange(wire->for_readable, nullptr)->on_readable();
      return true;
    }
  }
  return false;
}

bool MemoryLoop::run() {
  for (int calls = 0; calls < kMostCalls; ++calls) {
    if (!step()) return true;
  }
  return false;
}

}  // namespace rampart::test
