# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# A root qdisc has a queue only if the device is slow. Source it after lib.sh.

SLOW_MODULE=/root/slow_link.ko	# from tests/vm/run --module lab/slow
SLOW_LINK=/sys/module/slow_link/parameters/link

# slow_link NS DEV RATE: in bit/s, from now on; 0: as fast as it was. Without the module the
# case is skipped
slow_link()
{
	if [[ ! -e $SLOW_LINK ]]; then
		[[ -e $SLOW_MODULE ]] || skip "there is no $SLOW_MODULE"
		insmod "$SLOW_MODULE"
		defer rmmod slow_link
	fi
	in_ns "$1" sh -c "echo '$2 $3' >$SLOW_LINK"
}
