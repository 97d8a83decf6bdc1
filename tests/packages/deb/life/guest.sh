#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs at the end of each boot; /mnt/step names the cases. In the first boot, the machine has a slow link to a server:
#
#   machine                      namespace isp                                namespace server
#   eth0 192.0.2.1 === wire === eth1 192.0.2.2, 8 Mbit/s | far, 4 Mbit/s === srv 198.51.100.2, iperf3
#
# The queues of the provider (isp) are long.
set -u

# shellcheck source=tests/packages/deb/cases.sh
. /mnt/cases.sh
kernel=$(uname -r)
LINK=(--up 3600kbit --down 7200kbit)
SERVER=198.51.100.2

# udev loads the driver while systemd goes on
devices_are_there() {
	for _ in {1..600}; do
		[[ -e /sys/class/net/eth0 && -e /sys/class/net/eth1 ]] && return
		sleep 0.5
	done
	ip link
	return 1
}

network() {
	ip netns add isp && ip netns add server || return
	ip link set eth1 netns isp
	ip link add far netns isp type veth peer name srv netns server
	ip addr add 192.0.2.1/24 dev eth0 && ip link set eth0 up
	ip -n isp addr add 192.0.2.2/24 dev eth1 && ip -n isp link set eth1 up
	ip -n isp addr add 198.51.100.1/24 dev far && ip -n isp link set far up
	ip -n server addr add 198.51.100.2/24 dev srv && ip -n server link set srv up
	ip netns exec isp sysctl -q net.ipv4.ip_forward=1
	ip -n server route add default via 198.51.100.1
	ip route add default via 192.0.2.2
	tc -n isp qdisc add dev eth1 root tbf rate 8mbit burst 5kb limit 400kb || return
	tc -n isp qdisc add dev far root tbf rate 4mbit burst 5kb limit 200kb || return
	ip netns exec server iperf3 --server --daemon || return
	ping -c 3 -w 60 $SERVER
}

qdiscs() {
	tc -j qdisc show dev eth0
	if [[ -e /sys/class/net/ifb-eth0 ]]; then tc -j qdisc show dev ifb-eth0; fi
}

# used MODULE: a qdisc occupies the module
used() {
	local count

	count=$(cat "/sys/module/$1/refcnt") && ((count > 0))
}

serves_both_directions() {
	qdiscs
	used sch_fq_codel_oot || return
	is "$(qdiscs | grep -o '"kind":"fq_codel_oot"' | wc -l)" 2
}

prove() {
	codelctl prove eth0 --server $SERVER --seconds 5 >/mnt/proved || return
	cat /mnt/proved
	# Packets went through both queues, and were measured there: neither cell is "-"
	awk '/^upload/ && $2 > 0 && $7 > 0 { up = 1 } /^download/ && $2 > 0 && $9 > 0 { down = 1 }
		END { exit !(up && down) }' /mnt/proved
}

# Without the setup, the upload fills the queue of the provider, 400 ms. The margin is wide: the machine's speed varies.
setup_shortens_the_queue() {
	codelctl compare eth0 none fq_codel_oot --server $SERVER --seconds 5 >/mnt/compared || return
	cat /mnt/compared
	awk '/^none upload/ { none = $4 } /^fq_codel_oot upload/ { ours = $4 }
		END { exit !(none > 100 && ours > 0 && ours * 2 < none) }' /mnt/compared
}

undone() { codelctl undo eth0 && is "$(qdiscs)" "$(cat /mnt/qdiscs.before)"; }

enable() { codelctl enable eth0 "${LINK[@]}" && systemctl is-active codelctl@eth0 && serves_both_directions; }

# ended STATE: the unit has ended its start, and is active or failed, as STATE demands
ended() {
	local state

	for _ in {1..600}; do
		state=$(systemctl is-active codelctl@eth0)
		if [[ $state == active || $state == failed ]]; then is "$state" "$1"; return; fi
		sleep 0.5
	done
	echo "the unit is $state"
	return 1
}

is_set_up() { ended active && serves_both_directions && is "$(qdiscs)" "$(cat /mnt/qdiscs.enabled)"; }

# as_earlier: the link as an earlier version set it up, HTB with fq_codel_oot as its leaf
as_earlier() {
	local dev

	codelctl setup eth0 "${LINK[@]}" --kind fq_codel || return
	for dev in eth0 ifb-eth0; do
		tc qdisc del dev $dev parent c0de:1 &&
			tc qdisc add dev $dev parent c0de:1 handle c0df: fq_codel_oot target 5ms interval 100ms || return
	done
	is "$(qdiscs | grep -o '"kind":"htb"' | wc -l)" 2
}

takes_over() {
	as_earlier && serves_both_directions && systemctl reload codelctl@eth0 && serves_both_directions || return
	is "$(qdiscs)" "$(cat /mnt/qdiscs.enabled)" && says ": in force" codelctl show eth0
}

reinstall_tools() {
	dpkg -i /mnt/debs/codel-oot-tools*.deb && systemctl is-active codelctl@eth0 &&
		is "$(qdiscs)" "$(cat /mnt/qdiscs.enabled)"
}

# The plain name works, and the in-tree module serves it
in_tree_serves() {
	tc qdisc add dev lo root codel || return
	used sch_codel && [[ ! -e /sys/module/sch_codel_oot ]]
	local status=$?
	tc qdisc del dev lo root
	return $status
}

unit_says_why() {
	ended failed && says "codelctl doctor" journalctl --no-pager -u codelctl@eth0
}

# finds TEXT: doctor has a finding with this text, and so status 1
finds() {
	codelctl doctor
	is $? 1 && says "$1" codelctl doctor
}

remove() { dpkg -r codel-oot-dkms codel-oot-tools; }
purge() { dpkg -P codel-oot-dkms codel-oot-tools; }

link_is_restored() {
	[[ ! -e /sys/class/net/ifb-eth0 ]] && is "$(qdiscs)" "$(cat /mnt/qdiscs.before)"
}

# And the unit is still enabled, for an installation that follows
settings_are_kept() {
	cat /etc/codelctl/eth0.conf &&
		[[ -L /etc/systemd/system/sys-subsystem-net-devices-eth0.device.wants/codelctl@eth0.service ]]
}

no_trace() {
	! find / -xdev \( -path /mnt -o -path /proc -o -path /sys -o -path /var/log \) -prune -o -name '*codel*' \
		-newer /mnt/before -print | grep -vE '^/usr/(src|share/doc)/linux'
}

step() {
	ok "the network devices are there" devices_are_there
	case $1 in
	set_up)
		ok "the network is up" network
		qdiscs >/mnt/qdiscs.before
		ok "codelctl setup" codelctl setup eth0 "${LINK[@]}"
		ok "out-of-tree fq_codel serves both directions" serves_both_directions
		ok "codelctl prove against a server behind a slow link" prove
		sed 's/^/# /' /mnt/proved
		ok "the setup shortens the queue of a full upload" setup_shortens_the_queue
		sed 's/^/# /' /mnt/compared
		ok "codelctl doctor has no findings" codelctl doctor
		ok "codelctl undo: the qdiscs are those before" undone
		ok "codelctl enable" enable
		qdiscs >/mnt/qdiscs.enabled
		;;
	returns)
		ip link set eth0 up
		ok "after a reboot the setup is there again, the same in tc -j" is_set_up
		ok "codelctl doctor has no findings" codelctl doctor
		ok "the setup of an earlier version, HTB, is taken over by a reload of the unit" takes_over
		ok "an upgrade of codel-oot-tools leaves the link alone" reinstall_tools
		;;
	enforced)
		ok "enforced signatures: a module with a key that the kernel does not trust is refused" \
			says "Key was rejected by service" modprobe sch_fq_codel_oot
		ok "enforced signatures: the in-tree module serves codel" in_tree_serves
		ok "enforced signatures: the unit's log leads to codelctl doctor" unit_says_why
		ok "enforced signatures: codelctl doctor names the key" finds "mokutil --import /var/lib/dkms/mok.pub"
		;;
	in_tree)
		ok "a kernel without modules: the in-tree one serves codel" in_tree_serves
		ok "a kernel without modules: the unit's log leads to codelctl doctor" unit_says_why
		ok "a kernel without modules: codelctl doctor names the headers" finds "apt install linux-headers-$kernel"
		;;
	upgraded)
		ip link set eth0 up
		ok "after the kernel's upgrade the setup is there again, the same in tc -j" is_set_up
		ok "codelctl doctor has no findings" codelctl doctor
		ok "the packages are removed while the link is set up" remove
		ok "the link is restored" link_is_restored
		ok "the settings are kept" settings_are_kept
		ok "the packages are purged" purge
		ok "no file of the project is left" no_trace
		;;
	esac
}

step "$(cat /mnt/step)" >/mnt/cases 2>&1
dmesg >/mnt/dmesg
touch /mnt/ended
sync
systemctl poweroff --no-block
