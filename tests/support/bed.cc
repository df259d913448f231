// SPDX-License-Identifier: Apache-2.0
#include "support/bed.h"

namespace rampart::test {
namespace {

std::string way_out(const std::string& subnet) {
  return "route add default via " + subnet + ".254";
}

std::string subnet_of(int backend) {
  return "10.2." + std::to_string(backend);
}

}  // namespace

Bed::Bed(const BedOptions& options)
    : client_(folder_.name() + "-client"), balancer_(folder_.name() + "-balancer") {
  for (int number = 1; number <= options.backends; ++number) {
    backends_.push_back(std::make_unique<Netns>(folder_.name() + "-" + backend_name(number)));
  }
  if (options.shape == Shape::kTwoArms) {
    build_star();
  } else {
    build_switch();
  }
  give_addresses(options);
}

void Bed::build_star() {
  join(client_, balancer_, "client");
  arms_.push_back("client");
  for (int number = 1; number <= backends(); ++number) {
    join(backend(number), balancer_, backend_name(number));
    arms_.push_back(backend_name(number));
  }
}

void Bed::build_switch() {
  switch_ = std::make_unique<Netns>(folder_.name() + "-switch");
  switch_->ip({"link add br0 type bridge forward_delay 0 mcast_snooping 0", "link set br0 up"});
  join(client_, *switch_, "client");
  join(balancer_, *switch_, "balancer");
  for (int number = 1; number <= backends(); ++number) {
    join(backend(number), *switch_, backend_name(number));
  }
  switch_->ip({"link set client master br0", "link set balancer master br0"});
  for (int number = 1; number <= backends(); ++number) {
    switch_->ip({"link set " + backend_name(number) + " master br0"});
  }
  arms_.push_back("eth0");
}

// A cable between eth0 of `host` and `port` of `hub`, ready for native XDP at either end: the other
// end of an interface that XDP transmits on needs a program, and checksums must be complete on the
// wire.
void Bed::join(const Netns& host, const Netns& hub, const std::string& port) {
  hub.ip({"link add " + port + " type veth peer name eth0 netns " + host.name()});
  host.ip({"link set eth0 up"});
  hub.ip({"link set " + port + " up"});
  host.without_checksum_offload("eth0");
  hub.without_checksum_offload(port);
  const bool hub_is_switch = &hub == switch_.get();
  if (&host != &balancer_) pass_.attach(host, "eth0");
  if (hub_is_switch) pass_.attach(hub, port);
}

void Bed::give_addresses(const BedOptions& options) {
  client_.ip({"addr add 10.1.0.1/24 dev eth0", way_out("10.1.0")});
  balancer_.set("ipv4/ip_forward", "1");
  balancer_.ip({"addr add 10.1.0.254/24 dev " + arms_.front()});
  for (int number = 1; number <= backends(); ++number) {
    const std::string subnet = subnet_of(number);
    const std::string arm = switch_ ? arms_.front() : backend_name(number);
    balancer_.ip({"addr add " + subnet + ".254/24 dev " + arm});
    backend(number).ip({"addr add " + backend_address(number) + "/24 dev eth0", way_out(subnet)});
    serve_directly(options, backend(number));
  }
}

const Netns& Bed::beyond(const std::string& arm) const {
  for (int number = 1; number <= backends(); ++number) {
    if (arm == backend_name(number)) return backend(number);
  }
  return client_;
}

void Bed::cut(const std::string& arm) const {
  if (switch_) return switch_->ip({"link set balancer down"});
  beyond(arm).ip({"link set eth0 down"});
}

// A host's default route goes with its interface, and does not come back by itself.
void Bed::mend(const std::string& arm) const {
  if (switch_) return switch_->ip({"link set balancer up"});
  const Netns& host = beyond(arm);
  const std::string subnet = &host == &client_ ? "10.1.0" : subnet_of(atoi(arm.c_str() + 1));
  host.ip({"link set eth0 up", way_out(subnet)});
}

void Bed::serve_directly(const BedOptions& options, const Netns& backend) const {
  if (options.addresses_on_backends.empty()) return;
  backend.set("ipv4/conf/all/arp_ignore", "1");    // the VIP on loopback is nobody else's business
  backend.set("ipv4/conf/all/arp_announce", "2");  // and is not asked with
  for (const std::string& address : options.addresses_on_backends) {
    backend.ip({"addr add " + address + "/32 dev lo"});
  }
  if (switch_) backend.ip({"route add 10.1.0.0/24 dev eth0"});
}

}  // namespace rampart::test
