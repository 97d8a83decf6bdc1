# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Modules that serve codel and fq_codel in place of those of the kernel, which was booted without fq_codel (WITHOUT_FQ_CODEL in
# vm/vmlib/machine.py).

# patched_id MODULE: the build ID of a loaded module. It names the very instructions
patched_id()
{
	od -An -v -tx1 -j16 "/sys/module/$1/notes/.note.gnu.build-id" | tr -d ' \n'
}

# patched_load FILE...: load them. A kernel without its default qdisc has asked for a module, and modprobe.d names the
# out-of-tree one
patched_load()
{
	local file

	echo pfifo_fast >/proc/sys/net/core/default_qdisc
	[[ ! -d /sys/module/sch_fq_codel_oot ]] || rmmod sch_fq_codel_oot
	for file; do
		insmod "$file" || return
	done
}
