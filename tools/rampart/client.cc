// SPDX-License-Identifier: Apache-2.0
#include "rampart/client.h"

#include <sys/un.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <cstring>
#include <optional>

namespace rampart::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using nlohmann::json;
using Local = asio::local::stream_protocol;

// BASE-http.sock beside BASE.sock.
std::string proxy_socket(const std::string& socket) {
  constexpr std::string_view kEnding = ".sock";
  const bool usual = socket.ends_with(kEnding);
  return socket.substr(0, socket.size() - (usual ? kEnding.size() : 0)) + "-http" +
         (usual ? std::string(kEnding) : "");
}

Error refused(const http::response<http::string_body>& response, const json& body) {
  const int code = body.value("code", 1);
  std::string text = body.value("detail", std::string(response.reason()));
  // Every problem of a configuration, one a line.
  const json problems = body.value("problems", json::array());
  for (size_t at = 1; at < problems.size(); ++at) {
    text += "\nrampart: " + problems[at].get<std::string>();
  }
  return Error{static_cast<Code>(code), text};
}

// What came of a question that could be put.
struct Heard {
  enum class Kind { kAnswer, kNobody, kUnknown };  // kUnknown: what it is about is not there (404)
  Kind kind = Kind::kNobody;
  json answer = {};
  Error refusal = {};  // with kUnknown
};

Result<Heard> ask(const std::string& socket_path, const std::string& method,
                  const std::string& target, const std::string& request_body) {
  asio::io_context io;
  Local::socket socket(io);
  beast::error_code error;
  if (socket_path.size() < sizeof(sockaddr_un::sun_path)) {
    socket.connect(Local::endpoint(socket_path), error);
  } else {
    return Error{Code::kUsage, socket_path + ": too long for a socket"};
  }
  if (error == asio::error::access_denied) {
    return Error{Code::kMissingPrivilege, socket_path + ": " + error.message() +
                                              ": be root or in the group that owns the socket"};
  }
  if (error) return Heard();

  http::request<http::string_body> request(http::string_to_verb(method), target, 11);
  request.set(http::field::host, "localhost");
  request.body() = request_body;
  request.prepare_payload();
  http::write(socket, request, error);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  if (!error) http::read(socket, buffer, parser, error);
  if (error) return Error{Code::kFailed, socket_path + ": " + error.message()};
  json body = json::parse(parser.get().body(), nullptr, /*allow_exceptions=*/false);
  if (body.is_discarded()) return Error{Code::kFailed, socket_path + ": answered no JSON"};
  if (parser.get().result() == http::status::not_found) {
    return Heard{.kind = Heard::Kind::kUnknown, .refusal = refused(parser.get(), body)};
  }
  if (parser.get().result_int() >= 300) return refused(parser.get(), body);
  return Heard{.kind = Heard::Kind::kAnswer, .answer = std::move(body)};
}

Error no_daemon(const Command& command) {
  return Error{Code::kNoDaemon,
               "no daemon answers at " + command.socket + ": is rampartd running? " +
                   (command.socket_given ? "" : "(--instance or --socket name another one)")};
}

}  // namespace

Result<std::vector<Answer>> ask_all(const Command& command, const std::string& method,
                                    const std::string& target, const std::string& body) {
  std::vector<Answer> answers;
  std::optional<Error> worst, unknown;
  const std::pair<const char*, std::string> kPlanes[] = {{"l4", command.socket},
                                                         {"l7", proxy_socket(command.socket)}};
  for (const auto& [plane, socket] : kPlanes) {
    auto heard = ask(socket, method, target, body);
    if (!heard) {
      if (!worst || heard.error().code > worst->code) worst = heard.error();
    } else if (heard->kind == Heard::Kind::kAnswer) {
      answers.push_back({plane, std::move(heard->answer)});
    } else if (heard->kind == Heard::Kind::kUnknown && !unknown) {
      unknown = heard->refusal;
    }
  }
  if (worst) return *worst;
  // A backend of one plane is not to be known to the other.
  if (answers.empty() && unknown) return *unknown;
  if (answers.empty()) return no_daemon(command);
  return answers;
}

Result<json> ask_for_nodes(const Command& command, const std::string& method,
                           const std::string& target, const std::string& body) {
  const auto answers = ask_all(command, method, target, body);
  if (!answers) return answers.error();
  json nodes = json::array();
  for (const Answer& answer : *answers) {
    for (const json& node : answer.body) nodes.push_back(node);
  }
  return nodes;
}

Result<json> ask_daemon(const Command& command, const std::string& method,
                        const std::string& target, const std::string& body) {
  auto heard = ask(command.socket, method, target, body);
  if (!heard) return heard.error();
  if (heard->kind == Heard::Kind::kNobody) return no_daemon(command);
  if (heard->kind == Heard::Kind::kUnknown) return heard->refusal;
  return std::move(heard->answer);
}

std::string in_query(const std::string& value) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const char each : value) {
    const auto byte = static_cast<unsigned char>(each);
    if (std::isalnum(byte) != 0 || std::strchr("-._~", each) != nullptr) {
      text += each;
    } else {
      text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text;
}

}  // namespace rampart::cli
