#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: few
#
# After any sequence of setups, failures, kills and changes by others, undo leaves the machine as it was: ctl/random.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"
# shellcheck source=tests/kernel/ctl/random.sh
. "$LIB_DIR/ctl/random.sh"

random_add kept
lib_main "$@"
