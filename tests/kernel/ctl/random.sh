# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Random sequences of setups, undos, failures and kills of codelctl, and of changes by other programs; after lib.sh and
# ctl.sh. After each, undo leaves a device on which only the other programs have worked: r1 in REFERENCE, a namespace without
# codelctl. RUN is "kept", and others replace the root qdisc; or it is "lost", and with it what undo restores in place of
# its own root.
#
# A sequence follows from its seed. To repeat one:
#
#	tests/vm/run -- env CODEL_SEED=N tests/kernel/test_codelctl_random.sh one

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

	one_of up down both follow
	case $ONE in
	up) one_of "${RATES[@]}"; words=(--up "$ONE"); one_of 0 1; ((ONE)) || words+=(--down off) ;;
	down) one_of "${RATES[@]}"; words=(--down "$ONE"); one_of 0 1; ((ONE)) || words+=(--up off) ;;
	both) one_of "${RATES[@]}"; words=(--up "$ONE" --down 20mbit) ;;
	follow) one_of "${RATES[@]}" off; words=(--up "$ONE" --down off --follow) ;;
	esac
	if [[ ${words[*]} == *--follow ]]; then
		one_of fq_codel_oot codel_oot
	else
		words+=(--no-follow)
		one_of "${KINDS[@]}"
	fi
	words+=(--kind "$ONE")
	if [[ $ONE != cake ]]; then
		one_of 5ms 9ms
		words+=(--target "$ONE" --no-ecn)
	fi
	[[ $RUN == kept ]] || words+=(--offloads keep)
	run_ctl setup "$DEV" "${words[@]}"
}

random_undo()
{
	run_ctl undo "$DEV"
}

# run_ctl WORD...: or, after @killed SECONDS, until then
run_ctl()
{
	set -- "${KILLED[@]}" "$@"
	echo "codelctl $*"
	ctl "$@"
}

random_change()
{
	if ((RANDOM % 3)); then random_setup; else random_undo; fi
}

# SIGKILL at any moment: a setup takes 0.1 s
random_kill()
{
	local KILLED=(@killed "0.$((RANDOM % 2))$((RANDOM % 10))")

	random_change || :
}

# random_fault FAULT: in a setup or in undo
random_fault()
{
	local step=$((RANDOM % 8 + 1))

	echo "@fault $1 $step"
	ctl @fault "$1" "$step"
	random_change || :
	ctl @fault none 0
}

filter_comes()
{
	local ns kind=$((RANDOM % 2)) preference

	# Those of one preference are of one kind
	preference=$((RANDOM % 1000 + 1 + kind * 1000))
	one_of "${HOOKS[@]}"
	[[ " ${FILTERS[*]} " != *" $ONE $preference "* ]] || return 0
	echo "a filter on $ONE, $preference"
	for ns in "$ROUTER" "$REFERENCE"; do
		tc -n "$ns" qdisc show dev "$DEV" | grep -q clsact || tc -n "$ns" qdisc add dev "$DEV" clsact
	done
	if ((kind == 0)); then
		both tc filter replace dev "$DEV" "$ONE" pref "$preference" protocol ip handle 1 flower ip_proto udp action drop
	else
		# A program that returns 0: its packets go on to the next filter
		both tc filter replace dev "$DEV" "$ONE" pref "$preference" protocol all handle 1 bpf bytecode "1,6 0 0 0"
	fi
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

# root_of NAMESPACE: kind and handle
root_of()
{
	tc -n "$1" qdisc show dev "$DEV" root | awk '{ print $2, $3; exit }'
}

# A filter on the root qdisc of others: a setup of egress is refused then, and changes nothing
root_filter_comes()
{
	local root

	root=$(root_of "$ROUTER")
	[[ $root == "$(root_of "$REFERENCE")" && $root == fq_codel* ]] || return 0
	echo "a filter on $root"
	both tc filter replace dev "$DEV" parent "${root#* }" pref 5 protocol ip handle 800::800 u32 match ip dport 53 0xffff flowid "${root#* }7"
	ROOT_FILTER=${root#* }
}

root_filter_goes()
{
	[[ $ROOT_FILTER && $(root_of "$ROUTER") == "fq_codel $ROOT_FILTER" ]] || return 0
	echo "no filter on $ROOT_FILTER"
	both tc filter del dev "$DEV" parent "$ROOT_FILTER"
	ROOT_FILTER=
}

# own_filter: a filter on a shaper of codelctl. Until it goes, undo and another kind are refused
own_filter()
{
	local root

	root=$(root_of "$ROUTER")
	[[ $root == *" c0d1:" ]] || return 0
	echo "a filter on $root"
	tc -n "$ROUTER" filter add dev "$DEV" parent c0d1: pref 5 protocol ip u32 match ip dport 53 0xffff flowid c0d1:7
	! ctl undo "$DEV" >"$LIB_TMP/refused" 2>&1 || fail "undo beside a filter of others: it was accepted"
	! ctl setup "$DEV" --up 1mbit --kind codel_oot >"$LIB_TMP/refused" 2>&1 || fail "another kind beside a filter of others"
	check "root beside a filter" "$(root_of "$ROUTER")" == "$root"
	check "filters" "$(tc -n "$ROUTER" filter show dev "$DEV" | grep -c flowid)" == 1
	tc -n "$ROUTER" filter del dev "$DEV" parent c0d1:
}

# on_or_off NAMESPACE NAME: of a feature
on_or_off()
{
	ip netns exec "$1" ethtool -k "$DEV" | sed -n "s/^\t*$2: \([a-z]*\).*/\1/p"
}

# A user switches a feature, unless codelctl has switched it off, or was killed when it may have
feature_changes()
{
	local is

	one_of generic-receive-offload generic-segmentation-offload tx-udp-segmentation rx-gro-list
	is=$(on_or_off "$ROUTER" "$ONE")
	[[ $is == "$(on_or_off "$REFERENCE" "$ONE")" ]] || return 0
	! grep -qs "\"$ONE\"" /run/codelctl/*/*.json || return 0
	if [[ $is == on ]]; then is=off; else is=on; fi
	echo "$ONE becomes $is"
	for ns in "$ROUTER" "$REFERENCE"; do
		ip netns exec "$ns" ethtool -K "$DEV" "$(short_name "$ONE")" "$is" >/dev/null
	done
}

# short_name FEATURE: as ethtool -K takes it
short_name()
{
	case $1 in
	generic-receive-offload) echo gro ;;
	generic-segmentation-offload) echo gso ;;
	*) echo "$1" ;;
	esac
}

# A setup or undo while /run is full: it fails and changes nothing, or it is done
full_run()
{
	local filling=/run/codelctl/filling

	mkdir -p /run/codelctl
	mountpoint -q /run/codelctl || return 0
	echo "/run is full"
	dd if=/dev/zero of="$filling" bs=4096 2>/dev/null || :
	truncate -s -$((RANDOM % 4 * 4096)) "$filling"
	random_change || :
	rm -f "$filling"
}

# With all that is on it, also what is codelctl's
hook_goes()
{
	local ns

	echo "clsact is deleted"
	for ns in "$ROUTER" "$REFERENCE"; do
		! tc -n "$ns" qdisc show dev "$DEV" | grep -q clsact || tc -n "$ns" qdisc del dev "$DEV" clsact
	done
	FILTERS=()
}

# tcx_start NAMESPACE: kernels before 6.6 have no tcx
tcx_start()
{
	ip netns exec "$1" python3 -I "$LIB_DIR/ctl/tcx.py" "$DEV" >"$LIB_TMP/tcx" 2>&1 &
	TCX+=($!)
	defer lib_stop $!
	busywait 10 test -s "$LIB_TMP/tcx" || fail "tcx.py says nothing"
	[[ $(<"$LIB_TMP/tcx") == attached || $(<"$LIB_TMP/tcx") == *"Invalid argument"* ]] || fail "tcx.py: $(<"$LIB_TMP/tcx")"
}

# A program comes to the ingress, or goes
tcx_changes()
{
	local pid

	if [[ ${#TCX[@]} -gt 0 ]]; then
		echo "no tcx program"
		for pid in "${TCX[@]}"; do
			lib_stop "$pid" || :
		done
		TCX=()
	else
		WITH_TCX=1
		tcx_start "$ROUTER"
		tcx_start "$REFERENCE"
		echo "a tcx program: $(<"$LIB_TMP/tcx")"
	fi
}

renames()
{
	local from=$DEV

	if [[ $DEV == r1 ]]; then DEV=wan0; else DEV=r1; fi
	echo "$from becomes $DEV"
	NAMES+=("$from")
	both ip link set "$from" down
	both ip link set "$from" name "$DEV"
	both ip link set "$DEV" up
}

# new_device: the same in both namespaces
new_device()
{
	both ip link add "$DEV" ${INDEX:+index $INDEX} address 02:00:00:00:00:01 type dummy
	both ip link set "$DEV" up
}

# As a modem that is plugged in again: what others had set up is gone, too
returns()
{
	# Another device may have its index
	one_of "" "" 77
	INDEX=$ONE
	echo "$DEV is deleted, and returns${INDEX:+ with index $INDEX}"
	both ip link del "$DEV"
	new_device
	FILTERS=() ROOT_FILTER=
}

mtu_changes()
{
	one_of 1400 1500 9000
	echo "MTU $ONE"
	both ip link set "$DEV" mtu "$ONE"
}

# The ifb is deleted, or has another name. Until it has an alias, its first name is its only mark
ifb_goes()
{
	local ifb

	for ifb in $(ip -n "$ROUTER" -j -d link show type ifb | jq -r '.[].ifname // empty'); do
		if [[ $ifb == ifb-* ]] && ((RANDOM % 3 == 0)); then
			echo "$ifb becomes other0"
			ip -n "$ROUTER" link set "$ifb" down
			ip -n "$ROUTER" link set "$ifb" name other0
			ip -n "$ROUTER" link set other0 up
		else
			echo "$ifb is deleted"
			ip -n "$ROUTER" link del "$ifb"
		fi
		# Another one may be left of a device that is gone
		break
	done
}

# Other programs replace the root, or /run is lost
memory_or_root()
{
	local handle=$((RANDOM % 99 + 1)):

	if [[ $RUN == lost ]]; then
		echo "/run is lost"
		rm -rf /run/codelctl/*
	else
		echo "root $handle"
		one_of "pfifo limit $((RANDOM % 9 + 1))" "fq_codel limit $((RANDOM % 99 + 1))"
		# shellcheck disable=SC2086 # words
		both tc qdisc replace dev "$DEV" root handle "$handle" $ONE
		ROOT_FILTER=
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
	case $((RANDOM % 25)) in
	0 | 1 | 2 | 3) random_setup ;;
	4) random_undo ;;
	5 | 6) random_kill ;;
	7) random_fault kill ;;
	8) random_fault fail ;;
	9 | 10) filter_comes ;;
	11) filter_goes ;;
	12) hook_goes ;;
	13) renames ;;
	14) returns ;;
	15) ifb_goes ;;
	16) memory_or_root ;;
	17) becomes_earlier ;;
	18) mtu_changes ;;
	19) tcx_changes ;;
	20) root_filter_comes ;;
	21) root_filter_goes ;;
	22) own_filter ;;
	23) feature_changes ;;
	24) full_run ;;
	esac
}

# seen NAMESPACE: all that codelctl may change. A hook without a filter counts as none: its maker cannot be seen
seen()
{
	local hook filters=

	for hook in "${HOOKS[@]}"; do
		filters+=$(tc -n "$1" -j filter show dev "$DEV" "$hook" | jq --arg hook "$hook" '.[] | {$hook} + .')
	done
	[[ $filters ]] || tc -n "$1" qdisc del dev "$DEV" clsact 2>/dev/null || :
	echo "$filters"
	tc -n "$1" -j -p -d qdisc show
	tc -n "$1" -j -p class show dev "$DEV"
	ip -n "$1" -j -d link show | jq 'map(del(.ifindex))'
	ip netns exec "$1" ethtool -k "$DEV"
	((WITH_TCX == 0)) || echo "tcx programs: $(ip netns exec "$1" python3 -I "$LIB_DIR/ctl/tcx.py" --count "$DEV")"
}

# same_machine SEED: as in REFERENCE
same_machine()
{
	local ns

	for ns in "$ROUTER" "$REFERENCE"; do
		seen "$ns" >"$LIB_TMP/$ns"
		check "sequence $1: lines that are seen" "$(wc -l <"$LIB_TMP/$ns")" ">" 100
	done
	diff "$LIB_TMP/$REFERENCE" "$LIB_TMP/$ROUTER" || fail "sequence $1: undo does not leave the device as it was"
}

# sequence SEED
sequence()
{
	local i name

	RANDOM=$1 DEV=r1 INDEX='' FILTERS=() ROOT_FILTER='' TCX=() WITH_TCX=0 NAMES=() KILLED=()
	echo "sequence $1"
	new_device
	for ((i = 0; i < STEPS; i++)); do
		step || fail "sequence $1, step $i: status $?"
	done
	# An ifb may be left of a device that is gone, and had another name
	for name in "$DEV" "${NAMES[@]}"; do
		ctl undo "$name" || fail "sequence $1: undo of $name: status $?"
	done
	same_machine "$1"
	check "sequence $1: codelctl show" "$(ctl show)" empty
	[[ ${#TCX[@]} -eq 0 ]] || tcx_changes
	both ip link del "$DEV"
}

# sequences RUN FIRST NUMBER: of seeds
sequences()
{
	local seed

	RUN=$1
	modprobe ifb numifbs=0
	mkdir -p /run/codelctl
	mount -t tmpfs -o size=1m tmpfs /run/codelctl
	defer umount -l /run/codelctl
	ns_create r; ROUTER=$NS
	ns_create f; REFERENCE=$NS
	ctl_start
	for ((seed = $2; seed < $2 + $3; seed++)); do
		sequence "$seed"
		[[ ! -s $LIB_TMP/failed ]] || break
	done
}

few()
{
	sequences "$1" 0 2
}

# one RUN: of seed CODEL_SEED, to repeat it
one()
{
	sequences "$1" "$CODEL_SEED" 1
}

# random_add RUN: the cases of a test, 100 sequences in all
random_add()
{
	local first

	if [[ ${CODEL_SEED:-} ]]; then
		lib_add one "/run is $1: undo leaves the machine as it was: sequence $CODEL_SEED" "$1"
		return
	fi
	lib_add few "/run is $1: undo leaves the machine as it was: sequences 0 and 1" "$1"
	for first in 2 16 30 44 58 72 86; do
		lib_add sequences "/run is $1: undo leaves the machine as it was: sequences $first to $((first + 13))" "$1" "$first" 14
	done
}
