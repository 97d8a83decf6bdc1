# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Mutants of the whole tree, for tests that install a copy in a machine: three of the functions that mutants.sh asks for.
# Source it in place of mutants.sh; before, MUTANTS_TREE may be set.
#
# shellcheck source=tests/mutants.sh
. "$(dirname "${BASH_SOURCE[0]}")/mutants.sh"

: "${MUTANTS_TREE:=get}"	# what is built of a copy, a function of vmlib/tree.py: get or qdiscs
MUTANTS_JOBS=1	# the test takes all processors

mutants_prepare()
{
	PYTHONPATH=../../vm /usr/bin/python3 -B - "$1" <<-'END'
		import sys
		from pathlib import Path
		from vmlib import tree
		tree.copy(tree.TOP, tree.files(), Path(sys.argv[1]))
	END
}

mutant_copy()
{
	cp -pr "$1" "$2"
}

mutant_build()
{
	PYTHONPATH=$1/vm /usr/bin/python3 -B - "$MUTANTS_TREE" <<-'END'
		import sys
		from vmlib import releases, tree
		getattr(tree, sys.argv[1])(releases.get("trixie"))
	END
}
