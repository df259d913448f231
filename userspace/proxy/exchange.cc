// SPDX-License-Identifier: Apache-2.0
#include "proxy/exchange.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <utility>

#include "base/hash.h"
#include "proxy/hash_key.h"

namespace rampart::proxy {
namespace {

// More of a request's body is not kept for another try.
constexpr size_t kMostReplay = 65536;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string hex_id(std::mt19937_64& random) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string id;
  for (int half = 0; half < 2; ++half) {
    uint64_t bits = random();
    for (int i = 0; i < 16; ++i, bits >>= 4) id += kHex[bits & 15];
  }
  return id;
}

Framing framing_of(const Head& head) {
  if (head.chunked) return {Framing::Kind::kChunked, 0};
  if (head.content_length) return {Framing::Kind::kLength, *head.content_length};
  return {};
}

const Route::Target& choose(const Route& route, std::mt19937_64& random) {
  uint64_t total = 0;
  for (const Route::Target& target : route.targets) total += target.weight;
  if (route.targets.size() == 1 || total == 0) return route.targets.front();
  uint64_t ticket = random() % total;
  for (const Route::Target& target : route.targets) {
    if (ticket < target.weight) return target;
    ticket -= target.weight;
  }
  return route.targets.back();
}

}  // namespace

Site::Site(TimerWheel& wheel, NodePool& kept, Connector& maker, Views& newest, Journal& listener)
    : timers(wheel), pool(kept), connector(maker), views(newest), journal(listener) {
  random.seed(std::random_device()());
}
Site::~Site() = default;

void Exchange::begin(ClientSide& client) {
  client_ = &client;
  phase_ = Phase::kSending;
  began_ = site_.clock();
  view_ = site_.views.current();
  const ClientPlace& place = client.place();
  trusted_ = view_->serving->trusts(place.address);
  client_address_ = place.text;
  request_id_ = hex_id(site_.random);

  const ParseError wrong = request_.parse_head(bytes_, head_);
  if (wrong != ParseError::kNone) return answer(wrong == ParseError::kVersion ? 505 : 400);
  if (const int status = refusal_of(head_); status != 0) return answer(status);
  head_.upgrade = head_.upgrade && head_.minor == 1 && head_.find(FieldName::upgrade).has_value();
  request_over_ = request_.complete();
  request_framing_ = framing_of(head_);
  destination_ = destination_of(head_);
  request_id_ = request_id_of(head_, origin(), request_id_);
  if (trusted_) {
    client_address_ = client_of(head_, place.text, [&](std::string_view text) {
      const auto address = IpAddress::parse(text);
      return address && view_->serving->trusts(*address);
    });
  }
  if (!find_target(host_key(destination_.host), path_key(destination_.path))) return answer(404);
  if (head_.content_length.value_or(0) > route_->max_body.value_or(UINT64_MAX)) return answer(413);
  hash_ = hash_of_key();
  attempts_.emplace(scope_->picker, upstream_->retries);
  if (upstream_->retry_timeout > Duration{0}) no_retry_after_ = began_ + upstream_->retry_timeout;
  next_try();
}

bool Exchange::find_target(std::string_view host, std::string_view path) {
  const Serving& serving = *view_->serving;
  const auto index = serving.router.find(host, path, head_.method_text);
  if (!index) return false;
  route_ = &serving.routes[*index];
  target_ = &choose(*route_, site_.random);
  upstream_ = &serving.upstreams[target_->upstream];
  scope_ = &view_->scopes[target_->upstream];
  return true;
}

uint64_t Exchange::hash_of_key() const {
  if (scope_->picker->nodes().algorithm() != engine::Algorithm::kChash) return 0;
  const ClientPlace& place = client_->place();
  return hash64(hash_key(*upstream_, {head_, destination_, client_address_, place.port,
                                      place.listening->tls != nullptr}));
}

Origin Exchange::origin() const {
  const ClientPlace& place = client_->place();
  return Origin{.address = place.text, .tls = place.listening->tls != nullptr, .trusted = trusted_};
}

// Until one is under way, or none is left.
void Exchange::next_try() {
  while (true) {
    pick_ = attempts_->next(hash_);
    if (!pick_) return answer(attempts_->made() == 0 ? 503 : 502);
    flight_ = Flight(scope_->nodes->loads[pick_->node]);
    if (start_try(Reuse::kAllowed)) return;
    site_.journal.try_over(*upstream_, node_name(), TryEnd::kRefused, 0);
    end_try();
    if (no_retry_after_ && site_.clock() >= *no_retry_after_) return answer(502);
  }
}

// False if no connection can even begin.
bool Exchange::start_try(Reuse reuse) {
  const NodeAddress& address = scope_->nodes->addresses[pick_->node][pick_->address];
  const NodeKey key{address.endpoint, upstream_->tls};
  sent_ = heard_ = false;
  if (reuse == Reuse::kAllowed) node_ = site_.pool.take(key);
  if (node_) {
    node_->take(*this);
    send_request();
    return true;
  }
  auto stream = site_.connector.connect(address, upstream_->tls.get());
  if (!stream) return false;
  node_ = std::make_shared<NodeConnection>(key, std::move(*stream));
  node_->take(*this);
  phase_ = Phase::kConnecting;
  set(site_.timers, site_.clock() + target_->timeouts.connect);
  switch (node_->stream().establish().status) {
    case Stream::Status::kDone:
      send_request();
      return true;
    case Stream::Status::kBlocked:
      node_->await_established();
      return true;
    default:
      return false;
  }
}

void Exchange::on_established() {
  switch (node_->stream().establish().status) {
    case Stream::Status::kDone:
      send_request();
      break;
    case Stream::Status::kBlocked:
      return node_->await_established();
    default:
      return try_failed(TryEnd::kRefused);
  }
  if (wants_input()) client_->want_input();
}

void Exchange::send_request() {
  phase_ = Phase::kSending;
  std::string& text = site_.text;
  text.clear();
  append_request(text, head_, destination_, origin(), request_framing_, request_id_);
  site_.framed.clear();
  site_.framed.add(text);
  site_.framed.add(replay_);
  if (head_.find(FieldName::expect) && !request_over_ && head_.minor == 1 && bytes_in_ == 0) {
    iovec go_on = part_of(kContinue);
    client_->send({&go_on, 1});
  }
  write_to_node(site_.framed.parts());
}

void Exchange::write_to_node(std::span<iovec> parts) {
  const Stream::Status status = node_->out().write(node_->stream(), parts);
  if (status == Stream::Status::kFailed) return try_failed(TryEnd::kReset);
  sent_ = true;
  node_->await_readable();
  if (status == Stream::Status::kBlocked) {
    node_->await_writable();
    set(site_.timers, site_.clock() + target_->timeouts.send);
  } else {
    on_sent();
  }
}

// The node's time runs while it owes an answer; while the client owes its body, the client's does.
void Exchange::on_sent() {
  if (phase_ == Phase::kTunnel || !request_over_) return Timer::clear();
  set(site_.timers, site_.clock() + target_->timeouts.read);
}

void Exchange::on_writable() {
  const Stream::Status status = node_->out().flush(node_->stream());
  if (status == Stream::Status::kBlocked) {
    node_->await_writable();
    set(site_.timers, site_.clock() + target_->timeouts.send);
    return;
  }
  if (status == Stream::Status::kFailed) return try_failed(TryEnd::kReset);
  on_sent();
  if (phase_ == Phase::kTunnel && client_ended_) node_->stream().finish_writing();
  if (wants_input()) client_->want_input();
}

bool Exchange::wants_input() const {
  if (phase_ == Phase::kTunnel) return !client_ended_ && node_->out().empty();
  const bool sending = phase_ == Phase::kSending || phase_ == Phase::kResponding;
  return sending && !request_over_ && node_ != nullptr && node_->out().empty();
}

size_t Exchange::take(std::string_view bytes) {
  if (phase_ == Phase::kTunnel) {
    iovec part = part_of(bytes);
    flight_.add_bytes(bytes.size());
    bytes_in_ += bytes.size();
    write_to_node({&part, 1});
    return bytes.size();
  }
  pieces_.clear();
  const auto fed = request_.feed(bytes, pieces_);
  bytes_in_ += pieces_.bytes;
  if (bytes_in_ > route_->max_body.value_or(UINT64_MAX)) return answer(413), fed.consumed;
  if (fed.error != ParseError::kNone) return answer(400), fed.consumed;
  request_over_ = request_.complete();
  if (pieces_.bytes == 0 && !request_over_) return fed.consumed;
  flight_.add_bytes(pieces_.bytes);
  site_.framed.clear();
  site_.framed.add_body(pieces_, request_framing_, request_over_);
  if (!replay_lost_) {
    for (const iovec& part : site_.framed.parts()) {
      replay_.append(static_cast<char*>(part.iov_base), part.iov_len);
    }
    replay_lost_ = replay_.size() > kMostReplay;
    if (replay_lost_) replay_ = {};
  }
  write_to_node(site_.framed.parts());
  return fed.consumed;
}

bool Exchange::may_replay() const {
  return !replay_lost_ &&
         (!sent_ || is_idempotent(head_.method) || upstream_->retry_non_idempotent);
}

void Exchange::end_try() {
  Timer::clear();
  if (node_) node_->give_up();
  node_.reset();
  pick_.reset();
  flight_.end();
  scanner_.reset();
  input_.clear();
  response_.reset();
}

// Another node goes on with what the client still sends.
void Exchange::try_failed(TryEnd end) {
  fail_try(end);
  if (wants_input()) client_->want_input();
}

void Exchange::fail_try(TryEnd end) {
  if (phase_ == Phase::kTunnel) return over(false);
  const Identity picked = node_name();
  if (has_head_) {
    site_.journal.try_over(*upstream_, picked, end, 0);
    return cut();
  }
  const bool stale = end == TryEnd::kReset && node_->used() && !heard_;
  if (stale && may_replay() && !std::exchange(stale_tried_, true)) {
    node_->give_up();
    node_.reset();
    if (start_try(Reuse::kFresh)) return;
    end = TryEnd::kRefused;
  }
  const bool again = may_replay();
  site_.journal.try_over(*upstream_, picked, end, 0);
  end_try();
  if (!again) return answer(end == TryEnd::kTimeout ? 504 : 502);
  if (no_retry_after_ && site_.clock() >= *no_retry_after_) return answer(502);
  next_try();
}

void Exchange::on_deadline() {
  try_failed(TryEnd::kTimeout);
}

void Exchange::answer(int status) {
  if (has_head_) return cut();
  keep_ = request_over_ && head_.keep_alive && client_->may_keep() && status != 400;
  status_ = status;
  site_.text.clear();
  append_own(site_.text, {.status = status,
                          .text = reason_of(status),
                          .keep_alive = keep_,
                          .head_only = head_.method == Method::head,
                          .client_minor = head_.minor});
  iovec part = part_of(site_.text);
  client_->send({&part, 1});
  over(keep_);
}

// The node's connection is kept where the end of both messages is certain.
void Exchange::over(bool keep) {
  note(false);
  const bool whole = node_ && phase_ == Phase::kResponding && response_.complete();
  // Only now: a response that breaks off says of its node that it failed, and nothing else.
  if (whole) site_.journal.try_over(*upstream_, node_name(), TryEnd::kResponse, status_);
  if (whole && request_over_ && response_head_.keep_alive && node_->out().empty() &&
      input_.empty()) {
    site_.pool.put(std::move(node_));
  }
  ClientSide* const client = client_;
  clear();
  client->response_over(keep);
}

void Exchange::cut() {
  ClientSide* const client = client_;
  abandon();
  client->cut();
}

void Exchange::note(bool cut) {
  RequestRecord record{.client = client_address_,
                       .method = head_.method_text,
                       .target = head_.target,
                       .host = destination_.host,
                       .referer = head_.find(FieldName::referer).value_or(""),
                       .user_agent = head_.find(FieldName::user_agent).value_or(""),
                       .minor = head_.minor,
                       .request_id = request_id_,
                       .route = route_,
                       .upstream = upstream_,
                       .node = {},
                       .status = status_,
                       .tries = attempts_ ? attempts_->made() : 0,
                       .bytes_in = bytes_in_,
                       .bytes_out = bytes_out_,
                       .duration = site_.clock() - began_,
                       .cut = cut};
  if (pick_) record.node = node_name();
  site_.journal.request_over(record);
}

void Exchange::client_ended() {
  if (phase_ == Phase::kTunnel) {
    client_ended_ = true;
    if (node_ended_) return over(false);
    if (node_->out().empty()) node_->stream().finish_writing();
    return;
  }
  cut();
}

void Exchange::abandon() {
  if (phase_ == Phase::kIdle) return;
  note(true);
  clear();
}

void Exchange::clear() {
  end_try();
  client_ = nullptr;
  phase_ = Phase::kIdle;
  head_.clear();
  destination_ = {};
  request_.reset();
  request_over_ = false;
  bytes_in_ = bytes_out_ = 0;
  replay_ = {};
  replay_lost_ = stale_tried_ = false;
  view_.reset();
  route_ = nullptr;
  target_ = nullptr;
  upstream_ = nullptr;
  scope_ = nullptr;
  attempts_.reset();
  no_retry_after_.reset();
  has_head_ = keep_ = node_ended_ = client_ended_ = false;
  status_ = 0;
}

}  // namespace rampart::proxy
