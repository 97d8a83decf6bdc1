# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# A root qdisc has a queue only where the device is slow. To be sourced after lib.sh.

SLOW_MODULE=/root/slow_link.ko	# from tests/vm/run --module tests/slow

# slow_link NS DEV RATE: in bit/s, from now on; or the case is skipped
slow_link()
{
	[[ -e $SLOW_MODULE ]] || skip "there is no $SLOW_MODULE"
	in_ns "$1" insmod "$SLOW_MODULE" dev="$2" rate="$3"
	defer rmmod slow_link
}
