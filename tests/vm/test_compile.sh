#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The modules compile and link for 32-bit kernels: structs have the expected sizes, and no
# 64-bit division is left to the compiler. No 32-bit machine is booted.
exec "$(dirname "$0")/compile"
