// SPDX-License-Identifier: Apache-2.0
// The weight engine: presence and eligibility in, effective weights out.
//
// No clock, no socket, no file, no thread, no log: time comes in as a value, answers go out as
// values. The daemon and the proxy run the same engine, and so do the tests and the simulator, with
// made-up times. Events drive the lifecycle, never traffic (S3).
//
// Thread-safety: none; one control thread owns an engine. A snapshot it hands out is immutable and
// may be read by any thread.
#ifndef RAMPART_USERSPACE_ENGINE_ENGINE_H_
#define RAMPART_USERSPACE_ENGINE_ENGINE_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/condition.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/scope.h"
#include "engine/snapshot.h"
#include "engine/state.h"

namespace rampart::engine {

struct EngineConfig {
  TimePoint process_start;  // startup grace counts from here (S3)
};

struct NodeHealth {
  ScopeId scope;
  Identity identity;
  Health health;
};

struct StepResult {
  std::shared_ptr<const Snapshot> snapshot;
  std::vector<ScopeId> changed;  // scopes whose state differs from the last step's, and those that
                                 // went, which the snapshot does not have; ascending
  std::vector<Event> events;     // since the last step, in order
};

class Engine {
 public:
  explicit Engine(EngineConfig config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Everything that is told takes effect with the next step(): snapshot() and next_deadline() are
  // those of the last one. So: tell, then step(), then sleep until next_deadline(). Times that are
  // told never go back.

  // Presence: the whole new set of scopes. A scope that is not listed is forgotten; one that is new
  // is a baseline unless its identities were given to remember(). REQUIRES: scope ids are unique,
  // identities within a scope too (the first of two counts); weights are at most 65535 (C5).
  void set_desired(const Desired& desired, TimePoint now);

  // Continues what an earlier process knew (S3.21). What is dated in the future counts as now. A
  // restored scope is no baseline: what joined meanwhile is new. REQUIRES: nothing was told yet.
  void restore(const EngineState& state, TimePoint now);
  // What restore() needs, settled at `now`. Scopes that were never listed are not in it.
  EngineState state(TimePoint now);

  // Identities that a scope was seen to have before this process (S3.21, last sentence): they
  // become the scope's previous snapshot, so that they are known and what joined meanwhile is new.
  // Says nothing of a scope that was restored. REQUIRES: the scope was not yet in set_desired().
  void remember(const ScopeId& scope, const std::set<Identity>& identities);

  // What checks and operators say of a node. It may be said of a node or scope that is not listed
  // (yet): the next set_desired() keeps or forgets the scope. A verdict is forgotten with the node's
  // tombstone, what operators say stays until they clear it, of discovered nodes until their
  // tombstone ends (B6).
  void set_health(const ScopeId& scope, const Identity& identity, Health health, TimePoint now);
  // All at once, of a node the last: a scope costs about as much as for one.
  void set_health(const std::vector<NodeHealth>& verdicts, TimePoint now);
  // `by`: condition.h.
  void set_admin(const ScopeId& scope, const Identity& identity, Admin admin, TimePoint now,
                 const std::string& by = {});
  void set_override(const ScopeId& scope, const Identity& identity, std::optional<uint32_t> weight,
                    TimePoint now, const std::string& by = {});
  // S3.25: starts a ramp by request, before set_admin() where both are asked for. Returns whether
  // there is one: not for a node that is not listed, nor in a scope without slow start.
  bool start_ramp(const ScopeId& scope, const Identity& identity, TimePoint now);

  // Evaluates everything at `now` and returns what changed. Calling it late skips refreshes,
  // nothing else; calling it twice with one time changes nothing.
  StepResult step(TimePoint now);

  // When step() would next change anything by the passing of time alone; nothing if never.
  std::optional<TimePoint> next_deadline() const;

  // Hears of every decision from the next step() on; null: nobody does. REQUIRES: outlives the engine.
  void record_to(Recorder* recorder);

  // As of the last step().
  std::shared_ptr<const Snapshot> snapshot() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rampart::engine

#endif  // RAMPART_USERSPACE_ENGINE_ENGINE_H_
