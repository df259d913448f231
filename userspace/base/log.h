// SPDX-License-Identifier: Apache-2.0
// The log. Thin over spdlog, so that its headers cost their compile time in the files that log
// only. Set up once by main (log::start); until then lines go to standard error as plain text.
#ifndef RAMPART_USERSPACE_BASE_LOG_H_
#define RAMPART_USERSPACE_BASE_LOG_H_

#include <string>

namespace rampart::log {

enum class Format { kText, kJson };

// `level`: trace, debug, info, warn, error, off. Returns false if there is no such level.
bool start(const std::string& level, Format format);

// One complete line each; thread-safe.
void debug(const std::string& line);
void info(const std::string& line);
void warn(const std::string& line);
void error(const std::string& line);

}  // namespace rampart::log

#endif  // RAMPART_USERSPACE_BASE_LOG_H_
