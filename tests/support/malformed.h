// SPDX-License-Identifier: Apache-2.0
// Many malformed configurations, each made from one rich valid one by a single mistake. The same
// ones at every run, so that a failure is found again by its name.
#ifndef RAMPART_TESTS_SUPPORT_MALFORMED_H_
#define RAMPART_TESTS_SUPPORT_MALFORMED_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rampart::test {

struct Malformed {
  std::string mistake;  // "vips[].port = 65536"; names no two
  std::string text;     // the file
  std::string path;  // what one of the problems is to be about, or about a part of; empty: the file
};

// Valid, and every key of the reference that this version supports is in it.
nlohmann::ordered_json rich_configuration();
// By each key of the reference ("vips[].port"), where the first value in it stands that is of it.
std::map<std::string, nlohmann::ordered_json::json_pointer> places_in_rich();

// By the schema: each key of the reference with values of wrong types and beyond its bounds, twice,
// misspelt, and left out where it is required.
std::vector<Malformed> malformed_keys();
// By what ties values to each other: ids that name nothing, VIPs and nodes that are there twice.
std::vector<Malformed> malformed_relations();
// By the text: cut off, bytes that are no text, what YAML has and a configuration may not, limits.
std::vector<Malformed> malformed_texts();

// All of them.
std::vector<Malformed> malformed_configurations();
// Every fifth, of all kinds and most keys: for those who start a process for each.
std::vector<Malformed> fifth_of_malformed_configurations();

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_MALFORMED_H_
