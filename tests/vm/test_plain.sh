#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The name fq_codel on a kernel of Debian's, which has it built in: booted with initcall_blacklist, it leaves the name to
# the out-of-tree module. $RELEASE chooses the release.

cd "$(dirname "$0")/../.." || exit 1
export CODEL_VM_APPEND=initcall_blacklist=fq_codel_module_init
exec tests/vm/run --release "${RELEASE:-trixie}" -- tests/kernel/test_config.sh plain_name
