// SPDX-License-Identifier: Apache-2.0
#include "control/config_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "control/config_text.h"

namespace rampart::control {
namespace {

// What yaml-cpp makes of a bracket at the start of a document that is never closed is a key, too.
constexpr char kContainerAsKey[] =
    "found a list or map as a key; allowed: text (is every bracket closed?)";

Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

std::string too_deep() {
  return "lists and maps nest deeper than allowed: " + std::to_string(kMaxNesting) + " levels";
}

std::string too_many_values() {
  return "more values than allowed: " + std::to_string(kMaxValues) +
         ", each alias counting as all that it stands for";
}

// Ends the parse from within an event: yaml-cpp's parser is stopped by an exception only.
struct Stop {
  Place place;
  std::string text;
};

[[noreturn]] void stop(const YAML::Mark& mark, const std::string& text) {
  throw Stop{place_of(mark), text};
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Findings& findings) : findings_(findings) {}

  Document take() { return std::move(document_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) stop(mark, "found nothing as a key; allowed: text");
    remember(anchor, place_leaf(ValueKind::kNull, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_tag(mark, tag);
    check_text(mark, text);
    if (wants_key()) return open_member(mark, text);
    Value& value = place_leaf(ValueKind::kScalar, mark);
    value.text = text;
    value.quoted = tag == "!";
    remember(anchor, value);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) stop(mark, "found an alias as a key; allowed: text");
    const Value& value = *anchors_.at(anchor);
    if (!value.closed)
      stop(mark, "found an alias inside the value that it names; allowed: behind it");
    if (static_cast<int>(open_.size()) + value.height > kMaxNesting) stop(mark, too_deep());
    count(mark, value.size);
    attach(value);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(ValueKind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(ValueKind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map whose end is still to come.
  struct Open {
    Value* value;
    uint64_t counted_before;
    std::optional<Member> member = std::nullopt;      // a map's key that waits for its value
    bool duplicate = false;                           // that key was there before
    std::unordered_map<std::string, int> lines = {};  // of the keys seen
  };

  bool wants_key() const {
    return !open_.empty() && open_.back().value->kind == ValueKind::kMap && !open_.back().member;
  }

  // Path of the value that comes next.
  std::string path() const {
    std::string text;
    for (const Open& frame : open_) {
      if (frame.member) text = member_path(text, frame.member->key);
      if (frame.value->kind == ValueKind::kList) text = item_path(text, frame.value->items.size());
    }
    return text;
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    // "?" is a plain value, "!" a quoted one, "" a list or map.
    if (tag.empty() || tag == "?" || tag == "!") return;
    findings_.problem(place_of(mark), path(), "found the tag " + quoted(tag) + "; allowed: no tag");
  }

  // "\0" in double quotes: the file's bytes are clean, the text is not.
  void check_text(const YAML::Mark& mark, const std::string& text) {
    if (first_non_text(text) == text.size()) return;
    findings_.problem(place_of(mark), path(),
                      "found " + quoted(text) + "; allowed: text without control characters");
  }

  void count(const YAML::Mark& mark, uint64_t values) {
    counted_ += values;
    if (counted_ > kMaxValues) stop(mark, too_many_values());
  }

  void open_member(const YAML::Mark& mark, const std::string& key) {
    Open& frame = open_.back();
    const Place place = place_of(mark);
    const auto [seen, fresh] = frame.lines.emplace(key, place.line);
    frame.member = Member{key, place, nullptr};
    frame.duplicate = !fresh;
    if (fresh) return;
    findings_.problem(place, path(),
                      "duplicate key " + quoted(key) + "; allowed: once (it stands in line " +
                          std::to_string(seen->second) + " too)");
  }

  void attach(const Value& value) {
    if (open_.empty()) return document_.set_root(value);
    Open& frame = open_.back();
    if (frame.value->height <= value.height) frame.value->height = value.height + 1;
    if (frame.value->kind == ValueKind::kList) return frame.value->items.push_back(&value);
    frame.member->value = &value;
    if (!frame.duplicate) frame.value->members.push_back(std::move(*frame.member));
    frame.member.reset();
  }

  Value& place_leaf(ValueKind kind, const YAML::Mark& mark) {
    count(mark, 1);
    Value& value = document_.add(kind, place_of(mark));
    attach(value);
    return value;
  }

  void remember(YAML::anchor_t anchor, const Value& value) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = &value;
  }

  void open(ValueKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (wants_key()) stop(mark, kContainerAsKey);
    if (open_.size() >= kMaxNesting) stop(mark, too_deep());
    check_tag(mark, tag);
    const uint64_t counted_before = counted_;
    count(mark, 1);
    Value& value = document_.add(kind, place_of(mark));
    value.closed = false;
    value.height = 1;
    remember(anchor, value);
    open_.push_back({&value, counted_before});
  }

  void close() {
    const Open frame = std::move(open_.back());
    open_.pop_back();
    frame.value->closed = true;
    frame.value->size = counted_ - frame.counted_before;
    attach(*frame.value);
  }

  Findings& findings_;
  Document document_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, const Value*> anchors_;
  uint64_t counted_ = 0;
};

// Place of a byte; columns in bytes, as yaml-cpp counts them.
Place place_at(std::string_view bytes, size_t offset) {
  Place place;
  for (size_t i = 0; i < offset; ++i) {
    place.column = bytes[i] == '\n' ? 1 : place.column + 1;
    place.line += bytes[i] == '\n' ? 1 : 0;
  }
  return place;
}

// Where yaml-cpp says that an error is. It reads, and counts, a byte or two behind the end of a file.
Place place_within(std::string_view bytes, const YAML::Mark& mark) {
  const Place place = place_of(mark);
  const Place end = place_at(bytes, bytes.size());
  return std::tie(place.line, place.column) < std::tie(end.line, end.column) ? place : end;
}

// Only UTF-8 text without control characters goes to yaml-cpp: it takes byte 4 for the end of the
// file, so that what follows would be silently left out, and guesses at other encodings.
bool is_clean_text(std::string_view bytes, Findings& findings) {
  if (bytes.size() > kMaxDocumentBytes) {
    findings.problem(
        {}, "",
        "the file is larger than allowed: " + std::to_string(kMaxDocumentBytes >> 20) + " MiB");
    return false;
  }
  const size_t bad = first_non_text(bytes);
  if (bad == bytes.size()) return true;
  findings.problem(place_at(bytes, bad), "",
                   "found the byte " + quoted(bytes.substr(bad, 1)) +
                       "; allowed: UTF-8 text without control characters");
  return false;
}

// yaml-cpp cannot tell whether a bracket opens a key before it has seen it closed, and keeps every
// token in between: 16 MiB of brackets or commas cost 4 GB before the first event. So they are
// counted beforehand, without regard to quotes and comments: far above what a real file has in
// those, far below what hurts (500 MB).
bool is_bounded_flow(std::string_view bytes, Findings& findings) {
  constexpr int64_t kMostUnclosed = 16 * kMaxNesting;
  int64_t unclosed = 0;
  uint64_t parts = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    const bool opens = c == '[' || c == '{';
    const bool closes = c == ']' || c == '}';
    unclosed = std::max<int64_t>(unclosed + (opens ? 1 : 0) - (closes ? 1 : 0), 0);
    parts += opens || c == ',' ? 1 : 0;
    if (unclosed <= kMostUnclosed && parts <= kMaxValues) continue;
    findings.problem(place_at(bytes, at), "",
                     unclosed > kMostUnclosed ? too_deep() : too_many_values());
    return false;
  }
  return true;
}

// True if the whole of it was read.
bool build(TreeBuilder& builder, std::istream& stream, Findings& findings) {
  YAML::Parser parser(stream);
  if (!parser.HandleNextDocument(builder)) return true;
  TreeBuilder rest(findings);
  if (!parser.HandleNextDocument(rest)) return true;
  findings.problem(rest.take().root().place, "", "found a second document; allowed: one in a file");
  return false;
}

}  // namespace

Place Member::value_place() const {
  return value->kind == ValueKind::kNull ? place : value->place;
}

Value& Document::add(ValueKind kind, Place place) {
  Value& value = values_.emplace_back();
  value.kind = kind;
  value.place = place;
  return value;
}

ReadDocument read_document(std::string_view bytes, Findings& findings) {
  ReadDocument result;
  if (!is_clean_text(bytes, findings) || !is_bounded_flow(bytes, findings)) return result;
  try {
    std::istringstream stream{std::string(bytes)};
    TreeBuilder builder(findings);
    result.complete = build(builder, stream, findings);
    result.document = builder.take();
  } catch (const Stop& stopped) {
    findings.problem(stopped.place, "", stopped.text);
  } catch (const YAML::Exception& error) {
    // The message may have a byte of the file in it.
    findings.problem(place_within(bytes, error.mark), "",
                     "found a syntax error, " + quoted(error.msg) + "; allowed: YAML or JSON");
  } catch (const std::exception& error) {
    findings.problem({}, "", std::string("cannot be read: ") + error.what());
  }
  return result;
}

}  // namespace rampart::control
