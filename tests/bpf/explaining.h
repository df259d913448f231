// SPDX-License-Identifier: Apache-2.0
// The object's second program, over the maps of a packet path: what it says, and what it must not
// touch.
#ifndef RAMPART_TESTS_BPF_EXPLAINING_H_
#define RAMPART_TESTS_BPF_EXPLAINING_H_

#include <map>
#include <string>

#include "bpf/packet_path.h"
#include "rampart/explanation.h"

struct rampart_bpf;

namespace rampart::bpf_test {

class Explaining {
 public:
  // Loads. REQUIRES: `path` outlives it.
  explicit Explaining(const PacketPath& path);
  ~Explaining();
  Explaining(const Explaining&) = delete;
  Explaining& operator=(const Explaining&) = delete;

  rp_explanation ask(const Packet& packet) const;

  // All that maps hold but for the answer itself, by name; the queue is looked at by itself.
  std::map<std::string, Bytes> contents() const;

 private:
  const PacketPath& path_;
  rampart_bpf* skeleton_;
};

}  // namespace rampart::bpf_test

#endif  // RAMPART_TESTS_BPF_EXPLAINING_H_
