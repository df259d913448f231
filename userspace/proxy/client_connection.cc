// SPDX-License-Identifier: Apache-2.0
#include "proxy/client_connection.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "proxy/kept_bytes.h"

namespace rampart::proxy {
namespace {

constexpr Duration kHeadTimeout = std::chrono::seconds(60);  // of a whole head
constexpr Duration kIdleTimeout = std::chrono::seconds(75);  // between requests
constexpr Duration kBodyTimeout = std::chrono::seconds(60);  // between two parts of a body
constexpr Duration kSendTimeout = std::chrono::seconds(60);  // until the client takes more
constexpr Duration kLinger = std::chrono::seconds(5);
constexpr uint64_t kMostDropped = 1 << 20;

int status_of(HeadScanner::State state) {
  switch (state) {
    case HeadScanner::State::kFirstLineLarge:
      return 414;
    case HeadScanner::State::kTooLarge:
      return 431;
    default:
      return 400;
  }
}

}  // namespace

ClientConnection::~ClientConnection() {
  if (exchange_) exchange_->abandon();
}

void ClientConnection::start() {
  self_ = shared_from_this();
  ++site_.clients;
  set(site_.timers, site_.clock() + kHeadTimeout);
  on_established();
}

void ClientConnection::on_established() {
  switch (stream_->establish().status) {
    case Stream::Status::kDone:
      phase_ = Phase::kHead;
      return listen();
    case Stream::Status::kBlocked:
      return stream_->await_established(self_);
    default:
      kill();
  }
}

void ClientConnection::listen() {
  if (phase_ != Phase::kOver && !readable_) stream_->await_readable(self_);
}

void ClientConnection::on_readable() {
  readable_ = true;
  phase_ == Phase::kLingering ? drop_input() : work();
}

void ClientConnection::want_input() {
  work();
}

// Whatever a step calls may call back: the loop of the call that is under way goes on with it.
void ClientConnection::work() {
  if (std::exchange(working_, true)) return;
  const auto self = shared_from_this();
  bool goes_on = true;
  while (goes_on) {
    if (phase_ == Phase::kHead) {
      goes_on = !blocked() && work_on_head();
    } else {
      goes_on = phase_ == Phase::kExchange && work_on_input();
    }
  }
  working_ = false;
}

std::optional<std::string_view> ClientConnection::read_more() {
  if (!readable_) {
    listen();
    return std::nullopt;
  }
  const Stream::Moved moved = stream_->read(site_.scratch);
  readable_ = moved.status == Stream::Status::kDone && moved.bytes == site_.scratch.size();
  if (moved.status == Stream::Status::kBlocked) {
    listen();
    return std::nullopt;
  }
  if (moved.status != Stream::Status::kDone) {
    input_ended(moved.status);
    return std::nullopt;
  }
  const std::string_view bytes(site_.scratch.data(), moved.bytes);
  return input_.empty() ? bytes : std::string_view(input_.append(bytes));
}

// A client that ends its side has left, but for a tunnel.
void ClientConnection::input_ended(Stream::Status status) {
  if (exchange_ && status == Stream::Status::kEnd) return exchange_->client_ended();
  kill();
}

bool ClientConnection::work_on_head() {
  std::string_view bytes = input_;
  if (!std::exchange(unscanned_, false)) {
    const bool first = input_.empty();
    const auto more = read_more();
    if (!more) return false;
    bytes = *more;
    if (first) set(site_.timers, site_.clock() + kHeadTimeout);
  }
  const HeadScanner::State state = scanner_.scan(bytes);
  if (state == HeadScanner::State::kMore) {
    keep_rest(input_, bytes, 0);
    return true;
  }
  if (state != HeadScanner::State::kComplete) {
    refuse(status_of(state));
    return false;
  }
  Timer::clear();
  phase_ = Phase::kExchange;
  if (site_.spare.empty()) site_.spare.push_back(std::make_unique<Exchange>(site_));
  exchange_ = std::move(site_.spare.back());
  site_.spare.pop_back();
  const size_t size = scanner_.size();
  exchange_->hold(bytes.substr(scanner_.skipped(), size - scanner_.skipped()));
  scanner_.reset();
  keep_rest(input_, bytes, size);
  unscanned_ = !input_.empty();
  exchange_->begin(*this);
  return true;
}

bool ClientConnection::work_on_input() {
  const bool wanted = exchange_->wants_input();
  if (!wanted && input_.size() >= kReadBytes) return false;  // it waits, in the kernel
  if (!wanted || input_.empty() || !unscanned_) {
    if (wanted && !readable_ && !exchange_->is_tunnel())
      set(site_.timers, site_.clock() + kBodyTimeout);
    const auto more = read_more();
    if (!more) return false;
    if (!wanted) {
      keep_rest(input_, *more, 0);
      unscanned_ = true;
      return true;
    }
    Timer::clear();
    const size_t taken = exchange_->take(*more);
    unscanned_ = taken > 0 && taken < more->size();
    if (is_served()) keep_rest(input_, *more, taken);
  } else {
    const size_t taken = exchange_->take(input_);
    unscanned_ = taken > 0 && taken < input_.size();
    if (is_served()) keep_rest(input_, input_, taken);
  }
  if (input_.size() <= kReadBytes + kHeadLimits.head || phase_ != Phase::kExchange) return true;
  if (exchange_->request_over() || exchange_->is_tunnel()) return true;  // of the next request
  exchange_->client_is_wrong();  // a chunk's line or trailers without an end
  return false;
}

void ClientConnection::refuse(int status) {
  RequestRecord record;
  record.client = place_.text;
  record.status = status;
  site_.journal.request_over(record);
  site_.text.clear();
  append_own(site_.text, {.status = status, .text = reason_of(status)});
  iovec part = part_of(site_.text);
  send({&part, 1});
  linger();
}

void ClientConnection::send(std::span<iovec> parts) {
  if (failed_) return;
  const Stream::Status status = out_.write(*stream_, parts);
  if (status == Stream::Status::kDone) return;
  failed_ = status == Stream::Status::kFailed;
  stream_->await_writable(self_);
  set(site_.timers, site_.clock() + kSendTimeout);
}

void ClientConnection::on_writable() {
  const auto self = shared_from_this();
  if (!failed_) {
    const Stream::Status status = out_.flush(*stream_);
    if (status == Stream::Status::kBlocked) {
      set(site_.timers, site_.clock() + kSendTimeout);
      return stream_->await_writable(self_);
    }
    failed_ = status == Stream::Status::kFailed;
  }
  if (failed_) return kill();
  Timer::clear();
  if (finishing_) stream_->finish_writing();
  if (phase_ == Phase::kHead) {
    if (draining_ && input_.empty()) return linger();
    set(site_.timers, site_.clock() + kIdleTimeout);
  }
  if (phase_ == Phase::kExchange) {
    exchange_->client_writable();
  } else if (phase_ == Phase::kLingering) {
    linger();
  }
  work();
}

void ClientConnection::finish_writing() {
  finishing_ = true;
  if (out_.empty()) stream_->finish_writing();
}

void ClientConnection::give_back_exchange() {
  if (exchange_) site_.spare.push_back(std::move(exchange_));
}

void ClientConnection::response_over(bool keep) {
  give_back_exchange();
  if (failed_) return kill();
  if (!keep || draining_) return linger();
  phase_ = Phase::kHead;
  unscanned_ = !input_.empty();
  if (out_.empty()) set(site_.timers, site_.clock() + kIdleTimeout);
  if (working_) return;
  unscanned_ ? work() : listen();
}

void ClientConnection::linger() {
  phase_ = Phase::kLingering;
  input_ = {};
  if (!out_.empty()) return;  // on_writable comes here again
  stream_->finish_writing();
  set(site_.timers, site_.clock() + kLinger);
  drop_input();
}

void ClientConnection::drop_input() {
  while (readable_) {
    const Stream::Moved moved = stream_->read(site_.scratch);
    readable_ = moved.status == Stream::Status::kDone;
    if (moved.status == Stream::Status::kBlocked) break;
    dropped_ += moved.bytes;
    if (!readable_ || dropped_ > kMostDropped) return kill();
  }
  listen();
}

void ClientConnection::on_deadline() {
  const auto self = shared_from_this();
  if (failed_ || !out_.empty()) return kill();
  if (phase_ == Phase::kHead && !input_.empty()) return refuse(408);
  if (phase_ == Phase::kExchange) return exchange_->client_is_late();
  kill();
}

void ClientConnection::drain(Duration patience) {
  draining_ = true;
  patience_.set(site_.timers, site_.clock() + patience);
  if (phase_ == Phase::kHead && input_.empty() && out_.empty()) kill();
}

void ClientConnection::kill() {
  const auto self = std::exchange(self_, nullptr);
  if (std::exchange(phase_, Phase::kOver) == Phase::kOver) return;
  --site_.clients;
  Timer::clear();
  patience_.clear();
  if (exchange_) exchange_->abandon();
  give_back_exchange();
  stream_->close();
  if (ClientHook::is_linked()) ClientHook::unlink();
}

}  // namespace rampart::proxy
