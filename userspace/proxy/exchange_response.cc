// SPDX-License-Identifier: Apache-2.0
// From the node to the client: responses, and tunnels.
#include <boost/beast/core/string.hpp>
#include <utility>

#include "proxy/exchange.h"
#include "proxy/kept_bytes.h"

namespace rampart::proxy {
namespace {

// Reads of one connection before others have their turn.
constexpr int kReadsInARow = 8;

// What another coding is could not be said to the client, who would take it for the body.
bool has_known_coding(const Head& head) {
  const size_t codings = head.count(FieldName::transfer_encoding);
  return codings == 0 || (codings == 1 && boost::beast::iequals(
                                              *head.find(FieldName::transfer_encoding), "chunked"));
}

bool has_no_body(int status) {
  return status == 204 || status == 304;
}

}  // namespace

void Exchange::pump() {
  if (phase_ == Phase::kTunnel) return pump_tunnel();
  for (int reads = 0; !client_->blocked(); ++reads) {
    if (reads == kReadsInARow) return node_->await_readable();
    const Stream::Moved moved = node_->stream().read(site_.scratch);
    if (moved.status == Stream::Status::kBlocked) return node_->await_readable();
    if (moved.status == Stream::Status::kEnd) return response_ended();
    if (moved.status == Stream::Status::kFailed) return try_failed(TryEnd::kReset);
    heard_ = true;
    std::string_view bytes(site_.scratch.data(), moved.bytes);
    if (!input_.empty()) bytes = input_.append(bytes);
    if (!consume(bytes)) return;
    if (moved.bytes < site_.scratch.size() && !client_->blocked()) return node_->await_readable();
  }
}

// The node's time does not run while it is not listened to.
void Exchange::await_more() {
  if (client_->blocked()) return Timer::clear();
  set(site_.timers, site_.clock() + target_->timeouts.read);
}

void Exchange::client_writable() {
  if (phase_ == Phase::kTunnel && node_ended_) return client_->finish_writing();
  if (phase_ == Phase::kResponding) await_more();
  if (node_ && phase_ != Phase::kConnecting) pump();
}

// False if that was the end: of the response, of the try, or the beginning of a tunnel.
bool Exchange::consume(std::string_view bytes) {
  size_t at = 0;
  site_.framed.clear();
  if (!has_head_) {
    if (!consume_head(bytes, at)) return false;
    if (!has_head_) {
      keep_rest(input_, bytes, at);
      return true;
    }
  }
  return send_body(bytes, at);
}

// Up to the final head, or as far as there is one.
bool Exchange::consume_head(std::string_view bytes, size_t& at) {
  while (!has_head_) {
    const std::string_view rest = bytes.substr(at);
    const HeadScanner::State state = scanner_.scan(rest);
    if (state == HeadScanner::State::kMore) return true;
    const std::string_view head =
        rest.substr(scanner_.skipped(), scanner_.size() - scanner_.skipped());
    at += scanner_.size();
    if (head_.method == Method::head) response_.expect_no_body();
    if (state != HeadScanner::State::kComplete ||
        response_.parse_head(head, response_head_) != ParseError::kNone ||
        !has_known_coding(response_head_)) {
      try_failed(TryEnd::kBadAnswer);
      return false;
    }
    scanner_.reset();
    if (response_head_.status / 100 == 1) {
      if (!interim(bytes.substr(at))) return false;
    } else {
      begin_response();
    }
  }
  return true;
}

// False if the node's connection has become something else.
bool Exchange::interim(std::string_view rest) {
  const int status = response_head_.status;
  if (status == 101 && !(head_.upgrade && request_over_)) {
    try_failed(TryEnd::kBadAnswer);
    return false;
  }
  response_.reset();
  // 100 was answered already, by the proxy; HTTP/1.0 knows none of them.
  if (status == 100 || head_.minor == 0) return true;
  site_.text.clear();
  append_interim(site_.text, response_head_);
  iovec part = part_of(site_.text);
  client_->send({&part, 1});
  if (status != 101) return true;
  begin_tunnel(rest);
  return false;
}

void Exchange::begin_response() {
  has_head_ = true;
  phase_ = Phase::kResponding;
  status_ = response_head_.status;
  if (response_.complete() && (head_.method == Method::head || has_no_body(status_))) {
    // The length that there would be, if it is said.
    framing_ = {};
    if (response_head_.content_length && status_ != 204) {
      framing_ = {Framing::Kind::kLength, *response_head_.content_length};
    } else if (response_head_.chunked && head_.method == Method::head && head_.minor == 1) {
      framing_.kind = Framing::Kind::kChunked;
    }
  } else if (response_head_.content_length) {
    framing_ = {Framing::Kind::kLength, *response_head_.content_length};
  } else {
    framing_.kind = head_.minor == 0 ? Framing::Kind::kUntilEnd : Framing::Kind::kChunked;
  }
  keep_ = head_.keep_alive && request_over_ && client_->may_keep() &&
          framing_.kind != Framing::Kind::kUntilEnd;
  const std::string upstream =
      client_->place().listening->debug_headers ? upstream_->id + "/" + node_name() : std::string();
  site_.text.clear();
  append_response(site_.text, response_head_, framing_,
                  {.keep_alive = keep_, .client_minor = head_.minor, .upstream = upstream});
  site_.framed.add(site_.text);
}

// Writes the head too, if it is there.
bool Exchange::send_body(std::string_view bytes, size_t at) {
  pieces_.clear();
  const bool whole_before = response_.complete();
  if (!whole_before && at < bytes.size()) {
    const auto fed = response_.feed(bytes.substr(at), pieces_);
    at += fed.consumed;
    if (fed.error != ParseError::kNone || bytes.size() - at > kReadBytes) {
      try_failed(TryEnd::kBadAnswer);
      return false;
    }
  }
  const bool whole = response_.complete();
  const bool has_body = !(whole_before && framing_.kind == Framing::Kind::kChunked);
  if (has_body) site_.framed.add_body(pieces_, framing_, whole);
  bytes_out_ += pieces_.bytes;
  flight_.add_bytes(pieces_.bytes);
  if (!site_.framed.parts().empty()) client_->send(site_.framed.parts());
  keep_rest(input_, bytes, at);
  if (!whole) {
    await_more();
    return true;
  }
  over(keep_);
  return false;
}

void Exchange::response_ended() {
  if (has_head_ && !response_.complete() && response_.end()) {
    pieces_.clear();
    site_.framed.clear();
    site_.framed.add_body(pieces_, framing_, true);
    if (!site_.framed.parts().empty()) client_->send(site_.framed.parts());
    response_head_.keep_alive = false;
    return over(keep_);
  }
  try_failed(TryEnd::kReset);
}

void Exchange::begin_tunnel(std::string_view first) {
  phase_ = Phase::kTunnel;
  has_head_ = true;
  status_ = 101;
  Timer::clear();
  site_.journal.try_over(*upstream_, node_name(), TryEnd::kResponse, status_);
  node_->stream().expect_silence();
  if (!first.empty()) {
    iovec part = part_of(first);
    bytes_out_ += first.size();
    client_->send({&part, 1});
  }
  input_.clear();
  client_->want_input();
  if (phase_ == Phase::kTunnel) pump_tunnel();
}

void Exchange::pump_tunnel() {
  for (int reads = 0; !client_->blocked() && !node_ended_; ++reads) {
    if (reads == kReadsInARow) return node_->await_readable();
    const Stream::Moved moved = node_->stream().read(site_.scratch);
    if (moved.status == Stream::Status::kBlocked) return node_->await_readable();
    if (moved.status != Stream::Status::kDone) {
      if (moved.status == Stream::Status::kFailed || client_ended_) return over(false);
      node_ended_ = true;
      return client_->finish_writing();
    }
    flight_.add_bytes(moved.bytes);
    bytes_out_ += moved.bytes;
    iovec part = part_of({site_.scratch.data(), moved.bytes});
    client_->send({&part, 1});
  }
}

}  // namespace rampart::proxy
