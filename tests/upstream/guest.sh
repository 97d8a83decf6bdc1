#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# guest.sh BUILD_ID BUILD_ID CASE [ARGUMENT...]: in the virtual machine, loads the modules sch_codel.ko and sch_fq_codel.ko of
# /root, which have these build IDs, and runs a case. The kernel was booted without its own fq_codel.
# The case fails unless these very modules serve the kinds.
set -euo pipefail
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/kernel/served.sh
. "$tests/kernel/served.sh"
# shellcheck source=bench/patched.sh
. "$tests/../bench/patched.sh"

# served KIND BUILD_ID
served()
{
	local id module

	id=$(patched_id "sch_$1")
	module=$(served_by "$1")
	echo "# $1: served by $module, build ID $id"
	[[ $module == "sch_$1" && $id == "$2" ]] && return
	echo "guest.sh: $1: expected sch_$1 with build ID $2" >&2
	exit 3
}

patched_load /root/sch_codel.ko /root/sch_fq_codel.ko
served codel "$1"
served fq_codel "$2"
shift 2
"$@"
