// SPDX-License-Identifier: Apache-2.0
#include "proxy/worker.h"

#include <sys/socket.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "proxy/client_connection.h"
#include "proxy/endpoint.h"
#include "proxy/node_connection.h"
#include "proxy/socket_stream.h"
#include "proxy/tls.h"
#include "proxy/view.h"

namespace rampart::proxy {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

// Of one listener, before connections that are there have their turn.
constexpr int kAcceptsInARow = 64;
// Descriptors or memory are short: what waits goes on waiting, in the kernel.
constexpr std::chrono::milliseconds kAcceptPause{100};
// Exchanges that are kept for the next requests.
constexpr size_t kMostSpare = 1024;

}  // namespace

class Worker::Impl : private Connector {
 public:
  Impl(uint64_t seed, const Board& board, Journal& journal)
      : views_(board, seed), site_(timers_, pool_, *this, views_, journal) {
    tick();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Impl() override {
    asio::post(io_, [this] {
      listeners_.clear();
      while (!clients_.empty()) clients_.front().kill();
      pool_.clear();
      ticker_.cancel();
      io_.stop();
    });
    thread_.join();
  }

  template <typename Work>
  void post(Work work) {
    asio::post(io_, std::move(work));
  }

  void listen(Listening listening, Fd socket) {
    auto listener = std::make_unique<Listener>(io_);
    listener->acceptor.assign(listening.place.address.is_v4() ? Tcp::v4() : Tcp::v6(),
                              dup(socket.get()));
    listener->listening = std::make_shared<const Listening>(std::move(listening));
    Listener& placed = *(listeners_[listener->listening->place] = std::move(listener));
    await_clients(placed);
  }

  void change(Listening listening) {
    const auto found = listeners_.find(listening.place);
    if (found == listeners_.end()) return;
    found->second->listening = std::make_shared<const Listening>(std::move(listening));
  }

  void stop_listening(const Place& place, Duration patience) {
    listeners_.erase(place);
    end_clients(patience, [place](const ClientConnection& client) {
      return client.place().listening->place == place;
    });
  }

  void drain(Duration patience) {
    listeners_.clear();
    end_clients(patience, [](const ClientConnection&) { return true; });
  }

  void forget_unused_nodes() {
    std::vector<NodeKey> keys;
    const View& view = *views_.current();
    for (size_t i = 0; i < view.scopes.size(); ++i) {
      for (const auto& addresses : view.scopes[i].nodes->addresses) {
        for (const NodeAddress& address : addresses) {
          keys.push_back({address.endpoint, view.serving->upstreams[i].tls});
        }
      }
    }
    pool_.keep_only(keys);
  }

  Figures figures() const { return {.clients = clients_count_.load(), .kept = kept_count_.load()}; }

 private:
  struct Listener {
    explicit Listener(asio::io_context& io) : acceptor(io), pause(io) {}
    Tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::shared_ptr<const Listening> listening;
  };
  using Clients = boost::intrusive::list<ClientConnection, boost::intrusive::base_hook<ClientHook>,
                                         boost::intrusive::constant_time_size<false>>;

  void await_clients(Listener& listener) {
    listener.acceptor.async_wait(Tcp::acceptor::wait_read,
                                 [this, &listener](boost::system::error_code cancelled) {
                                   if (!cancelled) accept(listener);
                                 });
  }

  void accept(Listener& listener) {
    for (int i = 0; i < kAcceptsInARow; ++i) {
      Tcp::endpoint peer;
      socklen_t size = static_cast<socklen_t>(peer.capacity());
      const int fd = accept4(listener.acceptor.native_handle(), peer.data(), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
        return pause(listener, errno);
      }
      if (fd < 0) continue;  // that one is gone
      peer.resize(size);
      begin(listener, fd, peer);
    }
    await_clients(listener);
  }

  void pause(Listener& listener, int error_number) {
    if (!std::exchange(pausing_, true)) {
      log::warn(std::string("connections wait to be accepted: ") + std::strerror(error_number));
    }
    listener.pause.expires_after(kAcceptPause);
    listener.pause.async_wait([this, &listener](boost::system::error_code cancelled) {
      if (!cancelled) accept(listener);
    });
  }

  void begin(Listener& listener, int fd, const Tcp::endpoint& peer) {
    pausing_ = false;
    const std::shared_ptr<const Listening>& listening = listener.listening;
    Tcp::socket socket(io_);
    boost::system::error_code error;
    socket.assign(peer.protocol(), fd, error);
    if (error) {
      ::close(fd);
      return;
    }
    const IpAddress address = address_of(peer);
    auto plain = std::make_unique<SocketStream>(std::move(socket));
    std::unique_ptr<Stream> stream;
    if (listening->tls) {
      stream = listening->tls->accept(std::move(plain));
    } else {
      stream = std::move(plain);
    }
    const auto client = std::make_shared<ClientConnection>(site_,
                                                           ClientPlace{.address = address,
                                                                       .text = address.to_string(),
                                                                       .port = peer.port(),
                                                                       .listening = listening},
                                                           std::move(stream));
    clients_.push_back(*client);
    client->start();
  }

  template <typename Matches>
  void end_clients(Duration patience, Matches matches) {
    for (auto client = clients_.begin(); client != clients_.end();) {
      ClientConnection& one = *client++;
      if (matches(one)) one.drain(patience);
    }
  }

  Result<std::unique_ptr<Stream>> connect(const NodeAddress& to, const TlsClient* tls) override {
    auto stream = SocketStream::connect(io_, to.endpoint);
    if (!stream) return stream.error();
    if (tls == nullptr) return std::unique_ptr<Stream>(std::move(*stream));
    return tls->connect(std::move(*stream), to.host);
  }

  void tick() {
    timers_.turn(boot_now());
    if (site_.spare.size() > kMostSpare) site_.spare.resize(kMostSpare);
    kept_count_ = pool_.size();
    clients_count_ = site_.clients;
    ticker_.expires_after(kTick);
    ticker_.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled) tick();
    });
  }

  asio::io_context io_{1};
  asio::steady_timer ticker_{io_};
  TimerWheel timers_{boot_now()};
  NodePool pool_{timers_};
  Views views_;
  Site site_;
  std::map<Place, std::unique_ptr<Listener>> listeners_;
  Clients clients_;
  bool pausing_ = false;
  std::atomic<size_t> clients_count_{0}, kept_count_{0};
  std::thread thread_;
};

Worker::Worker(uint64_t seed, const Board& board, Journal& journal)
    : impl_(std::make_unique<Impl>(seed, board, journal)) {}
Worker::~Worker() = default;

void Worker::listen(Listening listening, Fd socket) {
  const auto kept = std::make_shared<Fd>(std::move(socket));
  impl_->post([this, listening = std::move(listening), kept]() mutable {
    impl_->listen(std::move(listening), std::move(*kept));
  });
}
void Worker::change(Listening listening) {
  impl_->post([this, listening = std::move(listening)] { impl_->change(listening); });
}
void Worker::stop_listening(const Place& place, Duration patience) {
  impl_->post([this, place, patience] { impl_->stop_listening(place, patience); });
}
void Worker::drain(Duration patience) {
  impl_->post([this, patience] { impl_->drain(patience); });
}
void Worker::forget_unused_nodes() {
  impl_->post([this] { impl_->forget_unused_nodes(); });
}
Worker::Figures Worker::figures() const {
  return impl_->figures();
}

}  // namespace rampart::proxy
