# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Stands in for OpenWrt's package.mk: "make evaluate" prints what a package is, "make compile install"
# builds the packages and installs each one into its folder of OUT.

PKG_BUILD_DIR := $(OUT)/build/$(PKG_NAME)-$(PKG_VERSION)

define BuildPackage
$(eval $(Package/$(1)))
$(foreach field,SECTION CATEGORY SUBMENU TITLE DEPENDS,$(info $(1) $(field) $(strip $($(field)))))
install: install-$(1)
install-$(1):
$(call Package/$(1)/install,$(OUT)/$(1))
endef

.PHONY: evaluate compile install
evaluate:
	@:
compile:
	$(Build/Prepare)
	$(Build/Configure)
	$(Build/Compile)
