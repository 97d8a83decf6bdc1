#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs at the end of the boot. The managers, one after the other, have eth0; the other end of its wire is in a namespace:
#
#   machine                      namespace isp
#   eth0 192.0.2.1 === wire === eth1 192.0.2.2
#
# codelctl@eth0 is enabled.
set -u

# shellcheck source=tests/packages/deb/cases.sh
. /mnt/cases.sh
PEER=192.0.2.2

# within SECONDS COMMAND...: it succeeds in that time; its last words are printed
within() {
	local end=$((SECONDS + $1))

	shift
	until "$@" >/tmp/within 2>&1; do
		((SECONDS < end)) || { cat /tmp/within; echo "not in time: $*"; return 1; }
		sleep 1
	done
}

exists() { [[ -e /sys/class/net/$1 ]]; }
answers() { ping -c 1 -W 2 $PEER; }
has_address() { says " $1/24" ip -4 addr show dev eth0; }
is_active() { systemctl is-active codelctl@eth0; }

network() {
	within 300 exists eth0 && within 300 exists eth1 || return
	ip netns add isp && ip link set eth1 netns isp || return
	ip -n isp addr add $PEER/24 dev eth1 && ip -n isp link set eth1 up
}

# state: all that codelctl has set up
state() {
	tc -j qdisc show dev eth0
	tc -j filter show dev eth0 ingress
	tc -j qdisc show dev ifb-eth0
	ip -j -d link show ifb-eth0
}

in_force() { is_active && says ": in force" codelctl show eth0; }

# keeps COMMAND...: with the link and all that is set up there as before
keeps() {
	state >/tmp/state.before
	"$@" || return
	within 60 answers && in_force && diff /tmp/state.before <(state)
}

# The unit has set up the device, whatever its ifindex is
set_up() {
	within 120 in_force && within 60 answers && is "$(tc -j qdisc show dev eth0 | grep -c '"kind":"cake"')" 1 &&
		is "$(tc -j qdisc show dev ifb-eth0 | grep -c '"kind":"cake"')" 1
}

# renames OLD NEW: with a manager that knows eth0 only
renames() {
	ip link set "$1" down && ip link set "$1" name "$2" && ip link set "$2" up
}

restored() {
	! exists ifb-eth0 && ! tc qdisc show dev "$1" | grep "cake\|clsact" && is "$(codelctl show)" ""
}

# The unit is bound to the name: the device of another name has no setup, and no dead redirect
renamed() {
	renames eth0 wan0 && within 120 restored wan0
}

renamed_back() {
	renames wan0 eth0 && set_up
}

# The device goes, and returns with another ifindex
returns() {
	local device driver=/sys/bus/virtio/drivers/virtio_net before

	before=$(</sys/class/net/eth0/ifindex)
	device=$(basename "$(readlink -f /sys/class/net/eth0/device)")
	echo "$device" >$driver/unbind && within 120 eval '! exists ifb-eth0' || return
	echo "$device" >$driver/bind && within 60 exists eth0 && set_up || return
	[[ $(</sys/class/net/eth0/ifindex) != "$before" ]]
}

# networkd_file ADDRESS...
networkd_file() {
	mkdir -p /etc/systemd/network
	{
		printf '[Match]\nName=eth0\n[Network]\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n'
		printf 'Address=%s/24\n' "$@"
	} >/etc/systemd/network/eth0.network
}

networkd_starts() {
	networkd_file 192.0.2.1
	systemctl start systemd-networkd && within 60 has_address 192.0.2.1 && within 60 answers
}

enable() { codelctl enable eth0 --up 3600kbit --down 7200kbit --link docsis --kind cake && set_up; }

networkd_reload() {
	networkd_file 192.0.2.1 192.0.2.3
	networkctl reload && within 60 has_address 192.0.2.3
}

networkd_down_up() { networkctl down eth0 && networkctl up eth0; }

# Its own qdiscs go before those of codelctl, which says so. It is of another kind: networkd of bookworm leaves a qdisc of
# the same kind alone
networkd_qdisc() {
	printf '[FairQueueing]\nParent=root\n' >>/etc/systemd/network/eth0.network
	networkctl reload && within 60 says "qdisc fq " tc qdisc show dev eth0 &&
		within 60 says "differs from the setup" codelctl show eth0 && answers
}

without_networkd_qdisc() {
	networkd_file 192.0.2.1
	networkctl reload && tc qdisc del dev eth0 root && systemctl reload codelctl@eth0 && set_up
}

networkd() {
	ok "networkd: the link is up" networkd_starts
	ok "codelctl enable" enable
	ok "networkd: a reload with another address keeps the setup" keeps networkd_reload
	ok "networkd: a reconfiguration keeps the setup" keeps networkctl reconfigure eth0
	ok "networkd: a restart keeps the setup" keeps systemctl restart systemd-networkd
	ok "networkd: down and up keep the setup" keeps networkd_down_up
	ok "networkd: a device that is renamed is restored" renamed
	ok "networkd: a device that has its name again is set up" renamed_back
	ok "networkd: a device that returns is set up" returns
	ok "networkd: a qdisc of its own is named as a difference" networkd_qdisc
	ok "networkd: without it, a reload of the unit sets the link up" without_networkd_qdisc
	systemctl stop systemd-networkd.socket systemd-networkd >/dev/null 2>&1
}

ifupdown_starts() {
	ip addr flush dev eth0
	printf 'auto lo\niface lo inet loopback\nallow-hotplug eth0\niface eth0 inet static\n\taddress 192.0.2.1/24\n' \
		>/etc/network/interfaces
	# As udev does when the device appears
	systemctl start ifup@eth0 && within 60 has_address 192.0.2.1
}

down_up() { ifdown eth0 && ifup eth0; }

ifupdown() {
	ok "ifupdown: its start keeps the setup" keeps ifupdown_starts
	ok "ifupdown: down and up keep the setup" keeps down_up
	ok "ifupdown: a restart of networking keeps the setup" keeps systemctl restart networking
	ok "ifupdown: a device that returns is set up" returns
	systemctl stop ifup@eth0 networking >/dev/null 2>&1
	rm /etc/network/interfaces
}

nm_starts() {
	systemctl start NetworkManager || return
	nmcli connection add type ethernet con-name wan ifname eth0 ipv4.method manual \
		ipv4.addresses 192.0.2.1/24 ipv6.method disabled || return
	within 60 nmcli connection up wan && within 60 has_address 192.0.2.1
}

nm_changes() {
	nmcli connection modify wan +ipv4.addresses 192.0.2.3/24 && nmcli connection reload &&
		nmcli device reapply eth0 && within 60 has_address 192.0.2.3
}

nm_down_up() { nmcli connection down wan && nmcli connection up wan; }

networkmanager() {
	ok "NetworkManager: its start keeps the setup" keeps nm_starts
	ok "NetworkManager: another address keeps the setup" keeps nm_changes
	ok "NetworkManager: down and up keep the setup" keeps nm_down_up
	ok "NetworkManager: a restart keeps the setup" keeps systemctl restart NetworkManager
	ok "NetworkManager: a device that returns is set up" returns
}

{
	ok "the network devices are there" network
	networkd
	ifupdown
	networkmanager
	ok "codelctl disable" codelctl disable eth0
	ok "the link is restored" restored eth0
} >/mnt/cases 2>&1
dmesg >/mnt/dmesg
sync
systemctl poweroff --no-block
