// SPDX-License-Identifier: Apache-2.0
// The bytes of one connection, plain or TLS: the seam between what the proxy says and what carries it.
//
// Nothing here blocks. What cannot go on now says so, and the owner has itself called when it can:
//
//   read ── kBlocked ──► await_readable ──► owner.on_readable ──► read …
//
// Readiness and not completion, because an idle connection then holds no buffer: a worker reads all of
// its connections through one. Calls come from the worker's event loop, never from inside a function of
// the stream, so an owner may do anything in them, also let the stream go.
//
// Thread-safety: none; a stream belongs to its worker.
#ifndef RAMPART_USERSPACE_PROXY_STREAM_H_
#define RAMPART_USERSPACE_PROXY_STREAM_H_

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rampart::proxy {

class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  virtual void on_established() = 0;
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;
};

class Stream {
 public:
  enum class Status {
    kDone,     // `bytes` were moved, at least one
    kBlocked,  // none now: await
    kEnd,      // the peer will send no more
    kFailed,   // the connection is of no use any more
  };
  struct Moved {
    Status status = Status::kDone;
    size_t bytes = 0;
  };

  virtual ~Stream() = default;

  // Connecting, and a TLS handshake; kDone with 0 bytes once both are over.
  virtual Moved establish() = 0;
  virtual Moved read(std::span<char> into) = 0;
  // Takes as much as it can of `parts`, in order.
  virtual Moved write(std::span<const iovec> parts) = 0;

  // One call of the owner each, who is kept alive until then, or until close(). Asking again meanwhile
  // has no effect.
  virtual void await_established(std::shared_ptr<StreamOwner> owner) = 0;
  virtual void await_readable(std::shared_ptr<StreamOwner> owner) = 0;
  virtual void await_writable(std::shared_ptr<StreamOwner> owner) = 0;

  // Both sides may be silent for hours: the kernel is to ask whether the peer is still there.
  virtual void expect_silence() = 0;
  // Nothing more will be written; reading goes on.
  virtual void finish_writing() = 0;
  // The end: no call comes any more. The peer finds the connection reset if it sent what nobody read.
  virtual void close() = 0;

  // Why it failed, for a log.
  virtual std::string failure() const = 0;
};

inline iovec part_of(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};
}

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_STREAM_H_
