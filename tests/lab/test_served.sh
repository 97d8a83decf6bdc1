#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Which module serves each compared qdisc, on the kernel of $RELEASE: see servedtest.py.

set -uo pipefail

cd "$(dirname "$0")" || exit 1

if ! type -P qemu-system-x86_64 >/dev/null; then
	echo "1..0 # SKIP no qemu-system-x86_64"
	exit 4
fi
exec /usr/bin/python3 -B servedtest.py
