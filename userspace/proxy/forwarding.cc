// SPDX-License-Identifier: Apache-2.0
#include "proxy/forwarding.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>
#include <charconv>

namespace rampart::proxy {
namespace {

constexpr std::string_view kVia = "rampart";

// Of one connection, or said anew.
bool stays_behind(FieldName id) {
  switch (id) {
    case FieldName::connection:
    case FieldName::content_length:
    case FieldName::keep_alive:
    case FieldName::proxy_authenticate:
    case FieldName::proxy_authorization:
    case FieldName::proxy_connection:
    case FieldName::te:
    case FieldName::transfer_encoding:
    case FieldName::upgrade:
      return true;
    default:
      return false;
  }
}

// Without these a request or response would be another one, whatever Connection says of them.
bool may_be_named(FieldName id) {
  return id != FieldName::host && id != FieldName::content_type &&
         id != FieldName::content_encoding && id != FieldName::authorization;
}

// The fields that Connection names beside those that never go on.
class Named {
 public:
  explicit Named(const Head& head) {
    for (const Field& field : head.fields) {
      if (field.id != FieldName::connection) continue;
      for (const auto token : beast_http::token_list({field.value.data(), field.value.size()})) {
        const std::string_view name(token.data(), token.size());
        if (!boost::beast::iequals(token, "keep-alive") && !boost::beast::iequals(token, "close")) {
          names_.push_back(name);
        }
      }
    }
  }
  bool has(const Field& field) const {
    return !names_.empty() && may_be_named(field.id) &&
           std::any_of(names_.begin(), names_.end(), [&](std::string_view name) {
             return boost::beast::iequals(name, field.name);
           });
  }

 private:
  std::vector<std::string_view> names_;
};

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_number(std::string& out, uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_framing(std::string& out, const Framing& framing) {
  if (framing.kind == Framing::Kind::kLength) {
    out.append("Content-Length: ");
    append_number(out, framing.length);
    out.append("\r\n");
  } else if (framing.kind == Framing::Kind::kChunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  }
}

void append_via(std::string& out, const Head& head) {
  out.append("Via: ");
  for (const Field& field : head.fields) {
    if (field.id == FieldName::via) out.append(field.value).append(", ");
  }
  out.append(head.minor == 0 ? "1.0 " : "1.1 ").append(kVia).append("\r\n");
}

enum class Forwarding { kNone, kFor, kProto, kHost, kRequestId };

// Beast does not know these names.
Forwarding forwarding_of(const Field& field) {
  if (field.id != FieldName::unknown || field.name.size() < 12 || (field.name[0] | 0x20) != 'x') {
    return Forwarding::kNone;
  }
  const auto is = [&](std::string_view name) { return boost::beast::iequals(field.name, name); };
  if (is("x-forwarded-for")) return Forwarding::kFor;
  if (is("x-forwarded-proto")) return Forwarding::kProto;
  if (is("x-forwarded-host")) return Forwarding::kHost;
  return is("x-request-id") ? Forwarding::kRequestId : Forwarding::kNone;
}

std::optional<std::string_view> find(const Head& head, Forwarding wanted) {
  for (const Field& field : head.fields) {
    if (forwarding_of(field) == wanted) return field.value;
  }
  return std::nullopt;
}

// RFC 7239 §6: an IPv6 address stands in brackets and quotes.
void append_forwarded(std::string& out, const Head& head, const Destination& destination,
                      const Origin& origin) {
  out.append("Forwarded: ");
  if (origin.trusted) {
    for (const Field& field : head.fields) {
      if (field.id == FieldName::forwarded) out.append(field.value).append(", ");
    }
  }
  const bool v6 = origin.address.find(':') != std::string_view::npos;
  out.append(v6 ? "for=\"[" : "for=").append(origin.address).append(v6 ? "]\"" : "");
  out.append(";proto=").append(origin.tls ? "https" : "http");
  if (!destination.host.empty()) {
    out.append(";host=\"").append(destination.host).append("\"");
  }
  out.append("\r\n");
}

void append_origin(std::string& out, const Head& head, const Destination& destination,
                   const Origin& origin, std::string_view request_id) {
  const auto said = [&](Forwarding wanted) {
    return origin.trusted ? find(head, wanted) : std::nullopt;
  };
  out.append("X-Forwarded-For: ");
  if (origin.trusted) {
    for (const Field& field : head.fields) {
      if (forwarding_of(field) == Forwarding::kFor) out.append(field.value).append(", ");
    }
  }
  out.append(origin.address).append("\r\n");
  append_field(out, "X-Forwarded-Proto",
               said(Forwarding::kProto).value_or(origin.tls ? "https" : "http"));
  append_field(out, "X-Forwarded-Host", said(Forwarding::kHost).value_or(destination.host));
  append_forwarded(out, head, destination, origin);
  append_field(out, "X-Request-Id", request_id);
}

void append_connection(std::string& out, bool keep_alive, int client_minor) {
  if (!keep_alive) {
    out.append("Connection: close\r\n");
  } else if (client_minor == 0) {
    out.append("Connection: keep-alive\r\n");
  }
}

void append_status(std::string& out, int status, std::string_view reason) {
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<uint64_t>(status));
  out.append(" ").append(reason).append("\r\n");
}

void append_upgrade(std::string& out, const Head& head) {
  append_field(out, "Connection", "Upgrade");
  for (const Field& field : head.fields) {
    if (field.id == FieldName::upgrade) append_field(out, "Upgrade", field.value);
  }
}

}  // namespace

std::string_view request_id_of(const Head& head, const Origin& origin, std::string_view fresh) {
  return origin.trusted ? find(head, Forwarding::kRequestId).value_or(fresh) : fresh;
}

void append_request(std::string& out, const Head& head, const Destination& destination,
                    const Origin& origin, const Framing& framing, std::string_view request_id) {
  out.append(head.method_text).append(" ");
  if (destination.path.front() == '?') out.append("/");
  out.append(destination.path).append(" HTTP/1.1\r\n");
  append_field(out, "Host", destination.host);
  const Named named(head);
  for (const Field& field : head.fields) {
    if (stays_behind(field.id) || field.id == FieldName::host || field.id == FieldName::via ||
        field.id == FieldName::expect || field.id == FieldName::forwarded ||
        forwarding_of(field) != Forwarding::kNone || named.has(field)) {
      continue;
    }
    append_field(out, field.name, field.value);
  }
  append_origin(out, head, destination, origin, request_id_of(head, origin, request_id));
  append_via(out, head);
  append_framing(out, framing);
  if (head.upgrade) append_upgrade(out, head);
  out.append("\r\n");
}

void append_response(std::string& out, const Head& head, const Framing& framing,
                     const ResponseExtras& extras) {
  append_status(out, head.status, head.reason);
  const Named named(head);
  for (const Field& field : head.fields) {
    if (stays_behind(field.id) || field.id == FieldName::via || named.has(field)) continue;
    append_field(out, field.name, field.value);
  }
  append_via(out, head);
  if (!extras.upstream.empty()) append_field(out, "X-Rampart-Upstream", extras.upstream);
  append_framing(out, framing);
  append_connection(out, extras.keep_alive, extras.client_minor);
  out.append("\r\n");
}

void append_interim(std::string& out, const Head& head) {
  append_status(out, head.status, head.reason);
  const Named named(head);
  for (const Field& field : head.fields) {
    if (!stays_behind(field.id) && !named.has(field)) append_field(out, field.name, field.value);
  }
  if (head.status == 101) append_upgrade(out, head);
  out.append("\r\n");
}

std::string_view reason_of(int status) {
  const auto reason = beast_http::obsolete_reason(static_cast<beast_http::status>(status));
  return {reason.data(), reason.size()};
}

void append_own(std::string& out, const OwnAnswer& answer) {
  append_status(out, answer.status, reason_of(answer.status));
  append_field(out, "Content-Type", "text/plain; charset=utf-8");
  append_framing(out, {Framing::Kind::kLength, answer.text.size() + 1});
  append_connection(out, answer.keep_alive, answer.client_minor);
  out.append("\r\n");
  if (!answer.head_only) out.append(answer.text).append("\n");
}

std::string client_of(const Head& head, std::string_view peer,
                      const std::function<bool(std::string_view)>& is_trusted) {
  std::string client(peer);
  for (auto field = head.fields.rbegin(); field != head.fields.rend(); ++field) {
    if (forwarding_of(*field) != Forwarding::kFor) continue;
    std::string_view rest = field->value;
    while (!rest.empty()) {
      const size_t comma = rest.rfind(',');
      const size_t from = comma == std::string_view::npos ? 0 : comma + 1;
      std::string_view one = rest.substr(from);
      rest = rest.substr(0, comma == std::string_view::npos ? 0 : comma);
      one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
      one = one.substr(0, one.find_last_not_of(" \t") + 1);
      if (one.empty()) continue;
      client = std::string(one);
      if (!is_trusted(one)) return client;
    }
  }
  return client;
}

}  // namespace rampart::proxy
