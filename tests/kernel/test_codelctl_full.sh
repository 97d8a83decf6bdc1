#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: full_run
#
# codelctl where /run or /etc is full or cannot be written, or /sys is not there: one sentence in place of a traceback, the
# link as it was, and undo is possible. The topology is that of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

# says WORDS: of the last command in $LIB_TMP/said: one sentence
says()
{
	[[ $(<"$LIB_TMP/said") == *"$1"* ]] || fail "it says: $(<"$LIB_TMP/said")"
	grep -q "^codelctl: " "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
	! grep -q Traceback "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
}

# over FOLDER OPTION: a file system of its own, before the namespace of mounts that ctl_start makes
over()
{
	mkdir -p "$1"
	mount -t tmpfs -o "$2" tmpfs "$1"
	defer umount -l "$1"
}

# light_state: of r1, its ifb and the offloads
light_state()
{
	tc -n "$ROUTER" qdisc show
	ip -n "$ROUTER" -d link show
	tc -n "$ROUTER" filter show dev r1 ingress
	in_ns "$ROUTER" ethtool -k r1
}

# fill FOLDER: no byte is left there
fill()
{
	dd if=/dev/zero of="$1/filling" bs=4096 2>/dev/null || :
	# A page that dd leaves, and the rest of the last one
	! echo x >"$1/more" 2>/dev/null || rm "$1/more"
}

# /run is full at each moment of a setup: with N pages free
full_run()
{
	local pages status failed=0

	over /run/codelctl size=1m
	topology offloads
	modprobe ifb numifbs=0
	light_state >"$LIB_TMP/before"
	for pages in 0 1 2 4; do
		rm -rf /run/codelctl/*
		fill /run/codelctl
		((pages == 0)) || truncate -s $((1048576 - pages * 4096)) /run/codelctl/filling
		status=0
		ctl setup r1 --up 8mbit --down 20mbit --kind fq_codel >"$LIB_TMP/said" 2>&1 || status=$?
		if ((status)); then
			failed=$((failed + 1))
			says "No space left on device"
			light_state | diff "$LIB_TMP/before" - || fail "$pages pages: the link differs"
			check "$pages pages: codelctl show" "$(ctl show)" empty
		else
			check "$pages pages: codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
			fill /run/codelctl
			ctl undo r1 >"$LIB_TMP/said" 2>&1 || fail "undo: status $?: $(<"$LIB_TMP/said")"
			light_state | diff "$LIB_TMP/before" - || fail "$pages pages: undo: the link differs"
		fi
	done
	check "setups that failed" "$failed" ">=" 1
	check "setups that did not" "$failed" "<" 4
}

# The same for another setup: the one before stays in force
full_change()
{
	local pages status failed=0

	over /run/codelctl size=1m
	topology offloads
	modprobe ifb numifbs=0
	for pages in 0 1 2 4; do
		rm -f /run/codelctl/filling
		setup --up 8mbit --down 20mbit --kind fq_codel >/dev/null
		link_state >"$LIB_TMP/before"
		fill /run/codelctl
		((pages == 0)) || truncate -s -$((pages * 4096)) /run/codelctl/filling
		status=0
		ctl setup r1 --up 7mbit --down off --kind fq_codel_oot >"$LIB_TMP/said" 2>&1 || status=$?
		((status)) || continue
		failed=$((failed + 1))
		says "No space left on device"
		same_state "$pages pages"
		check "$pages pages: codelctl show" "$(ctl show)" == \
			"r1: up 8mbit, down 20mbit, link ethernet, kind fq_codel: in force"
	done
	check "setups that failed" "$failed" ">=" 1
	check "setups that did not" "$failed" "<" 4
	fill /run/codelctl
	ctl undo r1 || fail "undo: status $?"
	check "links" "$(links)" == "lo r0 r1"
}

read_only_run()
{
	over /run/codelctl size=1m
	topology offloads
	modprobe ifb numifbs=0
	light_state >"$LIB_TMP/before"
	mount -o remount,ro /run/codelctl
	! ctl setup r1 --up 8mbit >"$LIB_TMP/said" 2>&1 || fail "setup has succeeded"
	says "Read-only file system"
	! ctl prove r1 --seconds 2 --server 10.9.2.2 >"$LIB_TMP/said" 2>&1 || fail "prove has succeeded"
	! grep Traceback "$LIB_TMP/said" || fail "prove"
	light_state | diff "$LIB_TMP/before" - || fail "setup: the link differs"
	mount -o remount,rw /run/codelctl
	setup --up 8mbit --down 20mbit --kind fq_codel
	mount -o remount,ro /run/codelctl
	! ctl prove r1 --seconds 2 --server 10.9.2.2 >"$LIB_TMP/said" 2>&1 || fail "prove has succeeded"
	! grep Traceback "$LIB_TMP/said" || fail "prove"
	check "codelctl show" "$(ctl show | sed 's/.*: //')" == "in force"
	# The link is restored, and the sentence names the file that stays
	! ctl undo r1 >"$LIB_TMP/said" 2>&1 || fail "the file that stays is not mentioned"
	says "r1: restored, but "
	light_state | diff "$LIB_TMP/before" - || fail "undo: the link differs"
}

# /etc is read only, or full
etc()
{
	# Units work in the network namespace of the machine alone. As if systemd were running there
	ROUTER=
	mkdir -p /run/systemd/system
	defer rmdir /run/systemd/system
	over /etc/codelctl size=16k
	ip link add e0 type dummy
	defer ip link del e0
	ip link set e0 up
	ctl_start
	printf '#!/bin/sh\necho "codelctl@e0.service"\n' >"$LIB_TMP/bin/systemd-escape"
	printf '#!/bin/sh\nexit 0\n' >"$LIB_TMP/bin/systemctl"
	chmod +x "$LIB_TMP/bin/systemd-escape" "$LIB_TMP/bin/systemctl"
	fill /etc/codelctl
	! ctl enable e0 --up 8mbit >"$LIB_TMP/said" 2>&1 || fail "enable has succeeded"
	says "/etc/codelctl/e0.conf: No space left on device: nothing was changed"
	check "files" "$(find /etc/codelctl -name 'e0*')" empty
	rm /etc/codelctl/filling
	ctl enable e0 --up 8mbit >"$LIB_TMP/said" 2>&1 || fail "enable: status $?: $(<"$LIB_TMP/said")"
	mount -o remount,ro /etc/codelctl
	! ctl enable e0 --up 7mbit >"$LIB_TMP/said" 2>&1 || fail "enable has succeeded"
	says "/etc/codelctl/e0.conf: Read-only file system: nothing was changed"
	! ctl disable e0 >"$LIB_TMP/said" 2>&1 || fail "disable has succeeded"
	says "/etc/codelctl/e0.conf: Read-only file system"
}

# without_sys WORD...: codelctl succeeds
without_sys()
{
	ctl "$@" >"$LIB_TMP/said" 2>&1 || fail "$*: status $?: $(tail -n 3 "$LIB_TMP/said")"
	! grep Traceback "$LIB_TMP/said" || fail "$*"
}

no_sys()
{
	topology offloads
	modprobe ifb numifbs=0
	link_state >"$LIB_TMP/before"
	# prove pings the gateway
	ip -n "$ROUTER" route add default via 10.9.2.2
	# Over the /sys of the namespace of ctl alone
	ROUTER_PID=$(ip netns pids "$ROUTER" | head -n 1)
	nsenter --mount --target "$ROUTER_PID" mount -t tmpfs none /sys
	without_sys setup r1 --up 8mbit --down 20mbit --kind fq_codel
	without_sys show
	[[ $(<"$LIB_TMP/said") == *": in force" ]] || fail "show: $(<"$LIB_TMP/said")"
	without_sys prove r1 --seconds 2
	without_sys undo r1
	ctl doctor >"$LIB_TMP/said" 2>&1 || :
	! grep Traceback "$LIB_TMP/said" || fail doctor
	nsenter --mount --target "$ROUTER_PID" umount /sys
	same_state undo
}

lib_add full_run "a setup with a full /run leaves the link as it was, and undo works there"
lib_add full_change "a change with a full /run leaves the setup before in force"
lib_add read_only_run "a /run that cannot be written"
lib_add etc "an /etc that is full or cannot be written"
lib_add no_sys "without /sys"
lib_main "$@"
