// SPDX-License-Identifier: Apache-2.0
#include "control/config_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/check.h"

namespace rampart::control {
namespace {

// Decimal digits, with a sign only if negative, and no leading zero, which YAML 1.1 reads as octal.
bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string range_text(const std::string& kind, const std::string& low, const std::string& high) {
  return low == high ? low : kind + " from " + low + " to " + high;
}

std::string shortest(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return uint8_t(c) < 0x20; });
}

}  // namespace

std::string Field::found() const {
  switch (value_->kind) {
    case ValueKind::kNull:
      return "nothing";
    case ValueKind::kList:
      return "a list";
    case ValueKind::kMap:
      return "a map";
    case ValueKind::kScalar:
      break;
  }
  return quoted(value_->text);
}

void Field::refuse(const std::string& allowed) const {
  if (present()) return problem("found " + found() + "; allowed: " + allowed);
  if (presence_ == Presence::kRequired) problem("missing; required: " + allowed);
}

void Field::unsupported(const std::string& allowed) const {
  if (!present()) return;
  problem("found " + found() + ", not supported by this version; allowed: " + allowed);
}

const std::string* Field::scalar(Quotes quotes, const std::string& allowed) const {
  const bool is_scalar = present() && value_->kind == ValueKind::kScalar;
  if (is_scalar && !value_->quoted) return &value_->text;
  if (is_scalar && quotes == Quotes::kAllowed) return &value_->text;
  if (is_scalar) {
    problem("found the text " + found() + " in quotes; allowed: " + allowed + ", without quotes");
  } else {
    refuse(allowed);
  }
  return nullptr;
}

std::optional<int64_t> Field::integer(int64_t low, int64_t high) const {
  const std::string allowed = range_text("an integer", std::to_string(low), std::to_string(high));
  const std::string* text = scalar(Quotes::kRefused, allowed);
  if (text == nullptr) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (is_integer(*text) && error == std::errc() && value >= low && value <= high) return value;
  refuse(allowed);
  return std::nullopt;
}

std::optional<std::chrono::seconds> Field::seconds(int64_t low, int64_t high) const {
  const auto count = integer(low, high);
  if (!count) return std::nullopt;
  return std::chrono::seconds(*count);
}

std::optional<double> Field::number(double low, double high) const {
  const std::string allowed = range_text("a number", shortest(low), shortest(high));
  const std::string* text = scalar(Quotes::kRefused, allowed);
  if (text == nullptr) return std::nullopt;
  double value = 0;
  const char* last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, value);
  const bool whole = error == std::errc() && end == last && std::isfinite(value);
  if (whole && value >= low && value <= high) return value;
  refuse(allowed);
  return std::nullopt;
}

std::optional<Duration> Field::duration(double low, double high) const {
  const auto count = number(low, high);
  if (!count) return std::nullopt;
  return std::chrono::round<Duration>(std::chrono::duration<double>(*count));
}

std::optional<bool> Field::boolean() const {
  const std::string allowed = "true or false";
  const std::string* text = scalar(Quotes::kRefused, allowed);
  if (text == nullptr) return std::nullopt;
  if (*text == "true") return true;
  if (*text == "false") return false;
  refuse(allowed);
  return std::nullopt;
}

std::optional<std::string> Field::text(const TextForm& form) const {
  const std::string* text = scalar(Quotes::kAllowed, std::string(form.words));
  if (text == nullptr) return std::nullopt;
  if (is_one_line(*text) && form.accepts(*text)) return *text;
  refuse(std::string(form.words));
  return std::nullopt;
}

std::optional<std::string> Field::lines() const {
  const std::string* text = scalar(Quotes::kAllowed, std::string(kAnyText.words));
  if (text == nullptr) return std::nullopt;
  if (kAnyText.accepts(*text)) return *text;
  refuse(std::string(kAnyText.words));
  return std::nullopt;
}

std::vector<Field> Field::items() const {
  std::vector<Field> fields;
  if (!is_list()) {
    refuse("a list");
    return fields;
  }
  fields.reserve(value_->items.size());
  for (const Value* item : value_->items) {
    fields.push_back(
        Field(item, item->place, item_path(path_, fields.size()), Presence::kRequired, *findings_));
  }
  return fields;
}

std::vector<std::string> Field::texts(const TextForm& form) const {
  std::vector<std::string> list;
  for (const Field& item : items()) {
    if (auto text = item.text(form)) list.push_back(std::move(*text));
  }
  return list;
}

std::vector<Field::Pair> Field::pairs() const {
  std::vector<Pair> list;
  if (!is_map()) {
    refuse("a map");
    return list;
  }
  for (const Member& member : value_->members) {
    const std::string path = member_path(path_, member.key);
    list.push_back(
        {member.key, Field(member.value, member.place, path, Presence::kRequired, *findings_),
         Field(member.value, member.value_place(), path, Presence::kRequired, *findings_)});
  }
  return list;
}

void Field::no_such_choice(std::span<const std::string_view> supported, bool known) const {
  if (known) return unsupported(listed(supported));
  refuse(listed(supported));
}

Block::Block(Field field, std::initializer_list<std::string_view> keys)
    : field_(std::move(field)), keys_(keys) {
  if (field_.is_map()) {
    check_keys();
  } else {
    field_.refuse("a map");
  }
}

void Block::check_keys() const {
  for (const Member& member : field_.value_->members) {
    if (std::find(keys_.begin(), keys_.end(), member.key) != keys_.end()) continue;
    std::string text = "unknown key " + quoted(member.key);
    const auto meant = field_.findings_->full() ? std::nullopt : nearest(member.key, keys_);
    if (meant) text += " (did you mean " + quoted(*meant) + "?)";
    field_.findings_->problem(member.place, member_path(field_.path_, member.key),
                              text + "; allowed: " + listed(keys_));
  }
}

Field Block::member(std::string_view key, Presence presence) const {
  RP_CHECK(std::find(keys_.begin(), keys_.end(), key) != keys_.end());
  const std::string path = member_path(field_.path_, key);
  if (!field_.is_map()) {
    // The block itself was refused already: what it lacks is not missing as well.
    return Field(nullptr, field_.place_, path, Presence::kOptional, *field_.findings_);
  }
  for (const Member& member : field_.value_->members) {
    if (member.key != key) continue;
    return Field(member.value, member.value_place(), path, presence, *field_.findings_);
  }
  return Field(nullptr, field_.place_, path, presence, *field_.findings_);
}

}  // namespace rampart::control
