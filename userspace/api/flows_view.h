// SPDX-License-Identifier: Apache-2.0
// The flow table as the JSON of docs/api.md.
#ifndef RAMPART_USERSPACE_API_FLOWS_VIEW_H_
#define RAMPART_USERSPACE_API_FLOWS_VIEW_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "api/service.h"

namespace rampart::api {

constexpr size_t kFlowsUnlessTold = 1000;
// An answer is made in memory, about 1 KiB for a flow, while the control thread waits.
constexpr size_t kMostFlows = 20000;

struct FlowsWanted {
  std::string vip;      // its id; empty: all
  std::string backend;  // its name; empty: all
  size_t limit = kFlowsUnlessTold;
};

// Nothing if one VIP or backend is wanted and there is none.
std::optional<nlohmann::json> flows_view(const Service& service, const FlowsWanted& wanted);
// How full the flow table is, and what flows went through that no packet's outcome tells.
nlohmann::json flow_table_view(const Service& service);

}  // namespace rampart::api

#endif  // RAMPART_USERSPACE_API_FLOWS_VIEW_H_
