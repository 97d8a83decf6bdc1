# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Stands in for OpenWrt's kernel.mk: prints the command that builds modules, and what a package of
# modules is.

KERNEL_MAKE := @echo KERNEL_MAKE

AutoProbe = probe $(1)

define KernelPackage
$(eval $(KernelPackage/$(1)))
$(foreach field,SUBMENU TITLE DEPENDS FILES AUTOLOAD,$(info kmod-$(1) $(field) $(strip $($(field)))))
endef
