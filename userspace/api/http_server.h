// SPDX-License-Identifier: Apache-2.0
// The control socket: HTTP/1.1 on a Unix socket. Its file mode is the permission (0660, group
// rampart where there is such a group).
#ifndef RAMPART_USERSPACE_API_HTTP_SERVER_H_
#define RAMPART_USERSPACE_API_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "api/http.h"
#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace rampart::api {

class HttpServer {
 public:
  using Handler = std::function<Response(const Request&)>;

  // Listens on `socket_path`; a socket file that is there is replaced, so the caller holds the
  // instance's lock. `handler` is called on the thread that runs `io`.
  static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io,
                                                    const std::string& socket_path,
                                                    Handler handler);
  ~HttpServer();  // removes the socket file

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_HTTP_SERVER_H_
