// SPDX-License-Identifier: Apache-2.0
// One request and its response, over as many tries as it takes.
//
//   begin ──► try: pick, connect or take a kept connection ──► send ──► response ──► over
//               ▲                                   │             │
//               └──── another node, if it may be ◄──┴─────────────┘
//
// Release discipline. What a try holds is its pick's lease (L7), its place in the node's load, and the
// connection: three members that give back by themselves, once, whatever ends the try. They end before the
// next pick (P3), and with the exchange.
//
// Back-pressure. Each side is read only while the other can write: the node's response while the client's
// queue is empty, the client's body while the node's is. So a request holds one read's worth a direction.
//
// After 101 the same object is a tunnel: bytes go as they come, each direction ends by itself, and the
// lease is held to the end.
#ifndef RAMPART_USERSPACE_PROXY_EXCHANGE_H_
#define RAMPART_USERSPACE_PROXY_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/attempts.h"
#include "proxy/forwarding.h"
#include "proxy/head_scanner.h"
#include "proxy/listening.h"
#include "proxy/message.h"
#include "proxy/node_connection.h"
#include "proxy/node_load.h"
#include "proxy/request_rules.h"
#include "proxy/site.h"

namespace rampart::proxy {

// Whom a request came from, and by which listener.
struct ClientPlace {
  IpAddress address;
  std::string text;  // the same
  uint16_t port = 0;
  std::shared_ptr<const Listening> listening;
};

// The client's connection as its exchange sees it. The last two end the exchange: it is not touched
// afterwards.
class ClientSide {
 public:
  virtual ~ClientSide() = default;
  virtual const ClientPlace& place() const = 0;
  // Whether the connection may go on after this response.
  virtual bool may_keep() const = 0;
  virtual void send(std::span<iovec> parts) = 0;
  // What was sent waits: nothing more until client_writable().
  virtual bool blocked() const = 0;
  // More of the request, or of the tunnel, can be taken now.
  virtual void want_input() = 0;
  // After a tunnel's other end has ended.
  virtual void finish_writing() = 0;
  // The response is whole, and the request too if the connection is kept.
  virtual void response_over(bool keep) = 0;
  // Nothing sensible can follow what was sent.
  virtual void cut() = 0;
};

class Exchange final : private StreamOwner, private Timer {
 public:
  explicit Exchange(Site& site) : site_(site) {}
  ~Exchange() override { abandon(); }

  // Keeps the head of a request, as HeadScanner found it. REQUIRES: the former one is over.
  void hold(std::string_view head) { bytes_.assign(head); }
  // Begins with what it holds. The response may be over before this returns.
  void begin(ClientSide& client);
  // Whether it wants what the client sends.
  bool wants_input() const;
  // The request's next bytes; returns how many are consumed: the others are wanted again, or are behind
  // its end. REQUIRES: wants_input().
  size_t take(std::string_view bytes);
  // Whether the whole request was taken; never of a tunnel.
  bool request_over() const { return request_over_; }
  bool is_tunnel() const { return phase_ == Phase::kTunnel; }

  void client_writable();
  // It sends no more, by an end or a failure. A tunnel goes on to its other end.
  void client_ended();
  // It did not send its body in time: 408, if nothing was answered yet.
  void client_is_late() { answer(408); }
  // It sent what no body can be.
  void client_is_wrong() { answer(400); }
  // Everything is given back, nobody is told but the journal.
  void abandon();

 private:
  enum class Phase { kIdle, kConnecting, kSending, kResponding, kTunnel };
  enum class Reuse { kAllowed, kFresh };

  // exchange.cc: the request, from head to node.
  bool find_target(std::string_view host, std::string_view path);
  uint64_t hash_of_key() const;
  Origin origin() const;
  // REQUIRES: there is a pick.
  const Identity& node_name() const { return scope_->nodes->nodes->nodes()[pick_->node].identity; }
  void next_try();
  bool start_try(Reuse reuse);
  void send_request();
  void write_to_node(std::span<iovec> parts);
  void on_sent();
  bool may_replay() const;
  void end_try();
  void try_failed(TryEnd end);
  void fail_try(TryEnd end);
  void answer(int status);
  void over(bool keep);
  void cut();
  void note(bool cut);
  void clear();

  // exchange_response.cc: from node to client.
  void pump();
  bool consume(std::string_view bytes);
  bool consume_head(std::string_view bytes, size_t& at);
  bool interim(std::string_view rest);
  void begin_response();
  bool send_body(std::string_view bytes, size_t at);
  void await_more();
  void response_ended();
  void begin_tunnel(std::string_view first);
  void pump_tunnel();

  // From the node's connection.
  void on_established() override;
  void on_readable() override { pump(); }
  void on_writable() override;
  void on_deadline() override;

  Site& site_;
  ClientSide* client_ = nullptr;
  Phase phase_ = Phase::kIdle;
  TimePoint began_;

  // The request.
  std::string bytes_;  // of its head, which the views below are of
  Head head_;
  Destination destination_;
  RequestMessage request_;
  Framing request_framing_;
  bool request_over_ = false;
  std::string request_id_;
  std::string client_address_;  // behind trusted proxies
  bool trusted_ = false;
  BodyPieces pieces_;
  uint64_t bytes_in_ = 0;
  // What went to the node behind the head, framed, for another try; no longer once it is large.
  std::string replay_;
  bool replay_lost_ = false;

  // Where it goes.
  std::shared_ptr<const View> view_;
  const Route* route_ = nullptr;
  const Route::Target* target_ = nullptr;
  const Upstream* upstream_ = nullptr;
  const ScopeView* scope_ = nullptr;
  uint64_t hash_ = 0;
  std::optional<engine::Attempts> attempts_;
  std::optional<TimePoint> no_retry_after_;
  bool stale_tried_ = false;

  // This try.
  std::optional<engine::Pick> pick_;
  Flight flight_;
  std::shared_ptr<NodeConnection> node_;
  bool sent_ = false;   // bytes went out
  bool heard_ = false;  // bytes came

  // The response.
  HeadScanner scanner_;
  std::string input_;  // of the node, not yet of use
  ResponseMessage response_;
  Head response_head_;
  bool has_head_ = false;
  Framing framing_;
  bool keep_ = false;
  int status_ = 0;
  uint64_t bytes_out_ = 0;
  bool node_ended_ = false, client_ended_ = false;  // a tunnel's sides
};

}  // namespace rampart::proxy

#endif  // RAMPART_USERSPACE_PROXY_EXCHANGE_H_
