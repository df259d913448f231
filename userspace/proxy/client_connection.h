// SPDX-License-Identifier: Apache-2.0
// A client's connection: requests come in one after the other, each is an exchange, responses go out.
//
// Between requests it holds nothing but itself and its stream. While a response is awaited the client is
// still listened to: what it sends early waits, bounded, and its end ends the request, so that a node does
// not work for nobody (a client that only closes its sending side has left, as with nginx).
//
// The end of a connection whose client may still be sending is not an abrupt one, or the response could be
// lost with it (RFC 9112 §9.6): sending ends, and what comes is read and dropped for a while.
#ifndef RAMPART_USERSPACE_PROXY_CLIENT_CONNECTION_H_
#define RAMPART_USERSPACE_PROXY_CLIENT_CONNECTION_H_

#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/exchange.h"
#include "proxy/head_scanner.h"
#include "proxy/out_queue.h"
#include "proxy/site.h"
#include "proxy/stream.h"
#include "proxy/timer_wheel.h"

namespace rampart::proxy {

// Its place in its worker's list; it leaves by itself.
using ClientHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<class OfWorker>,
                                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class ClientConnection final : public StreamOwner,
                               public ClientHook,
                               private ClientSide,
                               private Timer,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(Site& site, ClientPlace place, std::unique_ptr<Stream> stream)
      : site_(site), place_(std::move(place)), stream_(std::move(stream)) {}
  ~ClientConnection() override;

  // Begins to serve; it keeps itself alive until its end.
  void start();
  // No further request after the one under way: an idle one ends now, any after `patience`.
  void drain(Duration patience);
  // Ends it, whatever is under way.
  void kill();

  const ClientPlace& place() const override { return place_; }

 private:
  enum class Phase { kEstablishing, kHead, kExchange, kLingering, kOver };

  void on_established() override;
  void on_readable() override;
  void on_writable() override;
  void on_deadline() override;

  bool may_keep() const override { return !draining_; }
  void send(std::span<iovec> parts) override;
  bool blocked() const override { return failed_ || !out_.empty(); }
  void want_input() override;
  void finish_writing() override;
  void response_over(bool keep) override;
  void cut() override { kill(); }

  // Serves what has come, as far as it goes.
  void work();
  // Each takes a step; false if something must come first, which is awaited.
  bool work_on_head();
  bool work_on_input();
  // What came and is of no use yet, with more behind it if the stream has some; nothing if it has not.
  std::optional<std::string_view> read_more();
  void listen();
  // Whether what it sends is still of use.
  bool is_served() const { return phase_ == Phase::kHead || phase_ == Phase::kExchange; }
  void input_ended(Stream::Status status);
  void refuse(int status);
  void give_back_exchange();
  void linger();
  void drop_input();

  Site& site_;
  ClientPlace place_;
  std::unique_ptr<Stream> stream_;
  Phase phase_ = Phase::kEstablishing;
  bool readable_ = false;   // the stream may have more
  std::string input_;       // came, and is not yet of use
  bool unscanned_ = false;  // some of it, for a head
  OutQueue out_;
  HeadScanner scanner_;
  std::unique_ptr<Exchange> exchange_;      // while there is a request
  std::shared_ptr<ClientConnection> self_;  // from start() to kill()
  bool working_ = false;
  bool failed_ = false;     // it cannot be written to
  bool finishing_ = false;  // writing ends once the queue is empty
  bool draining_ = false;
  struct Patience final : Timer {
    explicit Patience(ClientConnection& waited_for) : client(waited_for) {}
    void on_deadline() override { client.kill(); }
    ClientConnection& client;
  };
  Patience patience_{*this};  // while it drains
  uint64_t dropped_ = 0;
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_CLIENT_CONNECTION_H_
