// SPDX-License-Identifier: Apache-2.0
#include "proxy/message.h"

#include <algorithm>

#include "proxy/head_scanner.h"

namespace rampart::proxy {
namespace {

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// "0", and two line ends.
constexpr size_t kShortestChunked = 5;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether a request's first line has a version, be it one that is not spoken: Beast calls all bad that
// stands behind the target.
bool has_version(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const size_t behind_method = std::min(line.find(' '), line.size());
  const size_t behind_target = std::min(line.find(' ', behind_method + 1), line.size());
  const std::string_view version = line.substr(std::min(behind_target + 1, line.size()));
  return version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) &&
         version[6] == '.' && is_digit(version[7]);
}

ParseError meaning_of(const boost::beast::error_code& code) {
  const bool none = !code || code == beast_http::error::need_more;
  return none ? ParseError::kNone : ParseError::kBad;
}

// Fields that say how a message is framed, routed or who sends it mean nothing behind its body
// (RFC 9110 §6.5.1).
bool may_trail(FieldName id) {
  switch (id) {
    case FieldName::authorization:
    case FieldName::connection:
    case FieldName::content_encoding:
    case FieldName::content_length:
    case FieldName::content_range:
    case FieldName::content_type:
    case FieldName::cookie:
    case FieldName::expect:
    case FieldName::forwarded:
    case FieldName::host:
    case FieldName::keep_alive:
    case FieldName::proxy_authenticate:
    case FieldName::proxy_authorization:
    case FieldName::proxy_connection:
    case FieldName::set_cookie:
    case FieldName::te:
    case FieldName::trailer:
    case FieldName::transfer_encoding:
    case FieldName::upgrade:
    case FieldName::via:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::optional<std::string_view> Head::find(FieldName id) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [id](const Field& one) { return one.id == id; });
  return found == fields.end() ? std::nullopt : std::optional(found->value);
}

size_t Head::count(FieldName id) const {
  return static_cast<size_t>(
      std::count_if(fields.begin(), fields.end(), [id](const Field& one) { return one.id == id; }));
}

template <bool kRequest>
Message<kRequest>::Parser::Parser(Head& filled) : head(&filled) {
  this->eager(true);
  this->header_limit(2 * kHeadLimits.head);  // the scanner has the say
  this->body_limit(boost::none);
}

template <bool kRequest>
void Message<kRequest>::Parser::on_request_impl(Method method, Text method_text, Text target,
                                                int version, Error&) {
  head->method = method;
  head->method_text = view(method_text);
  head->target = view(target);
  head->minor = version % 10;
}

template <bool kRequest>
void Message<kRequest>::Parser::on_response_impl(int status, Text reason, int version, Error&) {
  head->status = status;
  head->reason = view(reason);
  head->minor = version % 10;
}

// Without a head: a trailer.
template <bool kRequest>
void Message<kRequest>::Parser::on_field_impl(FieldName id, Text name, Text value, Error&) {
  if (head != nullptr) {
    head->fields.push_back({id, view(name), view(value)});
  } else if (may_trail(id)) {
    body->trailers.append(view(name)).append(": ").append(view(value)).append("\r\n");
  }
}

template <bool kRequest>
size_t Message<kRequest>::Parser::take(Text bytes) {
  if (!bytes.empty()) body->pieces.push_back(view(bytes));
  body->bytes += bytes.size();
  return bytes.size();
}

template <bool kRequest>
ParseError Message<kRequest>::parse_head(std::string_view bytes, Head& head) {
  head.clear();
  parser_.emplace(head);
  if (no_body_) parser_->skip(true);
  boost::beast::error_code error;
  const size_t consumed = parser_->put({bytes.data(), bytes.size()}, error);
  if (error == beast_http::error::bad_version && (!kRequest || has_version(bytes))) {
    return ParseError::kVersion;
  }
  if (const ParseError wrong = meaning_of(error); wrong != ParseError::kNone) return wrong;
  if (!parser_->is_header_done() || consumed != bytes.size()) return ParseError::kBad;
  const auto length = parser_->content_length();
  head.content_length = length ? std::optional<uint64_t>(*length) : std::nullopt;
  head.chunked = parser_->chunked();
  chunks_ahead_ = head.chunked;
  head.until_end = parser_->need_eof();
  head.keep_alive = parser_->keep_alive();
  head.upgrade = parser_->upgrade();
  return ParseError::kNone;
}

template <bool kRequest>
typename Message<kRequest>::Fed Message<kRequest>::feed(std::string_view bytes, BodyPieces& body) {
  // Beast asserts that a last chunk that is the first one is not seen in smaller parts.
  if (chunks_ahead_ && bytes.size() < kShortestChunked) return {};
  parser_->body = &body;
  boost::beast::error_code error;
  const size_t consumed = parser_->put({bytes.data(), bytes.size()}, error);
  if (consumed > 0) chunks_ahead_ = false;
  return {consumed, meaning_of(error)};
}

template <bool kRequest>
bool Message<kRequest>::end() {
  if (!parser_ || !parser_->got_some()) return false;
  boost::beast::error_code error;
  parser_->put_eof(error);
  return !error;
}

template class Message<true>;
template class Message<false>;

}  // namespace rampart::proxy
