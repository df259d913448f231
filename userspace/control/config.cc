// SPDX-License-Identifier: Apache-2.0
// From bytes to a Config, in three steps: the document as a tree (config_document), each part by
// itself (config_system, config_upstream, config_vip, config_http, config_routes,
// config_discovery), and the rules
// between parts (config_relations). A later step runs also where an earlier one found problems, on
// what could be read, so that one run reports all of them (C1); only a document that is no tree
// ends it.
#include "control/config.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/result.h"
#include "control/config_discovery.h"
#include "control/config_document.h"
#include "control/config_http.h"
#include "control/config_reader.h"
#include "control/config_relations.h"
#include "control/config_routes.h"
#include "control/config_system.h"
#include "control/config_upstream.h"
#include "control/config_vip.h"

namespace rampart::control {
namespace {

ReadParts read_parts(const Block& document) {
  ReadParts parts;
  for (const Field& item : document.optional("upstreams").items()) {
    parts.upstreams.push_back(read_upstream(item));
  }
  for (const Field& item : document.optional("vips").items()) parts.vips.push_back(read_vip(item));
  check_discovery(document.optional("discovery"));
  parts.http = read_http(document.optional("http"));
  parts.routes = read_routes(document);
  return parts;
}

Config assemble(Config conf, ReadParts parts) {
  for (ReadUpstream& upstream : parts.upstreams) {
    conf.upstreams.push_back(std::move(upstream.config));
  }
  for (ReadVip& vip : parts.vips) {
    if (vip.embedded) conf.upstreams.push_back(std::move(vip.embedded->config));
  }
  for (ReadUpstream& upstream : parts.routes.upstreams) {
    conf.upstreams.push_back(std::move(upstream.config));
  }
  conf.http = std::move(parts.http);
  conf.routes = std::move(parts.routes.routes);
  std::unordered_map<ScopeId, rp_hash_on> inherited;
  for (const UpstreamConfig& upstream : conf.upstreams) {
    inherited.emplace(upstream.id, upstream.hash_on);
  }
  for (ReadVip& vip : parts.vips) {
    const auto found = inherited.find(vip.config.scope);
    const rp_hash_on otherwise = found == inherited.end() ? RP_HASH_5TUPLE : found->second;
    vip.config.hash_on = vip.hash_on.value_or(otherwise);
    conf.vips.push_back(std::move(vip.config));
  }
  return conf;
}

Config read_config(const Value& root, Findings& findings) {
  const Field field = Field::root(root, findings);
  const Block document(field, {"version", "instance", "interfaces", "bpf", "reconcile_interval",
                               "watch", "state_dir", "control_socket", "http_api", "upstreams",
                               "discovery", "vips", "http", "services", "routes"});
  Config conf = read_system(document);
  ReadParts parts = read_parts(document);
  check_relations(parts, conf.bpf, document.optional("vips"));
  return assemble(std::move(conf), std::move(parts));
}

}  // namespace

const UpstreamConfig& upstream_of(const Config& config, const VipConfig& vip) {
  const auto found = std::find_if(config.upstreams.begin(), config.upstreams.end(),
                                  [&](const auto& one) { return one.id == vip.scope; });
  RP_CHECK(found != config.upstreams.end());
  return *found;
}

std::string to_string(const Problem& problem, const std::string& file) {
  const std::string path = problem.path.empty() ? "document" : problem.path;
  return file + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
         path + ": " + problem.text;
}

ParseResult parse_config(std::string_view document) {
  Findings findings;
  ParseResult result;
  const ReadDocument read = read_document(document, findings);
  if (read.complete) result.config = read_config(read.document.root(), findings);
  result.problems = findings.take_problems();
  result.warnings = findings.take_warnings();
  return result;
}

ParseResult load_config(const std::string& path) {
  const Result<std::string> bytes = read_file(path, kMaxDocumentBytes);
  if (bytes) return parse_config(*bytes);
  // One that is too large can be read, and has a first line.
  std::error_code unknown;
  const bool large = std::filesystem::file_size(path, unknown) > kMaxDocumentBytes && !unknown;
  const int first = large ? 1 : 0;
  ParseResult result;
  result.problems.push_back({first, first, "", bytes.error().text});
  return result;
}

}  // namespace rampart::control
