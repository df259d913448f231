// SPDX-License-Identifier: Apache-2.0
#include "bpf/packet_path.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "bpf/flow.h"
#include "bpf/hash.h"
#include "maps/backend_state.h"
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

template <typename Value>
maps::MappedArray<Value> map_array(const bpf_map* map) {
  auto array = maps::MappedArray<Value>::map(Fd(dup(fd_of(map))), bpf_map__max_entries(map));
  RP_CHECK(array);
  return std::move(*array);
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
  for (bpf_map* map : {skeleton.maps.rp_vip_state, skeleton.maps.rp_slots, skeleton.maps.rp_members,
                       skeleton.maps.rp_vip_stats, skeleton.maps.rp_cursors}) {
    bpf_map__set_max_entries(map, kMaxVips + 1);
  }
  for (bpf_map* map :
       {skeleton.maps.rp_backends, skeleton.maps.rp_flow_counts, skeleton.maps.rp_stats}) {
    bpf_map__set_max_entries(map, kMaxBackends + 1);
  }
  bpf_map__set_max_entries(skeleton.maps.rp_vips, kMaxVips);
  const uint32_t buckets = RP_FLOW_BUCKETS(limits.flows);
  bpf_map__set_max_entries(skeleton.maps.rp_flows, buckets);
  bpf_map__set_max_entries(skeleton.maps.rp_flow_origins, buckets * RP_BUCKET_FLOWS);
  skeleton.rodata->rp_config = {.new_flow_limit_per_cpu = limits.new_flow_limit_per_cpu,
                                .flow_buckets = buckets,
                                .explains = 0};
}

void stay_on_this_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof(one), &one);
}

}  // namespace

void share_maps(rampart_bpf& to, const rampart_bpf& from) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, to.obj) {
    if (bpf_map__is_internal(map)) continue;
    const bpf_map* shared = bpf_object__find_map_by_name(from.obj, bpf_map__name(map));
    EXPECT_EQ(bpf_map__reuse_fd(map, bpf_map__fd(shared)), 0);
  }
}

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

uint32_t state_of(const Flow& flow) {
  return word_state(flow.word);
}
uint32_t marks_of(const Flow& flow) {
  return word_marks(flow.word);
}
uint32_t backend_of(const Flow& flow) {
  return word_backend(flow.word);
}
uint32_t age_of(const Flow& flow) {
  return flow_age(flow.word, dataplane::FlowSweeper::now());
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
  program_ = bpf_program__fd(skeleton_->progs.rampart_xdp);
  map_memory();
  make_secret();
  for (const uint32_t ifindex : {kLoopback, kOtherPort}) {
    rp_port port = {};
    port.mac = mac_word(kOurMac);
    port.ifindex = ifindex;
    put(skeleton_->maps.rp_ports, port_index(ifindex), port);
  }
}

PacketPath::~PacketPath() {
  for (const auto& [number, fd] : tables_) close(fd);
  for (rampart_bpf* successor : successors_) rampart_bpf__destroy(successor);
  rampart_bpf__destroy(skeleton_);
}

void PacketPath::restart() {
  rampart_bpf* successor = rampart_bpf__open();
  successors_.push_back(successor);
  successor->rodata->rp_config = skeleton_->rodata->rp_config;
  share_maps(*successor, *skeleton_);
  ASSERT_EQ(rampart_bpf__load(successor), 0);
  program_ = bpf_program__fd(successor->progs.rampart_xdp);
  mapped_->begin_sweeper();
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

void PacketPath::set_flows_move(uint32_t id, bool move) {
  rp_backend value = backend(id);
  value.state = maps::with_flows_move(value.state, move);
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

Handled run_program(int program_fd, const Bytes& frame, uint32_t ingress) {
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
  const int error = bpf_prog_test_run_opts(program_fd, &options);
  EXPECT_EQ(error, 0) << strerror(-error);
  run.verdict = options.retval;
  run.frame.resize(options.data_size_out);
  return run;
}

Handled PacketPath::run_raw(const Bytes& frame, uint32_t ingress) const {
  return run_program(program_, frame, ingress);
}

Handled PacketPath::run(const Bytes& frame, uint32_t ingress) {
  const auto before = outcome_counts();
  Handled run = run_raw(frame, ingress);

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
  bpf_prog_test_run_opts(program_.load(), &options);
  return options.retval;
}

void PacketPath::map_memory() {
  const auto& maps = skeleton_->maps;
  maps::FlowTable flows(map_array<rp_flow_bucket>(maps.rp_flows),
                        map_array<rp_flow_origin>(maps.rp_flow_origins));
  mapped_.reset(new Mapped(std::move(flows), map_array<rp_backend>(maps.rp_backends),
                           map_array<rp_vip_state>(maps.rp_vip_state),
                           map_array<rp_flow_count>(maps.rp_flow_counts)));
}

// The same in each run, so that a case that fails fails again.
void PacketPath::make_secret() {
  std::mt19937_64 random(0x5eed);
  for (__u64& key : secret_.upper) key = random();
  for (__u64& key : secret_.lower) key = random();
  put(skeleton_->maps.rp_flow_secret, uint32_t{0}, secret_);
}

uint64_t PacketPath::tag(const rp_tuple& tuple) const {
  return tag_of(&tuple, &secret_);
}

std::vector<Flow> PacketPath::all_flows() const {
  std::vector<Flow> found;
  for (uint32_t place = 0; place < mapped_->flows.places(); ++place) {
    const uint64_t word = mapped_->flows.word(place);
    if (!holds_flow(word)) continue;
    const auto origin = mapped_->flows.origin(place, word);
    found.push_back({place, mapped_->flows.tag(place), word, origin.value_or(rp_flow_origin{})});
  }
  return found;
}

std::optional<Flow> PacketPath::flow(const rp_tuple& tuple) const {
  const uint64_t wanted = tag(tuple);
  std::optional<Flow> found;
  for (const Flow& flow : all_flows()) {
    if (flow.tag != wanted) continue;
    EXPECT_FALSE(found) << "two entries of one flow";
    found = flow;
  }
  return found;
}

std::vector<uint32_t> PacketPath::candidates(const rp_tuple& tuple) const {
  const uint64_t its_tag = tag(tuple);
  const uint32_t buckets = mapped_->flows.places() / RP_BUCKET_FLOWS;
  std::vector<uint32_t> places;
  for (const uint32_t half :
       {static_cast<uint32_t>(its_tag >> 32), static_cast<uint32_t>(its_tag)}) {
    for (uint32_t i = 0; i < RP_BUCKET_FLOWS; ++i) {
      places.push_back(scale(half, buckets) * RP_BUCKET_FLOWS + i);
    }
  }
  return places;
}

void PacketPath::put_flow(const rp_tuple& tuple, uint64_t word) {
  for (const uint32_t place : candidates(tuple)) {
    if (mapped_->flows.word(place) == 0) return write_entry(place, tag(tuple), word);
  }
  FAIL() << "no room for the flow";
}

void PacketPath::write_entry(uint32_t place, uint64_t its_tag, uint64_t word) {
  const uint32_t index = place / RP_BUCKET_FLOWS;
  auto bucket = get<rp_flow_bucket>(skeleton_->maps.rp_flows, index).value();
  bucket.flow[place % RP_BUCKET_FLOWS] = {its_tag, word};
  put(skeleton_->maps.rp_flows, index, bucket);
}

void PacketPath::change_flow(const rp_tuple& tuple, uint64_t word) {
  const Flow there = flow(tuple).value();
  ASSERT_TRUE(mapped_->flows.swap(there.place, there.word, word));
}

void PacketPath::age_flow(const rp_tuple& tuple, uint32_t seconds) {
  const Flow there = flow(tuple).value();
  change_flow(tuple, with_seen(there.word, dataplane::FlowSweeper::now() - seconds));
}

size_t PacketPath::flows() const {
  size_t used = 0;
  for (uint32_t place = 0; place < mapped_->flows.places(); ++place) {
    if (mapped_->flows.word(place) != 0) ++used;
  }
  return used;
}

rp_flow_stats PacketPath::flow_stats() const {
  rp_flow_stats sum = {};
  for (const auto& stats : get_all_cpus<rp_flow_stats>(skeleton_->maps.rp_flow_stats, 0)) {
    sum.evicted += stats.evicted;
    sum.refused += stats.refused;
    sum.limited += stats.limited;
    sum.revived += stats.revived;
  }
  return sum;
}

rp_flow_count PacketPath::count(uint32_t index) const {
  return get<rp_flow_count>(skeleton_->maps.rp_flow_counts, index).value();
}

void PacketPath::set_count(uint32_t index, const rp_flow_count& count) {
  put(skeleton_->maps.rp_flow_counts, index, count);
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

dataplane::Sweep PacketPath::sweep(uint32_t seconds_from_now) {
  return mapped_->sweeper->pass(dataplane::FlowSweeper::now() + seconds_from_now);
}

void PacketPath::set_new_flows(uint64_t made, uint32_t seconds_ago) {
  const uint32_t window = dataplane::FlowSweeper::now() - seconds_ago;
  put_all_cpus(skeleton_->maps.rp_new_flows, rp_new_flows{window, made});
}

void PacketPath::set_answers(uint64_t sent, uint32_t seconds_ago) {
  const uint32_t window = dataplane::FlowSweeper::now() - seconds_ago;
  put_all_cpus(skeleton_->maps.rp_answers, rp_answers{window, sent});
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
