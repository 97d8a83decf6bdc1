# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Stands in for OpenWrt's rules.mk: this machine's programs in place of a toolchain's.

CP := cp -fpR
LN := ln -sf
INSTALL_DIR := install -d -m 755
INSTALL_BIN := install -m 755
INSTALL_DATA := install -m 644
TARGET_CONFIGURE_OPTS := CC=cc AR=ar
TARGET_CFLAGS := -O1
TARGET_CPPFLAGS := -DNDEBUG
TARGET_LDFLAGS := -Wl,-z,relro
