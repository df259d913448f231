# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The demo's test bed: a client, a balancer and backends as network namespaces, real web servers, the
# daemon; and taking all of it away again. Sourced by tools/demo.
#
#   rampart-client 10.1.0.1 ── (client) rampart-balancer (b1) ── rampart-b1 10.2.1.10
#                                                        (b2) ── rampart-b2 10.2.2.10
#                                                        (b3) ── rampart-b3 10.2.3.10
#
# Everything that is made is named rampart-… or written down in $work, so that it can be removed by name or
# by pid, also by a later `tools/demo --clean`.

work=/run/rampart-demo
vip=203.0.113.10
bin=build/release/bin
pins=/sys/fs/bpf/rampart/default
backends=(b1 b2 b3)

# In the namespace NAME. Not `ip netns exec`: that mounts /sys afresh, and the pins would be out of sight.
inside() { local name=$1; shift; nsenter --net="/run/netns/rampart-$name" -- "$@"; }

backend_address() { echo "10.2.${1#b}.10"; }

fail() {
  echo "demo: $*" >&2
  exit 1
}

# Waits until a command succeeds: within SECONDS COMMAND…
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ]; then return 1; fi
    sleep 0.1
  done
}

# A process is told by its pid and the time it started, so that a pid used again is left alone.
started_at() { awk '{ sub(/.*\) /, ""); print $20 }' "/proc/$1/stat" 2>/dev/null; }

# Starts a command in a namespace, in the background, and writes it down: start NAME NAMESPACE COMMAND…
start() {
  local name=$1 namespace=$2
  shift 2
  setsid nsenter --net="/run/netns/rampart-$namespace" -- "$@" >"$work/$name.out" 2>&1 </dev/null &
  echo "$! $(started_at $!) $name" >>"$work/processes"
}

pid_of() { awk -v name="$1" '$3 == name { pid = $1 } END { print pid }' "$work/processes"; }

has_ended() { [ ! -d "/proc/$(pid_of "$1")" ]; }

end_process() {
  kill "$1" 2>/dev/null || true
  within 5 test ! -d "/proc/$1" || kill -9 "$1" 2>/dev/null || true
}

# Those written down, and a daemon that was started in the balancer later.
stop_processes() {
  local pid born
  if [ -f "$work/processes" ]; then
    while read -r pid born _; do
      if [ -n "$born" ] && [ "$(started_at "$pid")" = "$born" ]; then end_process "$pid"; fi
    done <"$work/processes"
  fi
  for pid in $(ip netns pids rampart-balancer 2>/dev/null); do
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = rampartd ]; then end_process "$pid"; fi
  done
}

# Removes what the demo made and nothing else. May be repeated.
clean() {
  local netns
  stop_processes
  if [ -d $work ] && [ -x $bin/rampart ]; then
    inside balancer "$bin/rampart" detach --all >/dev/null 2>&1 || true
  fi
  for netns in client balancer "${backends[@]}"; do
    if [ -e "/run/netns/rampart-$netns" ]; then ip netns delete "rampart-$netns"; fi
  done
  if [ -d $work ]; then rm -rf "$pins" "$work"; fi
}

# Refuses where something is in the way that is not ours to remove.
check_room() {
  if [ -d $work ]; then fail "a demo is there already; remove it with: tools/demo --clean"; fi
  if compgen -G "$pins/v*/rp_vips" >/dev/null; then
    fail "this machine runs an instance named default already, and the demo would be in its way: stop rampartd, then: rampart detach --all"
  fi
}

# A cable between eth0 of a namespace and a port of the balancer. Frames that XDP sends on arrive only if
# the far end has a program of its own, and only with checksums that are complete.
join() {
  local netns=$1 address=$2 gateway=$3
  ip netns add "rampart-$netns"
  ip link add eth0 netns "rampart-$netns" type veth peer name "$netns" netns rampart-balancer
  inside "$netns" ip link set lo up
  inside "$netns" ip link set eth0 up xdpdrv object $work/xdp_pass.o section xdp
  inside balancer ip link set "$netns" up
  inside "$netns" ethtool -K eth0 tx off >/dev/null
  inside balancer ethtool -K "$netns" tx off >/dev/null
  inside "$netns" ip address add "$address/24" dev eth0
  inside balancer ip address add "$gateway/24" dev "$netns"
  inside "$netns" ip route add default via "$gateway"
}

make_bed() {
  local backend
  mkdir -p $work /run/rampart
  if [ "$(stat -f -c %T /sys/fs/bpf)" != bpf_fs ]; then mount -t bpf bpf /sys/fs/bpf; fi
  clang-14 -target bpf -mcpu=v3 -O2 -g -I. -idirafter "/usr/include/$(uname -m)-linux-gnu" \
    -c tests/support/xdp_pass.bpf.c -o $work/xdp_pass.o
  ip netns add rampart-balancer
  inside balancer ip link set lo up
  inside balancer sh -c 'cd /proc/sys/net/ipv4 && echo 1 >ip_forward && echo 0 >conf/all/rp_filter'
  join client 10.1.0.1 10.1.0.254
  for backend in "${backends[@]}"; do
    join "$backend" "$(backend_address "$backend")" "10.2.${backend#b}.254"
  done
}

start_server() {
  local backend=$1
  cat >"$work/$backend.conf" <<END
daemon off;
worker_processes 1;
pid $work/$backend.pid;
events { worker_connections 512; }
http {
  access_log $work/$backend.log;
  server {
    listen 8080;
    default_type text/plain;
    location / { return 200 "$backend\n"; }
  }
}
END
  start "$backend" "$backend" nginx -e "$work/$backend.err" -c "$work/$backend.conf"
  within 10 inside client curl -sf "http://$(backend_address "$backend"):8080/" ||
    fail "the web server of $backend does not answer: $(cat "$work/$backend.out" "$work/$backend.err")"
}

# How many requests a backend has answered since it was started, by its own access log.
answered_by() { wc -l <"$work/$1.log"; }

# The configuration with the given backends: write_config SECONDS b1 b2
write_config() {
  local seconds=$1 backend
  shift
  {
    cat <<END
version: 1
interfaces:
  - { name: client, mode: auto }
END
    for backend in "${backends[@]}"; do echo "  - { name: $backend, mode: auto }"; done
    cat <<END
state_dir: $work
upstreams:
  - id: web
    type: roundrobin
    slow_start: { slow_start_time_seconds: $seconds, min_weight_percent: 1 }
    nodes:
END
    for backend in "$@"; do
      echo "      - { host: $(backend_address "$backend"), port: 8080, weight: 100 }"
    done
    cat <<END
vips:
  - id: web
    address: $vip
    port: 80
    protocol: tcp
    forward: nat
    upstream_id: web
END
  } >$work/rampart.yaml.next
  mv $work/rampart.yaml.next $work/rampart.yaml
}

start_daemon() {
  start rampartd balancer "$bin/rampartd" --config $work/rampart.yaml
  within 15 "$bin/rampart" status || fail "rampartd does not come up: $(cat $work/rampartd.out)"
  within 15 inside client curl -sf --max-time 1 "http://$vip/" ||
    fail "the VIP does not answer: $(cat $work/rampartd.out)"
}
