// SPDX-License-Identifier: Apache-2.0
#include "proxy/view.h"

#include <map>
#include <utility>

namespace rampart::proxy {

const std::shared_ptr<const View>& Views::current() {
  if (board_.generation() != generation_) renew();
  return view_;
}

void Views::renew() {
  Board::Reading reading = board_.read();
  generation_ = reading.generation;
  std::map<ScopeId, const ScopeView*> former;
  for (size_t i = 0; i < view_->scopes.size(); ++i) {
    former.emplace(view_->serving->upstreams[i].id, &view_->scopes[i]);
  }
  auto view = std::make_shared<View>();
  view->serving = std::move(reading.published.serving);
  for (size_t i = 0; i < reading.published.scopes.size(); ++i) {
    ScopeView scope{.nodes = std::move(reading.published.scopes[i]), .picker = nullptr};
    const auto known = former.find(view->serving->upstreams[i].id);
    if (known == former.end()) {
      scope.picker = std::make_shared<engine::Picker>(scope.nodes->nodes, seed_);
    } else if (known->second->nodes->nodes == scope.nodes->nodes) {
      scope.picker = known->second->picker;
    } else {
      scope.picker = std::make_shared<engine::Picker>(scope.nodes->nodes, *known->second->picker);
    }
    view->scopes.push_back(std::move(scope));
  }
  view_ = std::move(view);
}

}  // namespace rampart::proxy
