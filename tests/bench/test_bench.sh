#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Runs on the host: a reduced benchmark, in virtual time. Fails if a figure of
# an out-of-tree qdisc is more than 3% (a dump: 5%) above the one in recorded.json, which
# `bench/run --record` writes.
exec "$(dirname "$0")/../../bench/run" --check
