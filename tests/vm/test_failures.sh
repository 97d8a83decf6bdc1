#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The status of a failed machine is 125, with the kernel's log, for any status of the command.
. "$(dirname "$0")/tap.sh"

plan 21

crash() { vm --module "$here/crash" -- sh -c "echo before; insmod crash.ko how=$1; exit 0"; }

# beside NAME [option...] -- COMMAND: runs it with its errors in $work/NAME; has its status
beside() { "$runner" --release "${RELEASE:-trixie}" "${@:2}" >/dev/null 2>"$work/$1"; }

crash nothing
ok "a module that does nothing is no failure" is "$status" 0
crash warn
ok "a warning of the kernel is 125" is "$status" 125
ok "its log is on standard error" has "$err" "WARNING: .*crash_init"
ok "the command's output is still there" is "$(cat "$out")" before
crash oops
ok "an oops is 125" is "$status" 125
ok "its log is on standard error" has "$err" "RIP: .*crash_init"
vm -- sh -c 'echo c >/proc/sysrq-trigger'
ok "a panic is 125" is "$status" 125
ok "its log is on standard error" has "$err" "Kernel panic"
crash hang
ok "a kernel that stands still is 125" is "$status" 125
ok "its log is on standard error" has "$err" "soft lockup\|rcu.*stall"

vm -- sh -c 'echo "<4>WARNING: not the kernel" >/dev/kmsg'
ok "what a program writes to the log is no failure" is "$status" 0

# RTM_GETLINK with the header of RTM_GETQDISC, which is four bytes longer
vm -- python3 -c '
import socket, struct
open("/proc/self/comm", "w").write("codelstat")
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
    netlink.send(struct.pack("=IHHII20x", 36, 18, 0x301, 1, 0))
'
ok "a request of codelstat that the kernel complains of is 125" is "$status" 125
ok "its log is on standard error" has "$err" "4 bytes leftover .*codelstat"

mkdir "$work/broken"
echo 'obj-m := broken.o' >"$work/broken/Kbuild"
echo 'this is not C' >"$work/broken/broken.c"
vm --module "$work/broken" -- true
ok "a module that does not build is 125" is "$status" 125
ok "the compiler's output is on standard error" has "$err" "broken.c:1"

# Four machines, side by side; the limit is until a machine has booted, also on a host that becomes busier
SECONDS=0
vm -- true
limit=$((5 * SECONDS + 10))
beside realtime --realtime --timeout 8 -- sleep 60 &
realtime=$!
beside asleep --timeout 60 -- sleep 3600 &
asleep=$!
beside stopped --timeout 600 -- sh -c 'while :; do :; done' &
stopped=$!
vm --timeout "$limit" -- sh -c 'echo before; while :; do :; done'
ok "--timeout is 124" is "$status" 124
ok "output until then is there" is "$(cat "$out")" before
# Its machine runs by now: QEMU is the child of the runner, which is the child of this shell's own
pkill -STOP -P "$(pgrep -P "$stopped")" -x qemu-system-x86
wait "$realtime"; status=$? err=$work/realtime
ok "--timeout is 124 without virtual time" is "$status" 124
wait "$asleep"; status=$? err=$work/asleep
ok "an hour asleep takes no time" is "$status" 0
wait "$stopped"; status=$? err=$work/stopped
ok "a machine whose clock stands still is 125, long before --timeout" is "$status" 125
ok "and the error says so" has "$err" "hangs: its clock has stood at [1-9]"
ktap_exit
