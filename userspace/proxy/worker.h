// SPDX-License-Identifier: Apache-2.0
// One thread with everything its connections need: event loop, timers, kept connections, a view of what
// is served. Workers share the board, and no connection.
#ifndef RAMPART_USERSPACE_PROXY_WORKER_H_
#define RAMPART_USERSPACE_PROXY_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/fd.h"
#include "base/time.h"
#include "proxy/listening.h"
#include "proxy/serving.h"
#include "proxy/site.h"

namespace rampart::proxy {

// All functions may be called from any thread; what they ask for happens in the worker's own, in order.
class Worker {
 public:
  // `seed` differs between workers. `journal` is called in the worker's thread.
  // REQUIRES: `board` and `journal` outlive it.
  Worker(uint64_t seed, const Board& board, Journal& journal);
  // Ends every connection, and the thread.
  ~Worker();

  // Accepts from `socket`, which listens at the place.
  void listen(Listening listening, Fd socket);
  // From now on connections at the place are spoken to in this way.
  void change(Listening listening);
  // Accepts no more there; its connections end after the response under way, after `patience` anyhow.
  void stop_listening(const Place& place, Duration patience);
  // The same at all places.
  void drain(Duration patience);
  // Kept connections to addresses that are not published any more are closed.
  void forget_unused_nodes();

  struct Figures {
    size_t clients = 0;
    size_t kept = 0;  // connections to nodes
  };
  // As of a tick ago.
  Figures figures() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_WORKER_H_
