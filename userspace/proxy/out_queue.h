// SPDX-License-Identifier: Apache-2.0
// What a stream could not take yet. Written straight through while it takes everything, so that the
// usual message is never copied; what is left over is kept, and whoever fills this stops reading until it
// is empty: so it holds no more than one read's worth.
#ifndef RAMPART_USERSPACE_PROXY_OUT_QUEUE_H_
#define RAMPART_USERSPACE_PROXY_OUT_QUEUE_H_

#include <span>
#include <string>

#include "proxy/stream.h"

namespace rampart::proxy {

class OutQueue {
 public:
  // kDone: all is gone. kBlocked: the rest is kept; flush() when the stream is writable. kFailed.
  Stream::Status write(Stream& stream, std::span<iovec> parts);
  Stream::Status flush(Stream& stream);

  bool empty() const { return sent_ == kept_.size(); }
  void clear() {
    std::string().swap(kept_);  // its memory too
    sent_ = 0;
  }

 private:
  std::string kept_;
  size_t sent_ = 0;  // of it
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_OUT_QUEUE_H_
