#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# guest.sh CODEL FQ_CODEL MULTIQ CASE [ARGUMENT...]: in the virtual machine, loads the modules of these kinds in /root, and
# runs a case. The kernel was booted without its own fq_codel. The case fails unless the modules have these build IDs, and
# serve codel and fq_codel.
set -euo pipefail
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/kernel/served.sh
. "$tests/kernel/served.sh"
# shellcheck source=bench/patched.sh
. "$tests/../bench/patched.sh"

# loaded KIND BUILD_ID
loaded()
{
	local id

	id=$(patched_id "sch_$1")
	echo "# sch_$1: build ID $id"
	[[ $id == "$2" ]] && return
	echo "guest.sh: sch_$1: expected build ID $2" >&2
	exit 3
}

# serves KIND: no other module has this kind
serves()
{
	local module

	module=$(served_by "$1")
	[[ $module == "sch_$1" ]] && return
	echo "guest.sh: $1: served by $module" >&2
	exit 3
}

patched_load /root/sch_{codel,fq_codel,multiq}.ko
loaded codel "$1"
loaded fq_codel "$2"
loaded multiq "$3"
serves codel
serves fq_codel
shift 3
"$@"
