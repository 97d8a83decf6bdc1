#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# guest.sh PLAN MODULE [FILE...]: carries a plan out on this machine, as root. FILEs are modules that serve codel and
# fq_codel in place of those of the kernel. A line of the plan is one of these, its fields separated by tabs; # stands for a comment:
#
#	run ID KIND TC_OPTIONS BENCH_KEYS
#	memory ID KIND TC_OPTIONS COUNT
#
# The result is on stdout, one line per line of the plan, ID and what was found,
# after lines that say what was measured.
set -euo pipefail

PLAN=$1
MODULE=$2
PATCHED=("${@:3}")
DEV=codel-bench
FILE=/sys/kernel/debug/codel_bench/run
SPEC=			# the qdisc that $DEV has
loaded=()		# modules to unload in the end

# shellcheck source=bench/served.sh
. "$(dirname "$0")/served.sh"
# shellcheck source=bench/patched.sh
. "$(dirname "$0")/patched.sh"

die()
{
	echo "bench: $*" >&2
	exit 1
}

clean()
{
	local i

	ip link del "$DEV" 2>/dev/null || true
	ip link del group 4242 2>/dev/null || true
	for ((i = ${#loaded[@]} - 1; i >= 0; i--)); do
		rmmod "${loaded[i]}" || true
	done
}

# load NAME COMMAND...: unless it is loaded or built in
load()
{
	local name=$1

	shift
	[[ ! -d /sys/module/$name ]] || return 0
	"$@" || die "$name: cannot be loaded"
	[[ ! -d /sys/module/$name ]] || loaded+=("$name")
}

in_tree_codel()
{
	modprobe -q -C /dev/null sch_codel || :
}

# The kinds of the root qdiscs, and of those below
kinds_of_plan()
{
	awk -F '\t' '/^(run|memory)\t/ {
		print $3
		n = split($4, word, " ")
		for (i = 1; i + 3 <= n; i++)
			if (word[i] == "qdisc" && word[i + 1] == "parent")
				print word[i + 3]
	}' "$PLAN"
}

# check_servers: each kind of the plan is served by the side that its name says; print the
# modules. A kind that the kernel lacks is reported when it is measured
check_servers()
{
	local kind kinds side

	mapfile -t kinds < <(kinds_of_plan | sort -u)
	for kind in "${kinds[@]}"; do
		case $kind in
		bench_loop* | tbf) continue ;;	# ours; and a kind that needs options to exist
		*_oot) side=out_of_tree ;;
		*) side=in_tree ;;
		esac
		if "require_$side" "$kind"; then
			printf 'served\t%s\t%s\n' "$kind" "$(served_by "$kind")"
		else
			(($? == 2)) || exit 1
		fi
	done
}

# The in-tree codel goes first: the out-of-tree module takes the name if it is free.
load_all()
{
	((${#PATCHED[@]} == 0)) || patched_load "${PATCHED[@]}" || die "${PATCHED[*]}: cannot be loaded"
	load sch_codel in_tree_codel
	load sch_codel_oot modprobe sch_codel_oot
	load sch_fq_codel_oot modprobe sch_fq_codel_oot
	check_servers
	load codel_bench insmod "$MODULE"
	[[ -w $FILE ]] || die "no debugfs in /sys/kernel/debug"
}

# The build ID names a module's very instructions.
build_id()
{
	local notes=/sys/module/$1/notes/.note.gnu.build-id

	if [[ -r /sys/module/$1/srcversion ]]; then
		cat "/sys/module/$1/srcversion"
	elif [[ -r $notes ]]; then
		od -An -v -tx1 -j16 "$notes" | tr -d ' \n'
	fi
}

describe()
{
	local file name

	for file in "${PATCHED[@]}"; do
		name=$(basename "$file" .ko)
		printf 'module\t%s\t%s\n' "$name" "$(patched_id "$name")"
	done
	printf 'kernel\t%s\n' "$(uname -r)"
	for name in sch_codel_oot sch_fq_codel_oot codel_bench; do
		printf 'module\t%s\t%s\n' "$name" "$(build_id "$name")"
	done
}

# attach KIND OPTIONS: 1 if there is no such kind. A slash in OPTIONS begins another object,
# "class ..." or "qdisc ...", below the root qdisc 1:
attach()
{
	local answer object

	[[ $SPEC != "$1 $2" ]] || return 0
	[[ -z $SPEC ]] || tc qdisc del dev "$DEV" root
	SPEC=
	while read -r object; do
		# shellcheck disable=SC2086 # the options are words
		if answer=$(tc ${object%% *} add dev "$DEV" ${object#* } 2>&1); then
			SPEC=incomplete
			continue
		fi
		[[ $answer == *"kind is unknown"* || $answer == *"Unknown qdisc"* ]] ||
			die "tc $object: $answer"
		return 1
	done <<<"qdisc root handle 1: $1 ${2// \/ /$'\n'}"
	SPEC="$1 $2"
}

# link_up: the machine forwards packets for 11.0.0.0/8 to $DEV, which a dummy's driver frees
link_up()
{
	local conf=/proc/sys/net/ipv4/conf

	echo 1 >"$conf/$DEV/forwarding"
	# $DEV is where they come from as well
	echo 0 >"$conf/all/send_redirects"
	echo 0 >"$conf/$DEV/send_redirects"
	echo 1 >"/proc/sys/net/ipv6/conf/$DEV/disable_ipv6"
	ip link set "$DEV" up
	ip route add 11.0.0.0/8 dev "$DEV"
	sleep 10	# the kernel works for a new link
}

run()
{
	if ! attach "$2" "$3"; then
		printf '%s\tunknown=1\n' "$1"
		return
	fi
	[[ $4 != *" link=1"* ]] || link_up
	echo "dev=$DEV $4" >"$FILE" || die "$1: $2 $3: $4"
	printf '%s\t' "$1"
	cat "$FILE"
	ip link set "$DEV" down
}

free_kb()
{
	awk '$1 == "MemFree:" { print $2 }' /proc/meminfo
}

# devices COMMAND COUNT REST: one line of tc for each of COUNT devices
devices()
{
	local i

	for ((i = 0; i < $2; i++)); do
		echo "qdisc $1 dev bm$i root $3"
	done | tc -batch -
}

# memory ID KIND OPTIONS COUNT: what COUNT qdiscs take, together. One is made
# before, as a kind's first may take what the others share
memory()
{
	local i before after

	for ((i = 0; i < $4; i++)); do
		echo "link add bm$i group 4242 type dummy"
	done | ip -batch -
	if ! attach "$2" "$3"; then
		printf '%s\tunknown=1\n' "$1"
	else
		before=$(free_kb)
		devices add "$4" "$2 $3" || die "memory: $2 $3"
		after=$(free_kb)
		printf '%s\tcount=%d kb=%d\n' "$1" "$4" $((before - after))
	fi
	ip link del group 4242
}

# The clock is read with other instructions until the kernel has chosen one.
await_clock()
{
	local file=/sys/devices/system/clocksource/clocksource0/current_clocksource

	while [[ $(<"$file") == *-early ]]; do
		sleep 0.1
	done
	sleep 1
}

trap clean EXIT
await_clock
load_all
ip link add "$DEV" type dummy
describe
while IFS=$'\t' read -r what id kind options keys; do
	case $what in
	run) run "$id" "$kind" "$options" "$keys" ;;
	memory) memory "$id" "$kind" "$options" "$keys" ;;
	esac
done <"$PLAN"
