#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: few
#
# The same as test_codelctl_random.sh, where /run is lost at any moment.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"
# shellcheck source=tests/kernel/ctl/random.sh
. "$LIB_DIR/ctl/random.sh"

random_add lost
lib_main "$@"
