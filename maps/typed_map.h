// SPDX-License-Identifier: Apache-2.0
// Typed doors onto BPF maps: the only code that hands raw bytes to the kernel. A key or value type
// is refused at compile time if it has hidden padding, which the kernel would compare or leak.
#ifndef RAMPART_MAPS_TYPED_MAP_H_
#define RAMPART_MAPS_TYPED_MAP_H_

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace rampart::maps {

template <typename T>
concept MapBytes = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>;

// The kernel's id of a map; 0 if it does not say.
inline uint32_t map_id(int fd) {
  bpf_map_info info = {};
  uint32_t length = sizeof info;
  return bpf_obj_get_info_by_fd(fd, &info, &length) == 0 ? info.id : 0;
}

// A hash map.
template <MapBytes Key, MapBytes Value>
class HashMap {
 public:
  explicit HashMap(Fd fd) : fd_(std::move(fd)) {}
  int fd() const { return fd_.get(); }

  // Adds an entry; fails with EEXIST if there is one: nothing is ever overwritten (values.h).
  Result<void> insert(const Key& key, const Value& value) {
    if (bpf_map_update_elem(fd_.get(), &key, &value, BPF_NOEXIST) == 0) return {};
    return system_error("insert", errno);
  }
  // Removing what is not there is done already.
  Result<void> remove(const Key& key) {
    if (bpf_map_delete_elem(fd_.get(), &key) == 0 || errno == ENOENT) return {};
    return system_error("remove", errno);
  }
  // All entries, in no particular order. Entries that come or go meanwhile may be missed.
  Result<std::vector<std::pair<Key, Value>>> entries() const {
    std::vector<std::pair<Key, Value>> found;
    Key key = {};
    const Key* previous = nullptr;
    Key next = {};
    while (bpf_map_get_next_key(fd_.get(), previous, &next) == 0) {
      key = next;
      previous = &key;
      Value value = {};
      if (bpf_map_lookup_elem(fd_.get(), &key, &value) == 0) found.emplace_back(key, value);
    }
    if (errno != ENOENT) return system_error("read", errno);
    return found;
  }

 private:
  Fd fd_;
};

// An array map that userspace sees as memory. Members that change while programs read them are
// written with store(), everything else through at().
template <MapBytes Value>
class MappedArray {
 public:
  // The mapping keeps the map alive by itself: a descriptor for each VIP's table would be too many.
  static Result<MappedArray> map(const Fd& fd, uint32_t entries) {
    static_assert(sizeof(Value) % 8 == 0, "the kernel pads array values to 8 bytes");
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t length = (sizeof(Value) * entries + page - 1) / page * page;
    void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return system_error("map the array into memory", errno);
    return MappedArray(static_cast<Value*>(memory), entries, length);
  }
  MappedArray(MappedArray&& from) noexcept
      : values_(std::exchange(from.values_, nullptr)), size_(from.size_), length_(from.length_) {}
  MappedArray& operator=(MappedArray&& from) noexcept {
    std::swap(values_, from.values_);
    std::swap(size_, from.size_);
    std::swap(length_, from.length_);
    return *this;
  }
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;
  ~MappedArray() {
    if (values_ != nullptr) munmap(values_, length_);
  }

  uint32_t size() const { return size_; }
  // REQUIRES: index < size().
  Value& at(uint32_t index) { return values_[checked(index)]; }
  const Value& at(uint32_t index) const { return values_[checked(index)]; }

 private:
  MappedArray(Value* values, uint32_t size, size_t length)
      : values_(values), size_(size), length_(length) {}
  uint32_t checked(uint32_t index) const {
    RP_CHECK(index < size_);
    return index;
  }

  Value* values_ = nullptr;
  uint32_t size_ = 0;
  size_t length_ = 0;
};

// One store of one aligned word that programs may be reading; everything written before it is
// visible to a program that sees the new word.
template <typename Word>
void store(Word& word, Word value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}
template <typename Word>
Word load(const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
// Words that programs change too. A swap fails if the word is no longer `from`.
template <typename Word>
bool swap(Word& word, Word from, Word to) {
  return __atomic_compare_exchange_n(&word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <typename Word>
void add(Word& word, Word more) {
  __atomic_fetch_add(&word, more, __ATOMIC_SEQ_CST);
}

// A per-CPU array: each CPU's value apart.
template <MapBytes Value>
class PerCpuArray {
 public:
  explicit PerCpuArray(Fd fd) : fd_(std::move(fd)), cpus_(libbpf_num_possible_cpus()) {}
  int fd() const { return fd_.get(); }

  // One value per possible CPU.
  Result<std::vector<Value>> read(uint32_t index) const {
    std::vector<Value> values(cpus_);
    if (bpf_map_lookup_elem(fd_.get(), &index, values.data()) == 0) return values;
    return system_error("read", errno);
  }
  // Zeroes an entry that no program counts into.
  Result<void> clear(uint32_t index) {
    const std::vector<Value> zeros(cpus_);
    if (bpf_map_update_elem(fd_.get(), &index, zeros.data(), BPF_ANY) == 0) return {};
    return system_error("clear", errno);
  }

 private:
  static_assert(sizeof(Value) % 8 == 0, "the kernel pads per-CPU values to 8 bytes");
  Fd fd_;
  int cpus_;
};

}  // namespace rampart::maps

#endif  // RAMPART_MAPS_TYPED_MAP_H_
