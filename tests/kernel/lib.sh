# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The library of the selftests. A test is a script test_*.sh that sources this file,
# adds its cases, and runs them:
#
#	. "$(dirname "$0")/lib.sh"
#	lib_require iperf3 ping
#	follows_target()
#	{
#		local kind=$1
#
#		topo_create
#		topo_delay 50ms
#		topo_bottleneck 10mbit "$kind" target 5ms
#		...
#		check_time "sojourn, us" "$(bottleneck_get .ldelay_us)" "<=" 6000
#		account "$ROUTER" r1
#	}
#	lib_add_each follows_target "sojourn approaches target"
#	lib_main "$@"
#
# Results are KTAP; status 0: all passed, 1: a case failed, 4: all were skipped.
# With arguments, only cases whose function's name matches one of them (a glob)
# are run; an argument that matches none is an error. The argument 1/2 selects every second
# case from the first one on.
#
# Every case runs in its own shell, under `set -e`: a command that fails unexpectedly
# fails the case and is printed, also in $(...), in <(...) and ahead of a pipe.
# `check` and `fail` record a failure and continue; `skip` ends the case. A comparison without
# an operand is a failure: see `check` and `check_faults`. The output of a case becomes
# diagnostics. `defer`red commands run at the end of the case in any case, the last one first.
# Before them, the packet accounting of every remaining out-of-tree qdisc must add up.
#
#	CODEL_KIND, FQ_CODEL_KIND	kinds under test (codel_oot, fq_codel_oot)
#	CODEL_TEST_SLACK	factor on the bounds of times (1); make selftest sets
#				it, because other programs run on a real machine

CODEL_KIND=${CODEL_KIND:-codel_oot}
FQ_CODEL_KIND=${FQ_CODEL_KIND:-fq_codel_oot}
CODEL_TEST_SLACK=${CODEL_TEST_SLACK:-1}

# The folder of the test, for its helpers
# shellcheck disable=SC2034 # used by the tests
LIB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LIB_NAME=$(basename "$0" .sh)
LIB_NAME=${LIB_NAME#test_}

# shellcheck source=tests/kernel/lib/ktap.sh
. "$LIB_DIR/lib/ktap.sh"
# shellcheck source=tests/kernel/lib/cases.sh
. "$LIB_DIR/lib/cases.sh"
# shellcheck source=tests/kernel/lib/topologies.sh
. "$LIB_DIR/lib/topologies.sh"
# shellcheck source=tests/kernel/lib/readings.sh
. "$LIB_DIR/lib/readings.sh"
