#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of the virtual machine (see vm): loads what the root needs, mounts the host's / below
# a writable layer, runs the command there and switches off. It runs from an initramfs whose only program
# is busybox. vm passes mods= and rw= on the kernel's command line.
bb=/bin/busybox
die() {
  $bb echo "guest: $*"
  $bb reboot -f
}

$bb mount -t proc proc /proc
$bb mount -t sysfs sys /sys
$bb mount -t devtmpfs dev /dev
while read -r module; do
  $bb insmod "/mods/$module" || $bb echo "guest: insmod $module failed"
done </mods/order
mods='' rw=''
for word in $($bb cat /proc/cmdline); do
  case $word in
    rampart_vm.mods=*) mods=${word#*=} ;;
    rampart_vm.rw=*) rw=${word#*=} ;;
  esac
done

share=trans=virtio,version=9p2000.L,msize=524288
$bb mount -t 9p -o "ro,$share,cache=loose" hostroot /host || die "no 9p root"
$bb mount -t tmpfs -o mode=755 layer /layer
$bb mkdir /layer/upper /layer/work
$bb mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work root /new ||
  die "no overlay"

n=/new
for place in proc sys dev run tmp; do $bb mkdir -p $n/$place; done
$bb mount -t proc proc $n/proc
$bb mount -t sysfs sys $n/sys
$bb mount -t devtmpfs dev $n/dev
$bb mkdir -p $n/dev/pts $n/dev/shm
$bb mount -t devpts devpts $n/dev/pts
$bb mount -t tmpfs shm $n/dev/shm
$bb mount -t tmpfs -o mode=755 run $n/run
$bb mount -t bpf bpf $n/sys/fs/bpf
$bb mount -t cgroup2 cgroup2 $n/sys/fs/cgroup
$bb mount -t debugfs debugfs $n/sys/kernel/debug
$bb mount -t tracefs tracefs $n/sys/kernel/tracing
$bb ln -sf /proc/self/fd $n/dev/fd
for stream in 0:stdin 1:stdout 2:stderr; do
  $bb ln -sf "/proc/self/fd/${stream%:*}" "$n/dev/${stream#*:}"
done

version=$($bb uname -r)
$bb mkdir -p "$n/lib/modules/$version"
$bb mount --bind "/host$mods" "$n/lib/modules/$version"
$bb ifconfig lo 127.0.0.1 up
$bb hostname guest
$bb mkdir -p $n/run/vm
$bb mount -t 9p -o "$share,cache=none" control $n/run/vm || die "no control share"
if [ -n "$rw" ]; then
  $bb mkdir -p "$n$rw"
  $bb mount -t 9p -o "$share,cache=mmap" writable "$n$rw" || die "no writable share"
fi

out=/dev/console
for port in /sys/class/virtio-ports/*; do
  if [ "$($bb cat "$port/name")" = vm.out ]; then out=/dev/${port##*/}; fi
done
$bb touch $n/run/vm/started
# The port can be opened once only, so one reader of a pipe writes to it.
(
  $bb chroot $n /bin/sh /run/vm/command.sh </dev/null 2>&1
  $bb echo $? >$n/run/vm/exit_code
) | $bb cat >"$out"
$bb sync
$bb reboot -f
