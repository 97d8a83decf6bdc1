#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# guest.sh TEST...: in the virtual machine, loads the modules beside this file, and runs installed
# selftests out of selftests.tar there, as kselftest does.
set -e
cd "$(dirname "$0")"

insmod ./sch_codel_oot.ko
insmod ./sch_fq_codel_oot.ko
mkdir selftests
python3 -m tarfile -e selftests.tar selftests
cd selftests
for test; do
	set -- "$@" -t "codel:$test"
	shift
done
./run_kselftest.sh "$@"
