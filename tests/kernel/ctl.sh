# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# What the tests of codelctl share, beside lib.sh: the router's link, and codelctl in its namespace.

CODELCTL=${CODELCTL:-codelctl}
lib_require "$CODELCTL" python3 ping

# topology [offloads]: topo_create, until the links are up
topology()
{
	topo_create "$@"
	busywait 10 link_is_up r0 || fail "r0 is not up"
	busywait 10 link_is_up r1 || fail "r1 is not up"
	ctl_start
}

# wide QUEUES: the same, where r1 has several transmit queues
wide()
{
	topology offloads
	ip -n "$ROUTER" link del r1
	topo_link "$ROUTER" r1 10.9.2.1 "$SERVER" s0 10.9.2.2 offloads "$1"
	ip -n "$SERVER" route add default via 10.9.2.1
	busywait 10 link_is_up r1 || fail "r1 is not up"
}

link_is_up()
{
	[[ $(ip -n "$ROUTER" link show dev "$1") == *"state UP"* ]]
}

# ctl_start: a process in ROUTER, or in this namespace if that is empty, that runs the commands of ctl. Programs in
# $LIB_TMP/bin go first
ctl_start()
{
	mkdir -p "$LIB_TMP/bin"
	rm -f "$LIB_TMP"/ctl.*
	mkfifo "$LIB_TMP/ctl.commands" "$LIB_TMP/ctl.status"
	PATH="$LIB_TMP/bin:$PATH" ${ROUTER:+ip netns exec "$ROUTER"} python3 -I "$LIB_DIR/ctl/serve.py" \
		"$(command -v "$CODELCTL")" "$LIB_TMP" <"$LIB_TMP/ctl.commands" >"$LIB_TMP/ctl.status" &
	defer lib_stop $!
	exec {CTL_COMMANDS}>"$LIB_TMP/ctl.commands" {CTL_STATUS}<"$LIB_TMP/ctl.status"
}

# ctl WORD...: run codelctl in ROUTER
ctl()
{
	local status

	printf '%s\n' "${*@Q}" >&"$CTL_COMMANDS"
	read -r status <&"$CTL_STATUS" || return
	cat "$LIB_TMP/ctl.out"
	cat "$LIB_TMP/ctl.err" >&2
	return "$status"
}

# setup OPTION...: of r1
setup()
{
	ctl setup r1 "$@" || fail "codelctl setup r1 $*: status $?"
}

CLASS_OF_FLOW='{"class":"[a-z_]*codel[^}]*}'
# Below mq, the kernel numbers qdiscs, and shows them in no order
LEAF_OF_QUEUE='\("class":"mq","handle":"c0d2:[^}]*\),"leaf":"[^"]*"'
BY_PLACE='sort_by([.dev, .parent])[] | if (.parent // "") | startswith("c0d2:") then del(.handle) else . end'

# link_state: all that codelctl may change, but for numbers that count
link_state()
{
	local dev

	tc -n "$ROUTER" -j qdisc show | jq "$BY_PLACE"
	ip -n "$ROUTER" -j -p -d link show
	for dev in $(links); do
		echo "$dev"
		# But for flows with packets. iproute2 before 6.2 prints no JSON
		tc -n "$ROUTER" -j -d class show dev "$dev" |
			sed "s/,$CLASS_OF_FLOW//g; s/$CLASS_OF_FLOW,\\{0,1\\}//g; /^class [a-z_]*codel/d; s/$LEAF_OF_QUEUE/\1/g; /^class mq c0d2:/d"
		tc -n "$ROUTER" -j filter show dev "$dev" ingress
		tc -n "$ROUTER" -j filter show dev "$dev" egress
		in_ns "$ROUTER" ethtool -k "$dev"
	done
	find /run/codelctl -name '*.json' 2>/dev/null || :
}

# same_state WHAT: as in $LIB_TMP/before
same_state()
{
	link_state >"$LIB_TMP/after"
	diff "$LIB_TMP/before" "$LIB_TMP/after" || fail "$1: the link differs"
}

# queue_get DEV EXPRESSION: jq, of the root qdisc, which shapes and has the queue
queue_get()
{
	qdisc_get "$ROUTER" "$1" root "$2"
}

# rate_of DEV: bit/s
rate_of()
{
	queue_get "$1" '.options.rate * 8'
}

# rate_by_hand RATE: change that of r1 past codelctl
rate_by_hand()
{
	tc -n "$ROUTER" qdisc change dev r1 root handle c0d1: fq_codel_oot rate "$1"
}

# built DEV: kind, handle and shaper of its root as tc prints them in JSON, and the number of its qdiscs but for clsact
built()
{
	queue_get "$1" '[.kind, .handle, (.options | .rate, .overhead, .mpu, .atm, .ingress, .split_gso)] | tojson'
	tc -n "$ROUTER" -j qdisc show dev "$1" | jq '[.[] | select(.kind != "clsact")] | length'
}

# earlier KIND OPTION...: set up r1 as an earlier version did: HTB c0de: with KIND, one of the out-of-tree kinds, as its
# leaf c0df:
earlier()
{
	local kind=$1 dev file

	shift
	setup "$@" --kind fq_codel
	for dev in r1 ifb-r1; do
		tc -n "$ROUTER" qdisc del dev "$dev" parent c0de:1
		tc -n "$ROUTER" qdisc add dev "$dev" parent c0de:1 handle c0df: "$kind" target 5000us interval 100000us
	done
	file=$(grep -l '"device": "r1"' /run/codelctl/*/*.json | xargs ls -t | head -n 1)
	sed -i "s/\"kind\": \"fq_codel\"/\"kind\": \"$kind\"/" "$file"
}

# links: the devices of ROUTER
links()
{
	ip -n "$ROUTER" -j link show | jq -r '[.[].ifname] | join(" ")'
}
