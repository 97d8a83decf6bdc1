# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Values from tc and ip for the checks of a case, and the packet accounting.

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
# HANDLE may be root. It fails if there is no such qdisc
qdisc_get()
{
	tc -n "$1" -j -s -d qdisc show dev "$2" |
		jq -r --arg handle "$3" \
			"[.[] | select(if \$handle == \"root\" then .root else .handle == \$handle end)] |
			if length == 0 then error(\"there is no qdisc \" + \$handle) else .[] end | $4"
}

# options_get NS DEV HANDLE: its options as one line of sorted JSON
options_get()
{
	qdisc_get "$1" "$2" "$3" ".options | $SORTED | tojson"
}

# class_rate NS DEV CLASS: of HTB, as tc prints it: 8Mbit. tc of bookworm has no JSON for it
class_rate()
{
	tc -n "$1" class show dev "$2" | sed -n "s/^class htb $3 .* rate \([^ ]*\) .*/\1/p"
}

# bottleneck_get EXPRESSION: jq, on the statistics of the qdisc under test
bottleneck_get()
{
	qdisc_get "$ROUTER" r1 10: "$1"
}

### Packet accounting

# lib_accounting: in every out-of-tree qdisc of the case's namespaces, received packets
# are sent, dropped or queued
lib_accounting()
{
	local path namespaces=()

	for path in "/run/netns/codel-$LIB_NAME-$$-"*; do
		[[ ! -e $path ]] || namespaces+=("${path##*/}")
	done
	((${#namespaces[@]} == 0)) ||
		check_faults "packet accounting" == "${#namespaces[@]}" lib_accounts "${namespaces[@]}"
}

# lib_accounts NAMESPACE...: compare the sums of its qdiscs. Each namespace in which tc shows a qdisc is
# compared: lo always has one
lib_accounts()
{
	local namespace

	for namespace; do
		tc -n "$namespace" -j -s qdisc show || exit 1
	done | jq -rn --arg kinds "$CODEL_KIND $FQ_CODEL_KIND" "$LIB_ACCOUNTING"
}

# The sums of tc -s that do not add up. The kinds under test have them; a plain name may be that of an
# in-tree qdisc, which has none
# shellcheck disable=SC2016 # jq's
LIB_ACCOUNTING='
	def fate(unit): .sent[unit] + .queued[unit] + ([.dropped[][unit]] | add);
	[inputs | select(length > 0)] as $namespaces |
	($namespaces[][] | . as $qdisc | "\(.kind) \(.handle)" as $name |
		if .received then
			("packets", "bytes") | . as $unit | $qdisc |
			select(.received[$unit] == null or .received[$unit] != fate($unit)) |
			"\($name) received \(.received[$unit]) \($unit), and" +
			" \(fate($unit)) are accounted for"
		elif .kind | IN("codel_oot", "fq_codel_oot", ($kinds | split(" ") | .[])) then
			"\($name): the number of received packets is missing"
		else empty end),
	"compared \($namespaces | length)"'

# lib_drifts NS DEV: a line for each parent that disagrees with its children, and "compared N" for
# N parents
lib_drifts()
{
	tc -n "$1" -j -s qdisc show dev "$2" | jq -r '
		. as $all | [.[] | . as $parent |
			[$all[] | select((.parent // "") | split(":")[0] + ":" == $parent.handle)] |
			select(length > 0 and $parent.handle != "0:") |
			{$parent, qlen: (map(.qlen) | add), backlog: (map(.backlog) | add)}] |
		(.[] | select(.qlen == null or .backlog == null or .qlen != .parent.qlen or
				.backlog != .parent.backlog) |
			"\(.parent.kind) \(.parent.handle) qlen \(.parent.qlen)" +
			" backlog \(.parent.backlog), its children have \(.qlen) and \(.backlog)"),
		"compared \(length)"'
}

# A dump is not atomic: a packet may be sent in between. A real difference persists.
lib_agrees()
{
	LIB_DRIFTS=$(lib_drifts "$1" "$2") && [[ $LIB_DRIFTS == "compared "[1-9]* ]]
}

# account NS DEV [HANDLE RECEIVED]: every parent's qlen and backlog equal the sums of
# its children's, and there is a parent; and of the packets that a qdisc received, each was sent,
# dropped or is queued
account()
{
	local tries=20

	until lib_agrees "$1" "$2"; do
		if ((--tries == 0)); then
			fail "$2: parents and children: ${LIB_DRIFTS:-nothing was read}"
			break
		fi
	done
	[[ $# -lt 4 ]] ||
		check "$2 $3: sent + dropped + queued = received" \
			"$(qdisc_get "$1" "$2" "$3" '.packets + .drops + (.queued.packets // .qlen)')" == "$4"
}
