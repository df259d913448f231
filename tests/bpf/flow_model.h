// SPDX-License-Identifier: Apache-2.0
// A TCP flow as F1, F2, F6, F7 and F8 have it, written from the rules and not from the code. A packet
// has one right effect on a live flow; a flow that may have given way meanwhile (F8) leaves two, and
// the model goes on with the one that is seen.
#ifndef RAMPART_TESTS_BPF_FLOW_MODEL_H_
#define RAMPART_TESTS_BPF_FLOW_MODEL_H_

#include <cstdint>
#include <string>

namespace rampart::bpf_test {

enum class Seen { kOneWay, kBothWays };  // l2: the client's packets alone; nat: replies too

struct Segment {
  bool syn = false, fin = false, rst = false, data = false;
  bool is_syn() const { return syn && !fin && !rst; }
};

struct FlowModel {
  enum State { kNone, kBegun, kEstablished, kClosing };

  Seen seen = Seen::kOneWay;
  State state = kNone;
  bool revived = false, client_fin = false, backend_fin = false;
  uint32_t backend = 0;
  uint32_t last = 0;  // seconds

  // F6
  bool counts() const { return state == kBegun || state == kEstablished; }
  // F8: may give way to another flow.
  bool gives_way(uint32_t now) const {
    return (state == kBegun || state == kClosing) && now - last > 1;
  }
  bool same_as(const FlowModel& other) const {
    return state == other.state && revived == other.revived && client_fin == other.client_fin &&
           backend_fin == other.backend_fin && backend == other.backend;
  }

  // A new flow at `to`. A FIN or RST that begins a flow also ends it, or half of it.
  FlowModel begun(uint32_t to, const Segment& segment, uint32_t now) const {
    FlowModel next;
    next.seen = seen;
    next.state = kBegun;
    next.backend = to;
    next.last = now;
    return segment.fin || segment.rst ? next.after_client(segment, now) : next;
  }
  // F2: a SYN on a closing flow chooses anew, anything else stays.
  bool begins_with(const Segment& segment) const {
    return state == kNone || (state == kClosing && segment.is_syn());
  }

  // The flow after a segment of the client. REQUIRES: it is one.
  FlowModel after_client(const Segment& segment, uint32_t now) const {
    FlowModel next = *this;
    next.last = now;
    if (segment.fin) next.client_fin = true;
    const bool both = next.client_fin && next.backend_fin;
    if (state == kClosing) {
      const bool revives = segment.data && !segment.fin && !segment.rst && !revived && !both;
      if (revives) next.state = kEstablished;
      next.revived |= revives;
    } else if (segment.rst || (segment.fin && (seen == Seen::kOneWay || both))) {
      next.state = kClosing;
    } else if (!segment.fin && !segment.is_syn()) {
      next.state = kEstablished;
    }
    return next;
  }
  // Of the backend (nat): it ends, and neither establishes nor revives.
  FlowModel after_backend(const Segment& segment, uint32_t now) const {
    FlowModel next = *this;
    next.last = now;
    if (segment.fin) next.backend_fin = true;
    if (segment.rst || (next.client_fin && next.backend_fin)) next.state = kClosing;
    return next;
  }
};

}  // namespace rampart::bpf_test

#endif  // RAMPART_TESTS_BPF_FLOW_MODEL_H_
