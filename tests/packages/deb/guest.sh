#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# guest.sh [refused|trusted]: runs in a machine of the release with the files that the packages install: modules,
# plugins and programs work. Where the kernel enforces signatures, it trusts the key of DKMS or refuses it.
set -u

# shellcheck source=tests/packages/deb/cases.sh
. ./cases.sh

unload() {
	modprobe -r sch_codel_oot sch_fq_codel_oot
	modprobe -C /dev/null -r sch_codel
}

# serves MODULE KIND: a qdisc of this kind occupies the module, which tc loads
serves() {
	local count

	tc qdisc add dev d0 root "$2" || return
	count=$(cat "/sys/module/$1/refcnt")
	tc qdisc del dev d0 root
	unload
	((count > 0)) || { echo "$1 does not serve $2"; return 1; }
}

# Options and statistics that only the plugins have
plugin_matches_tc() {
	tc qdisc add dev d0 root "$1" ceiling 77ms || return
	tc -s qdisc show dev d0
	tc -s qdisc show dev d0 | grep -q "ceiling 77ms" || return
	tc -j qdisc show dev d0
	tc -j qdisc show dev d0 | jq -e '.[0].options.ceiling == 77000' || return
	codelstat --once d0 | grep "$1" || return
	tc qdisc del dev d0 root
}

codelctl_sets_up_and_undoes() {
	local before

	before=$(tc -j qdisc show dev d0)
	codelctl setup d0 --up 10mbit --down 20mbit && codelctl show && codelctl show | grep -q "in force" || return
	tc qdisc show dev d0 | grep fq_codel_oot && tc qdisc show dev ifb-d0 | grep fq_codel_oot || return
	codelctl undo d0 || return
	[[ $(tc -j qdisc show dev d0) == "$before" ]] || { echo "$before differs"; return 1; }
}

in_tree_serves_if_modules_are_missing() {
	rm -r "/lib/modules/$(uname -r)/updates/dkms"
	serves sch_codel codel
}

# refuses REASON COMMAND...: the command fails as doc/packages.md says; the reason is in the kernel's log
refuses() {
	local reason=$1

	shift
	! "$@" >/tmp/refused 2>&1 || { echo "$* succeeds"; return 1; }
	cat /tmp/refused
	grep -q "Key was rejected by service" /tmp/refused || return
	dmesg | grep "Loading of $reason is rejected"
}

works() {
	ip link add d0 type dummy
	ip link set d0 up
	ok "codel_oot is served" serves sch_codel_oot codel_oot
	ok "fq_codel_oot is served" serves sch_fq_codel_oot fq_codel_oot
	ok "plain codel is served by the same module" serves sch_codel_oot codel
	ok "tc and codelstat know codel_oot" plugin_matches_tc codel_oot
	ok "tc and codelstat know fq_codel_oot" plugin_matches_tc fq_codel_oot
	unload
	ok "codelctl sets up a link, and restores it" codelctl_sets_up_and_undoes
	unload
	ok "without the modules, the in-tree one serves codel" in_tree_serves_if_modules_are_missing
}

refused() {
	ok "signatures are enforced: a key that the kernel does not trust is refused" \
		refuses "module with unavailable key" modprobe sch_fq_codel_oot
	ok "signatures are enforced: a module without a signature is refused" refuses "unsigned module" insmod unsigned.ko
}

# The in-tree modules of this machine have no signatures
trusted() {
	ok "signatures are enforced: a key that the kernel trusts loads both modules" modprobe -a sch_codel_oot sch_fq_codel_oot
	ok "signatures are enforced: a qdisc is served" tc qdisc add dev lo root fq_codel_oot
	ok "signatures are enforced: a module without a signature is refused" \
		refuses "unsigned module" modprobe -C /dev/null sch_codel
}

depmod
"${1:-works}"
exit 0
