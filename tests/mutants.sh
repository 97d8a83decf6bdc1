# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
#
# Do tests notice when the code is wrong? A file of patches breaks copies of the code, each in one way: a line
# "mutant: NAME", and its patch. The tests must fail on every broken copy, and pass on the copy that is not broken.
# A test script defines four functions, and ends with `mutants_main FILE "$@"`:
#
#	mutants_prepare FOLDER	makes a new folder with what all copies share
#	mutant_copy SHARED FOLDER	copies that and the code to a new folder
#	mutant_build FOLDER	builds the tests with that code
#	mutant_test FOLDER	runs them, and prints KTAP; status 0: all passed
#
# shellcheck source=tests/kernel/lib/ktap.sh
. "$(dirname "${BASH_SOURCE[0]}")/kernel/lib/ktap.sh"

MUTANTS=()	# names
MUTANTS_JOBS=$(nproc)	# copies at a time
MUTANTS_WORK=	# the folder of all copies

# mutant_break FILE N FOLDER [OPTION...]: without fuzz, so that a patch for other code than this fails
mutant_break()
{
	(($2 == 0)) || awk -v number="$2" '/^mutant: / { i++ } i == number' "$1" |
		patch -d "$3" -p1 --force --fuzz=0 --reject-file=- "${@:4}"
}

# mutant_verdict N FOLDER: from the status and the output of the tests
mutant_verdict()
{
	mutant_test "$2" >"$2/out" 2>&1
	case $?,$1 in
	0,0) echo ok ;;
	0,*) echo 'nothing noticed it' ;;
	*,0) grep '^not ok' "$2/out" ;;
	*) sed -n 's/^not ok [0-9]* /ok by: /p' "$2/out" | head -n 1 ;;
	esac
}

# mutant_try FILE N: break a copy, build the tests with it, run them: the verdict goes to N.result
mutant_try()
{
	local dir=$MUTANTS_WORK/$2

	mutant_copy "$MUTANTS_WORK/shared" "$dir"
	if ! mutant_break "$1" "$2" "$dir" >"$dir.log" 2>&1; then
		(echo 'the patch does not apply' && cat "$dir.log") >"$dir.result"
	elif ! mutant_build "$dir" >"$dir.log" 2>&1; then
		(echo 'does not build' && cat "$dir.log") >"$dir.result"
	else
		mutant_verdict "$2" "$dir" >"$dir.result"
	fi
	rm -r "$dir"
}

mutant_report()
{
	local result

	result=$(cat "$MUTANTS_WORK/$1.result")
	case $result in
	ok) ;;
	ok*) echo "# noticed ${result#ok }" ;;
	*) printf '%s\n' "${result:-no result was bad, but the status}" | ktap_notes ;;
	esac
	[[ $result == ok* ]]
	ktap_result $? "broken: ${MUTANTS[$1]}"
}

mutants_help()
{
	cat <<-END
		usage: $0 [WORD...]
		Break copies of the code, and test that the tests notice. Prints KTAP.
		With WORDs, only the copies that have one of them in their names.
	END
}

# mutants_select WORD...: keep their numbers, by which mutant_break finds the patches
mutants_select()
{
	local i word kept

	for i in "${!MUTANTS[@]}"; do
		kept=
		for word; do
			[[ ${MUTANTS[i]} != *"$word"* ]] || kept=yes
		done
		[[ $kept ]] || unset "MUTANTS[i]"
	done
	if ((${#MUTANTS[@]} == 0)); then
		echo "$0: no mutant has one of these words: $*" >&2
		exit 2
	fi
}

mutants_main()
{
	local file=$1 i

	MUTANTS=('the one that is not broken')
	mapfile -t -O 1 MUTANTS < <(sed -n 's/^mutant: //p' "$file")
	((${#MUTANTS[@]} > 1)) || exit 1
	if [[ ${2-} == -h || ${2-} == --help ]]; then
		mutants_help
		exit
	fi
	((${#} == 1)) || mutants_select "${@:2}"
	ktap_plan "${#MUTANTS[@]}"
	MUTANTS_WORK=$(mktemp -d) || exit 1
	trap 'rm -rf "$MUTANTS_WORK"' EXIT
	trap 'exit 1' INT TERM
	mutants_prepare "$MUTANTS_WORK/shared" || exit 1
	for i in "${!MUTANTS[@]}"; do
		while (($(jobs -rp | wc -l) >= MUTANTS_JOBS)); do
			wait -n
		done
		mutant_try "$file" "$i" &
	done
	wait
	for i in "${!MUTANTS[@]}"; do
		mutant_report "$i"
	done
	ktap_exit
}
