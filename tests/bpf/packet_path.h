// SPDX-License-Identifier: Apache-2.0
// The packet programs, freshly loaded for each case, without pins: maps are written directly and
// packets go through BPF_PROG_TEST_RUN.
#ifndef RAMPART_TESTS_BPF_PACKET_PATH_H_
#define RAMPART_TESTS_BPF_PACKET_PATH_H_

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bpf/packet.h"
#include "dataplane/flow_sweeper.h"
#include "maps/flows.h"
#include "rampart/config.h"
#include "rampart/flows.h"
#include "rampart/keys.h"
#include "rampart/limits.h"
#include "rampart/outcomes.h"
#include "rampart/slots.h"
#include "rampart/stats.h"
#include "rampart/values.h"

struct rampart_bpf;

namespace rampart::bpf_test {

constexpr uint32_t kLoopback = 1;      // every packet comes in by it, unless a case says otherwise
constexpr uint32_t kOtherPort = 4711;  // never opened: a redirect is only decided here, not done
constexpr uint32_t kTableSize = RP_MIN_TABLE_SIZE;
constexpr uint32_t kMaxVips = 8;
constexpr uint32_t kMaxBackends = 64;

struct Limits {
  uint32_t flows = 4096;
  uint32_t new_flow_limit_per_cpu = 0;
};

// By default a TCP VIP with roundrobin.
struct Vip {
  uint32_t number = 1;
  std::string address = "203.0.113.1";
  uint16_t port = 80;
  uint8_t protocol = IPPROTO_TCP;
  rp_algorithm algorithm = RP_ROUNDROBIN;
  rp_hash_on hash_on = RP_HASH_5TUPLE;
  rp_on_no_backend on_no_backend = RP_NO_BACKEND_DROP;
};

// Default timeouts of VIPs, seconds (F7).
constexpr uint32_t kTimeoutSyn = 30, kTimeoutEstablished = 3600, kTimeoutClosing = 30,
                   kTimeoutUdp = 60;

// By default reached by l2 through the interface that packets come in by. Its MAC ends in its id.
struct Backend {
  uint32_t id = 1;
  std::string address = "192.0.2.1";
  uint16_t port = 8080;
  rp_forward forward = RP_FORWARD_L2;
  uint32_t out_of = kLoopback;  // interface; 0 = next hop not resolved
  uint16_t incarnation = 1;
  rp_backend_state state = RP_BACKEND_SERVING;
};

Mac mac_of(uint32_t backend);

// What became of a packet.
struct Handled {
  rp_outcome outcome = RP_GO_ON;
  uint32_t vip = RP_NO_VIP;  // whose counter grew
  uint32_t verdict = 0;
  Bytes frame;

  Received received() const { return read_packet(frame); }
};

const char* name_of(rp_outcome outcome);

// An entry of the flow table.
struct Flow {
  uint32_t place = 0;
  uint64_t tag = 0;
  uint64_t word = 0;
  rp_flow_origin origin = {};
};

// Runs a frame through a program: its verdict, and the frame that left.
Handled run_program(int program_fd, const Bytes& frame, uint32_t ingress);

// Has an opened object use another's maps.
void share_maps(rampart_bpf& to, const rampart_bpf& from);

class PacketPath {
 public:
  // Loads. `error` is 0 or an errno.
  explicit PacketPath(const Limits& limits = {});
  ~PacketPath();
  PacketPath(const PacketPath&) = delete;

  // As a new daemon does: the programs are loaded anew over the same maps, and a new sweeper begins.
  // Packets may run meanwhile, on other threads.
  void restart();

  int error() const { return error_; }
  rampart_bpf* skeleton() const { return skeleton_; }

  // Tables. Backends belong to the VIP that they are added with.
  void add(const Vip& vip);
  void add(const Backend& backend, const Vip& vip);
  void remove_key(const Vip& vip);
  void fill(const Vip& vip,
            const std::vector<uint32_t>& ids);  // in turn over the spare half; then flips
  void set_slot(uint32_t number, uint32_t slot, uint16_t id);  // in the live half
  rp_vip_state vip_state(uint32_t number) const;
  void set_vip_state(uint32_t number, const rp_vip_state& state);
  rp_backend backend(uint32_t id) const;
  void set_backend(uint32_t id, const rp_backend& backend);
  void set_backend_state(uint32_t id, uint16_t incarnation, rp_backend_state state);
  void set_flows_move(uint32_t id, bool move);

  // Packets. Fails the test if not exactly one outcome grew by one.
  Handled run(const Bytes& frame, uint32_t ingress = kLoopback);
  Handled run(const Packet& packet, uint32_t ingress = kLoopback) {
    return run(packet.to_bytes(), ingress);
  }
  // The same without looking at counters; for threads.
  uint32_t run_uncounted(const Bytes& frame) const;
  // The same with the frame that left, and its verdict.
  Handled run_raw(const Bytes& frame, uint32_t ingress = kLoopback) const;

  // Flows.
  std::optional<Flow> flow(const rp_tuple& tuple) const;
  std::vector<Flow> all_flows() const;
  std::vector<uint32_t> candidates(const rp_tuple& tuple) const;  // as programs look for it
  void put_flow(const rp_tuple& tuple, uint64_t word);            // at the first that is free
  void write_entry(uint32_t place, uint64_t its_tag, uint64_t word);
  void change_flow(const rp_tuple& tuple, uint64_t word);
  void age_flow(const rp_tuple& tuple, uint32_t seconds);  // as if last seen so long ago
  size_t flows() const;                                    // entries in use
  uint64_t tag(const rp_tuple& tuple) const;
  rp_flow_stats flow_stats() const;
  rp_flow_count count(uint32_t index) const;
  void set_count(uint32_t index, const rp_flow_count& count);
  uint64_t active(uint32_t index) const;
  rp_backend_stats backend_stats(uint32_t id) const;
  dataplane::Sweep sweep(uint32_t seconds_from_now = 0);
  dataplane::FlowSweeper& sweeper() { return *mapped_->sweeper; }
  maps::FlowTable& table() { return mapped_->flows; }

  // Guards of all CPUs, as if so many had been made in this second, or so many seconds ago.
  void set_new_flows(uint64_t made, uint32_t seconds_ago = 0);
  void set_answers(uint64_t sent, uint32_t seconds_ago = 0);

  // The oldest unresolved next hop that waits.
  std::optional<std::string> pop_unresolved();

 private:
  std::map<std::pair<uint32_t, int>, uint64_t> outcome_counts() const;
  void map_memory();
  void make_secret();

  // What the daemon sees as memory.
  struct Mapped {
    Mapped(maps::FlowTable table, maps::MappedArray<rp_backend> backend_array,
           maps::MappedArray<rp_vip_state> vip_array, maps::MappedArray<rp_flow_count> count_array)
        : flows(std::move(table)),
          backends(std::move(backend_array)),
          vips(std::move(vip_array)),
          counts(std::move(count_array)) {
      begin_sweeper();
    }
    void begin_sweeper() { sweeper.emplace(flows, backends, vips, counts); }

    maps::FlowTable flows;
    maps::MappedArray<rp_backend> backends;
    maps::MappedArray<rp_vip_state> vips;
    maps::MappedArray<rp_flow_count> counts;
    std::optional<dataplane::FlowSweeper> sweeper;
  };

  rampart_bpf* skeleton_ = nullptr;
  std::vector<rampart_bpf*> successors_;  // of restarts
  std::atomic<int> program_{-1};          // the one that packets run through
  int error_ = 0;
  std::unique_ptr<Mapped> mapped_;
  rp_flow_secret secret_ = {};
  std::map<uint32_t, int> tables_;  // inner maps by VIP number
};

uint32_t state_of(const Flow& flow);
uint32_t marks_of(const Flow& flow);
uint32_t backend_of(const Flow& flow);
uint32_t age_of(const Flow& flow);  // seconds since its last packet

// A case with two backends behind one VIP; most cases start from it. Packets run on one CPU.
class PacketPathTest : public testing::Test {
 protected:
  void SetUp() override;

  // Loads anew with other limits; false after having marked the case as skipped or failed.
  bool load(const Limits& limits = {});

  // Adds a VIP, its backends, and a table with these in turn.
  void serve(const Vip& vip, const std::vector<Backend>& backends);
  void serve_nat(const Vip& vip, std::vector<Backend> backends);

  // Which backend a packet was sent to, by the MAC on its frame; 0 if it was not forwarded.
  static uint32_t chosen(const Handled& run) {
    const bool forwarded = run.outcome == RP_forward_tx || run.outcome == RP_forward_redirect;
    return forwarded ? run.frame.at(5) : 0;
  }

  std::unique_ptr<PacketPath> path_;
};

}  // namespace rampart::bpf_test

#endif  // RAMPART_TESTS_BPF_PACKET_PATH_H_
