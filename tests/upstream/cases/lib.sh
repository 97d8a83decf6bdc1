# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# The selftests' library, for cases about the in-tree kinds: these have no accounting of packets.
# shellcheck disable=SC2034 # of lib.sh
LIB_NO_KINDS=yes
# shellcheck source=tests/kernel/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../kernel/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$LIB_DIR/traffic.sh"
