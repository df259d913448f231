// SPDX-License-Identifier: Apache-2.0
#include "proxy/view.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/engine/full_node.h"

namespace rampart::proxy {
namespace {

using Scope = std::shared_ptr<const ScopeNodes>;

Scope scope_of(const std::map<std::string, uint32_t>& weights) {
  std::vector<engine::PickerNode> nodes;
  for (const auto& [name, weight] : weights) nodes.push_back(engine::node_of(name, weight));
  auto scope = std::make_shared<ScopeNodes>();
  scope->nodes =
      engine::PickerNodes::make({.algorithm = engine::Algorithm::kRoundRobin}, nodes, nullptr)
          .value();
  return scope;
}

std::shared_ptr<const Serving> serving_of(const std::vector<std::string>& upstreams) {
  auto serving = std::make_shared<Serving>();
  for (const std::string& id : upstreams) {
    serving->upstreams.emplace_back();
    serving->upstreams.back().id = id;
  }
  return serving;
}

std::string pick(const ScopeView& scope) {
  const auto pick = scope.picker->pick(0);
  return pick ? scope.picker->nodes().nodes()[pick->node].identity : "-";
}

TEST(Views, AreEmptyBeforeSomethingIsPublished) {
  Board board;
  Views views(board, 1);
  EXPECT_TRUE(views.current()->scopes.empty());
}

TEST(Views, StayTheSameUntilSomethingIsPublished) {
  Board board;
  board.publish({serving_of({"u"}), {scope_of({{"a", 1}})}});
  Views views(board, 1);
  const auto first = views.current();
  EXPECT_EQ(views.current(), first);
  board.publish({serving_of({"u"}), {scope_of({{"a", 1}})}});
  EXPECT_NE(views.current(), first);
  EXPECT_EQ(pick(first->scopes[0]), "a");  // P5
}

TEST(Views, KeepThePickerOfAScopeThatIsUnchangedWhereverItStands) {
  Board board;
  const Scope u = scope_of({{"a", 1}}), v = scope_of({{"b", 1}});
  board.publish({serving_of({"u", "v"}), {u, v}});
  Views views(board, 1);
  const auto first = views.current();
  board.publish({serving_of({"v", "u"}), {v, u}});
  const auto second = views.current();
  EXPECT_EQ(second->scopes[0].picker, first->scopes[1].picker);
  EXPECT_EQ(second->scopes[1].picker, first->scopes[0].picker);
}

TEST(Views, GoOnWithAPickersProgressOverGenerations) {  // P1
  Board board;
  Views views(board, 1);
  std::map<std::string, int> picks;
  for (int generation = 0; generation < 202; ++generation) {
    board.publish({serving_of({"u"}), {scope_of({{"heavy", 100}, {"light", 1}})}});
    ++picks[pick(views.current()->scopes[0])];
  }
  EXPECT_GE(picks["light"], 1);
  EXPECT_LE(picks["light"], 3);
}

TEST(Views, BeginAnewWithAScopeThatIsNew) {
  Board board;
  board.publish({serving_of({"u"}), {scope_of({{"a", 1}})}});
  Views views(board, 1);
  views.current();
  board.publish({serving_of({"w"}), {scope_of({{"c", 1}})}});
  ASSERT_EQ(views.current()->scopes.size(), 1u);
  EXPECT_EQ(pick(views.current()->scopes[0]), "c");
  EXPECT_EQ(views.current()->serving->upstreams[0].id, "w");
}

}  // namespace
}  // namespace rampart::proxy
