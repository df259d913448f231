// SPDX-License-Identifier: Apache-2.0
#include "http/access_log.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/log.h"

namespace rampart::http {
namespace {

using std::chrono::system_clock;

// Lines that wait for the disk.
constexpr size_t kMostWaiting = size_t{16} << 20;
// Gathered for so long, or until there are as many.
constexpr std::chrono::milliseconds kGather{200};
constexpr size_t kEnough = size_t{256} << 10;

std::string time_text(system_clock::time_point at, const char* format) {
  const std::time_t whole = system_clock::to_time_t(at);
  std::tm utc = {};
  gmtime_r(&whole, &utc);
  char text[64] = {};
  std::strftime(text, sizeof text, format, &utc);
  return text;
}

// A client's bytes must not end a line or a quoted text, nor move a terminal's cursor.
void append_quoted(std::string& line, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  line += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (line += '\\') += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      ((line += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      line += c;
    }
  }
  line += '"';
}

std::string_view or_dash(std::string_view text) {
  return text.empty() ? "-" : text;
}

std::string request_line(const proxy::RequestRecord& record) {
  if (record.method.empty()) return "-";
  return std::string(record.method) + " " + std::string(record.target) + " HTTP/1." +
         std::to_string(record.minor);
}

std::string combined(const proxy::RequestRecord& record, system_clock::time_point at) {
  std::string line(or_dash(record.client));
  line += " - - [" + time_text(at, "%d/%b/%Y:%H:%M:%S +0000") + "] ";
  append_quoted(line, request_line(record));
  line += " " + std::to_string(record.status) + " " + std::to_string(record.bytes_out) + " ";
  append_quoted(line, or_dash(record.referer));
  line += " ";
  append_quoted(line, or_dash(record.user_agent));
  return line;
}

std::string as_json(const proxy::RequestRecord& record, system_clock::time_point at) {
  const auto text = [](std::string_view said) { return std::string(said); };
  nlohmann::ordered_json line = {
      {"time", time_text(at, "%Y-%m-%dT%H:%M:%SZ")},
      {"client", text(record.client)},
      {"method", text(record.method)},
      {"target", text(record.target)},
      {"protocol", "HTTP/1." + std::to_string(record.minor)},
      {"host", text(record.host)},
      {"status", record.status},
      {"bytes_in", record.bytes_in},
      {"bytes_out", record.bytes_out},
      {"seconds", std::chrono::duration<double>(record.duration).count()},
      {"route", record.route == nullptr ? nullptr : nlohmann::ordered_json(record.route->id)},
      {"upstream",
       record.upstream == nullptr ? nullptr : nlohmann::ordered_json(record.upstream->id)},
      {"node", record.node.empty() ? nullptr : nlohmann::ordered_json(text(record.node))},
      {"tries", record.tries},
      {"request_id", text(record.request_id)},
      {"referer", text(record.referer)},
      {"user_agent", text(record.user_agent)},
      {"whole", !record.cut}};
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string access_line(const proxy::RequestRecord& record, control::AccessLogFormat format,
                        system_clock::time_point at) {
  return format == control::AccessLogFormat::kJson ? as_json(record, at) : combined(record, at);
}

AccessLog::AccessLog() : writer_([this] { run(); }) {}

AccessLog::~AccessLog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  writer_.join();
}

Result<void> AccessLog::open(const control::AccessLogConfig& conf) {
  Fd file(conf.path == "stdout"
              ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
              : ::open(conf.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
  if (!file) return system_error("access_log: open " + conf.path, errno);
  const std::lock_guard lock(file_mutex_);
  file_ = std::move(file);
  return {};
}

Result<void> AccessLog::configure(const std::optional<control::AccessLogConfig>& conf) {
  if (conf) {
    if (auto opened = open(*conf); !opened) return opened;
    format_ = conf->format;
  }
  on_ = conf.has_value();
  const std::lock_guard lock(mutex_);
  conf_ = conf;
  return {};
}

Result<void> AccessLog::reopen() {
  std::optional<control::AccessLogConfig> conf;
  {
    const std::lock_guard lock(mutex_);
    conf = conf_;
  }
  return conf ? open(*conf) : Result<void>();
}

void AccessLog::note(const proxy::RequestRecord& record) {
  if (!on_) return;
  const std::string line = access_line(record, format_, system_clock::now());
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() >= kMostWaiting) {
      ++dropped_;
      return;
    }
    const bool enough_before = waiting_.size() >= kEnough;
    waiting_.append(line).append("\n");
    wake = !enough_before && waiting_.size() >= kEnough;
  }
  if (wake) wake_.notify_one();
}

void AccessLog::run() {
  std::unique_lock lock(mutex_);
  while (!ending_ || !waiting_.empty()) {
    wake_.wait_for(lock, kGather, [this] { return ending_ || waiting_.size() >= kEnough; });
    if (waiting_.empty()) continue;
    const std::string lines = std::exchange(waiting_, {});
    lock.unlock();
    write(lines);
    lock.lock();
  }
}

void AccessLog::write(const std::string& lines) {
  const std::lock_guard lock(file_mutex_);
  size_t written = 0;
  while (written < lines.size()) {
    const ssize_t put = ::write(file_.get(), lines.data() + written, lines.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      log::error(std::string("access_log: write: ") + std::strerror(errno) + ": lines are lost");
      return;
    }
    written += static_cast<size_t>(put);
  }
}

}  // namespace rampart::http
