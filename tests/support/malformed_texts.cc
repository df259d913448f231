// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "support/malformed.h"

namespace rampart::test {
namespace {

constexpr size_t kMostBytes = size_t{16} << 20;  // C6
constexpr int kMostNesting = 64;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) text += {kDigits[(c >> 4) & 15], kDigits[c & 15]};
  return text;
}

// A file of brackets that ends too early has one that is not closed.
void add_cut_off(const std::string& whole, std::vector<Malformed>& all) {
  constexpr size_t kPieces = 64;
  for (size_t i = 0; i < kPieces; ++i) {
    const size_t length = whole.size() * i / kPieces;
    all.push_back(
        {"cut off after " + std::to_string(length) + " bytes", whole.substr(0, length), ""});
  }
}

// Control characters, and what UTF-8 has not (RFC 3629): lone, overlong, surrogates, too large.
void add_no_text(const std::string& whole, std::vector<Malformed>& all) {
  const std::string kNoText[] = {std::string(1, '\0'),
                                 "\x01",
                                 "\x04",
                                 "\x07",
                                 "\x08",
                                 "\x0b",
                                 "\x0c",
                                 "\x1b",
                                 "\x7f",
                                 "\x80",
                                 "\xbf",
                                 "\xc0\xaf",
                                 "\xc3(",
                                 "\xe2\x82",
                                 "\xed\xa0\x80",
                                 "\xf0\x80\x80\xaf",
                                 "\xf4\x90\x80\x80",
                                 "\xfe",
                                 "\xff\xfe"};
  for (const std::string& bytes : kNoText) {
    for (const size_t at : {size_t{0}, whole.size() / 2, whole.size()}) {
      std::string text = whole;
      text.insert(at, bytes);
      all.push_back({hex(bytes) + " at " + std::to_string(at), text, ""});
    }
  }
}

std::string laughs() {
  std::string text = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string name = "a" + std::to_string(i), below = "*a" + std::to_string(i - 1);
    text += name + ": &" + name + " [" + below + repeated(", " + below, 9) + "]\n";
  }
  return text;
}

std::string deep_by_aliases() {
  std::string text = "version: 1\na0: &a0 []\n";
  for (int i = 1; i <= kMostNesting; ++i) {
    const std::string name = "a" + std::to_string(i);
    text += name + ": &" + name + " [*a" + std::to_string(i - 1) + "]\n";
  }
  return text;
}

std::string deep_in_lines() {
  std::string text = "version: 1\nvips:\n";
  for (int i = 1; i <= kMostNesting; ++i) text += repeated(" ", i) + "a:\n";
  return text;
}

void add_limits(std::vector<Malformed>& all) {
  const std::string deep = repeated("[", kMostNesting) + repeated("]", kMostNesting);
  std::string large = "version: 1\n#";
  large.resize(kMostBytes, 'x');
  all.push_back({"more than 16 MiB", large + "x", ""});
  all.push_back({"much more than 16 MiB", large + large, ""});
  all.push_back({"nesting in brackets", "version: 1\nvips: " + deep + "\n", ""});
  all.push_back({"nesting in lines", deep_in_lines(), ""});
  all.push_back({"nesting in dashes", "version: 1\nvips:\n" + repeated("- ", 70) + "a\n", ""});
  all.push_back({"nesting by aliases", deep_by_aliases(), ""});
  all.push_back({"a million brackets", repeated("[", 1 << 20), ""});
  all.push_back({"a million keys that are maps", repeated("{? ", 1 << 20), ""});
  all.push_back({"an alias bomb", laughs(), ""});
  all.push_back({"an alias in itself", "version: 1\nvips: &a [*a]\n", ""});
  all.push_back({"an alias of its map", "version: 1\nvips: &a { b: *a }\n", ""});
  all.push_back({"two million values", "[" + repeated("1,", 2'000'001) + "1]", ""});
}

// Each by itself, below "version: 1".
constexpr const char* kLines[] = {
    "vips:\n\t- id: web\n",                     // a tab as indentation
    "vips:\n  - id: web\n \tport: 80\n",        //
    "  instance: edge\n",                       // deeper than what it continues
    "bpf:\n    max_vips: 1\n  max_flows: 1\n",  // between two depths
    "vips: []\n]\n",                            // brackets that match nothing
    "vips: [}\n",
    "vips: [{ id: web ]\n",
    "instance: \"edge\n",  // quotes that are not closed
    "instance: 'edge\n",
    "instance: \"a\\qb\"\n",  // escapes that there are not, or that give no text
    "instance: \"\\x4\"\n",
    "instance: \"\\uD800\"\n",
    "instance: \"\\0\"\n",
    "instance: a: b\n",
    "instance: @edge\n",
    "instance: `edge`\n",
    "instance: %edge\n",
    "instance: *edge\n",
    "instance: &edge\n",
    "instance: & edge\n",
    "instance: * edge\n",
    "instance: &a &b edge\n",
    "instance: !!str edge\n",
    "instance: !edge edge\n",
    "instance: !<edge\n",
    "instance: |x\n  edge\n",
    "instance: |0\n  edge\n",
    "instance: >\n  edge\n  two\n",
    "instance: edge # a\ninstance: edge\n",
    "instance edge\n",
    "instance:edge\n",
    "? instance\n",
    "? [instance]\n: edge\n",
    "? { a: 1 }\n: edge\n",
    "~: edge\n",
    ": edge\n",
    "*a : edge\n",
    "<<: { instance: edge }\n",
    "- instance\n",
    "---\nversion: 1\n",
    "...\nversion: 1\n",
    "%YAML 1.2\nvips: []\n",
    "%TAG ! a\n---\n",
    "upstreams:\n  - &a { id: a, nodes: [] }\n  - *a\n",  // one id twice, by an alias
    "bpf: { max_vips: 0x10 }\n",                          // numbers as others write them
    "bpf: { max_vips: 010 }\n",
    "bpf: { max_vips: +1 }\n",
    "bpf: { max_vips: 1e1 }\n",
    "bpf: { max_vips: 1_0 }\n",
    "bpf: { max_vips: 1.0 }\n",
    "bpf: { max_vips: - 1 }\n",
    "bpf: { max_vips: \xef\xbc\x91 }\n",
    "bpf: { max_vips: .inf }\n",
    "bpf: { max_vips: 99999999999999999999999 }\n",
    "reconcile_interval: 1s\n",
    "upstreams:\n- { id: a, nodes: [], fail_closed: yes }\n",
    "upstreams:\n- { id: a, nodes: [], fail_closed: True }\n",
    "upstreams:\n- { id: a, nodes: [], retry_timeout: .nan }\n",
    "upstreams:\n- { id: a, nodes: [], retry_timeout: nan }\n",
    "upstreams:\n- { id: a, nodes: [], retry_timeout: inf }\n",
    "upstreams:\n- { id: a, nodes: [], retry_timeout: 1e308 }\n",
    "upstreams:\n- { id: a, nodes: [], retry_timeout: 0x1p1 }\n",
    "upstreams:\n- { id: a, nodes: [], retry_timeout: 1e-400 }\n",
};

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\t' ? '|' : c;
  return line;
}

void add_yaml(std::vector<Malformed>& all) {
  for (const char* lines : kLines) {
    all.push_back({one_line(lines), std::string("version: 1\n") + lines, ""});
  }
  for (const char* text : {"# nothing\n", "---\n", "...\n", "1\n", "[]\n", "\"version: 1\"\n", "{}",
                           "{\"version\": 1}}", "version: \"\\", "version: \"\\x", "\xef\xbb\xbf",
                           "%YAML 3.0\n---\nversion: 1\n", "%YAML 1.1 1\n---\nversion: 1\n",
                           "%YAML x\n---\nversion: 1\n"}) {
    all.push_back({one_line(text), text, ""});
  }
}

}  // namespace

std::vector<Malformed> malformed_texts() {
  std::vector<Malformed> all;
  const std::string whole = rich_configuration().dump(2) + "\n";
  add_cut_off(whole, all);
  add_no_text(whole, all);
  add_limits(all);
  add_yaml(all);
  return all;
}

}  // namespace rampart::test
