# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# make                 modules, tc plugins, codelstat
# make install         modules to updates/, plugins to tc's folder, codelctl, man pages
# make uninstall       removes what make install installed, and the modules of all kernels
# make demo            bufferbloat before and after, in virtual machines: a table, and a picture in out/demo.png
# make check           the tests that tell most, in virtual machines
# make check-all       every test on every release; continues after an interrupt
# make check HOST=sid  the same on a freshly installed host (bookworm, trixie, sid); also demo and check-all
# make check TIMELINE=n  the same in the course of events n; also check-all
# make check-install   the packages on machines of every release: install, set up, reboot, upgrade, purge
# make bench           instructions per packet, in virtual machines
# make lab             the experiments of the papers, in virtual machines; EXP=name, GRID=full
# make prove           the proofs (doc/proof.md): a table, an hour at most
# make selftest        the namespace selftests on this machine's own kernel
# make deb             Debian packages in out/deb, built in a clean root; RELEASE=bookworm|trixie|sid
# make tc              a tc in IPROUTE2_SRC that needs no plugins
# make help            this list
#
# KDIR, KERNELRELEASE and DESTDIR are honoured as by the kernel's builds: modules are
# installed for the kernel of KDIR.

KDIR ?= /lib/modules/$(or $(KERNELRELEASE),$(shell uname -r))/build
KVER := $(or $(KERNELRELEASE),$(shell cat '$(KDIR)/include/config/kernel.release' 2>/dev/null))
DESTDIR ?=
MODDIR = $(DESTDIR)/lib/modules/$(KVER)/updates
MODPROBEDIR = $(DESTDIR)/etc/modprobe.d
MODULES = sch_codel_oot.ko sch_fq_codel_oot.ko

.PHONY: all help modules plugins tc deb need-root install uninstall demo check check-all check-install bench lab prove selftest clean

all: modules plugins

modules:
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel headers in $(KDIR): run 'sudo apt install linux-headers-$(or $(KVER),$$(uname -r))', or set KDIR" >&2; \
		exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) W=$(W) modules

plugins:
	$(MAKE) -C tc

tc:
	$(MAKE) -C tc iproute2 IPROUTE2_SRC=$(abspath $(IPROUTE2_SRC))

deb:
	scripts/setup
	scripts/deb $(if $(RELEASE),--release $(RELEASE))

# Whether this user may write below DESTDIR is left to the commands
need-root:
	@test '$(DESTDIR)' || test "$$(id -u)" = 0 || { \
		echo "root is required: run 'sudo make $(MAKECMDGOALS)'" >&2; exit 1; }

install: need-root
	@for module in $(MODULES); do \
		test -e $$module || { echo "$$module is missing: run 'make' first" >&2; exit 1; }; \
	done
	@test '$(KVER)' || { \
		echo "$(KDIR)/include/config/kernel.release is missing: set KDIR to a kernel's headers" >&2; \
		exit 1; }
	install -d '$(MODDIR)' '$(MODPROBEDIR)'
	install -m 644 $(MODULES) '$(MODDIR)'
	install -m 644 scripts/modprobe.conf '$(MODPROBEDIR)/codel-oot.conf'
	$(MAKE) -C tc install DESTDIR='$(DESTDIR)'
	$(MAKE) -C codelctl install DESTDIR='$(DESTDIR)'
	$(if $(DESTDIR),,depmod $(KVER))

# A kernel that was removed has no modules.dep, and must not get one again
uninstall: need-root
	for kernel in '$(DESTDIR)'/lib/modules/*; do \
		for module in $(MODULES); do \
			test -e "$$kernel/updates/$$module" || continue; \
			rm "$$kernel/updates/$$module" || exit; \
			test '$(DESTDIR)' || test ! -e "$$kernel/modules.dep" || \
				depmod "$${kernel##*/}" || exit; \
			rmdir --ignore-fail-on-non-empty "$$kernel/updates" "$$kernel"; \
		done; \
	done
	rm -f '$(MODPROBEDIR)/codel-oot.conf'
	$(MAKE) -C tc uninstall DESTDIR='$(DESTDIR)'
	$(MAKE) -C codelctl uninstall DESTDIR='$(DESTDIR)'

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

IN_TIMELINE = $(if $(TIMELINE),CODEL_TIMELINE=$(TIMELINE))

ifdef HOST
demo check check-all:
	scripts/setup
	tests/packages/host/run $(HOST) -- make $@ $(if $(TIMELINE),TIMELINE=$(TIMELINE))
else
demo: need-root
	scripts/setup
	lab/run --json out/demo.json --picture out/demo.png lab/scenarios/demo.toml

check:
	scripts/setup check
	$(IN_TIMELINE) tests/check

check-all:
	scripts/setup check-all
	$(IN_TIMELINE) tests/check --all
endif

check-install:
	scripts/setup check-all
	for release in bookworm trixie sid; do \
		tests/packages/deb/install $$release && tests/packages/deb/lifecycle $$release && \
		tests/packages/deb/managers $$release || exit; \
	done
	for release in bookworm trixie sid; do tests/packages/deb/plugins $$release || exit; done

bench:
	scripts/setup
	bench/run

EXPERIMENTS = $(if $(EXP),$(EXP:%=lab/experiments/%.toml),$(sort $(wildcard lab/experiments/*.toml)))

lab:
	scripts/setup
	lab/run $(if $(GRID),--grid $(GRID)) $(EXPERIMENTS)
	lab/report.py

prove:
	scripts/setup
	proof/run

selftest:
	tests/kernel/selftest

clean:
	-$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tc clean
	$(MAKE) -C tests/algorithm/unit clean
	$(MAKE) -C tests/algorithm/shaper clean
	$(MAKE) -C tests/algorithm/far clean
	$(MAKE) -C tests/algorithm/flows clean
	$(MAKE) -C tests/tools/codelstat clean
