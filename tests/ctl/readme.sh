#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The commands of README's section on routers, word for word: tests/vm/test_router.sh runs this in a machine.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/traffic.sh
. "$LIB_DIR/traffic.sh"
# shellcheck source=tests/ctl.sh
. "$LIB_DIR/ctl.sh"
# shellcheck source=tests/ctl/modem.sh
. "$LIB_DIR/ctl/modem.sh"

README=/root/README.md

router()
{
	modem eth0
	# shellcheck disable=SC2016 # fences, not commands
	sed -n '/^## Set up a router/,/^## W/ { /^```/,/^```/ { /^```/d; p } }' "$README" >"$LIB_TMP/commands"
	check "commands" "$(wc -l <"$LIB_TMP/commands")" == 9
	tc -n "$ROUTER" -j qdisc show dev eth0 >"$LIB_TMP/before"
	paste_commands "$LIB_TMP/commands"
	tc -n "$ROUTER" -j qdisc show dev eth0 | diff "$LIB_TMP/before" - || fail "the qdiscs are not as before"
	check "settings that are left" "$(find /etc/codelctl -type f)" == ""
	[[ ! -d /sys/module/sch_fq_codel_oot ]] || fail "the module is still loaded"
}

lib_add router "setup, measurement, change, service and removal"
lib_main "$@"
