// SPDX-License-Identifier: Apache-2.0
// A Stream without a socket: two queues of bytes, whose room and cuts the test decides.
//
// What a proxy's connection meets is in its MemoryWire, which the test has too: bytes that came, bytes that
// were sent, and what is to happen next. Owners are called by MemoryLoop alone, from outside of every
// function of the stream, as an event loop does it.
#ifndef RAMPART_TESTS_SUPPORT_MEMORY_STREAM_H_
#define RAMPART_TESTS_SUPPORT_MEMORY_STREAM_H_

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/stream.h"

namespace rampart::test {

inline constexpr size_t kNoBound = std::numeric_limits<size_t>::max();

// One connection between the proxy and a peer that the test plays.
struct MemoryWire {
  enum class Establishing { kDone, kPending, kRefused };

  // The peer's side, for the test to change.
  Establishing establishing = Establishing::kDone;
  std::string to_proxy;          // is read next
  bool peer_ended = false;       // after these bytes
  bool failed = false;           // reset: every read and write fails
  size_t room = kNoBound;        // that many bytes can still be written
  size_t most_read = kNoBound;   // by one call
  size_t most_write = kNoBound;  // by one call

  // What the proxy did.
  std::string from_proxy;
  bool finished = false;  // it writes no more
  bool closed = false;
  bool silent = false;  // expect_silence()

  // Who waits for what.
  std::shared_ptr<proxy::StreamOwner> for_established, for_readable, for_writable;

  bool readable() const { return failed || peer_ended || !to_proxy.empty(); }
  bool writable() const { return failed || room > 0; }
  // Whether nothing can come of it any more.
  bool gone() const { return closed; }
  // What was sent since the last call.
  std::string taken() { return std::exchange(from_proxy, {}); }
};

class MemoryStream final : public proxy::Stream {
 public:
  explicit MemoryStream(std::shared_ptr<MemoryWire> wire) : wire_(std::move(wire)) {}
  ~MemoryStream() override { close(); }

  Moved establish() override;
  Moved read(std::span<char> into) override;
  Moved write(std::span<const iovec> parts) override;
  void await_established(std::shared_ptr<proxy::StreamOwner> owner) override;
  void await_readable(std::shared_ptr<proxy::StreamOwner> owner) override;
  void await_writable(std::shared_ptr<proxy::StreamOwner> owner) override;
  void expect_silence() override { wire_->silent = true; }
  void finish_writing() override { wire_->finished = true; }
  void close() override;
  std::string failure() const override { return wire_->failed ? "reset" : ""; }

 private:
  std::shared_ptr<MemoryWire> wire_;
};

// Calls the owners of its wires, one at a time.
class MemoryLoop {
 public:
  std::shared_ptr<MemoryWire> add();
  // One call; false if nobody waits for what is there.
  bool step();
  // Until nobody waits for what is there. False if that does not come within a large number of calls:
  // somebody spins.
  bool run();

 private:
  std::vector<std::shared_ptr<MemoryWire>> wires_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_MEMORY_STREAM_H_
