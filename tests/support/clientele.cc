// SPDX-License-Identifier: Apache-2.0
#include "support/clientele.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/http.h"

namespace rampart::test {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::string milliseconds_text(std::chrono::steady_clock::duration time) {
  return std::to_string(duration_cast<milliseconds>(time).count()) + " ms";
}

}  // namespace

std::string Account::summary() const {
  return std::to_string(requests) + " requests, " + std::to_string(lost_requests.size()) +
         " lost; connections asked " + std::to_string(asked) + " times, " +
         std::to_string(lost_connections.size()) + " lost; slowest answer " +
         std::to_string(slowest.count()) + " ms";
}

Clientele::Clientele(const Netns& client, const std::string& address, uint16_t port,
                     const Pace& pace)
    : client_(client), address_(address), port_(port), pace_(pace) {
  client_.run([&] {
    for (int i = 0; i < pace_.connections; ++i) {
      Fd made = test::connected(SOCK_STREAM, address_, port_);
      if (!made) throw BedFailure("connection " + std::to_string(i) + " is not accepted");
      poller_.add(made);
      const int key = made.get();
      guests_.emplace(key, Guest{std::move(made), true, true, {}, {}, 0});
    }
  });
  thread_ = std::thread([this] { live(); });
}

void Clientele::during(const std::string& step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
}

Account Clientele::so_far() const {
  const std::lock_guard lock(mutex_);
  return account_;
}

bool Clientele::lost_nothing() const {
  const std::lock_guard lock(mutex_);
  return account_.lost_requests.empty() && account_.lost_connections.empty();
}

bool Clientele::wait_for_begun(uint64_t requests) const {
  const auto begun = [this] {
    const std::lock_guard lock(mutex_);
    return requests_;
  };
  const uint64_t goal = begun() + requests;
  return wait_until([&] { return begun() >= goal; });
}

uint64_t Clientele::questions() const {
  const std::lock_guard lock(mutex_);
  return questions_;
}

template <typename Condition>
bool Clientele::unless_lost(Condition condition) const {
  return wait_until([&] { return !lost_nothing() || condition(); }) && lost_nothing();
}

bool Clientele::wait_for_requests(const std::vector<std::string>& names) const {
  return unless_lost([&, from = questions()] { return answered_since(from, names); });
}

bool Clientele::wait_for_connections() const {
  return unless_lost([&, from = questions()] { return all_that_stay_answered_since(from); });
}

bool Clientele::answered_since(uint64_t number, const std::vector<std::string>& names) const {
  const std::lock_guard lock(mutex_);
  const auto has = [&](const std::string& name) {
    const auto found = latest_.find(name);
    return found != latest_.end() && found->second > number;
  };
  const auto is_later = [&](const auto& latest) { return latest.second > number; };
  return std::any_of(latest_.begin(), latest_.end(), is_later) &&
         std::all_of(names.begin(), names.end(), has);
}

bool Clientele::all_that_stay_answered_since(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return std::all_of(guests_.begin(), guests_.end(), [number](const auto& one) {
    return !one.second.stays || one.second.answered > number;
  });
}

Account Clientele::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  return so_far();
}

void Clientele::live() {
  client_.enter();
  const auto period = std::chrono::nanoseconds(std::chrono::seconds(1)) / pace_.requests_per_second;
  auto next = Clock::now();
  for (bool open = true; open;) {
    const auto event = poller_.next_within(milliseconds(1));
    const std::lock_guard lock(mutex_);
    const auto found = event ? guests_.find(*event) : guests_.end();
    if (found != guests_.end()) handle(found->second);
    for (; !stopping_ && Clock::now() >= next; next += period) {
      ask_anew();
      ask_next_that_stays();
    }
    give_up_late();
    open = !stopping_ || std::any_of(guests_.begin(), guests_.end(),
                                     [](const auto& one) { return one.second.open.has_value(); });
  }
}

Clientele::Question Clientele::next_question() {
  return {.number = ++questions_, .since = Clock::now(), .step = step_, .received = {}};
}

void Clientele::ask_anew() {
  ++requests_;
  Fd made = beginning(address_, port_);
  poller_.add(made, EPOLLOUT);
  const int key = made.get();
  guests_.emplace(key, Guest{std::move(made), false, false, next_question(), {}, 0});
}

// The next by socket after the last one asked; one that has not answered yet is left alone.
void Clientele::ask_next_that_stays() {
  const auto stays = [](const auto& one) { return one.second.stays; };
  auto found = std::find_if(guests_.upper_bound(last_asked_), guests_.end(), stays);
  if (found == guests_.end()) found = std::find_if(guests_.begin(), guests_.end(), stays);
  if (found == guests_.end()) return;
  last_asked_ = found->first;
  Guest& guest = found->second;
  if (guest.open) return;
  guest.open = next_question();
  ask(guest);
}

// What cannot be sent is found out when nothing is received.
void Clientele::ask(const Guest& guest) const {
  const auto after = guest.stays ? AfterRequest::kKeep : AfterRequest::kClose;
  const std::string text = http_request("GET", "/", after);
  (void)send(guest.socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Clientele::handle(Guest& guest) {
  if (guest.connected) {
    receive(guest);
  } else {
    connected(guest);
  }
}

void Clientele::connected(Guest& guest) {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(guest.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return lose(guest, std::string("not connected: ") + strerror(error));
  guest.connected = true;
  poller_.change(guest.socket, EPOLLIN);
  ask(guest);
}

void Clientele::receive(Guest& guest) {
  char buffer[1024];
  const ssize_t got = recv(guest.socket.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got < 0) return lose(guest, strerror(errno));
  if (got == 0) return lose(guest, "ended by the other side");
  if (!guest.open) return lose(guest, "an answer that nobody asked for");
  guest.open->received.append(buffer, static_cast<size_t>(got));
  const auto answer = whole_answer(guest.open->received);
  if (!answer) return;
  if (answer->status != 200) return lose(guest, "status " + std::to_string(answer->status));
  answered(guest, answer->body);
}

void Clientele::answered(Guest& guest, const std::string& name) {
  const auto took = duration_cast<milliseconds>(Clock::now() - guest.open->since);
  account_.slowest = std::max(account_.slowest, took);
  if (!guest.stays) {
    ++account_.requests;
    ++account_.answers[name];
    uint64_t& latest = latest_[name];
    latest = std::max(latest, guest.open->number);
    return forget(guest);
  }
  if (guest.served_by.empty()) guest.served_by = name;
  if (guest.served_by != name) return lose(guest, name + " answers for " + guest.served_by);
  ++account_.asked;
  guest.answered = guest.open->number;
  guest.open.reset();
}

void Clientele::give_up_late() {
  const auto late = Clock::now() - pace_.limit;
  for (auto one = guests_.begin(); one != guests_.end();) {
    Guest& guest = (one++)->second;
    if (!guest.open || guest.open->since > late) continue;
    lose(guest, guest.connected ? "no answer" : "no connection");
  }
}

void Clientele::lose(Guest& guest, const std::string& end) {
  std::string story = end + " in " + step_;
  if (guest.open) {
    story += ", " + milliseconds_text(Clock::now() - guest.open->since) +
             " after it was asked in " + guest.open->step;
  }
  if (guest.stays) {
    account_.lost_connections.push_back(story);
  } else {
    ++account_.requests;
    account_.lost_requests.push_back(story);
  }
  forget(guest);
}

void Clientele::forget(Guest& guest) {
  const int key = guest.socket.get();
  poller_.remove(key);
  guests_.erase(key);
}

}  // namespace rampart::test
