#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# Each patch of a mutant applies to the tree, so that a change of the code does not leave it behind until the mutants
# are built, which takes long.
# check: all
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=tests/mutants.sh
. ./mutants.sh

mapfile -t FILES < <(find . ../proof -name mutants.patch | sort)
((${#FILES[@]} > 0)) || exit 1
ktap_plan "$(cat "${FILES[@]}" | grep -c '^mutant: ')"
for file in "${FILES[@]}"; do
	mapfile -t NAMES < <(sed -n 's/^mutant: //p' "$file")
	for i in "${!NAMES[@]}"; do
		said=$(mutant_break "$file" $((i + 1)) .. --dry-run 2>&1)
		status=$?
		((status == 0)) || ktap_notes <<<"$said"
		ktap_result $status "${file#./}: ${NAMES[i]}"
	done
done
ktap_exit
