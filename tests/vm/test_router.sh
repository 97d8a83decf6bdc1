#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of README's section on routers and of doc/first-minutes.md, word for word, in a machine with a slow link, and
# what the latter shows of them. $RELEASE chooses the release. To record it anew:
#
#	tests/vm/test_router.sh --get /root/screens.md; mv out/screens.md doc/first-minutes.md

cd "$(dirname "$0")/../.." || exit 1
exec tests/vm/run --timeout 1800 --release "${RELEASE:-trixie}" --put README.md --put doc/first-minutes.md "$@" -- tests/tools/ctl/readme.sh
