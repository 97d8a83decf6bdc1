#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# --smp: several processors in real time; the rest of the runner's contract holds.
. "$(dirname "$0")/tap.sh"

plan 20

# beside NAME [option...] -- COMMAND: runs it with its output in $work/NAME.out and .err; has its status
beside() { "$runner" --release "${RELEASE:-trixie}" "${@:2}" >"$work/$1.out" 2>"$work/$1.err"; }

# of NAME PID: status and output of one that ran beside others
of() { status=0 out=$work/$1.out err=$work/$1.err; wait "$2" || status=$?; }

# It stands still for longer than --smp allows, while the others run
vm --module "$here/crash" -- true
beside hangs --smp 2 --module "$here/crash" -- sh -c 'insmod crash.ko how=hang' &
hangs=$!

for n in 2 4; do
	vm --smp "$n" -- sh -c 'nproc; echo err >&2; exit 3'
	ok "--smp $n: the command's status comes through" is "$status" 3
	ok "--smp $n: and its output: the processors" is "$(cat "$out")" "$n"
	ok "--smp $n: standard error says that there is no virtual time" is "$(paste -sd, "$err")" \
		"tests/vm/run: --smp $n: real time, no virtual time,err"
done
vm --smp 2 -- sh -c 'cd /proc/sys/kernel; cat watchdog_thresh softlockup_panic hung_task_timeout_secs hung_task_panic
	cat panic_on_rcu_stall /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout'
ok "bounds of lockups are minutes, and still end the machine" is "$(paste -sd' ' "$out")" "60 1 600 1 1 300"
vm --smp 2 --get /tmp/back -- sh -c 'echo kept >/tmp/back'
ok "--get brings a file back" is "$(cat "$here/../../out/back")" kept
rm -f "$here/../../out/back"
vm --smp 2 --get /no/such/file -- true
ok "--get of a file that is not there fails" is "$status" 125
vm --smp 2 --module "$here/crash" -- sh -c 'insmod crash.ko how=warn; exit 0'
ok "a warning of the kernel is 125" is "$status" 125
ok "its log is on standard error" has "$err" "WARNING: .*crash_init"
vm --smp 2 --timeout 8 -- sleep 60
ok "--timeout is 124" is "$status" 124

for wrong in 1 65; do
	vm --smp "$wrong" -- true
	refused "--smp $wrong" "--smp: '$wrong' is not a number of processors: 2 to 64"
done
vm --smp 2 --timeline 3 -- true
refused "--smp with a timeline" "--timeline needs virtual time, which --smp does not have"

of hangs "$hangs"
ok "a processor that stands still for two minutes is 125" is "$status" 125
ok "its log is on standard error" has "$err" "soft lockup\|rcu.*stall"
ktap_exit
