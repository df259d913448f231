// SPDX-License-Identifier: Apache-2.0
#include "bpf/packet_path.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "bpf/flow.h"
#include "rampart.skel.h"

namespace rampart::bpf_test {
namespace {

int fd_of(const bpf_map* map) {
  return bpf_map__fd(map);
}

// Writes that a case relies on: a failure is the case's, with the kernel's reason.
template <typename Key, typename Value>
void put(const bpf_map* map, const Key& key, const Value& value, uint64_t flags = BPF_ANY) {
  ASSERT_EQ(bpf_map_update_elem(fd_of(map), &key, &value, flags), 0)
      << bpf_map__name(map) << ": " << strerror(errno);
}

template <typename Value, typename Key>
std::optional<Value> get(const bpf_map* map, const Key& key) {
  Value value = {};
  if (bpf_map_lookup_elem(fd_of(map), &key, &value) != 0) return std::nullopt;
  return value;
}

template <typename Value>
std::vector<Value> get_all_cpus(const bpf_map* map, uint32_t key) {
  static_assert(sizeof(Value) % 8 == 0);
  std::vector<Value> values(static_cast<size_t>(libbpf_num_possible_cpus()));
  if (bpf_map_lookup_elem(fd_of(map), &key, values.data()) != 0) values.clear();
  return values;
}

template <typename Value>
void put_all_cpus(const bpf_map* map, const Value& value) {
  const uint32_t zero = 0;
  const std::vector<Value> values(static_cast<size_t>(libbpf_num_possible_cpus()), value);
  ASSERT_EQ(bpf_map_update_elem(fd_of(map), &zero, values.data(), BPF_ANY), 0);
}

rp_vip_key key_of(const Vip& vip) {
  rp_vip_key key = {};
  key.address = address(vip.address);
  key.port = swap16(vip.port);
  key.protocol = vip.protocol;
  return key;
}

uint32_t port_index(uint32_t ifindex) {
  return ifindex % RP_MAX_PORTS;
}

uint64_t mac_word(const Mac& mac) {
  uint64_t word = 0;
  memcpy(&word, mac.data(), mac.size());
  return word;
}

void set_sizes(rampart_bpf& skeleton, const Limits& limits) {
  for (bpf_map* map : {skeleton.maps.rp_vip_state, skeleton.maps.rp_slots,
                       skeleton.maps.rp_vip_stats, skeleton.maps.rp_cursors}) {
    bpf_map__set_max_entries(map, kMaxVips + 1);
  }
  for (bpf_map* map :
       {skeleton.maps.rp_backends, skeleton.maps.rp_flow_counts, skeleton.maps.rp_stats}) {
    bpf_map__set_max_entries(map, kMaxBackends + 1);
  }
  bpf_map__set_max_entries(skeleton.maps.rp_vips, kMaxVips);
  bpf_map__set_max_entries(skeleton.maps.rp_flows, limits.flows);
  skeleton.rodata->rp_config.new_flow_limit_per_cpu = limits.new_flow_limit_per_cpu;
}

void stay_on_this_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof(one), &one);
}

}  // namespace

Mac mac_of(uint32_t backend) {
  return {0x02, 0, 0, 0, 0xbb, static_cast<uint8_t>(backend)};
}

const char* name_of(rp_outcome outcome) {
#define RP_OUTCOME_NAME(code, name, verdict, text) \
  if (outcome == RP_##name) return #name;
  RP_OUTCOMES(RP_OUTCOME_NAME)
#undef RP_OUTCOME_NAME
  return "none";
}

uint32_t boot_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint32_t>(now.tv_sec);
}

uint32_t state_of(const rp_flow& flow) {
  return word_state(flow.word);
}
uint32_t marks_of(const rp_flow& flow) {
  return word_marks(flow.word);
}
uint32_t backend_of(const rp_flow& flow) {
  return word_backend(flow.word);
}

PacketPath::PacketPath(const Limits& limits) {
  skeleton_ = rampart_bpf__open();
  if (skeleton_ == nullptr) {
    error_ = errno;
    return;
  }
  set_sizes(*skeleton_, limits);
  error_ = -rampart_bpf__load(skeleton_);
  if (error_ != 0) return;
  for (const uint32_t ifindex : {kLoopback, kOtherPort}) {
    rp_port port = {};
    port.mac = mac_word(kOurMac);
    port.ifindex = ifindex;
    put(skeleton_->maps.rp_ports, port_index(ifindex), port);
  }
}

PacketPath::~PacketPath() {
  for (const auto& [number, fd] : tables_) close(fd);
  rampart_bpf__destroy(skeleton_);
}

void PacketPath::add(const Vip& vip) {
  bpf_map_create_opts options = {};
  options.sz = sizeof(options);
  options.map_flags = BPF_F_MMAPABLE | BPF_F_INNER_MAP;
  const int table = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rp_slots_inner", sizeof(uint32_t),
                                   sizeof(rp_slot_block), RP_SLOT_BLOCKS(kTableSize), &options);
  ASSERT_GE(table, 0) << strerror(errno);
  tables_[vip.number] = table;
  put(skeleton_->maps.rp_slots, vip.number, table);

  rp_vip_state state = {};
  state.table_size = kTableSize;
  state.algorithm = vip.algorithm;
  state.hash_on = vip.hash_on;
  state.on_no_backend = vip.on_no_backend;
  state.timeout_syn = kTimeoutSyn;
  state.timeout_established = kTimeoutEstablished;
  state.timeout_closing = kTimeoutClosing;
  state.timeout_udp = kTimeoutUdp;
  state.hash_seed = 0x5eed + vip.number;
  set_vip_state(vip.number, state);
  put(skeleton_->maps.rp_vips, key_of(vip), rp_vip{vip.number}, BPF_NOEXIST);
}

void PacketPath::add(const Backend& backend, const Vip& vip) {
  rp_backend value = {};
  value.vip_address = address(vip.address);
  value.vip_port = swap16(vip.port);
  value.protocol = vip.protocol;
  value.vip = vip.number;
  value.address = address(backend.address);
  value.port = swap16(backend.port);
  value.forward = static_cast<uint8_t>(backend.forward);
  value.count_index = backend.id;
  if (backend.out_of != 0) {
    value.next_hop = mac_word(mac_of(backend.id)) |
                     static_cast<uint64_t>(port_index(backend.out_of) + 1) << RP_HOP_PORT_SHIFT;
  }
  set_backend(backend.id, value);
  set_backend_state(backend.id, backend.incarnation, backend.state);
  if (backend.forward == RP_FORWARD_NAT) {
    rp_runtime runtime = {};
    runtime.nat_backends = 1;
    put(skeleton_->maps.rp_runtime, uint32_t{0}, runtime);
  }
}

void PacketPath::remove_key(const Vip& vip) {
  const rp_vip_key key = key_of(vip);
  ASSERT_EQ(bpf_map_delete_elem(fd_of(skeleton_->maps.rp_vips), &key), 0);
}

void PacketPath::fill(const Vip& vip, const std::vector<uint32_t>& ids) {
  rp_vip_state state = vip_state(vip.number);
  const uint32_t spare = (state.live & RP_LIVE_HALF) ^ 1;
  for (uint32_t first = 0; first < kTableSize; first += RP_SLOTS_PER_BLOCK) {
    rp_slot_block block = {};
    for (uint32_t at = 0; at < RP_SLOTS_PER_BLOCK && first + at < kTableSize; ++at) {
      if (!ids.empty()) block.backend[at] = static_cast<uint16_t>(ids[(first + at) % ids.size()]);
    }
    const uint32_t index = RP_SLOT_BLOCK(first, spare);
    ASSERT_EQ(bpf_map_update_elem(tables_.at(vip.number), &index, &block, BPF_ANY), 0);
  }
  state.live = (state.live ^ 1) + (1ull << RP_LIVE_GENERATION_SHIFT);
  set_vip_state(vip.number, state);
}

void PacketPath::set_slot(uint32_t number, uint32_t slot, uint16_t id) {
  const uint32_t index = RP_SLOT_BLOCK(slot, vip_state(number).live & RP_LIVE_HALF);
  rp_slot_block block = {};
  ASSERT_EQ(bpf_map_lookup_elem(tables_.at(number), &index, &block), 0);
  block.backend[slot % RP_SLOTS_PER_BLOCK] = id;
  ASSERT_EQ(bpf_map_update_elem(tables_.at(number), &index, &block, BPF_ANY), 0);
}

rp_vip_state PacketPath::vip_state(uint32_t number) const {
  return get<rp_vip_state>(skeleton_->maps.rp_vip_state, number).value();
}

void PacketPath::set_vip_state(uint32_t number, const rp_vip_state& state) {
  put(skeleton_->maps.rp_vip_state, number, state);
}

rp_backend PacketPath::backend(uint32_t id) const {
  return get<rp_backend>(skeleton_->maps.rp_backends, id).value();
}

void PacketPath::set_backend(uint32_t id, const rp_backend& backend) {
  put(skeleton_->maps.rp_backends, id, backend);
}

void PacketPath::set_backend_state(uint32_t id, uint16_t incarnation, rp_backend_state state) {
  rp_backend value = backend(id);
  value.state = static_cast<uint32_t>(incarnation) << RP_STATE_INCARNATION_SHIFT | state;
  set_backend(id, value);
}

std::map<std::pair<uint32_t, int>, uint64_t> PacketPath::outcome_counts() const {
  std::map<std::pair<uint32_t, int>, uint64_t> counts;
  for (uint32_t number = 0; number <= kMaxVips; ++number) {
    for (const auto& stats : get_all_cpus<rp_vip_stats>(skeleton_->maps.rp_vip_stats, number)) {
      for (int code = 0; code < RP_OUTCOME_SLOTS; ++code) {
        if (stats.packets[code] != 0) counts[{number, code}] += stats.packets[code];
      }
    }
  }
  return counts;
}

Handled PacketPath::run(const Bytes& frame, uint32_t ingress) {
  const auto before = outcome_counts();
  Handled run;
  run.frame.resize(4096);
  xdp_md context = {};
  context.data_end = static_cast<uint32_t>(frame.size());
  context.ingress_ifindex = ingress;
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.data_in = frame.data();
  options.data_size_in = static_cast<uint32_t>(frame.size());
  options.data_out = run.frame.data();
  options.data_size_out = static_cast<uint32_t>(run.frame.size());
  options.ctx_in = &context;
  options.ctx_size_in = sizeof(context);
  const int error = bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.rampart_xdp), &options);
  EXPECT_EQ(error, 0) << strerror(-error);
  run.verdict = options.retval;
  run.frame.resize(options.data_size_out);

  uint64_t grown = 0;
  for (const auto& [key, packets] : outcome_counts()) {
    const auto former = before.find(key);
    const uint64_t more = packets - (former == before.end() ? 0 : former->second);
    grown += more;
    if (more == 0) continue;
    run.vip = key.first;
    run.outcome = static_cast<rp_outcome>(key.second);
  }
  EXPECT_EQ(grown, 1u) << "one packet is one outcome";
  return run;
}

uint32_t PacketPath::run_uncounted(const Bytes& frame) const {
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.data_in = frame.data();
  options.data_size_in = static_cast<uint32_t>(frame.size());
  bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.rampart_xdp), &options);
  return options.retval;
}

std::optional<rp_flow> PacketPath::flow(const rp_flow_key& key) const {
  return get<rp_flow>(skeleton_->maps.rp_flows, key);
}

void PacketPath::put_flow(const rp_flow_key& key, rp_flow flow) {
  flow.word |= static_cast<uint64_t>(flow_tag(&key)) << RP_FLOW_TAG_SHIFT;
  put(skeleton_->maps.rp_flows, key, flow, BPF_NOEXIST);
}

void PacketPath::change_flow(const rp_flow_key& key, rp_flow flow) {
  put(skeleton_->maps.rp_flows, key, flow, BPF_EXIST);
}

void PacketPath::age_flow(const rp_flow_key& key, uint32_t seconds) {
  rp_flow aged = flow(key).value();
  aged.seen = boot_seconds() - seconds;
  change_flow(key, aged);
}

size_t PacketPath::flows() const {
  const int fd = fd_of(skeleton_->maps.rp_flows);
  size_t count = 0;
  rp_flow_key key = {};
  for (bool more = bpf_map_get_next_key(fd, nullptr, &key) == 0; more;
       more = bpf_map_get_next_key(fd, &key, &key) == 0) {
    ++count;
  }
  return count;
}

rp_flow_count PacketPath::count(uint32_t index) const {
  return get<rp_flow_count>(skeleton_->maps.rp_flow_counts, index).value();
}

uint64_t PacketPath::active(uint32_t index) const {
  return count(index).opened - count(index).closed;
}

rp_backend_stats PacketPath::backend_stats(uint32_t id) const {
  rp_backend_stats sum = {};
  for (const auto& stats : get_all_cpus<rp_backend_stats>(skeleton_->maps.rp_stats, id)) {
    sum.packets += stats.packets;
    sum.bytes += stats.bytes;
    sum.flows += stats.flows;
  }
  return sum;
}

rp_sweep PacketPath::sweep() {
  rp_sweep found = {};
  bpf_test_run_opts options = {};
  options.sz = sizeof(options);
  options.ctx_in = &found;
  options.ctx_size_in = sizeof(found);
  const int error =
      bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.rampart_sweep), &options);
  EXPECT_EQ(error, 0) << strerror(-error);
  return found;
}

void PacketPath::set_new_flows(uint64_t made) {
  put_all_cpus(skeleton_->maps.rp_new_flows, rp_new_flows{boot_seconds(), made});
}

void PacketPath::set_answers(uint64_t sent) {
  put_all_cpus(skeleton_->maps.rp_answers, rp_answers{boot_seconds(), sent});
}

std::optional<std::string> PacketPath::pop_unresolved() {
  rp_addr address = {};
  if (bpf_map_lookup_and_delete_elem(fd_of(skeleton_->maps.rp_unresolved), nullptr, &address) !=
      0) {
    return std::nullopt;
  }
  return text_of(address);
}

void PacketPathTest::SetUp() {
  stay_on_this_cpu();
  load();
}

bool PacketPathTest::load(const Limits& limits) {
  path_ = std::make_unique<PacketPath>(limits);
  const int error = path_->error();
  const auto skip = [&]() {
    GTEST_SKIP() << "no right to load BPF programs (CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON): "
                 << strerror(error);
  };
  const auto fail = [&]() { FAIL() << "the programs do not load: " << strerror(error); };
  if (error == EPERM) skip();
  if (error != 0 && error != EPERM) fail();
  return error == 0;
}

void PacketPathTest::serve(const Vip& vip, const std::vector<Backend>& backends) {
  path_->add(vip);
  std::vector<uint32_t> ids;
  for (const Backend& backend : backends) {
    path_->add(backend, vip);
    ids.push_back(backend.id);
  }
  path_->fill(vip, ids);
}

void PacketPathTest::serve_nat(const Vip& vip, std::vector<Backend> backends) {
  for (Backend& backend : backends) backend.forward = RP_FORWARD_NAT;
  serve(vip, backends);
}

}  // namespace rampart::bpf_test
