#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
#
# Without headers, libraries, root rights or Python, each program prints one sentence with the command that helps. It
# fails, unless the sentence is a warning.

set -u

cd "$(dirname "$0")/../../.." || exit 1
top=$PWD
# shellcheck source=tests/kernel/lib/ktap.sh
. tests/kernel/lib/ktap.sh
[[ $EUID -eq 0 ]] || ktap_skip_all "root is needed, to become another user"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The files that another user may read and write
git ls-files -z --cached --others --exclude-standard | (cd "$top" && xargs -0 cp --parents -t "$work") || exit 1
chmod -R a+rwX "$work"
cd "$work" || exit 1

# says STATUS SENTENCE COMMAND...: the command ends with this status, and the sentence is what it prints, make's own lines
# aside
says()
{
	local expected=$1 sentence=$2 status=0

	shift 2
	"$@" >printed 2>&1 </dev/null || status=$?
	grep -v '^make' printed >said
	if [[ $status -eq $expected && $(<said) == "$sentence" ]]; then
		ktap_result "$KTAP_PASS" "$sentence"
	else
		echo "# status $status, not $expected, of: $*"
		ktap_notes printed
		ktap_result "$KTAP_FAIL" "$sentence"
	fi
}

user()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/ "$@"
}

# without_python COMMAND...: where there is none
without_python()
{
	# shellcheck disable=SC2016 # of the other shell
	unshare --mount sh -c 'mount --bind /dev/null /usr/bin/python3 && exec "$@"' sh "$@"
}

# A PATH in which a package is missing, as scripts/setup sees it
mkdir bin
ln -s "$(type -P bash)" "$(type -P sort)" "$(type -P apt-get)" "$(type -P grep)" bin
setup()
{
	sed -i 's/^PATH=.*//' scripts/setup
	sed -i '/^needs=(/,/^)/ { /:/d }; s/^needs=(/needs=(nosuch:libmnl-dev/' scripts/setup
	user env PATH="$work/bin" bash scripts/setup
}

ktap_plan 9
says 2 "no kernel headers in /nonexistent: run 'sudo apt install linux-headers-6.1.0-1-amd64', or set KDIR" \
	make modules KDIR=/nonexistent KERNELRELEASE=6.1.0-1-amd64
says 0 "codelstat is left out: libmnl or libmicrohttpd is missing: run 'sudo apt install libmnl-dev libmicrohttpd-dev pkgconf'" \
	make -s -C tc no-codelstat PKG_CONFIG=false
says 2 "root is required: run 'sudo make install'" user make install
says 2 "root is required: run 'sudo make uninstall'" user make uninstall
says 2 "sch_codel_oot.ko is missing: run 'make' first" make install DESTDIR="$work/root"
folders=()
for name in SBINDIR LIBDIR UNITDIR MANDIR COMPLETIONS SQMDIR; do
	folders+=("$name=$work/installed/$name")
done
says 0 "codelctl requires Python: run 'sudo apt install python3'" \
	without_python make -s -C codelctl install "${folders[@]}"
says 2 "codelctl: root is required: run \`sudo codelctl setup eth0 --up 1mbit\`" \
	user codelctl/codelctl setup eth0 --up 1mbit
says 1 "scripts/setup: packages are missing: run 'sudo apt-get install libmnl-dev'" setup
says 2 "root is required: run 'sudo make demo'" user make demo
ktap_exit
