// SPDX-License-Identifier: Apache-2.0
// The state file's JSON. Times are whole nanoseconds of the boot clock; absent members are the
// defaults of the structs, so that a file says only what there is to say.
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/weight.h"
#include "control/state_file.h"
#include "engine/snapshot.h"

namespace rampart::control {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

// A document that is not what it should be; caught by parse_state().
struct Wrong {
  std::string text;
};

json number(TimePoint at) {
  return at.time_since_epoch().count();
}

void put(json& object, const char* key, const std::optional<TimePoint>& at) {
  if (at) object[key] = number(*at);
}

json node_document(const engine::NodeRecord& node) {
  json object = json::object();
  const engine::NodeHistory& history = node.history;
  if (node.listed) object["listed"] = true;
  if (node.discovered) object["discovered"] = true;
  if (history.lifecycle != engine::Lifecycle::kNone) {
    object["lifecycle"] = engine::name_of(history.lifecycle);
    object["cause"] = engine::name_of(history.cause);
    object["since"] = number(history.last_transition);
  }
  if (history.lifecycle == engine::Lifecycle::kRamping) {
    object["ramp_start"] = number(history.ramp_start);
  }
  put(object, "unusable_since", history.unusable_since);
  put(object, "absent_since", history.absent_since);
  const engine::Condition& said = node.condition;
  if (said.health != engine::Health::kUnknown) object["health"] = engine::name_of(said.health);
  if (said.checked_by) object["checked_by"] = *said.checked_by;
  if (said.admin != engine::Admin::kNone) object["admin"] = engine::name_of(said.admin);
  if (said.override_weight) object["override"] = *said.override_weight;
  if (!said.admin_by.empty()) object["admin_by"] = said.admin_by;
  if (!said.override_by.empty()) object["override_by"] = said.override_by;
  return object;
}

const json& member(const json& object, const char* key, const std::string& where) {
  if (!object.is_object()) throw Wrong{where + " is not an object"};
  const auto found = object.find(key);
  if (found == object.end()) throw Wrong{where + " has no \"" + key + "\""};
  return *found;
}

template <typename T>
T value(const json& from, const std::string& where) {
  bool fits = from.is_string();
  if constexpr (std::is_same_v<T, bool>) {
    fits = from.is_boolean();
  } else if constexpr (std::is_unsigned_v<T>) {
    fits = from.is_number_unsigned();
  } else if constexpr (std::is_integral_v<T>) {
    fits = from.is_number_integer();
  }
  if (!fits) throw Wrong{where + " is not of its type"};
  return from.get<T>();
}

template <typename T>
std::optional<T> optional(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  return value<T>(*found, where + "." + key);
}

std::optional<TimePoint> optional_time(const json& object, const char* key,
                                       const std::string& where) {
  const auto count = optional<int64_t>(object, key, where);
  if (!count) return std::nullopt;
  const Duration since_zero(*count);
  if (since_zero > kFarthestTime || since_zero < -kFarthestTime) {
    throw Wrong{where + "." + key + " is no time"};
  }
  return TimePoint(since_zero);
}

// The enumerator of `from` whose name is the member's, from 0 to `last`.
template <typename E>
E enumerator(const json& object, const char* key, const std::string& where, E last) {
  const auto word = optional<std::string>(object, key, where);
  if (!word) return E{};
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (*word == engine::name_of(static_cast<E>(i))) return static_cast<E>(i);
  }
  throw Wrong{where + "." + key + ": there is no \"" + *word + "\""};
}

engine::NodeRecord node_of(const json& object, const std::string& where) {
  if (!object.is_object()) throw Wrong{where + " is not an object"};
  engine::NodeRecord node;
  node.listed = optional<bool>(object, "listed", where).value_or(false);
  node.discovered = optional<bool>(object, "discovered", where).value_or(false);
  engine::NodeHistory& history = node.history;
  history.lifecycle = enumerator(object, "lifecycle", where, engine::Lifecycle::kMature);
  history.cause = enumerator(object, "cause", where, engine::Cause::kOperator);
  history.last_transition = optional_time(object, "since", where).value_or(TimePoint());
  history.ramp_start = optional_time(object, "ramp_start", where).value_or(TimePoint());
  history.unusable_since = optional_time(object, "unusable_since", where);
  history.absent_since = optional_time(object, "absent_since", where);
  engine::Condition& said = node.condition;
  said.health = enumerator(object, "health", where, engine::Health::kDown);
  said.checked_by = optional<uint64_t>(object, "checked_by", where);
  said.admin = enumerator(object, "admin", where, engine::Admin::kMaintenance);
  const auto weight = optional<int64_t>(object, "override", where);
  if (weight && (*weight < 0 || *weight > int64_t{kMostWeight}))
    throw Wrong{where + ".override is no weight"};
  if (weight) said.override_weight = static_cast<uint32_t>(*weight);
  said.admin_by = optional<std::string>(object, "admin_by", where).value_or("");
  said.override_by = optional<std::string>(object, "override_by", where).value_or("");
  if (history.lifecycle == engine::Lifecycle::kRamping && !object.contains("ramp_start")) {
    throw Wrong{where + " ramps and has no \"ramp_start\""};
  }
  return node;
}

engine::ScopeRecord scope_of(const json& object, const std::string& where) {
  engine::ScopeRecord scope;
  scope.id = value<std::string>(member(object, "id", where), where + ".id");
  scope.had_block = optional<bool>(object, "slow_start", where).value_or(false);
  scope.filled_at = optional_time(object, "filled_at", where);
  scope.panic_seen = optional_time(object, "panic_seen", where);
  const json& nodes = member(object, "nodes", where);
  if (!nodes.is_object()) throw Wrong{where + ".nodes is not an object"};
  for (const auto& [identity, node] : nodes.items()) {
    scope.nodes[identity] = node_of(node, "scope " + scope.id + ", node " + identity);
  }
  return scope;
}

SavedState state_of(const json& document) {
  const int64_t version = value<int64_t>(member(document, "version", "the document"), "version");
  if (version != kVersion) {
    throw Wrong{"version " + std::to_string(version) + ", and this program reads version " +
                std::to_string(kVersion)};
  }
  SavedState state;
  state.frame.boot_id = value<std::string>(member(document, "boot_id", "the document"), "boot_id");
  member(document, "boot_clock", "the document");
  state.frame.boot_clock = *optional_time(document, "boot_clock", "the document");
  // 73 years after 1970 are not far for a wall clock.
  state.frame.wall_clock = Duration(
      value<int64_t>(member(document, "wall_clock", "the document"), "the document.wall_clock"));
  const json& scopes = member(document, "scopes", "the document");
  if (!scopes.is_array()) throw Wrong{"scopes is not an array"};
  std::unordered_set<ScopeId> ids;
  for (size_t i = 0; i < scopes.size(); ++i) {
    state.engine.push_back(scope_of(scopes[i], "scopes[" + std::to_string(i) + "]"));
    if (!ids.insert(state.engine.back().id).second) throw Wrong{"two scopes have one id"};
  }
  return state;
}

// Whether brackets are open that deep anywhere in a document, or in what of it is JSON. Asked before
// it is parsed: the parser takes some tens of bytes for each. (Its callback could tell too, but then
// looks through all earlier members at the end of each object.)
bool is_nested_deeper(std::string_view document, int most) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < document.size(); ++i) {
    const char c = document[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > most) return true;
  }
  return false;
}

}  // namespace

std::string format_state(const SavedState& saved) {
  json document = {{"version", kVersion},
                   {"boot_id", saved.frame.boot_id},
                   {"boot_clock", number(saved.frame.boot_clock)},
                   {"wall_clock", saved.frame.wall_clock.count()},
                   {"scopes", json::array()}};
  for (const engine::ScopeRecord& scope : saved.engine) {
    json object = {{"id", scope.id}, {"slow_start", scope.had_block}, {"nodes", json::object()}};
    put(object, "filled_at", scope.filled_at);
    put(object, "panic_seen", scope.panic_seen);
    for (const auto& [identity, node] : scope.nodes)
      object["nodes"][identity] = node_document(node);
    document["scopes"].push_back(std::move(object));
  }
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<SavedState> parse_state(std::string_view document) {
  constexpr int kMostNesting = 64;  // ours has 5
  if (is_nested_deeper(document, kMostNesting)) {
    return Error{Code::kFailed,
                 "its brackets nest deeper than allowed: " + std::to_string(kMostNesting)};
  }
  const json parsed = json::parse(document, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Error{Code::kFailed, "it is not whole JSON"};
  try {
    return state_of(parsed);
  } catch (const Wrong& wrong) {
    return Error{Code::kFailed, wrong.text};
  } catch (const json::exception& error) {
    return Error{Code::kFailed, error.what()};
  }
}

}  // namespace rampart::control
