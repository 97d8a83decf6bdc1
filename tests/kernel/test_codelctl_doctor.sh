#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: default_qdisc
#
# codelctl doctor: the facts that it reads from a machine, and the commands that it names. Each case makes something
# wrong, sees the finding, runs the command of the finding, and sees that the finding is gone.
#

LIB_NO_KINDS=1
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/modules.sh
. "$LIB_DIR/modules.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"
lib_require nft mount

RELEASE=$(uname -r)

# prepare [OPTION...]: the modules are loaded, and r1 is set up
prepare()
{
	start
	load sch_codel_oot
	load sch_fq_codel_oot
	topology
	setup --up 8mbit --down 20mbit --link docsis "$@" >/dev/null
}

# problems: the codes and subjects of all problems, or "none"
problems()
{
	local status=0

	ctl doctor --json >"$LIB_TMP/findings" || status=$?
	check "status" "$status" == "$(jq '[.[] | select(.level == "problem")] | if length > 0 then 1 else 0 end' \
		"$LIB_TMP/findings")"
	jq -r '[.[] | select(.level == "problem") | "\(.code) \(.subject)"] |
		if length > 0 then .[] else "none" end' "$LIB_TMP/findings"
}

# finds CODE SUBJECT: this is the only problem. Its command is in FIX
finds()
{
	check "problems" "$(problems)" == "$*"
	FIX=$(jq -r '.[] | select(.level == "problem").fix' "$LIB_TMP/findings")
}

# cures CODE SUBJECT: the command of the only problem, run in ROUTER, is a remedy
cures()
{
	finds "$@"
	cp "$LIB_TMP/findings" "$LIB_TMP/before_cure"
	in_ns "$ROUTER" bash -ec "$FIX" || fail "$FIX: status $?"
	check "problems after $FIX" "$(problems)" == none
}

healthy()
{
	prepare --kind fq_codel
	check "problems" "$(problems)" == none
	check "the last line" "$(in_ns "$ROUTER" "$CODELCTL" doctor | tail -n 1)" == "no findings"
	in_ns "$ROUTER" ethtool -K r0 gro on
	refuses "a finding" in_ns "$ROUTER" "$CODELCTL" doctor
	[[ $REFUSAL == *"r1: gro of r0 merges packets "*": \`ethtool -K r0 gro off\`"* ]] || fail "it says: $REFUSAL"
}

# Many pings on an idle link are no queue
idle()
{
	prepare
	in_ns "$ROUTER" ping -q -f -c 3000 10.9.2.2 >/dev/null || fail "answers are missing"
	check "packets of egress" "$(queue_get r1 .received.packets)" ">=" 3000
	check "problems" "$(problems)" == none
}

# server KIND: as doctor says it
server()
{
	jq -r --arg kind "$1" '.[] | select(.code == "served" and .subject == $kind).text' "$LIB_TMP/findings"
}

# says KIND: the module that serves it, from the kernel, is named as what it is
says()
{
	local module text

	module=$(served_by "$1")
	text="served by the in-tree $module"
	served_in_tree "$module" || text="served by the out-of-tree $module"
	[[ $module != built-in ]] || text="served by the in-tree qdisc, which is built into the kernel"
	check "$1" "$(server "$1")" == "$text"
}

servers()
{
	local kind

	start
	topology
	problems >/dev/null
	check "modules that doctor has loaded" "$(sed -n '/^sch_codel/p' /proc/modules)" empty
	check "codel without a module" "$(server codel)" == "no loaded module serves it"
	says fq_codel
	if [[ ${1:-} == in_tree_first ]]; then
		modprobe -C /dev/null sch_codel
	fi
	load sch_codel_oot
	load sch_fq_codel_oot
	problems >/dev/null
	for kind in codel fq_codel codel_oot fq_codel_oot; do
		says "$kind"
	done
	check "codel" "$(served_by codel)" == "$2"
}

# HTB does not split merged packets
merged()
{
	prepare --kind fq_codel
	in_ns "$ROUTER" ethtool -K r1 tso on gso on >/dev/null
	cures setup-differs r1
	ctl undo r1 >/dev/null
	in_ns "$ROUTER" ethtool -K r1 tso on gso on >/dev/null
	setup --up 8mbit --down 20mbit --kind fq_codel --offloads keep >/dev/null
	cures offloads r1
	in_ns "$ROUTER" ethtool -K r0 gro on >/dev/null
	cures gro-before r1
	in_ns "$ROUTER" ethtool -K r0 gro on >/dev/null
	in_ns "$ROUTER" ethtool -K r1 tso on gso on gro on >/dev/null
	setup --kind fq_codel_oot --offloads auto >/dev/null
	check "problems of a kind that splits them" "$(problems)" == none
	tc -n "$ROUTER" qdisc change dev r1 root handle c0d1: fq_codel_oot no_split_gso
	check "problems of one that does not" "$(problems)" == "offloads r1
gro-before r1"
}

# differs TEXT: what doctor says of r1, whose setup is not in force, and its command is a remedy
differs()
{
	cures setup-differs r1
	check "its text" "$(jq -r '.[] | select(.code == "setup-differs").text' "$LIB_TMP/before_cure")" == \
		"its qdiscs or offloads differ from the setup; $1"
}

links()
{
	prepare
	rate_by_hand 1mbit
	differs "rate of r1 is 1mbit instead of 8mbit"
	tc -n "$ROUTER" qdisc change dev ifb-r1 root handle c0d1: fq_codel_oot overhead off
	differs "overhead of ifb-r1 is off instead of 18"
	tc -n "$ROUTER" qdisc replace dev r1 root handle 7: pfifo
	differs "the root qdisc of r1 is pfifo 7: instead of fq_codel_oot c0d1:"
	ctl undo r1 >/dev/null
	earlier fq_codel_oot --up 8mbit --down 20mbit --link docsis >/dev/null
	differs "the root qdisc of r1 is htb c0de: instead of fq_codel_oot c0d1:; the root qdisc of ifb-r1 is htb c0de: instead of fq_codel_oot c0d1:"
	# While a rule uses it, the flow table is busy
	in_ns "$ROUTER" nft -f - <<-END
		table inet fast {
			flowtable ft { hook ingress priority 0; devices = { r0, r1 }; }
			chain forward {
				type filter hook forward priority 0;
				ct state established counter
				meta l4proto { tcp, udp } flow add @ft
			}
		}
	END
	cures flowtable r1
	check "rules of others" "$(in_ns "$ROUTER" nft list ruleset | grep -c established)" == 1
	setup --up 20gbit --down 20gbit >/dev/null
	cures queue-elsewhere r1
	ip -n "$ROUTER" link del r1
	cures device-gone r1
}

# A VLAN has qdiscs of its own, and its packets pass the flow table of the device below
vlan()
{
	prepare
	ctl undo r1
	ip -n "$ROUTER" link add link r1 name r1.7 type vlan id 7
	ip -n "$ROUTER" link set r1.7 up
	ctl setup r1.7 --up 8mbit >/dev/null
	check "problems" "$(problems)" == none
	in_ns "$ROUTER" nft -f - <<-END
		table ip fast {
			flowtable ft { hook ingress priority 0; devices = { r0, r1 }; }
		}
	END
	cures flowtable r1.7
}

# A qdisc that the user has configured
by_hand()
{
	prepare
	ctl undo r1
	tc -n "$ROUTER" qdisc add dev r1 root fq_codel_oot
	check "problems" "$(problems)" == none
	in_ns "$ROUTER" nft -f - <<-END
		table ip fast {
			flowtable ft { hook ingress priority 0; devices = { r0, r1 }; }
		}
	END
	cures flowtable r1
}

# fake PROGRAM: a script from standard input, in place of a program that doctor runs
fake()
{
	{
		echo "#!/bin/sh"
		cat
	} >"$LIB_TMP/bin/$1"
	chmod +x "$LIB_TMP/bin/$1"
}

plugins()
{
	local tc

	prepare
	tc=$(command -v tc)
	fake tc <<<"TC_LIB_DIR=/nonexistent exec $tc \"\$@\""
	check "problems" "$(problems)" == "plugin-missing codel_oot
plugin-missing fq_codel_oot
link-unreadable r1"
	[[ $(<"$LIB_TMP/findings") == *"it looks for /nonexistent/q_codel_oot.so, and the plugin is /usr/lib/"* ]] ||
		fail "it says: $(<"$LIB_TMP/findings")"
	fake tc <<<"$tc \"\$@\" | sed 's/ceiling/roof/'"
	check "problems" "$(problems)" == "plugin-old codel_oot
plugin-old fq_codel_oot"
	rm "$LIB_TMP/bin/tc"
	check "problems" "$(problems)" == none
}

# keep FILE: it is as it was when the case ends
keep()
{
	cp "$1" "$LIB_TMP/${1##*/}"
	defer cp "$LIB_TMP/${1##*/}" "$1"
}

# dkms_package: as codel-oot-dkms leaves it, until the case ends
dkms_package()
{
	mkdir -p /usr/src/codel-oot-0.9.0
	touch /usr/src/codel-oot-0.9.0/dkms.conf
	defer rm -r /usr/src/codel-oot-0.9.0
}

# kernel_headers: as linux-headers leaves them, until the case ends
kernel_headers()
{
	mkdir "/lib/modules/$RELEASE/build"
	touch "/lib/modules/$RELEASE/build/Makefile"
	defer rm -r "/lib/modules/$RELEASE/build"
}

modules()
{
	local file

	prepare
	file=$(modinfo -n sch_codel_oot)
	keep "$file"
	rm "$file"
	# As `make install` leaves it
	echo /root/tree >/usr/share/codelctl/source
	defer rm /usr/share/codelctl/source
	finds module-missing sch_codel_oot
	grep -q "make -C /root/tree && make -C /root/tree install$" <<<"$FIX" || fail "its command: $FIX"
	! grep -q dkms <<<"$FIX" || fail "its command: $FIX"
	dkms_package
	kernel_headers
	finds module-missing sch_codel_oot
	check "its command" "$FIX" == "apt install linux-headers-$RELEASE && dkms autoinstall"
	sed 's/\(\x00version=\)[0-9]*/\19/' "$LIB_TMP/${file##*/}" >"$file"
	finds module-old sch_codel_oot
	check "its command" "$FIX" == "modprobe -r sch_codel_oot && modprobe sch_codel_oot"
}

# cover FILE TEXT: the file contains the text until the case ends
cover()
{
	echo "$2" >"$LIB_TMP/cover"
	mount --bind "$LIB_TMP/cover" "$1"
	defer umount "$1"
}

# Not in ROUTER: `ip netns exec` mounts another /sys
machine()
{
	start
	ROUTER=
	ctl_start
	dkms_package
	finds headers-missing kernel
	check "its command" "$FIX" == "apt install linux-headers-$RELEASE"
	rm /usr/src/codel-oot-0.9.0/dkms.conf
	check "problems" "$(problems)" == none
	cover /sys/module/module/parameters/sig_enforce Y
	finds signature-needed kernel
	load sch_codel_oot
	load sch_fq_codel_oot
	check "problems with loaded modules" "$(problems)" == none
}

# The first network namespace has the sysctl
default_qdisc()
{
	local before

	before=$(sysctl -n net.core.default_qdisc)
	defer sysctl -q -w "net.core.default_qdisc=$before"
	ROUTER=
	ctl_start
	check "problems" "$(problems)" == none
	sysctl -q -w net.core.default_qdisc=pfifo_fast
	finds default-qdisc kernel
	bash -c "$FIX" >/dev/null
	check "problems" "$(problems)" == none
}

# cakes_say DEVICE REGEX: the finding about a cake there
cakes_say()
{
	problems >/dev/null
	jq -r --arg dev "$1" '.[] | select(.code == "cake" and .subject == $dev) | "\(.level): \(.text): \(.fix)"' \
		"$LIB_TMP/findings" >"$LIB_TMP/cake"
	grep -Eqx "info: $2: tc -s qdisc show dev $1" "$LIB_TMP/cake" || fail "it says of $1: $(<"$LIB_TMP/cake")"
}

# A cake of codelctl, and others that the user has configured
cakes()
{
	local numbers='[0-9.]+ ms on average, [0-9.]+ ms at its peak; [0-9]+ drops and 0 marks beside [0-9]+ packets'

	prepare --kind cake
	check "codelctl show" "$(ctl show)" == "r1: up 8mbit, down 20mbit, link docsis, kind cake: in force"
	cakes_say ifb-r1 "shapes to 20mbit, overhead 18; no packet was sent; 0 drops and 0 marks beside 0 packets"
	in_ns "$ROUTER" ping -c 20 -i 0.01 10.9.2.2 >/dev/null || fail "no answer"
	check "problems" "$(problems)" == none
	cakes_say r1 "shapes to 8mbit( of the device's [0-9a-z]*)?, overhead 18; delay of tin [0-9] $numbers"
	cakes_say ifb-r1 "shapes to 20mbit, overhead 18; delay of tin [0-9] $numbers"
	tc -n "$ROUTER" qdisc change dev r1 root handle c0ca: cake bandwidth 1mbit
	check "a change by hand" "$(problems)" == "setup-differs r1"
	ctl undo r1 || fail "undo: status $?"
	tc -n "$ROUTER" qdisc add dev r1 root cake besteffort wash
	in_ns "$ROUTER" ping -c 20 -i 0.01 10.9.2.2 >/dev/null || fail "no answer"
	cakes_say r1 "does not shape: no bandwidth is set; delay $numbers; wash clears the DSCP of packets"
	tc -n "$ROUTER" qdisc change dev r1 root cake bandwidth 100gbit
	cures queue-elsewhere r1
}

lib_add cakes "a cake: its rate, delay and losses, and a rate that the device does not have"
lib_add healthy "nothing is found where nothing is wrong; a finding has status 1"
lib_add idle "pings on an idle link are no finding"
lib_add servers "the module that serves each kind, the out-of-tree one first" out_of_tree_first sch_codel_oot
lib_add servers "the module that serves each kind, the in-tree one first" in_tree_first sch_codel
lib_add merged "merged packets, which HTB does not split"
# The commands of doctor, done as long as it has any, come to an end
comes_to_an_end()
{
	local round

	start
	load sch_codel_oot
	load sch_fq_codel_oot
	topology offloads
	# A veth merges packets on request only
	in_ns "$ROUTER" ethtool -K r0 gro on
	setup --up 8mbit --kind fq_codel >/dev/null
	ctl setup r0 --up 8mbit >/dev/null || fail "setup of r0: status $?"
	check "problems" "$(problems)" == "gro-before r1"
	for ((round = 1; round <= 3; round++)); do
		[[ $(problems) != none ]] || break
		jq -r '.[] | select(.level == "problem").fix' "$LIB_TMP/findings" >"$LIB_TMP/fixes"
		cat "$LIB_TMP/fixes"
		in_ns "$ROUTER" bash -e "$LIB_TMP/fixes" || fail "round $round: status $?"
	done
	check "rounds" "$round" == 2
	check "codelctl show" "$(ctl show | sed 's/.*: //' | sort -u)" == "in force"
}

lib_add comes_to_an_end "its commands do not lead in a circle"
lib_add links "wrong facts of a link, and their remedies"
lib_add vlan "a flow table of the device below a VLAN"
lib_add by_hand "a flow table beside a qdisc that the user has configured"
lib_add plugins "a tc that finds no plugins, and plugins of another version"
lib_add modules "a module that is missing, and one of another version"
lib_add machine "headers for DKMS, and signatures"
lib_add default_qdisc "a default qdisc without AQM"
lib_main "$@"
