// SPDX-License-Identifier: Apache-2.0
#include "control/config_diff.h"

#include <map>
#include <set>
#include <utility>

#include "control/config_compare.h"
#include "control/config_diff_http.h"
#include "control/planes.h"
#include "control/wire.h"

namespace rampart::control {
namespace {

std::map<Identity, NodeConfig> by_identity(const UpstreamConfig& upstream) {
  std::map<Identity, NodeConfig> nodes;
  for (const NodeConfig& node : upstream.nodes) nodes.emplace(node.identity(), node);
  return nodes;
}

Lines node_changes(const UpstreamConfig& from, const UpstreamConfig& to) {
  Lines lines;
  const auto before = by_identity(from);
  const auto after = by_identity(to);
  const std::string where = "upstream " + to.id + ": node ";
  for (const auto& [identity, node] : after) {
    const auto was = before.find(identity);
    const std::string weight = std::to_string(node.weight);
    if (was == before.end()) {
      lines.push_back(where + identity + " added, weight " + weight);
    } else if (was->second.weight != node.weight) {
      lines.push_back(where + identity + " weight " + std::to_string(was->second.weight) + " -> " +
                      weight);
    } else if (was->second != node) {
      lines.push_back(where + identity + " changed");
    }
  }
  for (const auto& [identity, node] : before) {
    if (!after.contains(identity)) lines.push_back(where + identity + " removed: it drains");
  }
  return lines;
}

Lines upstream_changes(const UpstreamConfig& from, const UpstreamConfig& to) {
  Lines lines = node_changes(from, to);
  if (from.slow_start != to.slow_start)
    lines.push_back("upstream " + to.id + ": slow_start changed");
  if (from.algorithm != to.algorithm || from.hash_on != to.hash_on) {
    lines.push_back("upstream " + to.id + ": type or hash_on changed");
  }
  if (from.active_check != to.active_check) {
    lines.push_back("upstream " + to.id + ": checks.active changed: verdicts start afresh");
  }
  if (from.passive_check != to.passive_check) {
    lines.push_back("upstream " + to.id + ": checks.passive changed");
  }
  if (from.http != to.http) lines.push_back("upstream " + to.id + ": http settings changed");
  if (from.panic != to.panic) lines.push_back("upstream " + to.id + ": panic changed");
  return lines;
}

Lines interface_changes(const Config& from, const Config& to) {
  Lines lines;
  std::map<std::string, AttachMode> before;
  for (const InterfaceConfig& one : from.interfaces) before.emplace(one.name, one.mode);
  for (const InterfaceConfig& one : to.interfaces) {
    const auto was = before.find(one.name);
    if (was == before.end()) {
      lines.push_back("interface " + one.name + " added");
    } else {
      if (was->second != one.mode) lines.push_back("interface " + one.name + " mode changed");
      before.erase(was);
    }
  }
  for (const auto& [name, mode] : before) lines.push_back("interface " + name + " removed");
  return lines;
}

Lines vip_changes(const VipConfig& from, const VipConfig& to,
                  const std::set<ScopeId>& former_scopes) {
  Lines lines;
  if (from.id != to.id) lines.push_back("vip " + from.id + ": renamed to " + to.id);
  if (from.scope != to.scope) {
    // S1.7: the scope decides what is new. One that was there before goes on as it is.
    const bool is_new = !former_scopes.contains(to.scope);
    lines.push_back("vip " + to.id + ": scope " + from.scope + " -> " + to.scope +
                    (is_new ? ": every node of it is a baseline" : ""));
  }
  VipConfig labels_apart = from;
  labels_apart.id = to.id;
  labels_apart.scope = to.scope;
  if (labels_apart != to) lines.push_back("vip " + to.id + ": settings changed");
  return lines;
}

}  // namespace

Lines describe_changes(const Config& from, const Config& to) {
  Lines lines;
  append(lines, interface_changes(from, to));
  const auto check = [&](const char* key, bool same) {
    if (!same) lines.push_back(std::string(key) + " changed");
  };
  check("watch", from.watch == to.watch);
  check("reconcile_interval", from.reconcile_interval == to.reconcile_interval);
  const auto id_of = [](const UpstreamConfig& one) { return one.id; };
  append(lines, compare(
                    from.upstreams, to.upstreams,
                    [](const UpstreamConfig& one) { return "upstream " + one.id; }, id_of,
                    upstream_changes));
  append(lines,
         compare(
             from.vips, to.vips, [](const VipConfig& one) { return "vip " + one.id; }, address_of,
             [former = scope_ids(from, Plane::kL4)](const VipConfig& was, const VipConfig& is) {
               return vip_changes(was, is, former);
             }));
  append(lines, describe_http_changes(from, to));
  return lines;
}

Lines lost_orders(const engine::Snapshot& snapshot, const Config& to, Plane plane) {
  Lines lines;
  const std::set<ScopeId> stay = scope_ids(to, plane);
  for (const auto& [scope, state] : snapshot.scopes) {
    if (stay.contains(scope)) continue;
    for (const auto& [identity, node] : state.nodes) {
      const std::string name = scope + "/" + identity;
      const engine::Condition& condition = node.condition;
      if (condition.admin != engine::Admin::kNone) {
        lines.push_back(name + ": " + engine::name_of(condition.admin) + ", by " +
                        condition.admin_by + ", no longer holds: its scope is gone");
      }
      if (condition.override_weight) {
        lines.push_back(name + ": weight " + std::to_string(*condition.override_weight) + ", by " +
                        condition.override_by + ", no longer holds: its scope is gone");
      }
    }
  }
  return lines;
}

Lines needs_restart(const Config& from, const Config& to) {
  Lines lines;
  const auto check = [&](const char* key, bool same) {
    if (!same) lines.push_back(std::string(key) + ": the change needs a restart of rampartd");
  };
  check("instance", from.instance == to.instance);
  check("bpf.pin_path", from.bpf.pin_path == to.bpf.pin_path);
  check("bpf.max_vips", from.bpf.max_vips == to.bpf.max_vips);
  check("bpf.max_backends", from.bpf.max_backends == to.bpf.max_backends);
  check("bpf.max_flows", from.bpf.max_flows == to.bpf.max_flows);
  check("bpf.new_flow_limit_per_cpu",
        from.bpf.new_flow_limit_per_cpu == to.bpf.new_flow_limit_per_cpu);
  check("bpf.hash_seed", from.bpf.hash_seed == to.bpf.hash_seed);
  check("state_dir", from.state_dir == to.state_dir);
  check("control_socket", from.control_socket == to.control_socket);
  return lines;
}

Config keep_static_keys(const Config& from, Config to) {
  to.instance = from.instance;
  to.bpf = from.bpf;
  to.state_dir = from.state_dir;
  to.control_socket = from.control_socket;
  return to;
}

}  // namespace rampart::control
