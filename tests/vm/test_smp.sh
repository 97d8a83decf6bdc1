#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# --smp: several processors in real time; the rest of the runner's contract holds, also on a busy host.
. "$(dirname "$0")/tap.sh"

plan 24

# beside NAME [option...] -- COMMAND: runs it with its output in $work/NAME.out and .err; has its status
beside() { "$runner" --release "${RELEASE:-trixie}" "${@:2}" >"$work/$1.out" 2>"$work/$1.err"; }

# of NAME PID: status and output of one that ran beside others
of() { status=0 out=$work/$1.out err=$work/$1.err; wait "$2" || status=$?; }

# One is stopped for longer than what a lockup is in virtual time, and one stands still for longer than --smp allows
vm --module "$here/crash" -- true
# shellcheck disable=SC2016 # for the guest's shell
beside stopped --smp 2 -- sh -c 'echo begins; for i in $(seq 3000); do sleep 0.01; done; echo ends' &
stopped=$!
beside hangs --smp 2 --module "$here/crash" -- sh -c 'insmod crash.ko how=hang' &
hangs=$!
until has "$work/stopped.out" begins; do
	sleep 0.2
	kill -0 "$stopped" || break
done
emulator=$(pgrep -P "$(pgrep -P "$stopped")" -x qemu-system-x86)
kill -STOP "$emulator"
stopped_at=$SECONDS

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

refused() {
	ok "refused: $1" is "$status" 2
	ok "and the error says so" has "$err" "$2"
}
for wrong in 1 65; do
	vm --smp "$wrong" -- true
	refused "--smp $wrong" "--smp: '$wrong' is not a number of processors: 2 to 64"
done
vm --smp 2 --timeline 3 -- true
refused "--smp with a timeline" "--timeline needs virtual time, which --smp does not have"
vm --smp 2 --debug -- true
refused "--smp with the debug kernel" "--debug with --smp: the debug kernel has neither ACPI nor PCI"

while ((SECONDS < stopped_at + 25)); do
	sleep 1
done
kill -CONT "$emulator"
of stopped "$stopped"
ok "a host that stops the machine for 25 s does not fail it" is "$status" 0
ok "and the command has run to its end" is "$(paste -sd' ' "$out")" "begins ends"
of hangs "$hangs"
ok "a processor that stands still for two minutes is 125" is "$status" 125
ok "its log is on standard error" has "$err" "soft lockup\|rcu.*stall"
ktap_exit
