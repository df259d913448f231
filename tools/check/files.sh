# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Which files the checks look at. Sourced; the working folder is the top of the tree. Checks start no
# program per file: with some hundred files that would be most of their time.

# Every file of the tree that git knows or would take, matching the given patterns.
tree_files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while IFS= read -r file; do
    if [ -f "$file" ]; then printf '%s\n' "$file"; fi
  done
}

c_files() { tree_files '*.c' '*.h' '*.cc'; }

headers() { tree_files '*.h'; }

# Scripts are told by their first line, since those that people call have no suffix.
bash_files() {
  local file first
  tree_files | while IFS= read -r file; do
    first=
    IFS= read -r -n 64 first <"$file" || true
    if [[ $file == *.sh || $first =~ ^#!.*sh$ ]]; then printf '%s\n' "$file"; fi
  done
}

# Compiled for the kernel: these carry the licence that the kernel asks for.
is_for_the_kernel() {
  case $1 in
    *.bpf.c | *.bpf.h | bpf/*.c | bpf/*.h | */lru/bpf/*.h | include/rampart/*.h) return 0 ;;
    *) return 1 ;;
  esac
}
