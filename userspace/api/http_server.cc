// SPDX-License-Identifier: Apache-2.0
#include "api/http_server.h"

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/failures.h"
#include "base/log.h"

namespace rampart::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;

// A configuration to validate is the largest body (C6); a client that stalls is not waited for.
constexpr uint64_t kMaxBody = 16u << 20;
constexpr std::chrono::seconds kPatience{30};

constexpr std::chrono::milliseconds kAcceptPause{100};

// 0 if there is nothing.
ino_t inode_of(const std::string& path) {
  struct stat there = {};
  return stat(path.c_str(), &there) == 0 ? there.st_ino : 0;
}

// Who is at the other end (unix(7), SO_PEERCRED).
std::string user_of(Local::socket& socket) {
  ucred peer = {};
  socklen_t length = sizeof peer;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return "unknown user";
  }
  const passwd* known = getpwuid(peer.uid);
  return known != nullptr ? known->pw_name : "uid " + std::to_string(peer.uid);
}

// One connection: read a request, answer it, until the client is done.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Local::socket socket, const HttpServer::Handler& handler)
      : user_(user_of(socket)), stream_(std::move(socket)), handler_(handler) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(kMaxBody);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    const auto& message = parser_->get();
    Request request = parse_target(std::string(message.method_string()),
                                   std::string(message.target()), message.body());
    request.user = user_;
    const Response response = handler_(request);
    answer_ = {static_cast<http::status>(response.status), message.version()};
    answer_.set(http::field::server, "rampartd");
    answer_.set(http::field::content_type, response.content_type);
    answer_.keep_alive(message.keep_alive());
    answer_.body() = response.body;
    answer_.prepare_payload();
    stream_.expires_after(kPatience);
    http::async_write(stream_, answer_,
                      [self = shared_from_this()](beast::error_code error, size_t) {
                        if (!error && self->answer_.keep_alive()) self->read();
                      });
  }

  const std::string user_;
  beast::basic_stream<Local> stream_;
  const HttpServer::Handler& handler_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> answer_;
};

// Whoever may write to the socket may change what the balancer does.
void restrict_access(const std::string& path) {
  const group* rampart = getgrnam("rampart");
  if (rampart != nullptr && chown(path.c_str(), static_cast<uid_t>(-1), rampart->gr_gid) != 0) {
    log::warn(path + ": cannot be given to the group rampart");
  }
  if (chmod(path.c_str(), 0660) != 0) log::warn(path + ": its mode cannot be set to 0660");
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(asio::io_context& io, std::string path, Handler handler)
      : acceptor_(io), pause_(io), path_(std::move(path)), handler_(std::move(handler)) {}
  ~Impl() {
    // Another process may have put its own there since.
    if (inode_of(path_) == inode_) unlink(path_.c_str());
  }

  Result<void> listen() {
    std::error_code folder_error;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), folder_error);
    // A path longer than a socket address takes is refused by the constructor, with an exception.
    if (path_.size() >= sizeof(sockaddr_un::sun_path)) {
      return Error{Code::kFailed, "listen on " + path_ + ": the path is too long for a socket"};
    }
    if (auto made_way = remove_dead_socket(); !made_way) return made_way;
    beast::error_code error;
    acceptor_.open(Local(), error);
    if (!error) acceptor_.bind(Local::endpoint(path_), error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return Error{Code::kFailed, "listen on " + path_ + ": " + error.message()};
    inode_ = inode_of(path_);
    restrict_access(path_);
    accept();
    return {};
  }

 private:
  // Only what a process that died left is removed: a socket that nobody listens on.
  Result<void> remove_dead_socket() {
    std::error_code missing;
    const auto kind = std::filesystem::symlink_status(path_, missing).type();
    if (kind == std::filesystem::file_type::not_found) return {};
    if (kind != std::filesystem::file_type::socket) {
      return Error{Code::kFailed, "listen on " + path_ +
                                      ": there is a file that is no socket: move it, "
                                      "or set control_socket to another path"};
    }
    asio::io_context io;
    Local::socket probe(io);
    beast::error_code refused;
    probe.connect(Local::endpoint(path_), refused);
    if (!refused) {
      return Error{Code::kFailed, "listen on " + path_ +
                                      ": another process listens there: stop it, or "
                                      "set control_socket to another path"};
    }
    unlink(path_.c_str());
    return {};
  }

  void accept() {
    acceptor_.async_accept([this](beast::error_code error, Local::socket socket) {
      if (error == asio::error::operation_aborted) return;
      note(error);
      if (!error) {
        std::make_shared<Session>(std::move(socket), handler_)->read();
        return accept();
      }
      // Out of descriptors, most likely: trying again at once would take the whole CPU.
      pause_.expires_after(kAcceptPause);
      pause_.async_wait([this](beast::error_code cancelled) {
        if (!cancelled) accept();
      });
    });
  }

  void note(beast::error_code error) {
    const std::string what = "control socket: accept on " + path_ + ": " + error.message();
    failures_.note("control socket",
                   error ? Result<void>(Error{Code::kFailed, what}) : Result<void>());
  }

  Local::acceptor acceptor_;
  asio::steady_timer pause_;
  Failures failures_;
  ino_t inode_ = 0;
  std::string path_;
  Handler handler_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& io,
                                                       const std::string& socket_path,
                                                       Handler handler) {
  auto impl = std::make_unique<Impl>(io, socket_path, std::move(handler));
  if (auto done = impl->listen(); !done) return done.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

}  // namespace rampart::api
