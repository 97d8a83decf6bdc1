# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# For tests that load and unload the modules themselves. Source it after lib.sh, with
# LIB_NO_KINDS=1. CODEL_TEST_MODULES=no skips such a test on machines that use the modules.

[[ ${CODEL_TEST_MODULES:-yes} != no ]] || ktap_skip_all "modules are to be left alone here"
lib_require insmod modinfo modprobe rmmod
[[ $EUID -eq 0 ]] || ktap_skip_all "root is needed"
modinfo sch_codel_oot sch_fq_codel_oot >/dev/null 2>&1 ||
	ktap_skip_all "the modules are not installed"

OOT="sch_codel_oot sch_fq_codel_oot"

loaded()
{
	[[ -d /sys/module/$1 ]]
}

# Called by busywait: check the reference count first, which costs less than rmmod
unload()
{
	local users

	loaded "$1" || return 0
	read -r users <"/sys/module/$1/refcnt" && ((users == 0)) && rmmod "$1" 2>/dev/null
}

# The qdiscs of deleted namespaces are deleted a moment later
unload_all()
{
	local module

	for module in $OOT sch_codel; do
		busywait 10 unload "$module" || fail "$module is in use"
	done
}

# No module is loaded at the beginning and at the end of a case
start()
{
	unload_all
	# A module that an earlier test left in use would make the result meaningless
	[[ ! -s $LIB_TMP/failed ]] || exit 1
	defer unload_all
}

load()
{
	insmod "$(modinfo -n "$1")" "${@:2}"
}

# Not modprobe, which succeeds even if the kernel rejects the module because its name is in use
load_in_tree_codel()
{
	insmod "$(find "/lib/modules/$(uname -r)/kernel" -name 'sch_codel.ko*')"
}
