/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Every way a packet can leave the program: code, name, verdict, and what it means (X10).
 *
 * A step returns an outcome or RP_GO_ON. Only the entry function turns an outcome into a verdict
 * and counts it, so this list answers "which packets do we drop, and why". Only packets for a VIP
 * are ever dropped (X9). Codes are appended, never renumbered: counters are pinned. */
#ifndef RAMPART_OUTCOMES_H
#define RAMPART_OUTCOMES_H

#define RP_OUTCOMES(X)                                                                       \
  /* not ours: passed to the kernel untouched */                                             \
  X(1, pass_not_ipv4, PASS, "no IPv4 packet")                                                \
  X(2, pass_unreadable, PASS, "too short to read its destination")                           \
  X(3, pass_protocol, PASS, "neither TCP nor UDP")                                           \
  X(4, pass_fragment, PASS, "a later fragment: it has no ports")                             \
  X(5, pass_no_vip, PASS, "not addressed to a VIP, and no reply of a nat flow")              \
  X(6, pass_ttl, PASS, "TTL used up: the kernel answers")                                    \
  X(7, pass_no_backend, PASS, "the VIP has no backend, on_no_backend: pass")                 \
  /* ours: forwarded or answered */                                                          \
  X(8, forward_tx, TX, "sent to a backend, out of the interface it came in by")              \
  X(9, forward_redirect, REDIRECT, "sent to a backend, out of another interface")            \
  X(10, reply_tx, TX, "a backend's answer, rewritten, out of the same interface")            \
  X(11, reply_redirect, REDIRECT, "a backend's answer, rewritten, out of another interface") \
  X(12, reset_tx, TX, "the VIP has no backend, on_no_backend: reset")                        \
  /* ours: dropped */                                                                        \
  X(13, drop_malformed, DROP, "for a VIP address, but cut short behind it")                  \
  X(14, drop_fragment, DROP, "the first fragment of a datagram for a VIP")                   \
  X(15, drop_no_backend, DROP, "the VIP has no backend")                                     \
  X(16, drop_unresolved, DROP, "the next hop towards the backend is not resolved")           \
  X(17, drop_reply_unresolved, DROP, "the next hop towards the client is not resolved")      \
  X(18, drop_table_full, DROP, "nat, and the flow table is full or new flows are limited")   \
  X(19, drop_nat_collision, DROP, "nat, and other live flows hold the reply tuples tried")   \
  X(20, drop_reset_limited, DROP, "on_no_backend: reset, above its rate limit")              \
  X(21, drop_no_state, DROP, "impossible: a VIP number without state or table")              \
  X(22, drop_no_room, DROP, "the kernel refused to resize the packet for an answer")

enum rp_outcome {
  RP_GO_ON = 0,
#define RP_OUTCOME_ENUM(code, name, verdict, text) RP_##name = code,
  RP_OUTCOMES(RP_OUTCOME_ENUM)
#undef RP_OUTCOME_ENUM
};

/* A power of two above the highest code: an index is masked with it. */
#define RP_OUTCOME_SLOTS 32

#endif /* RAMPART_OUTCOMES_H */
