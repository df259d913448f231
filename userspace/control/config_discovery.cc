// SPDX-License-Identifier: Apache-2.0
#include "control/config_discovery.h"

#include "base/weight.h"

namespace rampart::control {
namespace {

void check_arguments(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"path", "selector"});
  block.optional("path").text(kAbsolutePath);
  block.optional("selector").text(kAnyText);
}

void check_kubernetes(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"server", "token", "token_file", "ca_file", "client_cert_file",
                            "client_key_file", "default_weight", "watch_endpoint_slices"});
  block.optional("server").text(kAnyText);
  block.optional("token").text(kAnyText);
  for (const char* key : {"token_file", "ca_file", "client_cert_file", "client_key_file"}) {
    block.optional(key).text(kAbsolutePath);
  }
  const Field token_file = block.optional("token_file");
  if (block.has("token") && token_file.present()) {
    token_file.problem("found beside token; allowed: one of them");
  }
  block.optional("default_weight").integer(0, kMostWeight);
  block.optional("watch_endpoint_slices").boolean();
  field.unsupported("no such key");
}

}  // namespace

bool check_discovered(const Block& upstream) {
  const Field type = upstream.optional("discovery_type");
  const Field service = upstream.optional("service_name");
  const Field arguments = upstream.optional("discovery_args");
  service.text(kAnyText);
  check_arguments(arguments);
  if (type.present()) {
    if (type.is("kubernetes") || type.is("file")) {
      type.unsupported("no such key, but nodes");
    } else {
      type.refuse("kubernetes, file");
    }
    return true;
  }
  for (const Field& field : {service, arguments}) {
    if (field.present()) field.problem("found without discovery_type; allowed: with it");
  }
  return false;
}

void check_discovery(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"kubernetes"});
  check_kubernetes(block.optional("kubernetes"));
}

}  // namespace rampart::control
