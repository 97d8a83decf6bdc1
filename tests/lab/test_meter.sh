#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# On the host, as root: the records and the effects of the laboratory's kernel modules. Traffic through several
# qdiscs in the machine of $RELEASE (bookworm), past lab_meter and over slow_link; the meter's
# records must agree with tc, with the kind of the qdisc, and with the configured rates.

set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1

name=lab-meter-$$
work=$(mktemp -d)
trap 'rm -rf "$work" "out/$name.tar"' EXIT

tests/vm/run --release "${RELEASE:-bookworm}" --timeout 1500 --module lab/slow \
	--module lab/meter --get "/root/$name.tar" \
	--tests tests/lab/meter --tests tests/kernel/lib.sh --tests tests/kernel/slow.sh \
	--tests tests/kernel/traffic.sh --tests tests/kernel/traffic.py --tests tests/kernel/trafficlib -- \
	tests/lab/meter/guest.sh "$name" >"$work/said" 2>&1
status=$?
mkdir "$work/kept"
[[ ! -e out/$name.tar ]] || tar -xf "out/$name.tar" -C "$work/kept"
/usr/bin/python3 -B tests/lab/meter/judge.py "$work/kept" "$work/said" "$status"
