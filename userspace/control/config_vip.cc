// SPDX-License-Identifier: Apache-2.0
#include "control/config_vip.h"

#include <netinet/in.h>

#include <string>

#include "control/config_address.h"
#include "engine/slots.h"

namespace rampart::control {
namespace {

constexpr int64_t kMostPort = 65535;
constexpr int64_t kLongestTimeout = 604800;  // a week

Block vip_block(const Field& field) {
  return Block(
      field, {"id", "address", "port", "protocol", "forward", "upstream_id", "upstream",
              "table_size", "hash_on", "timeouts", "drain_timeout", "on_no_backend",
              "on_unknown_port", "on_down", "refill_slots", "encap", "full_nat", "source_ranges"});
}

std::optional<uint32_t> read_table_size(const Field& field) {
  const auto size = field.integer(RP_MIN_TABLE_SIZE, RP_MAX_TABLE_SIZE);
  if (!size) return std::nullopt;
  uint32_t next = static_cast<uint32_t>(*size);
  if (engine::is_table_size(next)) return next;
  while (!engine::is_table_size(next)) ++next;  // ends: the largest allowed size is one
  field.problem("found " + std::to_string(*size) + "; allowed: a prime from " +
                std::to_string(RP_MIN_TABLE_SIZE) + " to " + std::to_string(RP_MAX_TABLE_SIZE) +
                ", such as " + std::to_string(next));
  return std::nullopt;
}

Timeouts read_timeouts(const Field& field) {
  Timeouts conf;
  if (!field.present()) return conf;
  const Block block(field, {"syn", "established", "closing", "udp"});
  const auto read = [&block](const char* key, std::chrono::seconds otherwise) {
    return block.optional(key).seconds(1, kLongestTimeout).value_or(otherwise);
  };
  conf.syn = read("syn", conf.syn);
  conf.established = read("established", conf.established);
  conf.closing = read("closing", conf.closing);
  conf.udp = read("udp", conf.udp);
  return conf;
}

uint16_t read_port(const Field& field) {
  const std::string allowed = "an integer from 1 to " + std::to_string(kMostPort);
  if (field.is("0")) {
    field.unsupported(allowed);
    return 0;
  }
  return static_cast<uint16_t>(field.integer(1, kMostPort).value_or(0));
}

void check_encap(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"source", "gue_port"});
  block.optional("source").text(kAddress);
  block.optional("gue_port").integer(1, kMostPort);
  field.unsupported("no such key");
}

void check_full_nat(const Field& field) {
  if (!field.present()) return;
  const Block block(field, {"sources", "ports"});
  block.required("sources").texts(kAddress);
  block.optional("ports").text(kPortRange);
  field.unsupported("no such key");
}

// W7. A swap changes two slots.
std::optional<uint32_t> read_refill_slots(const Field& field) {
  const auto slots = field.integer(0, RP_MAX_TABLE_SIZE);
  if (slots != 1) return slots;
  field.refuse("0 (never) or 2\u2026" + std::to_string(RP_MAX_TABLE_SIZE));
  return std::nullopt;
}

OnUnknownPort read_on_unknown_port(const Field& field) {
  if (field.is("drop")) {
    field.unsupported("pass");
    return OnUnknownPort::kDrop;
  }
  return field.choice<OnUnknownPort>({{"pass", OnUnknownPort::kPass}})
      .value_or(OnUnknownPort::kPass);
}

void refuse_what_is_to_come(const Block& block) {
  check_encap(block.optional("encap"));
  check_full_nat(block.optional("full_nat"));
  const Field ranges = block.optional("source_ranges");
  if (ranges.present()) {
    ranges.texts(kCidr);
    ranges.unsupported("no such key");
  }
}

// How packets are told apart and passed on.
VipConfig read_service(const Block& block) {
  VipConfig conf;
  conf.address = read_vip_address(block.required("address")).value_or(IpAddress());
  conf.port = read_port(block.required("port"));
  conf.protocol = block.optional("protocol")
                      .choice<uint8_t>({{"tcp", IPPROTO_TCP}, {"udp", IPPROTO_UDP}})
                      .value_or(IPPROTO_TCP);
  conf.on_no_backend = block.optional("on_no_backend")
                           .choice<rp_on_no_backend>({{"drop", RP_NO_BACKEND_DROP},
                                                      {"pass", RP_NO_BACKEND_PASS},
                                                      {"reset", RP_NO_BACKEND_RESET}})
                           .value_or(conf.on_no_backend);
  conf.on_down = block.optional("on_down")
                     .choice<OnDown>({{"stay", OnDown::kStay}, {"move", OnDown::kMove}})
                     .value_or(conf.on_down);
  conf.table_size = read_table_size(block.optional("table_size")).value_or(conf.table_size);
  conf.timeouts = read_timeouts(block.optional("timeouts"));
  conf.refill_slots = read_refill_slots(block.optional("refill_slots")).value_or(conf.refill_slots);
  conf.drain_timeout =
      block.optional("drain_timeout").seconds(0, kLongestTimeout).value_or(conf.drain_timeout);
  return conf;
}

void check_one_upstream(const Block& block) {
  const Field embedded = block.optional("upstream");
  const bool named = block.has("upstream_id");
  if (named && embedded.present())
    embedded.problem("found beside upstream_id; allowed: one of them");
  if (named || embedded.present() || !block.field().is_map()) return;
  block.field().problem("found neither upstream_id nor upstream; required: one of them");
}

}  // namespace

ReadVip read_vip(const Field& field) {
  const Block block = vip_block(field);
  ReadVip vip{.config = read_service(block),
              .hash_on = block.optional("hash_on").choice<rp_hash_on>(
                  {{"5tuple", RP_HASH_5TUPLE}, {"source_ip", RP_HASH_SOURCE_IP}}),
              .field = field,
              .id = block.required("id"),
              .table_size = block.optional("table_size"),
              .unknown_port = block.optional("on_unknown_port"),
              .upstream_id = block.optional("upstream_id"),
              .embedded = std::nullopt};
  VipConfig& conf = vip.config;
  conf.id = vip.id.text(kId).value_or("");
  const auto forward = block.required("forward").choice<rp_forward>({{"l2", RP_FORWARD_L2},
                                                                     {"nat", RP_FORWARD_NAT},
                                                                     {"ipip", std::nullopt},
                                                                     {"gue", std::nullopt},
                                                                     {"full_nat", std::nullopt}});
  conf.forward = forward.value_or(conf.forward);
  vip.is_served = forward && conf.port != 0 && conf.address.is_v4();
  vip.on_unknown_port = read_on_unknown_port(vip.unknown_port);
  check_one_upstream(block);
  conf.scope = vip.upstream_id.text(kId).value_or("");
  const Field embedded = block.optional("upstream");
  if (embedded.present()) {
    vip.embedded = read_embedded_upstream(embedded, conf.id);
    conf.scope = conf.id;
  }
  refuse_what_is_to_come(block);
  return vip;
}

}  // namespace rampart::control
