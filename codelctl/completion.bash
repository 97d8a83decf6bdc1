# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Completion of codelctl's commands, devices, options and their values

_codelctl()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words
	local settings="--up --down --link --overhead --mpu --cells --vlan --kind --offloads
		--target --interval --ceiling --ecn --no-ecn --nat --no-nat --diffserv --isolation --queues
		--follow --no-follow"
	local one

	# Behind --up- and --down-: of one direction
	for one in target interval ceiling ecn nat diffserv isolation queues; do
		settings+=" --up-$one --down-$one"
	done
	settings+=" --no-up-ecn --no-down-ecn --no-up-nat --no-down-nat"
	case $previous in
	codelctl) words="setup undo show enable disable doctor prove compare --help --version" ;;
	setup | undo | enable | disable | prove | compare | doctor) words=$(ls /sys/class/net) ;;
	show) words="$(ls /sys/class/net) --json" ;;
	--link) words="raw ethernet fibre pppoe-fibre lte starlink docsis cable vdsl pppoe-vdsl adsl pppoe-adsl pppoa-adsl ipoa-adsl conservative" ;;
	--kind) words="fq_codel_oot codel_oot fq_codel codel cake" ;;
	--cells) words="none atm ptm" ;;
	--diffserv | --*-diffserv) words="besteffort precedence diffserv3 diffserv4 diffserv8" ;;
	--isolation | --*-isolation) words="flows hosts dual triple" ;;
	--queues | --*-queues) words="auto one" ;;
	--up | --down | --ceiling | --*-ceiling) words=off ;;
	--offloads) words="auto off keep" ;;
	--overhead | --target | --interval | --*-target | --*-interval | --mpu | --vlan | --server | --seconds | --picture) words= ;;
	*)
		case ${COMP_WORDS[1]} in
		setup) words="$settings --dry-run" ;;
		enable) words=$settings ;;
		undo) words=--dry-run ;;
		doctor) words="--server --seconds --json" ;;
		prove) words="--server --seconds --picture --json" ;;
		compare) words="none fq_codel_oot codel_oot fq_codel codel cake --server --seconds --picture --json" ;;
		*) words= ;;
		esac
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _codelctl codelctl
