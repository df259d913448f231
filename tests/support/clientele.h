// SPDX-License-Identifier: Apache-2.0
// Clients of a VIP that ask at a steady pace, whatever has become of what they asked before: many
// that come once, and some that stay connected. What they lose is told with what went on then.
#ifndef RAMPART_TESTS_SUPPORT_CLIENTELE_H_
#define RAMPART_TESTS_SUPPORT_CLIENTELE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "support/netns.h"
#include "support/sockets.h"

namespace rampart::test {

struct Pace {
  int requests_per_second = 200;           // each over a connection of its own
  int connections = 50;                    // asked in turn, one with every request
  std::chrono::milliseconds limit{10000};  // for connecting, asking and answering together
};

// Of all the time.
struct Account {
  uint64_t requests = 0;                      // over connections of their own, answered or lost
  uint64_t asked = 0;                         // the same over those that stay
  std::chrono::milliseconds slowest{0};       // of the answers
  std::map<std::string, uint64_t> answers;    // to the requests, by the name in the answer
  std::vector<std::string> lost_requests;     // a sentence for each
  std::vector<std::string> lost_connections;  // which is when another backend answers, too

  std::string summary() const;
};

class Clientele {
 public:
  // Returns once all connections that stay have been made.
  Clientele(const Netns& client, const std::string& address, uint16_t port, const Pace& pace = {});
  Clientele(const Clientele&) = delete;
  Clientele& operator=(const Clientele&) = delete;
  ~Clientele() { stop(); }

  // What goes on from now on.
  void during(const std::string& step);

  Account so_far() const;
  bool lost_nothing() const;

  // Waits until so many more requests have begun, which is a time as well.
  [[nodiscard]] bool wait_for_begun(uint64_t requests) const;
  // Waits until each of `names` has answered a request that began after this call, or anybody if
  // there are none. Like the next, it is false once something is lost.
  [[nodiscard]] bool wait_for_requests(const std::vector<std::string>& names = {}) const;
  // Waits until each connection that stays has answered a question that began after this call.
  [[nodiscard]] bool wait_for_connections() const;

  // Begins nothing more, waits for what is under way, and returns the whole account.
  Account stop();

 private:
  using Clock = std::chrono::steady_clock;

  struct Question {
    uint64_t number = 0;  // of all questions, from 1 in the order asked
    Clock::time_point since;
    std::string step;      // that it began in
    std::string received;  // so far
  };
  struct Guest {
    Fd socket;
    bool stays;
    bool connected;
    std::optional<Question> open;
    std::string served_by;  // empty before the first answer
    uint64_t answered = 0;  // number of the last question that was
  };
  using Guests = std::map<int, Guest>;  // by socket

  void live();
  void ask_anew();
  void ask_next_that_stays();
  void handle(Guest& guest);
  void connected(Guest& guest);
  void receive(Guest& guest);
  void answered(Guest& guest, const std::string& name);
  void give_up_late();
  Question next_question();
  void ask(const Guest& guest) const;
  // The guest is gone after these.
  void lose(Guest& guest, const std::string& end);
  void forget(Guest& guest);
  uint64_t questions() const;
  bool answered_since(uint64_t number, const std::vector<std::string>& names) const;
  bool all_that_stay_answered_since(uint64_t number) const;
  // Waits for it, or for a loss.
  template <typename Condition>
  bool unless_lost(Condition condition) const;

  const Netns& client_;
  const std::string address_;
  const uint16_t port_;
  const Pace pace_;
  std::atomic<bool> stopping_{false};
  Poller poller_;

  mutable std::mutex mutex_;  // guards what follows
  std::string step_ = "the start";
  Guests guests_;
  int last_asked_ = -1;                     // socket of the last one that stays
  uint64_t questions_ = 0;                  // begun, of both kinds
  uint64_t requests_ = 0;                   // begun
  std::map<std::string, uint64_t> latest_;  // by backend, the number of the latest request
  Account account_;

  std::thread thread_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_CLIENTELE_H_
