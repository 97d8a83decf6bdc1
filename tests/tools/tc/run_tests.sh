#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# The tests of the tc front ends that need none of the modules, as KTAP:
# run_tests.sh check|check-foreign PLUGINS TC ROUNDS [IPROUTE2_SRC]. Called by make. check-foreign
# fetches flent and, without IPROUTE2_SRC, Debian's source package of iproute2.
# shellcheck disable=SC2317 # cases are called by test_case
set -u

chosen=$1 plugins=$2 tc=$3 rounds=$4 source=${5:+$(realpath "$5")}
cd "$(dirname "$0")" || exit
# shellcheck source=tests/kernel/lib/ktap.sh
. ../../kernel/lib/ktap.sh

tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT

# test_case NAME COMMAND...: a case that passes if the command does
test_case() {
	local name=$1

	shift
	if "$@" >"$tmp/log" 2>&1; then
		grep '^  ' "$tmp/log" | grep -E '^  (TAP|1\.\.|#|ok|not ok)'
		ktap_result "$KTAP_PASS" "$name"
	else
		sed '/^ /! s/^/# /' "$tmp/log"
		ktap_result "$KTAP_FAIL" "$name"
	fi
}

# KTAP nests by two spaces
nested() {
	local status

	"$@" >"$tmp/nested" 2>"$tmp/errors"
	status=$?
	sed 's/^/  /' "$tmp/nested"
	cat "$tmp/errors"
	return "$status"
}

# shellcheck disable=SC2086 # TC may be a command with arguments
test_plugins() {
	nested python3 test_plugins.py --plugins "$plugins" \
		--fakekernel "$PWD/fakekernel.so" "$@"
}

# Nothing else is exported, and an incomplete tc is found out at once
symbols() {
	local so kind

	for kind in codel fq_codel; do
		so=$plugins/q_$kind.so
		diff <(nm -D --defined-only "$so" | cut -d ' ' -f 3 | sort) \
			<(printf '%s\n' "${kind}_oot_qdisc_util" \
				"${kind}_qdisc_util" | sort) || return
		readelf -d "$so" | grep -q BIND_NOW || return
		cmp "$so" "$plugins/q_${kind}_oot.so" || return
	done
}

# Installs under DESTDIR, where that tc looks, and leaves nothing behind
installation() {
	local root=$tmp/root
	local -a install=(make -s -C "$plugins" "DESTDIR=$root" "TC=$tc")
	local kind files

	"${install[@]}" install || return
	for kind in codel fq_codel codel_oot fq_codel_oot; do
		files=$(find -L "$root" -type f -name "q_$kind.so") || return
		grep -qaF "$(dirname "${files#"$root"}")/" "${tc%% *}" || {
			echo "$files is not where $tc looks"
			return 1
		}
	done
	find "$root" -name 'tc-*codel_oot.8' | grep -c . | grep -qx 2 || return
	find -L "$root" -path '*/man7/*codel_*.7' -type f | grep -c . | grep -qx 3 || return
	"${install[@]}" uninstall || return
	files=$(find "$root" ! -type d) && test -z "$files"
}

# kernel NAME: a kernel's headers and modules under $root
kernel() {
	mkdir -p "$root/lib/modules/$1/build/include/config" || return
	echo "$1" >"$root/lib/modules/$1/build/include/config/kernel.release"
	touch "$root/lib/modules/$1/modules.dep"
}

# The whole project: modules go to the kernel of KDIR, and those of all kernels are removed.
# A copy, as there may be no modules
project() {
	local top=$tmp/project root="$tmp/two words" name
	local -a make=(make -s -C "$top" "DESTDIR=$root" "TC=$tc")

	mkdir "$top" && cp -a "$plugins"/../{Makefile,scripts,man,tc,uapi,qdisc,codelctl} "$top" &&
		touch "$top"/sch_{codel,fq_codel}_oot.ko &&
		kernel 6.1.0-one && kernel 6.12.0-two || return
	find "$root" -type f | sort >"$tmp/before"
	! "${make[@]}" install KDIR="$tmp" 2>"$tmp/said" || return
	grep -qx "$tmp/include/config/kernel.release is missing: set KDIR .*" "$tmp/said" || return
	for name in 6.1.0-one 6.12.0-two; do
		"${make[@]}" install KDIR="$root/lib/modules/$name/build" || return
		test -f "$root/lib/modules/$name/updates/sch_codel_oot.ko" || return
	done
	"${make[@]}" install KDIR="$tmp" KERNELRELEASE=7.0.0-three || return
	test -f "$root/lib/modules/7.0.0-three/updates/sch_fq_codel_oot.ko" || return
	test -f "$root/etc/modprobe.d/codel-oot.conf" || return
	"${make[@]}" uninstall || return
	diff "$tmp/before" <(find "$root" -type f -o -name updates | sort)
}

help() {
	make -s -C "$plugins/.." help | grep -q '^make install  '
}

headers() {
	cc -std=gnu11 -D_GNU_SOURCE -Wall -Werror -Wno-enum-int-mismatch \
		-I"$1/include" -I"$1/include/uapi" -I"$1/tc" \
		-fsyntax-only headers.c
}

not_a_source() {
	mkdir -p "$tmp/empty"
	! make -s -C "$plugins" iproute2 IPROUTE2_SRC="$tmp/empty" \
		2>"$tmp/said" &&
		grep -q 'not an unpacked iproute2 source' "$tmp/said"
}

# checksums TREE: of the files that make does not make
checksums() {
	(cd "$1" && find . -name '*.[chyl]' ! -name 'emp_ematch.*' \
		! -name 'static-syms.h' -exec sha256sum {} + | sort -k 2)
}

# Build in a copy; its sources must not change
build_in_tree() {
	cp -a "$source" "$tmp/tree" && make -s -C "$tmp/tree" clean || return
	checksums "$tmp/tree" >"$tmp/before"
	make -s -C "$plugins" iproute2 IPROUTE2_SRC="$tmp/tree" || return
	checksums "$tmp/tree" | diff "$tmp/before" -
}

# After a failed build, the ordinary build of the tree works
failed_build() {
	cp -a "$plugins" "$tmp/tc" &&
		cp -r "$plugins"/../uapi "$tmp" &&
		echo '#error "meant to fail"' >>"$tmp/tc/q_fq_codel.c" || return
	! make -s -C "$tmp/tc" iproute2 IPROUTE2_SRC="$tmp/tree" || return
	make -s -C "$tmp/tree" SUBDIRS='lib tc' || return
	! nm -D "$tmp/tree/tc/tc" | grep codel_oot
}

# A program that parses the stock tc's output can parse the plugins' output
# shellcheck disable=SC2086
flent() {
	local status=0

	../../../scripts/foreign.py flent >"$tmp/flent" 2>"$tmp/why" || status=$?
	if [ "$status" -eq "$KTAP_SKIP" ]; then
		ktap_result "$KTAP_SKIP" flent "$(tail -n 1 "$tmp/why")"
		return
	fi
	test_case flent /usr/bin/python3 test_flent.py --flent "$(cat "$tmp/flent")" \
		--plugins "$plugins" --fakekernel "$PWD/fakekernel.so" $tc
}

# Programs that a build of iproute2 requires
have_tools() {
	local tool

	for tool in bison flex gcc; do
		command -v $tool >/dev/null || return
	done
}

# What needs nothing but this tree and the tc of this machine
own() {
	ktap_plan 8
	test_case symbols symbols
	test_case installation installation
	test_case project project
	test_case help help
	test_case fuzz ./fuzz "$rounds"
	# shellcheck disable=SC2086
	test_case plugins test_plugins $tc
	# shellcheck disable=SC2086
	test_case schema nested ./test_schema.py $tc
	test_case not_a_source not_a_source
}

foreign() {
	local name

	ktap_plan 6
	test_case fuzz ./fuzz "$rounds"
	flent
	if [ -z "$source" ] && have_tools && ./iproute2_source "$tmp/source" >"$tmp/log" 2>&1; then
		source=$tmp/source
	fi
	if [ -z "$source" ]; then
		for name in headers build_in_tree built_in failed_build; do
			ktap_result "$KTAP_SKIP" $name "no iproute2 source, or no bison, flex, gcc"
		done
		return
	fi
	test_case headers headers "$source"
	test_case build_in_tree build_in_tree
	test_case built_in test_plugins --builtin "$tmp/tree/tc/tc"
	test_case failed_build failed_build
}

case $chosen in
check) own ;;
check-foreign) foreign ;;
*) echo "usage: run_tests.sh check|check-foreign PLUGINS TC ROUNDS [IPROUTE2_SRC]" >&2; exit 2 ;;
esac
ktap_exit
