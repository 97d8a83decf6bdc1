#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: name_is_free side_by_side in_use
#
# Names and modules: the kinds that each module serves, beside any in-tree qdiscs. Modules are
# loaded on demand and can be unloaded when they are unused, also during traffic.
#
#	sch_codel_oot     codel_oot always; codel, if it is free
#	sch_fq_codel_oot  fq_codel_oot always; fq_codel, if it is free
#	sch_codel         codel, in-tree
#	fq_codel          built into the kernel that this is tested on
#
# The test loads and unloads modules, and sets net.core.default_qdisc for a moment.

# The test loads the modules itself
LIB_NO_KINDS=1
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source=tests/kernel/modules.sh
. "$LIB_DIR/modules.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"

lib_require ping sysctl

device()
{
	ns_create d
	ip -n "$NS" link add d0 type dummy
	ip -n "$NS" link set d0 up
}

# server KIND: the module, or none
server()
{
	served_by "$1" 2>/dev/null || echo none
}

# said MODULE: which names it serves, in the kernel's log
said()
{
	dmesg | sed -n "s/.*$1: \(serving .*\)/\1/p" | tail -n 1
}

kernels_is_there()
{
	start
	load_in_tree_codel
	load sch_codel_oot
	check "codel is" "$(server codel)" == sch_codel
	check "codel_oot is" "$(server codel_oot)" == sch_codel_oot
	check "the log" "$(said sch_codel_oot)" == "serving codel_oot; codel is served in-tree"
}

name_is_free()
{
	start
	load sch_codel_oot
	check "codel is" "$(server codel)" == sch_codel_oot
	check "codel_oot is" "$(server codel_oot)" == sch_codel_oot
	check "the log" "$(said sch_codel_oot)" == "serving codel_oot and codel"
	refuses "the in-tree module when its name is served" load_in_tree_codel
	check "codel is, afterwards," "$(server codel)" == sch_codel_oot
}

name_is_declined()
{
	start
	load sch_codel_oot takeover=0
	check "the log" "$(said sch_codel_oot)" == "serving codel_oot; codel was declined"
	loaded sch_codel && fail "the in-tree module is loaded before its name is used"
	check "codel is, on demand," "$(server codel)" == sch_codel
	check "codel_oot is" "$(server codel_oot)" == sch_codel_oot
}

# With the option in modprobe.d, a plain name loads the in-tree module as well
option_declines()
{
	echo "options sch_codel_oot takeover=N" >/etc/modprobe.d/test.conf
	defer rm /etc/modprobe.d/test.conf
	start
	device
	tc -n "$NS" qdisc add dev d0 root codel || fail "tc qdisc add codel fails"
	check "codel is" "$(server codel)" == sch_codel
	check "codel_oot is" "$(server codel_oot)" == sch_codel_oot
}

built_in()
{
	local parameter

	grep -q '/sch_fq_codel\.ko$' "/lib/modules/$(uname -r)/modules.builtin" ||
		skip "this kernel has fq_codel as a module"
	start
	for parameter in takeover=1 takeover=0; do
		load sch_fq_codel_oot "$parameter"
		check "fq_codel is, with $parameter," "$(server fq_codel)" == built-in
		check "fq_codel_oot is, with $parameter," "$(server fq_codel_oot)" == sch_fq_codel_oot
		busywait 10 unload sch_fq_codel_oot || fail "sch_fq_codel_oot is in use"
	done
	check "the log" "$(said sch_fq_codel_oot)" == "serving fq_codel_oot; fq_codel was declined"
}

# After a kernel upgrade, modprobe.d is there and the modules are not
without_our_modules()
{
	local folder away

	folder=$(dirname "$(modinfo -n sch_codel_oot)")
	away=$(mktemp -d "$LIB_TMP/away.XXXXXX")
	defer depmod
	defer mv "$away/sch_codel_oot.ko" "$away/sch_fq_codel_oot.ko" "$folder"
	mv "$folder/sch_codel_oot.ko" "$folder/sch_fq_codel_oot.ko" "$away"
	"$@"
}

in_tree_serves()
{
	start
	without_our_modules "$@"
	modprobe sch_codel || fail "modprobe sch_codel fails"
	check "codel by modprobe sch_codel" "$(server codel)" == sch_codel
	busywait 10 unload sch_codel
	modprobe net-sch-codel || fail "modprobe net-sch-codel fails"
	check "codel by modprobe net-sch-codel" "$(server codel)" == sch_codel
	busywait 10 unload sch_codel
	device
	tc -n "$NS" qdisc add dev d0 root codel || fail "tc qdisc add codel fails"
	check "the kind" "$(qdisc_get "$NS" d0 root .kind)" == codel
	modprobe sch_fq_codel || fail "modprobe sch_fq_codel fails"
	tc -n "$NS" qdisc replace dev d0 root fq_codel || fail "tc qdisc replace fq_codel fails"
	tc -n "$NS" qdisc del dev d0 root
	refuses "an out-of-tree kind" tc -n "$NS" qdisc add dev d0 root codel_oot
}

# Both modules are there: the plain names lead to them, with parameters, but sch_fq_codel to the in-tree module, as does modprobe
# without modprobe.d
plain_names()
{
	local name

	for name in sch_codel net-sch-codel; do
		start
		modprobe "$name"
		check "codel by modprobe $name" "$(server codel)" == sch_codel_oot
	done
	start
	modprobe sch_codel takeover=0
	loaded sch_codel_oot || fail "modprobe sch_codel takeover=0 did not load sch_codel_oot"
	loaded sch_codel || fail "modprobe sch_codel takeover=0 did not load the in-tree module"
	check "takeover" "$(</sys/module/sch_codel_oot/parameters/takeover)" == N
	start
	modprobe -C /dev/null sch_codel
	check "codel by modprobe -C /dev/null" "$(server codel)" == sch_codel
	start
	modprobe sch_fq_codel
	loaded sch_fq_codel_oot && fail "modprobe sch_fq_codel has loaded sch_fq_codel_oot"
	modprobe net-sch-fq_codel
	loaded sch_fq_codel_oot || fail "modprobe net-sch-fq_codel did not load sch_fq_codel_oot"
}

# The same version is in both files, and in the kernel once they are loaded
versions()
{
	local version module

	version=$(modinfo -F version sch_codel_oot)
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version of sch_codel_oot is '$version'"
	check "of sch_fq_codel_oot" "$(modinfo -F version sch_fq_codel_oot)" == "$version"
	start
	for module in $OOT; do
		load "$module"
		check "of $module, loaded" "$(cat "/sys/module/$module/version")" == "$version"
	done
}

# tc asks for a kind, and the kernel for a module by its alias
autoload_by_tc()
{
	local kind=$1 module=$2

	start
	device
	tc -n "$NS" qdisc add dev d0 root "$kind"
	loaded "$module" || fail "$module was not loaded"
	tc -n "$NS" qdisc del dev d0 root
	check "$kind is" "$(server "$kind")" == "$module"
}

# The default for new devices: one queue, and one per queue below mq
autoload_by_sysctl()
{
	local kind=$1 module=$2

	start
	modprobe ifb numifbs=0
	defer sysctl -qw "net.core.default_qdisc=$(sysctl -n net.core.default_qdisc)"
	sysctl -qw "net.core.default_qdisc=$kind"
	loaded "$module" || fail "$module was not loaded"
	check "the default" "$(sysctl -n net.core.default_qdisc)" == "$kind"

	ns_create d
	ip -n "$NS" link add i0 type ifb
	ip -n "$NS" link add i4 numtxqueues 4 type ifb
	ip -n "$NS" link add v4 numtxqueues 4 type veth peer name p4 numtxqueues 4
	ip -n "$NS" link set i0 up
	ip -n "$NS" link set i4 up
	ip -n "$NS" link set p4 up
	ip -n "$NS" link set v4 up
	tc -n "$NS" qdisc add dev v4 root mq
	check "qdiscs of one queue" "$(kinds i0)" == "$kind"
	check "qdiscs of four queues" "$(kinds i4)" == "$kind $kind $kind $kind mq"
	check "qdiscs of mq on a veth" "$(kinds v4)" == "$kind $kind $kind $kind mq"
}

kinds()
{
	tc -n "$NS" -j qdisc show dev "$1" | jq -r '[.[].kind] | sort | join(" ")'
}

#	A              B
#	a0 ---------- b0    codel, the kernel's
#	a1 ---------- b1    codel_oot
#	a2 ---------- b2    fq_codel, the kernel's
#	a3 ---------- b3    fq_codel_oot
side_by_side()
{
	local kinds=(codel codel_oot fq_codel fq_codel_oot) a b i pids=()

	start
	require_in_tree codel
	require_in_tree fq_codel
	ns_create a; a=$NS
	ns_create b; b=$NS
	for i in 0 1 2 3; do
		topo_link "$a" "a$i" "10.9.$i.1" "$b" "b$i" "10.9.$i.2"
		tc -n "$a" qdisc add dev "a$i" root "${kinds[i]}"
	done
	for i in 0 1 2 3; do
		ip netns exec "$a" ping -q -f -l 20 -c 300 "10.9.$i.2" >/dev/null &
		pids+=($!)
	done
	for i in 0 1 2 3; do
		wait "${pids[i]}" || fail "pings through ${kinds[i]} were lost"
		check "packets through ${kinds[i]}" \
			"$(qdisc_get "$a" "a$i" root .packets)" ">=" 300
	done
}

in_use()
{
	local kind=$1 module=$2

	start
	load "$module"
	device
	tc -n "$NS" qdisc add dev d0 root "$kind"
	refuses "rmmod while it is in use" rmmod "$module"
	check "kind, still" "$(qdisc_get "$NS" d0 root .kind)" == "$kind"
	tc -n "$NS" qdisc del dev d0 root
	busywait 10 unload "$module" || fail "rmmod does not work on an unused module"
}

# More than the bottleneck lets through, from two flows
flood()
{
	local i

	for i in 1 2; do
		background in_ns "$CLIENT" ping -q -f -l 100 -s 1000 "$SERVER_IP"
	done
	busywait 5 backlogged || fail "the flood does not fill the queue"
}

backlogged()
{
	(($(tc -n "$ROUTER" -s qdisc show dev r1 parent 1:1 |
		sed -n 's/.*backlog .*b \([0-9]*\)p.*/\1/p') > 0))
}

unload_under_traffic()
{
	local kind=$1 module=$2 i

	start
	topo_create
	topo_bottleneck 1mbit pfifo
	flood
	for i in 1 2 3; do
		load "$module"
		tc -n "$ROUTER" qdisc replace dev r1 parent 1:1 handle 20: "$kind" target 1ms
		busywait 5 backlogged || fail "round $i: nothing is queued"
		account "$ROUTER" r1
		tc -n "$ROUTER" qdisc replace dev r1 parent 1:1 handle 10: pfifo
		busywait 10 unload "$module" || fail "round $i: $module is in use"
	done
	account "$ROUTER" r1
}

lib_add kernels_is_there "the in-tree module serves codel if it was loaded first"
lib_add name_is_free "the out-of-tree module serves codel if the name is free"
lib_add name_is_declined "takeover=0 leaves the name codel to the in-tree module"
lib_add option_declines "takeover=N in modprobe.d leaves it to the in-tree module"
lib_add built_in "a kernel with fq_codel built in serves fq_codel"
lib_add in_tree_serves "the in-tree modules load if the out-of-tree ones are missing" depmod
lib_add in_tree_serves "also if the table of modules still lists those" true
lib_add plain_names "modprobe of a plain name loads the out-of-tree module"
lib_add versions "the modules have one version"
for kind in codel_oot fq_codel_oot codel; do
	lib_add autoload_by_tc "tc qdisc add $kind loads the out-of-tree module" "$kind" "sch_${kind%_oot}_oot"
done
for kind in codel_oot fq_codel_oot; do
	lib_add autoload_by_sysctl "net.core.default_qdisc=$kind loads the out-of-tree module" "$kind" "sch_$kind"
	lib_add in_use "$kind: a module in use cannot be unloaded, an unused one can" "$kind" "sch_$kind"
	lib_add unload_under_traffic "$kind: unloaded during traffic" "$kind" "sch_$kind"
done
lib_add side_by_side "the in-tree and the out-of-tree module at once"
lib_main "$@"
