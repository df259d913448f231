// SPDX-License-Identifier: Apache-2.0
// The door of the flow table (rampart/flows.h): entries by place, as memory that programs use at the
// same time. Nothing but this and bpf/flowtable.h knows that it is an array of buckets.
//
// Thread-safety: every call is one atomic step on one entry; any number of threads and programs.
#ifndef RAMPART_MAPS_FLOWS_H_
#define RAMPART_MAPS_FLOWS_H_

#include <cstdint>
#include <optional>

#include "maps/typed_map.h"
#include "rampart/flows.h"
#include "rampart/values.h"

namespace rampart::maps {

// A count at one moment. Closed is read first: a flow that opens and closes in between must not make
// the difference negative.
inline rp_flow_count read_count(const rp_flow_count& count) {
  const uint64_t closed = load(count.closed);
  return rp_flow_count{
      .opened = load(count.opened), .closed = closed, .joined = load(count.joined), .zero = 0};
}

class FlowTable {
 public:
  FlowTable(MappedArray<rp_flow_bucket> buckets, MappedArray<rp_flow_origin> origins)
      : buckets_(std::move(buckets)), origins_(std::move(origins)) {}

  // Entries, free ones included.
  uint32_t places() const { return buckets_.size() * RP_BUCKET_FLOWS; }
  // REQUIRES, here and below: place < places().
  uint64_t word(uint32_t place) const { return load(at(place).word); }
  uint64_t tag(uint32_t place) const { return load(at(place).tag); }
  // False if the word is no longer `from`.
  bool swap(uint32_t place, uint64_t from, uint64_t to) {
    return maps::swap(at(place).word, static_cast<__u64>(from), static_cast<__u64>(to));
  }
  // The origin of the flow whose word was `word_then`; nothing if it is not written yet, or the entry
  // has changed hands. REQUIRES: that word held a flow.
  std::optional<rp_flow_origin> origin(uint32_t place, uint64_t word_then) const;

 private:
  const rp_flow& at(uint32_t place) const {
    return buckets_.at(place / RP_BUCKET_FLOWS).flow[place % RP_BUCKET_FLOWS];
  }
  rp_flow& at(uint32_t place) {
    return buckets_.at(place / RP_BUCKET_FLOWS).flow[place % RP_BUCKET_FLOWS];
  }

  MappedArray<rp_flow_bucket> buckets_;
  MappedArray<rp_flow_origin> origins_;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_FLOWS_H_
