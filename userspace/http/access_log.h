// SPDX-License-Identifier: Apache-2.0
// One line a request: in the combined format of Apache httpd, or as JSON.
//
// Lines are gathered and written by a thread of its own, so that a slow disk holds up nobody. What it has
// not written when a bound is reached is dropped, counted, and said in the log.
#ifndef RAMPART_USERSPACE_HTTP_ACCESS_LOG_H_
#define RAMPART_USERSPACE_HTTP_ACCESS_LOG_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/fd.h"
#include "base/result.h"
#include "control/http_config.h"
#include "proxy/site.h"

namespace rampart::http {

// The line of a request that ended at `at`, without its end.
std::string access_line(const proxy::RequestRecord& record, control::AccessLogFormat format,
                        std::chrono::system_clock::time_point at);

// Thread-safe.
class AccessLog {
 public:
  AccessLog();
  ~AccessLog();  // writes what waits

  // Writes to another place from now on; nothing: nowhere. An error, and all stays as it was, if the file
  // cannot be opened.
  Result<void> configure(const std::optional<control::AccessLogConfig>& conf);
  // After the file was moved away (SIGUSR1).
  Result<void> reopen();

  void note(const proxy::RequestRecord& record);
  uint64_t dropped() const { return dropped_; }

 private:
  Result<void> open(const control::AccessLogConfig& conf);
  void run();
  void write(const std::string& lines);

  std::atomic<bool> on_{false};
  std::atomic<control::AccessLogFormat> format_{control::AccessLogFormat::kCombined};
  std::atomic<uint64_t> dropped_{0};
  std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::optional<control::AccessLogConfig> conf_;
  std::string waiting_;
  std::mutex file_mutex_;  // guards file_
  Fd file_;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace rampart::http

#endif  // RAMPART_USERSPACE_HTTP_ACCESS_LOG_H_
