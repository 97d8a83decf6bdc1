#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs on the host: a reduced benchmark, in virtual time. Fails when a figure of
# ours has risen by more than 3% over the one in recorded.json; `tests/bench/run
# --record` writes that file.
exec "$(dirname "$0")/run" --check
