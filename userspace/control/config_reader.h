// SPDX-License-Identifier: Apache-2.0
// A cursor over a document that turns values into C++ ones and collects what is wrong with them.
//
// Every reading function answers "the value, or nothing". Nothing means either that the key is
// absent, which is fine for an optional one, or that a problem was found and noted; in both cases
// the caller goes on with the default, so that one run reports every problem of a file (C1). Each
// problem is noted once, by the function that finds it.
#ifndef RAMPART_USERSPACE_CONTROL_CONFIG_READER_H_
#define RAMPART_USERSPACE_CONTROL_CONFIG_READER_H_

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "control/config_document.h"
#include "control/config_findings.h"
#include "control/config_text.h"

namespace rampart::control {

// A word that stands for a value; without one, its capability is not in this version.
template <typename T>
struct Choice {
  std::string_view word;
  std::optional<T> value;
};

enum class Presence { kOptional, kRequired };

// One value of the document, or its absence.
class Field {
 public:
  static Field root(const Value& value, Findings& findings) {
    return Field(&value, value.place, "", Presence::kRequired, findings);
  }

  bool present() const { return value_ != nullptr; }
  bool is_list() const { return present() && value_->kind == ValueKind::kList; }
  bool is_map() const { return present() && value_->kind == ValueKind::kMap; }
  // Whether it is the scalar `word`.
  bool is(std::string_view word) const {
    return present() && value_->kind == ValueKind::kScalar && value_->text == word;
  }
  const std::string& path() const { return path_; }
  Place place() const { return place_; }

  std::optional<int64_t> integer(int64_t low, int64_t high) const;
  std::optional<std::chrono::seconds> seconds(int64_t low, int64_t high) const;
  std::optional<double> number(double low, double high) const;
  // A number of seconds.
  std::optional<Duration> duration(double low, double high) const;
  std::optional<bool> boolean() const;
  std::optional<std::string> text(const TextForm& form) const;
  // Text that may have several lines; not empty.
  std::optional<std::string> lines() const;
  template <typename T>
  std::optional<T> choice(std::initializer_list<Choice<T>> choices) const;
  // The items of a list; none if it is absent or no list.
  std::vector<Field> items() const;
  // The texts of a list that are as they should be.
  std::vector<std::string> texts(const TextForm& form) const;
  // The pairs of a map whose keys are not known beforehand.
  struct Pair;
  std::vector<Pair> pairs() const;

  // Notes that this value is wrong. `text` says what was found and what is allowed.
  void problem(const std::string& text) const { findings_->problem(place_, path_, text); }
  void warning(const std::string& text) const { findings_->warning(place_, path_, text); }
  // "found X; allowed: Y" of a present value, "missing; required: Y" of a required absent one.
  void refuse(const std::string& allowed) const;
  // "found X, not supported by this version; allowed: Y". An absent value is no problem.
  void unsupported(const std::string& allowed) const;

 private:
  friend class Block;
  Field(const Value* value, Place place, std::string path, Presence presence, Findings& findings)
      : value_(value),
        place_(place),
        path_(std::move(path)),
        presence_(presence),
        findings_(&findings) {}

  // The text of a scalar; a problem unless it is one. `quotes`: whether it may be quoted.
  enum class Quotes { kAllowed, kRefused };
  const std::string* scalar(Quotes quotes, const std::string& allowed) const;
  std::string found() const;
  void no_such_choice(std::span<const std::string_view> supported, bool known) const;

  const Value* value_;
  Place place_;
  std::string path_;
  Presence presence_;
  Findings* findings_;
};

struct Field::Pair {
  std::string key;
  Field name;  // for what is wrong with the key
  Field value;
};

// A map whose keys are known. Making one notes every key that is not among them.
class Block {
 public:
  Block(Field field, std::initializer_list<std::string_view> keys);

  // REQUIRES: `key` is among the known ones.
  Field optional(std::string_view key) const { return member(key, Presence::kOptional); }
  Field required(std::string_view key) const { return member(key, Presence::kRequired); }
  bool has(std::string_view key) const { return optional(key).present(); }
  // The map itself.
  const Field& field() const { return field_; }

 private:
  Field member(std::string_view key, Presence presence) const;
  void check_keys() const;

  Field field_;
  std::vector<std::string_view> keys_;
};

template <typename T>
std::optional<T> Field::choice(std::initializer_list<Choice<T>> choices) const {
  std::vector<std::string_view> supported;
  for (const Choice<T>& choice : choices) {
    if (choice.value) supported.push_back(choice.word);
  }
  const std::string* word = scalar(Quotes::kAllowed, listed(supported));
  if (word == nullptr) return std::nullopt;
  bool known = false;
  for (const Choice<T>& choice : choices) {
    if (choice.word != *word) continue;
    if (choice.value) return choice.value;
    known = true;
  }
  no_such_choice(supported, known);
  return std::nullopt;
}

}  // namespace rampart::control

#endif  // RAMPART_USERSPACE_CONTROL_CONFIG_READER_H_
