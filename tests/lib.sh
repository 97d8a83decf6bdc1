# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The library of the selftests. A test is a script test_*.sh that sources this file,
# adds its cases, and runs them:
#
#	. "$(dirname "$0")/lib.sh"
#	lib_require iperf3 ping
#	follows_target()
#	{
#		local kind=$1
#
#		topo_create
#		topo_delay 50ms
#		topo_bottleneck 10mbit "$kind" target 5ms
#		...
#		check_time "sojourn, us" "$(bottleneck_get .ldelay_us)" "<=" 6000
#		account "$ROUTER" r1
#	}
#	lib_add_each follows_target "sojourn approaches target"
#	lib_main "$@"
#
# Results are KTAP; status 0: all passed, 1: a case failed, 4: all were skipped.
# With arguments, only cases whose function's name matches one of them (a glob)
# are run. The argument 1/2 selects every second case from the first one on.
#
# Every case runs in its own shell, under `set -e`: a command that fails unexpectedly
# fails the case and is printed. `check` and `fail` record a failure and continue;
# `skip` ends the case. The output of a case becomes diagnostics. `defer`red commands
# run at the end of the case in any case, the last one first. Before them,
# the packet accounting of every remaining out-of-tree qdisc must add up.
#
#	CODEL_KIND, FQ_CODEL_KIND	kinds under test (codel_oot, fq_codel_oot)
#	CODEL_TEST_SLACK	factor on the bounds of times (1); make selftest sets
#				it, because other programs run on a real machine

CODEL_KIND=${CODEL_KIND:-codel_oot}
FQ_CODEL_KIND=${FQ_CODEL_KIND:-fq_codel_oot}
CODEL_TEST_SLACK=${CODEL_TEST_SLACK:-1}

LIB_PASS=0
LIB_FAIL=1
LIB_SKIP=4

# The folder of the test, for its helpers
# shellcheck disable=SC2034 # used by the tests
LIB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LIB_NAME=$(basename "$0" .sh)
LIB_NAME=${LIB_NAME#test_}

LIB_CASES=()		# quoted: function and arguments
LIB_TITLES=()

### The cases of a test

# lib_require TOOL...: skip the whole test without these programs
lib_require()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || lib_skip_all "$tool is not installed"
	done
}

lib_skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	exit $LIB_SKIP
}

# lib_add FUNCTION TITLE [ARG...]: one case
lib_add()
{
	local function=$1 title=$2

	shift 2
	LIB_CASES+=("$(printf '%q ' "$function" "$@")")
	LIB_TITLES+=("$function: $title")
}

# lib_add_each FUNCTION TITLE [ARG...]: one case per kind, FUNCTION KIND ARG...
lib_add_each()
{
	local function=$1 title=$2 kind

	shift 2
	for kind in "$CODEL_KIND" "$FQ_CODEL_KIND"; do
		lib_add "$function" "$kind: $title" "$kind" "$@"
	done
}

### Results of a case

# fail TEXT...: record a failure; the case continues
fail()
{
	echo "FAIL: $*"
	echo "$*" >>"$LIB_TMP/failed"
}

# skip REASON...: end the case as skipped
skip()
{
	echo "$*" >"$LIB_TMP/skipped"
	exit $LIB_SKIP
}

# lib_compare VALUE OPERATOR BOUND: numbers, also with a fraction; == and != take any text
lib_compare()
{
	case $2 in
	==) [[ $1 == "$3" ]] ;;
	!=) [[ $1 != "$3" ]] ;;
	"<" | "<=" | ">" | ">=")
		# A missing number must not compare like 0.
		[[ $1 =~ ^-?[0-9.]+(e[-+]?[0-9]+)?$ ]] &&
			awk -v a="$1" -v b="$3" "BEGIN { exit !(a + 0 $2 b + 0) }"
		;;
	*) return 2 ;;
	esac
}

# check WHAT VALUE OPERATOR BOUND: fail with the numbers unless the comparison is true
check()
{
	lib_compare "$2" "$3" "$4" || fail "$1: '$2' is not $3 '$4'"
}

# check_time: the same with a bound widened by CODEL_TEST_SLACK
check_time()
{
	local bound=$4

	case $3 in
	"<" | "<=") bound=$(awk -v b="$4" -v f="$CODEL_TEST_SLACK" 'BEGIN { print b * f }') ;;
	">" | ">=") bound=$(awk -v b="$4" -v f="$CODEL_TEST_SLACK" 'BEGIN { print b / f }') ;;
	esac
	check "$1" "$2" "$3" "$bound"
}

# check_near WHAT VALUE EXPECTED TOLERANCE: within EXPECTED +- TOLERANCE, which is
# widened by CODEL_TEST_SLACK
check_near()
{
	local off

	off=$(awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; print d < 0 ? -d : d }')
	[[ -n $2 ]] || off=none
	lib_compare "$off" "<=" \
		"$(awk -v t="$4" -v f="$CODEL_TEST_SLACK" 'BEGIN { print t * f }')" ||
		fail "$1: '$2' is not $3 +- $4 (times $CODEL_TEST_SLACK)"
}

# refuses WHAT COMMAND...: the command must fail; its output is in REFUSAL
# shellcheck disable=SC2034 # REFUSAL is for the tests
refuses()
{
	local what=$1

	shift
	if REFUSAL=$("$@" 2>&1); then
		fail "$what: was accepted: $*"
	fi
}

### Actions of a case

# defer COMMAND...: run it at the end of the case
defer()
{
	LIB_DEFERRED+=("$(printf '%q ' "$@")")
}

# lib_accounting: in every out-of-tree qdisc of the case's namespaces, received packets
# are sent, dropped or queued
lib_accounting()
{
	local path fault

	while read -r fault; do
		fail "packet accounting: $fault"
	done < <(
		for path in "/run/netns/codel-$LIB_NAME-$$-"*; do
			[[ ! -e $path ]] || tc -n "${path##*/}" -j -s qdisc show
		done | jq -r "$LIB_ACCOUNTING"
	)
}

# The sums of tc -s that do not add up
# shellcheck disable=SC2016 # jq's
LIB_ACCOUNTING='
	def fate(unit): .sent[unit] + .queued[unit] + ([.dropped[][unit]] | add // 0);
	.[] | select(.received) | . as $qdisc |
	("packets", "bytes") | . as $unit | $qdisc |
	select(.received[$unit] != fate($unit)) |
	"\(.kind) \(.handle) received \(.received[$unit]) \($unit), and" +
	" \(fate($unit)) are accounted for"'

lib_undo()
{
	local i

	set +eE
	trap - ERR
	lib_accounting
	for ((i = ${#LIB_DEFERRED[@]} - 1; i >= 0; i--)); do
		eval "${LIB_DEFERRED[i]}"
	done
}

# busywait SECONDS COMMAND...: poll until it succeeds; fail after SECONDS
busywait()
{
	local end

	# Microseconds, as whole numbers: a poll is to cost little
	end=$(awk -v s="$1" 'BEGIN { printf "%d", s * 1000000 }')
	end=$((${EPOCHREALTIME/[.,]/} + end))
	shift
	until "$@"; do
		((${EPOCHREALTIME/[.,]/} < end)) || return 1
		sleep 0.02
	done
}

# background COMMAND...: run it without output until the case ends; its PID is in
# BACKGROUND
background()
{
	# Not the function: its shell would be stopped in place of the command.
	[[ $1 != in_ns ]] || set -- ip netns exec "${@:2}"
	"$@" </dev/null >/dev/null 2>&1 &
	BACKGROUND=$!
	defer lib_stop "$BACKGROUND"
}

lib_stop()
{
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

# in_ns NAMESPACE COMMAND...
in_ns()
{
	ip netns exec "$@"
}

# ns_create SUFFIX: a namespace for this case; its name is in NS. Its devices have no
# IPv6, so that only the packets of the test are in the queues
ns_create()
{
	NS=codel-$LIB_NAME-$$-$1
	ip netns add "$NS"
	defer ns_delete "$NS"
	# shellcheck disable=SC2016 # for the other shell
	in_ns "$NS" sh -ec '
		conf=/proc/sys/net/ipv6/conf/default
		[ ! -d "$conf" ] || echo 1 >"$conf/disable_ipv6"
		ip link set lo up'
}

# ns_delete NAMESPACE: delete it now, if it still exists. A packet in a qdisc holds a
# reference to its socket, and the socket one to the namespace. Devices that are put down
# free their packets.
ns_delete()
{
	[[ -e /run/netns/$1 ]] || return 0
	ip -n "$1" link set group default down
	ip netns del "$1"
}

### Topology
#
#   CLIENT             ROUTER                          SERVER
#   c0 ------------- r0      r1 --------------------- s0
#   10.9.1.2   10.9.1.1      10.9.2.1                 10.9.2.2
#                            root 1:  htb or tbf      root: netem, if there is a delay
#                            leaf 10: under test
#
# Packets from CLIENT to SERVER wait only in r1's qdisc: all other links are as fast as
# the machine. The delay of a round trip is on the way back only. Neighbours are
# permanent, so that only the packets of the test are in the queue, each as long as on
# the wire (see topo_create).

# shellcheck disable=SC2034 # used by the tests
SERVER_IP=10.9.2.2
# shellcheck disable=SC2034 # used by the tests
CLIENT_IP=10.9.1.2

# topo_create [offloads]: create the three namespaces. With "offloads", the veths segment
# packets, and qdiscs get packets of up to 64 KB
topo_create()
{
	ns_create c; CLIENT=$NS
	ns_create r; ROUTER=$NS
	ns_create s; SERVER=$NS

	topo_link "$CLIENT" c0 10.9.1.2 "$ROUTER" r0 10.9.1.1 "${1:-}"
	topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2 "${1:-}"
	in_ns "$ROUTER" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	ip -n "$CLIENT" route add default via 10.9.1.1
	ip -n "$SERVER" route add default via 10.9.2.1
}

# topo_link NS DEV ADDRESS NS DEV ADDRESS [offloads]: a veth pair, up
topo_link()
{
	local mac peer

	topo_mac "$3"
	mac=$MAC
	topo_mac "$6"
	peer=$MAC
	ip -n "$1" link add "$2" address "$mac" type veth \
		peer name "$5" address "$peer" netns "$4"
	if [[ ${7:-} != offloads ]]; then
		in_ns "$1" ethtool -K "$2" tso off gso off gro off >/dev/null
		in_ns "$4" ethtool -K "$5" tso off gso off gro off >/dev/null
	fi
	topo_end "$1" "$2" "$3" "$6" "$peer"
	topo_end "$4" "$5" "$6" "$3" "$mac"
}

# topo_mac IPV4: the Ethernet address of this host, in MAC
topo_mac()
{
	# shellcheck disable=SC2086 # four words
	printf -v MAC '02:00:%02x:%02x:%02x:%02x' ${1//./ }
}

# topo_end NS DEV ADDRESS NEIGHBOUR MAC
topo_end()
{
	ip -n "$1" -batch - <<-END
		addr add $3/24 dev $2
		link set $2 up
		neigh replace $4 lladdr $5 nud permanent dev $2
	END
}

# topo_neighbour NS DEV NEIGHBOURS_NS NEIGHBOURS_DEV ADDRESS: add a permanent neighbour
topo_neighbour()
{
	local mac

	mac=$(in_ns "$3" cat "/sys/class/net/$4/address")
	ip -n "$1" neigh replace "$5" lladdr "$mac" nud permanent dev "$2"
}

# topo_delay TIME: add this delay on the way back
topo_delay()
{
	tc -n "$SERVER" qdisc replace dev s0 root netem delay "$1" limit 100000
}

# topo_bottleneck [-s htb|tbf] RATE KIND [OPTION...]: the shaper and, as its leaf
# with handle 10:, the qdisc under test
topo_bottleneck()
{
	local shaper=htb

	if [[ $1 == -s ]]; then
		shaper=$2
		shift 2
	fi
	"lib_shaper_$shaper" "$1"
	shift
	tc -n "$ROUTER" qdisc add dev r1 parent 1:1 handle 10: "$@"
}

# The burst is one packet: a larger one would empty the queue at once.
lib_shaper_htb()
{
	tc -n "$ROUTER" qdisc add dev r1 root handle 1: htb default 1
	tc -n "$ROUTER" class add dev r1 parent 1: classid 1:1 \
		htb rate "$1" burst 1600 cburst 1600 quantum 1514
}

lib_shaper_tbf()
{
	tc -n "$ROUTER" qdisc add dev r1 root handle 1: \
		tbf rate "$1" burst 1600 limit 1000000
}

# bottleneck_get EXPRESSION: jq, on the statistics of the qdisc under test
bottleneck_get()
{
	qdisc_get "$ROUTER" r1 10: "$1"
}

### Reading

# jq 1.6 takes 80 times as long to start as gojq or later versions: longer than the
# rest of most cases.
if [[ $(jq --version) == jq-1.6 ]] && command -v gojq >/dev/null; then
	jq()
	{
		gojq "$@"
	}
fi

# For expressions: sort the keys of an object
# shellcheck disable=SC2034 # used by the tests
SORTED='(to_entries | sort_by(.key) | from_entries)'

# qdisc_get NS DEV HANDLE EXPRESSION: jq, on tc's JSON of one qdisc with statistics;
# HANDLE may be root
qdisc_get()
{
	tc -n "$1" -j -s -d qdisc show dev "$2" |
		jq -r --arg handle "$3" \
			".[] | select(if \$handle == \"root\" then .root
				else .handle == \$handle end) | $4"
}

# options_get NS DEV HANDLE: its options as one line of sorted JSON
options_get()
{
	qdisc_get "$1" "$2" "$3" ".options | $SORTED | tojson"
}

# link_get NS DEV EXPRESSION: jq, on ip's JSON of one link with statistics
link_get()
{
	ip -n "$1" -j -s link show dev "$2" | jq -r ".[0] | $3"
}

# lib_drifts NS DEV: one line for each parent that disagrees with its children
lib_drifts()
{
	tc -n "$1" -j -s qdisc show dev "$2" | jq -r '
		. as $all | .[] | . as $parent |
		[$all[] | select((.parent // "") | split(":")[0] + ":" == $parent.handle)] |
		select(length > 0 and $parent.handle != "0:") |
		(map(.qlen) | add) as $qlen | (map(.backlog) | add) as $backlog |
		select($qlen != $parent.qlen or $backlog != $parent.backlog) |
		"\($parent.kind) \($parent.handle) qlen \($parent.qlen)" +
		" backlog \($parent.backlog), its children have \($qlen) and \($backlog)"'
}

# A dump is not atomic: a packet may be sent in between. A real difference persists.
lib_agrees()
{
	LIB_DRIFTS=$(lib_drifts "$1" "$2")
	[[ -z $LIB_DRIFTS ]]
}

# account NS DEV [HANDLE RECEIVED]: every parent's qlen and backlog equal the sums of
# its children's; and of the packets that a qdisc received, each was sent, dropped
# or is queued
account()
{
	local tries=20

	until lib_agrees "$1" "$2"; do
		if ((--tries == 0)); then
			fail "$2: $LIB_DRIFTS"
			break
		fi
	done
	[[ $# -lt 4 ]] ||
		check "$2 $3: sent + dropped + queued = received" \
			"$(qdisc_get "$1" "$2" "$3" '.packets + .drops + .qlen')" == "$4"
}

### Running

lib_has_kind()
{
	(
		LIB_DEFERRED=()
		trap lib_undo EXIT
		ns_create kind
		tc -n "$NS" qdisc add dev lo root "$1" 2>"$LIB_TMP/why"
	)
}

lib_require_kinds()
{
	local kind

	for kind in "$CODEL_KIND" "$FQ_CODEL_KIND"; do
		lib_has_kind "$kind" ||
			lib_skip_all "no qdisc $kind: $(tr '\n' ' ' <"$LIB_TMP/why")"
	done
}

# lib_in_case COMMAND: in the shell that is the case's own
lib_in_case()
{
	LIB_DEFERRED=()
	trap lib_undo EXIT
	trap 'fail "line $LINENO: status $?: $BASH_COMMAND"' ERR
	set -eE
	eval "$1"
}

lib_verdict()
{
	local status=$1

	if [[ -s $LIB_TMP/failed ]] || ((status != 0 && status != LIB_SKIP)); then
		return $LIB_FAIL
	fi
	return "$status"
}

# lib_run_case NUMBER INDEX: prints its result, returns pass, fail or skip
lib_run_case()
{
	local title=${LIB_TITLES[$2]} status

	: >"$LIB_TMP/failed"
	(lib_in_case "${LIB_CASES[$2]}") >"$LIB_TMP/output" 2>&1
	status=$?
	sed 's/^/# /' "$LIB_TMP/output"
	lib_verdict "$status"
	status=$?
	case $status in
	"$LIB_PASS") echo "ok $1 $title" ;;
	"$LIB_SKIP") echo "ok $1 $title # SKIP $(cat "$LIB_TMP/skipped")" ;;
	*) echo "not ok $1 $title" ;;
	esac
	return "$status"
}

# lib_selected [PATTERN | N/M...]: indices of the cases to run
lib_selected()
{
	local i pattern

	for i in "${!LIB_CASES[@]}"; do
		[[ $# -gt 0 ]] || echo "$i"
		for pattern; do
			# shellcheck disable=SC2053 # it is a pattern
			if [[ $pattern =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]]; then
				((i % BASH_REMATCH[2] == BASH_REMATCH[1] - 1))
			else
				[[ ${LIB_CASES[i]%% *} == $pattern ]]
			fi && echo "$i" && break
		done
	done
}

lib_help()
{
	local i

	echo "usage: $0 [CASE...]"
	echo "Run all cases, as root, or those whose names match a CASE (a glob):"
	for i in "${!LIB_TITLES[@]}"; do
		echo "  ${LIB_TITLES[i]}"
	done
	exit $LIB_PASS
}

# lib_main [PATTERN...]: run the cases; does not return
lib_main()
{
	local selected i number=0 passed=0 failed=0

	[[ ${1:-} != -h && ${1:-} != --help ]] || lib_help
	[[ $EUID -eq 0 ]] || lib_skip_all "root is needed"
	lib_require awk ethtool ip jq sed tc
	LIB_TMP=$(mktemp -d)
	trap 'rm -rf "$LIB_TMP"' EXIT
	[[ -n ${LIB_NO_KINDS:-} ]] || lib_require_kinds

	mapfile -t selected < <(lib_selected "$@")
	echo "TAP version 13"
	echo "1..${#selected[@]}"
	for i in "${selected[@]}"; do
		lib_run_case $((++number)) "$i"
		case $? in
		"$LIB_PASS") passed=$((passed + 1)) ;;
		"$LIB_FAIL") failed=$((failed + 1)) ;;
		esac
	done
	((failed == 0)) || exit $LIB_FAIL
	((passed > 0)) || exit $LIB_SKIP
	exit $LIB_PASS
}
