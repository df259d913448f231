// SPDX-License-Identifier: Apache-2.0
// The workers and what they accept from: listeners follow the configuration, and stay where it does.
#ifndef RAMPART_USERSPACE_HTTP_PLANE_H_
#define RAMPART_USERSPACE_HTTP_PLANE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "control/http_config.h"
#include "http/access_log.h"
#include "http/records.h"
#include "proxy/listening.h"
#include "proxy/serving.h"
#include "proxy/worker.h"

namespace boost::asio {
class io_context;
}

namespace rampart::http {

class Plane {
 public:
  // `workers`: 0: one a processor. `on_report` is called on the thread that runs `io`.
  // REQUIRES: both outlive this.
  Plane(boost::asio::io_context& io, const proxy::Board& board, uint32_t workers,
        std::function<void(const TryReport&)> on_report);
  ~Plane();

  // Has listeners, certificates and access log be those of `conf`, or changes nothing. Certificates are read
  // again each time.
  Result<void> follow(const control::HttpConfig& conf);
  Result<void> reopen_log() { return log_.reopen(); }
  // Kept connections to nodes that are not published any more are closed.
  void forget_unused_nodes();
  void drain(Duration patience);

  size_t workers() const { return workers_.size(); }
  struct Figures {
    size_t clients = 0, kept = 0;
    uint64_t log_lines_lost = 0;
  };
  Figures figures() const;
  RequestCounts counts() const;

 private:
  using Listenings = std::map<proxy::Place, proxy::Listening>;
  Result<Listenings> read_listenings(const control::HttpConfig& conf) const;
  void take_reports();

  boost::asio::io_context& io_;
  std::function<void(const TryReport&)> on_report_;
  AccessLog log_;
  std::vector<std::unique_ptr<Records>> records_;  // one a worker
  std::vector<std::unique_ptr<proxy::Worker>> workers_;
  Listenings listenings_;
  Duration drain_timeout_{0};
};

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_PLANE_H_
