# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Cases, and checks that the scripts of several tests share. deblib/results.py numbers the cases.

# ok NAME COMMAND...: one case, passed when the command succeeds
ok() {
	local name=$1

	shift
	if "$@" >/tmp/said 2>&1; then
		echo "ok - $name"
		return
	fi
	echo "# failed: $*"
	tail -n 40 /tmp/said | sed 's/^/# /'
	echo "not ok - $name"
}

is() { [[ $1 == "$2" ]] || { echo "'$1' instead of '$2'"; return 1; }; }

# says TEXT COMMAND...: the command prints the text
says() {
	local text=$1

	shift
	"$@" 2>&1 | tee /tmp/printed
	grep -q -- "$text" /tmp/printed || { echo "'$text' is not printed by $*"; return 1; }
}

# version: of the installed modules
version() { dpkg-query -W -f '${Version}' codel-oot-dkms | sed 's/~.*//'; }

# has_modules KERNEL: DKMS has installed and signed both
has_modules() {
	local module

	for module in sch_codel_oot sch_fq_codel_oot; do
		is "$(modinfo -k "$1" -n "$module" | sed 's/\.ko.*//')" "/lib/modules/$1/updates/dkms/$module" || return
		is "$(modinfo -k "$1" -F version "$module")" "$(version)" || return
		[[ $(modinfo -k "$1" -F signer "$module") ]] || { echo "$module is not signed"; return 1; }
	done
}

has_no_modules() { ! modinfo -k "$1" sch_codel_oot && ! modinfo -k "$1" sch_fq_codel_oot; }
