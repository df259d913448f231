// SPDX-License-Identifier: Apache-2.0
// A client, a balancer and backends, each a network namespace.
//
//   two arms, a star:                        one arm, a switch:
//
//             ┌────────── balancer ────────┐   client ─┐           ┌─ b1
//   client ───┤ client                  b1 ├─── b1     ├─ (br0) ──┤
//    eth0     │                         b2 ├─── b2     │           └─ b2
//             └────────────────────────────┘       balancer (eth0)
//
//   client    10.1.0.1/24, default route to the balancer (10.1.0.254): VIPs are routed to it
//   backend i 10.2.i.10/24, default route to the balancer (10.2.i.254): nat replies return that way
//
// Addresses are the same in both shapes. With one arm the balancer has all of its own on one
// interface, so what it forwards leaves where it came in (XDP_TX); in the star it never does
// (redirect).
#ifndef RAMPART_TESTS_SUPPORT_BED_H_
#define RAMPART_TESTS_SUPPORT_BED_H_

#include <memory>
#include <string>
#include <vector>

#include "support/netns.h"
#include "support/pass_program.h"
#include "support/temp_folder.h"

namespace rampart::test {

constexpr char kClient[] = "10.1.0.1";  // its address

enum class Shape { kOneArm, kTwoArms };

struct BedOptions {
  Shape shape = Shape::kTwoArms;
  int backends = 2;
  // Direct server return: each backend has these addresses on its loopback and answers past the
  // balancer where there is a way (one arm).
  std::vector<std::string> addresses_on_backends;
};

class Bed {
 public:
  explicit Bed(const BedOptions& options);

  // Of everything that belongs to this bed: folder, namespaces, instance, pins.
  std::string name() const { return folder_.name(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  const Netns& client() const { return client_; }
  const Netns& balancer() const { return balancer_; }
  int backends() const { return static_cast<int>(backends_.size()); }
  const Netns& backend(int number) const { return *backends_.at(static_cast<size_t>(number - 1)); }

  // Backends are numbered from 1.
  static std::string backend_name(int number) { return "b" + std::to_string(number); }
  static std::string backend_address(int number) {
    return "10.2." + std::to_string(number) + ".10";
  }

  // The balancer's interfaces, the client's side first.
  const std::vector<std::string>& arms() const { return arms_; }

  // Takes the carrier from one of them: its other end goes down. And gives it back.
  void cut(const std::string& arm) const;
  void mend(const std::string& arm) const;

 private:
  void build_star();
  void build_switch();
  // What is at the other end of an arm in the star.
  const Netns& beyond(const std::string& arm) const;
  void join(const Netns& host, const Netns& hub, const std::string& port);
  void give_addresses(const BedOptions& options);
  void serve_directly(const BedOptions& options, const Netns& backend) const;

  TempFolder folder_;
  PassProgram pass_;
  Netns client_;
  Netns balancer_;
  std::unique_ptr<Netns> switch_;  // only with one arm
  std::vector<std::unique_ptr<Netns>> backends_;
  std::vector<std::string> arms_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_BED_H_
