#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The runner's contract for a command that ends: status, output, files, surroundings.
. "$(dirname "$0")/tap.sh"

plan 37

# Build the image first: its progress is printed on standard error.
vm -- true
vm -- sh -c 'echo out; echo err >&2; exit 3'
ok "the command's status comes through" is "$status" 3
ok "standard output is the command's and nothing else" is "$(cat "$out")" out
ok "standard error is the command's and nothing else" is "$(cat "$err")" err

vm -- sh -c 'kill -9 $$'
ok "a command that a signal ends has 128 more than the signal" is "$status" 137
vm -- /no/such/command
ok "a command that is not there has 127" is "$status" 127

# Files both ways, all byte values, arguments with blanks.
for ((i = 0; i < 256; i++)); do printf '%b' "\\x$(printf %02x "$i")"; done >"$work/all bytes"
vm --put "$work/all bytes" --put "$0" --module "$here/crash" --get /tmp/back --get rel -- \
	sh -c 'cat "all bytes"; cp "all bytes" /tmp/back; echo rel >rel; ls -x >&2; insmod crash.ko' 'a b'
ok "with files and a module: status" is "$status" 0
ok "output is binary clean" cmp -s "$out" "$work/all bytes"
ok "--put places files in /root" has "$err" "test_run.sh"
ok "--module places the module in /root" has "$err" "crash.ko"
ok "--get brings a file back" cmp -s "$here/../../out/back" "$work/all bytes"
ok "--get takes a name relative to /root" is "$(cat "$here/../../out/rel")" rel
rm -f "$here/../../out/back" "$here/../../out/rel"

vm --tests "$here/tap.sh" --tests "$here/crash" -- find tests -type f
ok "--tests places that part of tests/" is "$(sort "$out" | paste -sd' ')" \
	"tests/vm/crash/Kbuild tests/vm/crash/crash.c tests/vm/tap.sh"
vm --tests "$here/../kernel/strict.sh" -- find tests -type f
ok "--tests places the folder of a library beside it" is "$(sort "$out" | paste -sd' ')" \
	"tests/kernel/strict.sh tests/kernel/strict/Kbuild tests/kernel/strict/sch_strict_parent.c"

vm --get /no/such/file -- true
ok "--get of a file that is not there fails" is "$status" 125
ok "and says which" has "$err" "/no/such/file"

# shellcheck disable=SC2016 # for the guest's shell
vm -- bash -c 'set -e
	is() { [[ $1 == "$2" ]] || echo "$1 instead of $2"; }
	is "$(id -u) $PWD $HOME $LANG" "0 /root /root C.UTF-8"
	is "$(readlink /proc/self/fd/0)" /dev/null
	is "$(cat /sys/class/net/lo/flags)" 0x9
	is "$(ls /sys/class/net)" lo
	is "$(lsmod | wc -l)" 1
	is "$(modinfo -F filename sch_codel_oot)" "/lib/modules/$(uname -r)/updates/sch_codel_oot.ko"
	is "$(stat -c %U /root/tests/vm/test_run.sh)" root
	is "$(date +%F)" 2026-01-01
	for tool in bash cat tc ip ss ethtool iperf3 irtt ping jq tcpdump python3 modprobe ps nft; do
		type -P "$tool" >/dev/null || echo "no $tool"
	done
	for module in netem tbf htb hfsc qfq drr ets red pie fq_pie cake codel plug sfq mqprio prio; do
		modprobe -n "sch_$module" || echo "no sch_$module"
	done
	for module in veth ifb dummy pktgen nlmon cls_u32 cls_flower cls_bpf act_mirred sch_ingress; do
		modprobe -n "$module" || echo "no $module"
	done
	mount | grep -cE " on /(proc|sys|dev|tmp|run|sys/kernel/(debug|tracing)|sys/fs/(bpf|cgroup)) " >&2'
ok "the guest is as described" is "$(cat "$out")" ""
ok "all file systems are mounted" is "$(cat "$err")" 9

# A timeline repeats, and no two are alike
for n in 0 7 7 8; do
	vm --timeline "$n" -- sh -c 'od -An -tx1 -N 16 /dev/urandom'
	drawn+=("$(cat "$out")")
done
ok "a timeline repeats" is "${drawn[1]:-nothing}" "${drawn[2]}"
ok "another number is another timeline" test "${drawn[2]}" != "${drawn[3]}"
ok "timeline 0 is one as well" test "${drawn[0]}" != "${drawn[1]}"

vm --frobnicate -- true
refused "an unknown option" frobnicate
vm --release potato -- true
refused "an unknown release" potato
vm --put /no/such/file -- true
refused "a file that is not there" /no/such/file
vm --tests "$here/../.." -- true
refused "tests that are more than tests/" "is not in"
vm --with '../etc' -- true
refused "what is not a package's name" '../etc'
vm --debug=ksan -- true
refused "an unknown debug kernel" "invalid choice: 'ksan'"
vm --timeline -1 -- true
refused "a timeline that is no number" "'-1' is not a timeline"
vm true
refused "a command without --" "'--'"
ok "nothing of that is on standard output" is_empty "$out"
ktap_exit
