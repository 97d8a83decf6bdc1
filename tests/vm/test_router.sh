#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of README's section on routers, word for word, in a machine with a slow link. $RELEASE chooses the release.

cd "$(dirname "$0")/../.." || exit 1
exec tests/vm/run --release "${RELEASE:-trixie}" --put README.md -- tests/tools/ctl/readme.sh
