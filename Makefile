# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# make                 modules, tc plugins, codelstat
# make install         modules to updates/, plugins to tc's folder, man pages
# make demo            bufferbloat before and after, in a virtual machine
# make check           the tests, in virtual machines; MINUTES=n: and of check-all, what fits
# make check-all       every test on every release
# make lab             the experiments of the papers, in virtual machines; EXP=name, GRID=full
# make selftest        the namespace selftests on this machine's own kernel
#
# KDIR, KERNELRELEASE and DESTDIR are honoured as by the kernel's own builds.

KVER := $(or $(KERNELRELEASE),$(shell uname -r))
KDIR ?= /lib/modules/$(KVER)/build
DESTDIR ?=
MODDIR = $(DESTDIR)/lib/modules/$(KVER)/updates
MODPROBEDIR = $(DESTDIR)/etc/modprobe.d
MODULES = sch_codel_oot.ko sch_fq_codel_oot.ko

.PHONY: all modules plugins tc install uninstall demo check check-all bench lab selftest clean

all: modules plugins

modules:
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel headers in $(KDIR): install those of $(KVER), or set KDIR" >&2; \
		exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) W=$(W) modules

plugins:
	$(MAKE) -C tc

tc:
	$(MAKE) -C tc iproute2 IPROUTE2_SRC=$(abspath $(IPROUTE2_SRC))

install:
	install -d $(MODDIR) $(MODPROBEDIR)
	install -m 644 $(MODULES) $(MODDIR)
	install -m 644 scripts/modprobe.conf $(MODPROBEDIR)/codel-oot.conf
	$(MAKE) -C tc install DESTDIR=$(DESTDIR)
	$(if $(DESTDIR),,depmod $(KVER))

uninstall:
	rm -f $(addprefix $(MODDIR)/,$(MODULES)) $(MODPROBEDIR)/codel-oot.conf
	$(MAKE) -C tc uninstall DESTDIR=$(DESTDIR)
	$(if $(DESTDIR),,depmod $(KVER))

demo:
	scripts/setup
	tests/demo/run

check:
	scripts/setup check
	tests/check $(if $(MINUTES),--minutes $(MINUTES))

check-all:
	scripts/setup check
	tests/check --all

bench:
	scripts/setup
	tests/bench/run

EXPERIMENTS = $(if $(EXP),$(EXP:%=tests/lab/experiments/%.toml),$(sort $(wildcard tests/lab/experiments/*.toml)))

lab:
	scripts/setup
	tests/lab/run $(if $(GRID),--grid $(GRID)) $(EXPERIMENTS)
	tests/lab/report.py

selftest:
	tests/selftest

clean:
	-$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tc clean
	$(MAKE) -C tests/unit clean
	$(MAKE) -C tests/pool clean
	$(MAKE) -C tests/codelstat clean
