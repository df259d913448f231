// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "support/config_reference.h"
#include "support/malformed.h"

namespace rampart::test {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// As problems write it: "/vips/0/port" → "vips[0].port".
std::string path_of(const Pointer& pointer) {
  std::string path;
  for (const std::string& part : split(pointer.to_string().substr(1), "/")) {
    const bool index = part.find_first_not_of("0123456789") == std::string::npos;
    path += index ? "[" + part + "]" : (path.empty() ? "" : ".") + part;
  }
  return path;
}

// Texts that have none of the forms that the reference gives in words.
std::vector<Json> wrong_texts(const std::string& form) {
  static const std::map<std::string, std::vector<Json>> kWrong = {
      {"an absolute path", {"relative/path"}},
      {"an absolute path of at most 107 bytes", {"relative", "/", "/" + std::string(107, 'x')}},
      {"an IPv4 address",
       {"10.0.0.256", "10.0.0", "010.0.0.1", "0.0.0.0", "224.0.0.1", "::ffff:10.0.0.1",
        "2001:db8::1", "-host", "10.0.0.1 "}},
      {"an IP address of one host",
       {"10.0.0.256", "10.0.0", "010.0.0.1", "0.0.0.0", "224.0.0.1", "::ffff:10.0.0.1",
        "::", "ff02::1", "fe80::1", "[2001:db8::1]", "-host", "10.0.0.1 "}},
      {"an IP address", {"10.0.0", ":::", "10.0.0.1/8"}},
      {"ADDRESS/BITS", {"10.0.0.0/33", "::/129", "10.0.0.0", "/8", "10.0.0.0/-1"}},
      {"ADDRESS:PORT", {"127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "::1:80", "host:80"}},
      {"an absolute path, or stdout", {"stderr", "log/access", "stdout "}},
      {R"(a host name, or "*." and one)",
       {"*", "*.", "a.*", "*.*.example", "*example", "a b", "a:80", "a/b", "a..b", ".a", "a."}},
      {"a path that begins with '/'", {"api", "*"}},
      {"a path that begins with '/', without spaces", {"api", "/a b"}},
      {"a host name or an IP address", {"-host", "a..b", "a b", std::string(254, 'a')}},
      {"1 to 64 letters, digits, '_' or '-'", {"a b", "a.b", "a/b", std::string(65, 'a')}},
      {"1 to 128 letters, digits, '_', '.' or '-'", {"a b", "a/b", std::string(129, 'a')}},
      {"an interface name of 1 to 15 characters", {"eth0:1", "a/b", "..", std::string(16, 'a')}},
  };
  const auto found = kWrong.find(form);
  return found == kWrong.end() ? std::vector<Json>{} : found->second;
}

std::vector<Json> beyond(const std::string& low, const std::string& high) {
  std::vector<Json> values = {Json::parse(next_number(low, -1)),
                              Json::parse(next_number(high, 1)),
                              "text",
                              low,
                              true,
                              -1e300};
  values.push_back(Json::parse("9223372036854775808"));
  if (low.find('.') == std::string::npos && high.find("86400") != 0) values.push_back(1e300);
  return values;
}

std::vector<Json> wrong_scalars(const ReferenceRow& row) {
  if (row.allowed.find("`…`") != std::string::npos) {
    const std::vector<std::string> bounds = ticked(row.allowed);
    return beyond(bounds.at(0), bounds.at(1));
  }
  if (row.allowed == "`true`, `false`") return {"true", 1, "yes"};
  if (!ticked(row.allowed).empty()) return {"zzz", "", -1};
  std::vector<Json> values = wrong_texts(row.allowed);
  values.push_back("");  // no text
  return values;
}

// All of them are wrong, and what is wrong about each is at the key or below it.
std::vector<Json> wrong_values(const ReferenceRow& row) {
  const Json list = Json::parse("[[]]");
  const Json map = {{"odd!", 1}};
  if (row.allowed == "later") return {nullptr, "127.0.0.1:9464", list, map};
  if (row.allowed.rfind("a list", 0) == 0) return {nullptr, "text", 7, list, map};
  if (row.key.ends_with(".metadata")) return {nullptr, "text", 7, list};
  if (row.allowed == "a map") return {nullptr, "text", 7, list, map};
  std::vector<Json> values = wrong_scalars(row);
  for (const Json& value : {Json(nullptr), list, map}) values.push_back(value);
  return values;
}

std::string text_of(const Json& document) {
  return document.dump(2) + "\n";
}

std::string brief(const Json& value) {
  const std::string text = value.dump();
  return text.size() <= 40 ? text : text.substr(0, 40) + "…";
}

class Mistakes {
 public:
  std::vector<Malformed> of(const ReferenceRow& row) const {
    std::vector<Malformed> all;
    const Pointer place = place_of(row.key);
    for (const Json& value : wrong_values(row)) {
      Json document = rich_;
      document[place] = value;
      all.push_back({row.key + " = " + brief(value), text_of(document), path_of(place)});
    }
    if (!places_.contains(row.key)) return all;
    all.push_back(twice(row, place));
    all.push_back(misspelt(row, place));
    if (row.standard == "required") all.push_back(missing(row, place));
    return all;
  }

 private:
  // Where a value of `key` stands, or would stand, in the rich configuration.
  Pointer place_of(const std::string& key) const {
    const auto found = places_.find(key);
    if (found != places_.end()) return found->second;
    const size_t dot = key.rfind('.');
    if (dot == std::string::npos) return Pointer("/" + key);
    const std::string holder = key.substr(0, dot);
    const bool in_list = holder.ends_with("[]");
    const Pointer above = place_of(in_list ? holder.substr(0, holder.size() - 2) : holder);
    return in_list ? above / "0" / key.substr(dot + 1) : above / key.substr(dot + 1);
  }

  // JSON values cannot hold a key twice, so their text gets it.
  Malformed twice(const ReferenceRow& row, const Pointer& place) const {
    const std::string again = "@again@";
    Json document = rich_;
    document[place.parent_pointer() / again] = rich_[place];
    const std::string text = replaced(text_of(document), again, place.back());
    return {row.key + " twice", text, path_of(place)};
  }

  Malformed missing(const ReferenceRow& row, const Pointer& place) const {
    Json document = rich_;
    document[place.parent_pointer()].erase(place.back());
    return {row.key + " is missing", text_of(document), path_of(place)};
  }

  Malformed misspelt(const ReferenceRow& row, const Pointer& place) const {
    Json document = rich_;
    const Pointer wrong = place.parent_pointer() / (place.back() + "s_");
    document[wrong] = rich_[place];
    document[place.parent_pointer()].erase(place.back());
    return {row.key + " is misspelt", text_of(document), path_of(wrong)};
  }

  const Json rich_ = rich_configuration();
  const std::map<std::string, Pointer> places_ = places_in_rich();
};

}  // namespace

std::vector<Malformed> malformed_keys() {
  std::vector<Malformed> all;
  const Mistakes mistakes;
  for (const ReferenceRow& row : reference_rows()) {
    for (Malformed& one : mistakes.of(row)) all.push_back(std::move(one));
  }
  return all;
}

std::vector<Malformed> malformed_configurations() {
  std::vector<Malformed> all = malformed_keys();
  for (auto make : {malformed_relations, malformed_texts}) {
    for (Malformed& one : make()) all.push_back(std::move(one));
  }
  return all;
}

std::vector<Malformed> fifth_of_malformed_configurations() {
  std::vector<Malformed> all = malformed_configurations();
  std::vector<Malformed> fifth;
  for (size_t i = 0; i < all.size(); i += 5) fifth.push_back(std::move(all[i]));
  return fifth;
}

}  // namespace rampart::test
