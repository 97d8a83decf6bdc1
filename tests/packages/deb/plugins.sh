#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# plugins.sh RELEASE...: the tc of this machine with the plugins of other releases, RELEASE.so, configures and shows
# the same as with its own: an upgrade of iproute2 alone does no harm, nor does its downgrade.
set -u

# shellcheck source=tests/packages/deb/cases.sh
. ./cases.sh

# with RELEASE COMMAND...: a command with the plugin of this release
with() {
	mkdir -p "/tmp/$1"
	cp "$1.so" "/tmp/$1/q_fq_codel_oot.so"
	TC_LIB_DIR=/tmp/$1 "${@:2}"
}

same() {
	tc qdisc del dev lo root 2>/dev/null
	with "$1" tc qdisc add dev lo root fq_codel_oot limit 777 ceiling 77ms noecn || return
	is "$(with "$1" tc -s -j qdisc show dev lo)" "$(tc -s -j qdisc show dev lo)" || return
	tc -j qdisc show dev lo | jq -e '.[0].options | .limit == 777 and .ceiling == 77000' || return
	is "$(with "$1" tc -s qdisc show dev lo)" "$(tc -s qdisc show dev lo)"
}

tc -V
for release in "$@"; do
	ok "the plugin for the tc of $release" same "$release"
done
exit 0
