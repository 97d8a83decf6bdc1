# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# A shaped device, and what arrives behind it. Source it after lib.sh, in place of probe.sh.
#
#   v0 (veth)     root 10: under test     ------>     v1: every frame is taken down with its time
#
# Both are in one namespace. v0 accepts super-packets, and v1 gets them whole if nobody has split them.

# shellcheck source=tests/kernel/probe.sh
. "$LIB_DIR/probe.sh"

# shaped_start: the namespace and the devices, without the qdisc
shaped_start()
{
	ns_create n
	probe_start "$NS" shaped
	probe_veth v0 v1
	probe record v1
}

# shaped KIND [OPTION...]: with the qdisc. No packet is to be dropped, unless a test wants that
shaped()
{
	shaped_start
	tcn qdisc add dev v0 root handle 10: "$@"
}

# WAIT: CoDel leaves a queue alone
# shellcheck disable=SC2034 # used by the tests
WAIT="limit 10000 target 100s interval 1000s ceiling off"

change()
{
	tcn qdisc change dev v0 root handle 10: "$@"
}

# ask COMMAND...: probe; the words of the answer are in ANSWER
ask()
{
	probe "$@"
	read -ra ANSWER <<<"$REPLY"
}

# on_time STEP RATE EARLY LATE FRAMES [wire=...]: FRAMES have arrived at least, each within EARLY and
# LATE us of the time when the link has sent those before
on_time()
{
	ask pace "$2" "${@:6}"
	check "$1: frames" "${ANSWER[0]:-}" ">=" "$5"
	check "$1: earliest frame, us" "${ANSWER[1]:-}" ">=" "-$3"
	check "$1: latest frame, us" "${ANSWER[2]:-}" "<=" "$4"
}

# recorded STEP COUNT: wait until so many frames have arrived
recorded()
{
	busywait 30 has_recorded "$2" || fail "$1: $REPLY of $2 frames have arrived"
}

has_recorded()
{
	probe recorded
	[[ $REPLY =~ ^[0-9]+$ ]] && ((REPLY >= $1))
}

# shows STEP FIELD OPERATOR VALUE: of the qdisc under test
shows()
{
	probe_check "$1" v0 10: "${@:2}"
}

# exact STEP RATE [wire=...]: in any second, but for the frame at its end or begin, which may be as
# late as the latest one that on_time has found
exact()
{
	local late=${ANSWER[2]:-}

	ask seconds "$2" "${@:3}"
	check "$1: lowest rate in a second" "${ANSWER[0]:-}" ">=" "$(calc "0.999 - $late / 1000000")"
	check "$1: highest rate in a second" "${ANSWER[1]:-}" "<=" "$(calc "1.001 + $late / 1000000")"
}

# kept STEP: none is missing, and none has changed places
kept()
{
	ask order
	check "$1: missing" "${ANSWER[1]:-}" == 0
	check "$1: out of order" "${ANSWER[2]:-}" == 0
}
