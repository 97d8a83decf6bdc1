# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# A parent that counts the mistakes of its child: strict/sch_strict_parent.c. To be sourced
# after lib.sh and probe.sh.

STRICT_MODULE=/root/sch_strict_parent.ko	# from tests/vm/run --module tests/kernel/strict

# strict_load: make the kind strict_parent available. Without the module the case is skipped
strict_load()
{
	[[ ! -e /sys/module/sch_strict_parent ]] || return 0
	[[ -e $STRICT_MODULE ]] || skip "there is no $STRICT_MODULE"
	insmod "$STRICT_MODULE"
}

# strict_mistakes NS DEV HANDLE: how many mistakes the child of HANDLE made
strict_mistakes()
{
	qdisc_get "$1" "$2" "$3" .overlimits
}
