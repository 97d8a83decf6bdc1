#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The modules compile and link for kernels of other architectures: on 32 bits, structs have the
# expected sizes, and no 64-bit division is left to the compiler.
exec "$(dirname "$0")/compile"
