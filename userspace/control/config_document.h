// SPDX-License-Identifier: Apache-2.0
// A document as a tree of values with their places, before any of them has a meaning.
//
// yaml-cpp does the parsing; its events build the tree, instead of its own YAML::Node, for three
// reasons. A YAML::Node has lost what must be reported: duplicate keys, and whether 80 was quoted.
// Its aliases are shared silently, so that a few hundred bytes can stand for billions of values;
// here each alias is charged the size of what it names, as it is met. And limits can end the parse
// at the very event that passes them, however much of the file is left (C6).
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_DOCUMENT_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "control/config_findings.h"

namespace rampart::control {

// C6. A file of 16 MiB with VIPs written out in full holds 58,000 of them and 900,000 values; it is read
// in 5 s with 310 MB.
inline constexpr size_t kMaxDocumentBytes = size_t{16} << 20;
inline constexpr int kMaxNesting = 64;
inline constexpr uint64_t kMaxValues = 2'000'000;

enum class ValueKind { kNull, kScalar, kList, kMap };

struct Value;

struct Member {
  std::string key;
  Place place;  // of the key
  const Value* value = nullptr;

  // Of the value; of the key where the value is empty, because yaml-cpp then gives that of what comes
  // next in the file.
  Place value_place() const;
};

// A value in the tree, wherever aliases put it.
struct Value {
  ValueKind kind = ValueKind::kNull;
  bool quoted = false;  // a scalar in quotes is text, never a number
  bool closed = true;   // false while its end has not been seen: an alias may not name it yet
  int height = 0;       // levels of lists and maps below and including this one, aliases expanded
  uint64_t size = 1;    // values below and including this one, aliases expanded
  Place place;
  std::string text;                 // kScalar
  std::vector<const Value*> items;  // kList
  std::vector<Member> members;      // kMap, in file order; no key twice
};

class Document {
 public:
  Document() = default;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;

  // Null for a document without any content.
  const Value& root() const { return *root_; }

  // A new value; it keeps its address as long as the document lives.
  Value& add(ValueKind kind, Place place);
  void set_root(const Value& value) { root_ = &value; }

 private:
  std::deque<Value> values_ = std::deque<Value>(1);
  const Value* root_ = &values_.front();
};

struct ReadDocument {
  Document document;
  bool complete = false;  // false: only the findings are of use
};

// Reads one YAML or JSON document. Bytes that are no text, syntax errors, limits, and keys that are
// no text end the reading, each with one problem; duplicate keys and tags are problems beside which
// it goes on (the first of two keys stays). Never throws.
ReadDocument read_document(std::string_view bytes, Findings& findings);

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_DOCUMENT_H_
