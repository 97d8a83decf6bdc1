# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# For tests that read a tree of qdiscs after every step. A process of the case (trafficlib/probe.py)
# counts the packets and reads the queues. Source it after lib.sh.

# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"

# shellcheck disable=SC2034 # used by the tests
PROBE_SIZE=1000		# bytes of a frame, unless told otherwise

# probe_start NS [PROGRAM]: the namespace that all others are about; the program has the commands of probe
probe_start()
{
	local pipes=$LIB_TMP/probe.$BASHPID

	PROBE_NS=$1
	mkfifo "$pipes.ask" "$pipes.answer"
	in_ns "$1" "$LIB_DIR/run.py" "${2:-probe}" <"$pipes.ask" >"$pipes.answer" &
	defer lib_stop $!
	exec {PROBE_ASK}>"$pipes.ask" {PROBE_ANSWER}<"$pipes.answer"
	rm "$pipes.ask" "$pipes.answer"
}

# probe COMMAND...: the answer is in REPLY
probe()
{
	echo "$*" >&"$PROBE_ASK"
	read -r REPLY <&"$PROBE_ANSWER"
	[[ $REPLY != error:* ]] || fail "probe $*: $REPLY"
}

# probe_dummy NAME [OPTION...]: a device that discards all packets
probe_dummy()
{
	local name=$1

	shift
	ip -n "$PROBE_NS" link add "$name" "$@" type dummy
	probe_quiet "$name"
	ip -n "$PROBE_NS" link set "$name" up
}

# probe_veth NAME PEER: packets sent to one arrive at the other
probe_veth()
{
	ip -n "$PROBE_NS" link add "$1" type veth peer name "$2"
	probe_quiet "$1"
	probe_quiet "$2"
	ip -n "$PROBE_NS" link set "$1" up
	ip -n "$PROBE_NS" link set "$2" up
}

# probe_waiting KIND [OPTION...]: d0, a dummy with a leaf 10: of this kind below a tbf of
# 80 bit/s, where packets have to wait
probe_waiting()
{
	ns_create n
	probe_start "$NS"
	probe_dummy d0
	tcn qdisc add dev d0 root handle 1: tbf rate 80bit burst 1600 limit 100000000
	tcn qdisc add dev d0 parent 1:1 handle 10: "$@"
}

probe_quiet()
{
	ip -n "$PROBE_NS" link set "$1" arp off
}

# tcn WHAT...: tc in the case's namespace
tcn()
{
	tc -n "$PROBE_NS" "$@"
}

# probe_agree STEP DEV [held=HANDLE,BYTES] [maybe]: every parent has the qlen and
# backlog of its children. A parent that was peeked by its own parent may hold one
# packet more, itself
probe_agree()
{
	local step=$1

	shift
	probe agree "$@"
	[[ -z $REPLY ]] || fail "$step: $REPLY"
}

# probe_check STEP DEV HANDLE FIELD OPERATOR VALUE
probe_check()
{
	probe get "$2" "$3" "$4"
	check "$1: $4 of $3" "$REPLY" "$5" "$6"
}

# probe_sum STEP DEV HANDLE RECEIVED: each packet was sent, dropped or is queued. A packet that a parent has
# peeked was sent, although qlen counts it: an out-of-tree qdisc says how many are queued without it
probe_sum()
{
	local packets drops qlen queued

	probe get "$2" "$3" packets drops qlen queued.packets=-
	read -r packets drops qlen queued <<<"$REPLY"
	[[ $queued == - ]] || qlen=$queued
	((packets + drops + qlen == $4)) ||
		fail "$1: of $4 packets $3 sent $packets, dropped $drops, has $qlen"
}

probe_has()
{
	probe get "$1" "$2" "$3"
	[[ $REPLY == "$4" ]]
}

# probe_empty STEP DEV HANDLE: wait until it is empty
probe_empty()
{
	if ! busywait 5 probe_has "$2" "$3" qlen 0; then
		fail "$1: $REPLY packets are stuck in $3"
	fi
	probe_check "$1" "$2" "$3" backlog == 0
}

# A test that passes must be able to fail. lib_add_kernel FUNCTION WHAT [ARG...]: where
# the running kernel is 6.12, whose in-tree qdiscs still have the defect, a case that
# runs FUNCTION fq_codel ARG... and expects it to fail
lib_add_kernel()
{
	local function=$1 what=$2

	shift 2
	[[ $(uname -r) == 6.12* ]] || return 0
	lib_add probe_fails "in-tree fq_codel fails this on 6.12 (the test can fail): $what" \
		"$function" fq_codel "$@"
}

probe_fails()
{
	local found=$LIB_TMP/found status=0

	require_in_tree fq_codel
	rm -f "$found"
	(
		fail()
		{
			# What could not be read is not the defect
			if [[ $* == *"an operand is missing"* || $* == *": error: "* ]]; then
				echo "FAIL: $*" >&2
				echo "$*" >>"$LIB_TMP/failed"
				return
			fi
			echo "as expected: $*" >&2
			echo "$*" >>"$found"
		}
		# shellcheck disable=SC2034 # for lib_undo
		LIB_DEFERRED=()
		trap lib_undo EXIT
		"$@"
	) || status=$?
	[[ $status -ne $KTAP_SKIP ]] || exit "$KTAP_SKIP"
	[[ -s $found ]] || fail "$1 has found nothing wrong"
}
