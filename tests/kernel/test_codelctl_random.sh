#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: from_0
#
# Random sequences of setups, undos, failures and kills of codelctl, and of changes by other programs. After each, undo
# leaves a device on which only the other programs have worked: r1 in REFERENCE, a namespace without codelctl.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

STEPS=10
KINDS=(fq_codel_oot codel_oot fq_codel cake)
RATES=(64kbit 1mbit 20mbit 2gbit)
HOOKS=(ingress egress)

# both COMMAND NAMESPACE-OPTION...: in both namespaces, as another program does it
both()
{
	local program=$1

	shift
	"$program" -n "$ROUTER" "$@" && "$program" -n "$REFERENCE" "$@"
}

# one_of WORD...: a random one, in ONE
one_of()
{
	ONE=${*:RANDOM % $# + 1:1}
}

random_setup()
{
	local words=()

	one_of up down both
	case $ONE in
	up) one_of "${RATES[@]}"; words=(--up "$ONE"); one_of 0 1; ((ONE)) || words+=(--down off) ;;
	down) one_of "${RATES[@]}"; words=(--down "$ONE"); one_of 0 1; ((ONE)) || words+=(--up off) ;;
	both) one_of "${RATES[@]}"; words=(--up "$ONE" --down 20mbit) ;;
	esac
	one_of "${KINDS[@]}"
	words+=(--kind "$ONE")
	if [[ $ONE != cake ]]; then
		one_of 5ms 9ms
		words+=(--target "$ONE" --no-ecn)
	fi
	[[ $LOSES == no ]] || words+=(--offloads keep)
	echo "codelctl setup $DEV ${words[*]}"
	ctl setup "$DEV" "${words[@]}"
}

random_undo()
{
	echo "codelctl undo $DEV"
	ctl undo "$DEV"
}

# random_fault FAULT: in a setup or in undo
random_fault()
{
	local step=$((RANDOM % 12 + 1))

	echo "@fault $1 $step"
	ctl @fault "$1" "$step"
	if ((RANDOM % 3)); then random_setup; else random_undo; fi || :
	ctl @fault none 0
}

filter_comes()
{
	local ns preference=$((RANDOM % 1000 + 1))

	one_of "${HOOKS[@]}"
	echo "a filter on $ONE, $preference"
	for ns in "$ROUTER" "$REFERENCE"; do
		tc -n "$ns" qdisc show dev "$DEV" | grep -q clsact || tc -n "$ns" qdisc add dev "$DEV" clsact
	done
	both tc filter replace dev "$DEV" "$ONE" pref "$preference" protocol ip handle 1 flower ip_proto udp action drop
	FILTERS+=("$ONE $preference")
}

filter_goes()
{
	local last=${FILTERS[*]: -1}

	[[ $last ]] || return 0
	unset "FILTERS[-1]"
	echo "no filter on $last"
	both tc filter del dev "$DEV" "${last% *}" pref "${last#* }"
}

renames()
{
	local from=$DEV

	if [[ $DEV == r1 ]]; then DEV=wan0; else DEV=r1; fi
	echo "$from becomes $DEV"
	both ip link set "$from" down
	both ip link set "$from" name "$DEV"
	both ip link set "$DEV" up
}

mtu_changes()
{
	one_of 1400 1500 9000
	echo "MTU $ONE"
	both ip link set "$DEV" mtu "$ONE"
}

ifb_goes()
{
	local ifb

	for ifb in $(ip -n "$ROUTER" -j -d link show type ifb | jq -r '.[].ifname // empty'); do
		echo "$ifb is deleted"
		ip -n "$ROUTER" link del "$ifb"
	done
}

# Other programs replace the root, or /run is lost: without /run, undo cannot restore the former root
memory_or_root()
{
	local handle=$((RANDOM % 99 + 1)):

	if [[ $LOSES == yes ]]; then
		echo "/run is lost"
		rm -rf /run/codelctl
	else
		echo "root $handle"
		both tc qdisc replace dev "$DEV" root handle "$handle" pfifo limit $((RANDOM % 9 + 1))
	fi
}

# HTB gets the leaf that it had in setups of an earlier version
becomes_earlier()
{
	local dev

	for dev in $(tc -n "$ROUTER" qdisc show | sed -n 's/^qdisc htb c0de: dev \([^ ]*\) .*/\1/p'); do
		echo "HTB of $dev has fq_codel_oot below it"
		tc -n "$ROUTER" qdisc del dev "$dev" parent c0de:1 2>/dev/null || :
		tc -n "$ROUTER" qdisc replace dev "$dev" parent c0de:1 handle c0df: fq_codel_oot 2>/dev/null || :
	done
}

step()
{
	case $((RANDOM % 16)) in
	0 | 1 | 2 | 3) random_setup ;;
	4) random_undo ;;
	5 | 6) random_fault kill ;;
	7) random_fault fail ;;
	8 | 9) filter_comes ;;
	10) filter_goes ;;
	11) renames ;;
	12) ifb_goes ;;
	13) memory_or_root ;;
	14) becomes_earlier ;;
	15) mtu_changes ;;
	esac
}

# seen NAMESPACE: all that codelctl may change. A hook without a filter counts as none: its maker cannot be seen
seen()
{
	local hook filters=

	for hook in "${HOOKS[@]}"; do
		filters+=$(tc -n "$1" filter show dev "$DEV" "$hook" | sed "s/^/$hook /")
	done
	[[ $filters ]] || tc -n "$1" qdisc del dev "$DEV" clsact 2>/dev/null || :
	echo "$filters"
	tc -n "$1" qdisc show dev "$DEV"
	ip -n "$1" -j link show | jq -r '.[] | "\(.ifname) \(.flags) \(.qdisc)"'
	ip netns exec "$1" ethtool -k "$DEV"
}

# sequence SEED
sequence()
{
	local i

	RANDOM=$1 DEV=r1 FILTERS=() LOSES=no
	(($1 % 2)) || LOSES=yes
	echo "sequence $1"
	both ip link add r1 type dummy
	both ip link set r1 up
	for ((i = 0; i < STEPS; i++)); do
		step || fail "sequence $1, step $i: status $?"
	done
	ctl undo "$DEV" || fail "sequence $1: undo: status $?"
	seen "$REFERENCE" >"$LIB_TMP/expected"
	seen "$ROUTER" >"$LIB_TMP/found"
	diff "$LIB_TMP/expected" "$LIB_TMP/found" || fail "sequence $1: undo does not leave the device as it was"
	check "sequence $1: codelctl show" "$(ctl show)" empty
	both ip link del "$DEV"
}

sequences()
{
	local seed

	modprobe ifb numifbs=0
	ns_create r; ROUTER=$NS
	ns_create f; REFERENCE=$NS
	ctl_start
	for ((seed = $1; seed < $1 + $2; seed++)); do
		sequence "$seed"
	done
}

from_0()
{
	sequences 0 4
}

lib_add from_0 "undo leaves the machine as it was: sequences 0 to 3"
lib_add sequences "undo leaves the machine as it was: sequences 4 to 17" 4 14
lib_add sequences "undo leaves the machine as it was: sequences 18 to 31" 18 14
lib_main "$@"
