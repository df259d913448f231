// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace rampart::log {
namespace {

// One JSON object a line: {"time","level","message"}. spdlog's patterns cannot escape a message, so
// the message is turned into a JSON string here.
class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    prefix_->format(message, out);
    const std::string text(message.payload.data(), message.payload.size());
    const auto replace = nlohmann::json::error_handler_t::replace;
    const std::string tail = nlohmann::json(text).dump(-1, ' ', false, replace) + "}\n";
    out.append(tail.data(), tail.data() + tail.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }

 private:
  std::unique_ptr<spdlog::pattern_formatter> prefix_ = std::make_unique<spdlog::pattern_formatter>(
      R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":)", spdlog::pattern_time_type::utc,
      "");
};

}  // namespace

bool start(const std::string& level, Format format) {
  const auto parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") return false;
  auto logger = std::make_shared<spdlog::logger>(
      "rampart", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  if (format == Format::kJson) {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  }
  logger->set_level(parsed);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  return true;
}

void debug(const std::string& line) {
  spdlog::default_logger_raw()->debug(line);
}
void info(const std::string& line) {
  spdlog::default_logger_raw()->info(line);
}
void warn(const std::string& line) {
  spdlog::default_logger_raw()->warn(line);
}
void error(const std::string& line) {
  spdlog::default_logger_raw()->error(line);
}

}  // namespace rampart::log
