# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Which module serves a kind of qdisc. `modprobe sch_codel_oot` registers the plain name
# codel as well if the name is free, and modprobe.d aliases sch_codel to that module: a
# comparison with an in-tree qdisc has to prove that an in-tree module serves it.
# Needs no other file of the tests; needs root, ip and tc.

# served_by KIND: print the module that serves KIND now, or "built-in". The kernel answers:
# a qdisc of this kind holds a reference to the module while the qdisc exists. Status 2: the
# kernel has no such qdisc
served_by()
{
	local ns=codel-served-$BASHPID found

	ip netns add "$ns" || return 1
	if ! tc -n "$ns" qdisc add dev lo root "$1" 2>/dev/null; then
		ip netns del "$ns"
		echo "$1: this kernel has no such qdisc" >&2
		return 2
	fi
	found=$(served_references "$ns" "$1")
	ip netns del "$ns"
	if [[ $found == *$'\n'* ]]; then
		echo "$1: cannot tell which module serves it: ${found//$'\n'/ or }" >&2
		return 1
	fi
	echo "${found:-built-in}"
}

# served_references NS KIND: the modules whose reference count falls without the qdisc and
# rises again with it. One change alone may be that of another namespace, which is just
# going
served_references()
{
	{
		grep -H . /sys/module/*/refcnt
		tc -n "$1" qdisc del dev lo root
		grep -H . /sys/module/*/refcnt
		tc -n "$1" qdisc add dev lo root "$2"
		grep -H . /sys/module/*/refcnt
	} | awk -F '[/:]' '{ counts[$4] = counts[$4] " " $NF }
		END {
			for (module in counts) {
				split(counts[module], n, " ")
				if (n[2] < n[1] && n[2] < n[3])
					print module
			}
		}'
}

# served_in_tree MODULE: built in, or a module that does not taint the kernel as out-of-tree
served_in_tree()
{
	[[ $1 == built-in || $(<"/sys/module/$1/taint") != *O* ]]
}

# require_in_tree KIND: load the in-tree module, and fail unless it serves KIND
require_in_tree()
{
	local module

	# Fails where there is no such module, or where another module has the name already
	modprobe -q -C /dev/null "sch_$1" 2>/dev/null || :
	module=$(served_by "$1") || return
	served_in_tree "$module" && return
	echo "$1: the out-of-tree $module serves it; load the in-tree sch_$1 before $module" >&2
	return 1
}

# require_out_of_tree KIND: fail unless an out-of-tree module serves KIND
require_out_of_tree()
{
	local module

	module=$(served_by "$1") || return
	served_in_tree "$module" || return 0
	echo "$1: the in-tree qdisc ($module) serves it; load the out-of-tree module" >&2
	return 1
}
