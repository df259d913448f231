// SPDX-License-Identifier: Apache-2.0
// One HTTP/1 message as it arrives, on Boost.Beast's parser: its head as views, its body as pieces.
//
// Nothing is copied. A head's names and values are views of the bytes that parse_head() got, a body's
// pieces of those that feed() got: a chunked body comes decoded, and whoever sends it on frames it anew.
// RFC 9110, RFC 9112.
//
// Thread-safety: none.
#ifndef RAMPART_USERSPACE_PROXY_MESSAGE_H_
#define RAMPART_USERSPACE_PROXY_MESSAGE_H_

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rampart::proxy {

namespace beast_http = boost::beast::http;
using FieldName = beast_http::field;
using Method = beast_http::verb;

struct Field {
  FieldName id;  // unknown: not one of the registered
  std::string_view name;
  std::string_view value;
};

struct Head {
  Method method = Method::unknown;
  std::string_view method_text;
  std::string_view target;  // of a request, as it came
  int status = 0;           // of a response
  std::string_view reason;
  int minor = 1;  // HTTP/1.minor
  std::vector<Field> fields;

  std::optional<uint64_t> content_length;
  bool chunked = false;
  bool until_end = false;   // of a response whose body ends with the connection
  bool keep_alive = false;  // what it says of its connection
  bool upgrade = false;     // Connection names Upgrade, and there is one

  void clear() {
    std::vector<Field> kept = std::move(fields);  // their memory
    kept.clear();
    *this = Head();
    fields = std::move(kept);
  }
  // The first of this name, or nothing.
  std::optional<std::string_view> find(FieldName id) const;
  size_t count(FieldName id) const;
};

// What a part of a body is made of.
struct BodyPieces {
  std::vector<std::string_view> pieces;
  uint64_t bytes = 0;    // of all pieces
  std::string trailers;  // of a chunked one: lines, those that may go on
  void clear() {
    pieces.clear();
    bytes = 0;
    trailers.clear();
  }
};

enum class ParseError {
  kNone,
  kVersion,  // one that is not spoken
  kBad,
};

template <bool kRequest>
class Message {
 public:
  // The head is what HeadScanner found, without the empty lines before it. `head` is filled; what it was
  // before is gone. REQUIRES: `bytes` stay where they are for as long as `head` is looked at.
  ParseError parse_head(std::string_view bytes, Head& head);
  // Has a response's body be left out: that of HEAD has none, whatever its head says. REQUIRES: before
  // parse_head().
  void expect_no_body() { no_body_ = true; }

  struct Fed {
    size_t consumed = 0;  // of the bytes; the rest is wanted again, with more behind it
    ParseError error = ParseError::kNone;
  };
  // The next bytes behind the head, at least one. Adds to `body`. What is behind the message's end is not
  // consumed. REQUIRES: !complete().
  Fed feed(std::string_view bytes, BodyPieces& body);
  // The connection has ended. Whether the message is whole by that.
  bool end();

  bool complete() const { return parser_ && parser_->is_done(); }
  // Forgets all: another message may come.
  void reset() {
    parser_.reset();
    no_body_ = false;
  }

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  class Parser final : public beast_http::basic_parser<kRequest> {
   public:
    explicit Parser(Head& filled);
    Head* head;
    BodyPieces* body = nullptr;

   private:
    void on_request_impl(Method method, Text method_text, Text target, int version,
                         Error& error) override;
    void on_response_impl(int status, Text reason, int version, Error& error) override;
    void on_field_impl(FieldName id, Text name, Text value, Error& error) override;
    void on_header_impl(Error&) override { head = nullptr; }
    void on_body_init_impl(const boost::optional<uint64_t>&, Error&) override {}
    size_t on_body_impl(Text bytes, Error&) override { return take(bytes); }
    void on_chunk_header_impl(uint64_t, Text, Error&) override {}
    size_t on_chunk_body_impl(uint64_t, Text bytes, Error&) override { return take(bytes); }
    void on_finish_impl(Error&) override {}
    size_t take(Text bytes);
  };

  std::optional<Parser> parser_;
  bool no_body_ = false;
  bool chunks_ahead_ = false;  // and none of them is consumed
};

extern template class Message<true>;
extern template class Message<false>;
using RequestMessage = Message<true>;
using ResponseMessage = Message<false>;

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_MESSAGE_H_
