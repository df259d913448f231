# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Installing what tools/packages.txt names. Sourced by tools/demo and tools/test.

# The packages of these purposes that are not installed.
missing_packages() {
  local purpose package list
  list=$(dirname "${BASH_SOURCE[0]}")/packages.txt
  for purpose in "$@"; do
    while read -r package; do
      if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        echo "$package"
      fi
    done < <(awk -v purpose="$purpose" '$1 == purpose { print $2 }' "$list")
  done
}

# Runs a command while services that it installs are told not to start: a package may bring a web server
# whose service has no business on this machine. Debian asks the script policy-rc.d.
without_starting_services() {
  local policy=/usr/sbin/policy-rc.d rc=0
  if [ -e $policy ]; then
    "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
  "$@" || rc=$?
  rm -f $policy
  return $rc
}

# Installs what is missing for these purposes: install_packages build demo
install_packages() {
  local packages log rc=0
  mapfile -t packages < <(missing_packages "$@")
  if [ ${#packages[@]} -eq 0 ]; then return; fi
  echo "installing ${packages[*]}"
  log=$(mktemp)
  {
    apt-get -q update &&
      DEBIAN_FRONTEND=noninteractive without_starting_services \
        apt-get -q -y --no-install-recommends install "${packages[@]}"
  } >"$log" 2>&1 </dev/null || rc=$?
  if [ $rc -ne 0 ]; then tail -n 30 "$log" >&2; fi
  rm -f "$log"
  # Installed for its program, not to serve from the next boot on.
  if [[ " ${packages[*]} " == *" nginx-light "* && -d /run/systemd/system ]]; then
    systemctl -q disable nginx || true
  fi
  return $rc
}

need_root() {
  if [ "$(id -u)" -ne 0 ]; then
    echo "$(basename "$0"): needs root: sudo $0" >&2
    exit 6
  fi
}

# What root built belongs to whom the tree belongs to, so that they can go on building.
give_back() {
  local owner
  owner=$(stat -c %u:%g .)
  if [ "$owner" != 0:0 ] && [ -d build ]; then chown -R "$owner" build; fi
}
