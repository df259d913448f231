// SPDX-License-Identifier: Apache-2.0
#include "proxy/router.h"

#include <gtest/gtest.h>

namespace rampart::proxy {
namespace {

using Found = std::optional<uint32_t>;

TEST(Router, FindsNothingWithoutRoutes) {
  EXPECT_EQ(Router().find("a", "/", "GET"), std::nullopt);
}

TEST(Router, PrefersTheExactHostThenTheLongestWildcardThenAny) {
  const Router router({{"", "/*", {}},
                       {"*.example.org", "/*", {}},
                       {"*.b.example.org", "/*", {}},
                       {"a.b.example.org", "/*", {}}});
  EXPECT_EQ(router.find("a.b.example.org", "/", "GET"), Found(3));
  EXPECT_EQ(router.find("x.b.example.org", "/", "GET"), Found(2));
  EXPECT_EQ(router.find("y.x.b.example.org", "/", "GET"), Found(2));
  EXPECT_EQ(router.find("b.example.org", "/", "GET"), Found(1));
  EXPECT_EQ(router.find("example.org", "/", "GET"), Found(0));
  EXPECT_EQ(router.find(".example.org", "/", "GET"), Found(0));
  EXPECT_EQ(router.find("", "/", "GET"), Found(0));
}

TEST(Router, GoesOnToAHostThatIsLessExactIfNoPathMatches) {
  const Router router({{"a.b", "/x", {}}, {"*.b", "/y", {}}, {"", "/z", {}}});
  EXPECT_EQ(router.find("a.b", "/x", "GET"), Found(0));
  EXPECT_EQ(router.find("a.b", "/y", "GET"), Found(1));
  EXPECT_EQ(router.find("a.b", "/z", "GET"), Found(2));
  EXPECT_EQ(router.find("a.b", "/", "GET"), std::nullopt);
}

TEST(Router, PrefersTheExactPathThenTheLongestPrefix) {
  const Router router({{"", "/*", {}}, {"", "/a/*", {}}, {"", "/a/b*", {}}, {"", "/a/b", {}}});
  EXPECT_EQ(router.find("h", "/a/b", "GET"), Found(3));
  EXPECT_EQ(router.find("h", "/a/bc", "GET"), Found(2));
  EXPECT_EQ(router.find("h", "/a/c", "GET"), Found(1));
  EXPECT_EQ(router.find("h", "/a/", "GET"), Found(1));
  EXPECT_EQ(router.find("h", "/a", "GET"), Found(0));
}

TEST(Router, PrefersARouteWithTheMethodToOneForAll) {
  const Router router(
      {{"", "/a", {}}, {"", "/a", {"GET", "HEAD"}}, {"", "/a", {"GET"}}, {"", "/a", {}}});
  EXPECT_EQ(router.find("h", "/a", "GET"), Found(1));
  EXPECT_EQ(router.find("h", "/a", "HEAD"), Found(1));
  EXPECT_EQ(router.find("h", "/a", "POST"), Found(0));
}

TEST(Router, PassesOverARouteThatDoesNotHaveTheMethod) {
  const Router router(
      {{"h", "/a", {"POST"}}, {"h", "/a*", {"PUT"}}, {"h", "/*", {}}, {"", "/a", {}}});
  EXPECT_EQ(router.find("h", "/a", "POST"), Found(0));
  EXPECT_EQ(router.find("h", "/a", "PUT"), Found(1));
  EXPECT_EQ(router.find("h", "/a", "GET"), Found(2));
  EXPECT_EQ(router.find("h", "/a", "get"), Found(2));
  EXPECT_EQ(router.find("g", "/a", "GET"), Found(3));
}

}  // namespace
}  // namespace rampart::proxy
