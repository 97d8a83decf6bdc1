#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: options
#
# The script for sqm-scripts, which codelctl installs (codelctl/sqm). Debian has no package of sqm-scripts, so sqm() has
# what the script uses of them: the variables of a configuration, defaults.sh, and the call of egress() and ingress().
# With SQM_LIB_DIR in the environment, their defaults.sh and functions.sh are used. The topology is that of test_codelctl.sh.
#

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$LIB_DIR/traffic.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"

SCRIPT=/usr/lib/sqm/codel_oot.qos
REAL=${SQM_LIB_DIR:-}

# stand_in FOLDER: for sqm-scripts, with their defaults
stand_in()
{
	mkdir "$1"
	cat >"$1/defaults.sh" <<-'END'
		: "${QDISC:=fq_codel}" "${LINKLAYER:=none}" "${OVERHEAD:=0}" "${STAB_MPU:=0}" "${LIMIT:=1001}" "${IECN:=ECN}" "${EECN:=ECN}"
		: "${ILIMIT:=}" "${ELIMIT:=}" "${ITARGET:=}" "${ETARGET:=}" "${IQDISC_OPTS:=}" "${EQDISC_OPTS:=}"
		TC=run_tc IP=ip
	END
	cat >"$1/functions.sh" <<-'END'
		# A removal that is silent may fail
		run_tc()
		{
			quiet=${SILENT:-0} SILENT=0
			tc "$@" 2>"$SQM_STATE_DIR/said" || [ "$quiet" = 1 ] || { cat "$SQM_STATE_DIR/said" >&2; return 1; }
		}
		sqm_start_default()
		{
			DEV=ifb4$IFACE
			ip link add "$DEV" type ifb
			egress && ingress
		}
		sqm_stop()
		{
			tc qdisc del dev "$IFACE" ingress
			tc qdisc del dev "$IFACE" root
			ip link del "$CUR_IFB"
		}
	END
}

# sqm start|stop NAME=VALUE...: as `sqm` does with a configuration file of r1. Returns the status of the shell
sqm()
{
	local action=$1

	shift
	[[ -d $LIB_TMP/sqm ]] || stand_in "$LIB_TMP/sqm"
	mkdir -p "$LIB_TMP/state"
	# shellcheck disable=SC2016 # for the other shell
	in_ns "$ROUTER" env UPLINK=8000 DOWNLINK=20000 "$@" IFACE=r1 CUR_IFB=ifb4r1 SCRIPT="$SCRIPT" SQM_SYSLOG=0 ACTION="$action" \
		SQM_LIB_DIR="${REAL:-$LIB_TMP/sqm}" SQM_STATE_DIR="$LIB_TMP/state" sh -ec '
			. "$SQM_LIB_DIR/functions.sh"
			. "$SQM_LIB_DIR/defaults.sh"
			. "$SCRIPT"
			case $ACTION in start) sqm_start_default ;; *) sqm_stop ;; esac' >"$LIB_TMP/said" 2>&1
}

# starts NAME=VALUE...
starts()
{
	sqm start "$@" || fail "start $*: status $?: $(<"$LIB_TMP/said")"
	! grep -q "ERROR\|WARNING" "$LIB_TMP/said" || fail "start $*: $(<"$LIB_TMP/said")"
}

stops()
{
	sqm stop "$@" || fail "stop: status $?: $(<"$LIB_TMP/said")"
	check "links after stop" "$(links)" == "lo r0 r1"
	check "the root after stop" "$(qdisc_get "$ROUTER" r1 root .kind)" == noqueue
}

# shows DEV FIELDS VALUES: of the root qdisc
shows()
{
	check "$1" "$(queue_get "$1" "[.kind, (.options | $2)] | tojson")" == "$3"
}

RATE=".rate, .overhead, .mpu, .atm, .ingress"

options()
{
	topology
	starts
	shows r1 "$RATE, .limit, .target, .ecn" '["fq_codel_oot",1000000,null,0,"noatm",false,1001,5000,true]'
	shows ifb4r1 "$RATE, .limit, .target, .ecn" '["fq_codel_oot",2500000,null,0,"noatm",true,1001,5000,true]'
	stops
	starts QDISC=codel_oot LINKLAYER=atm OVERHEAD=44 STAB_MPU=0 ELIMIT=77 ILIMIT=88 ETARGET=7ms ITARGET=auto EECN=NOECN \
		IQDISC_OPTS="interval 80ms" EQDISC_OPTS="ceiling 90ms"
	shows r1 "$RATE, .limit, .target, .ecn, .ceiling" '["codel_oot",1000000,44,0,"atm",false,77,7000,false,90000]'
	shows ifb4r1 "$RATE, .limit, .target, .ecn, .interval" '["codel_oot",2500000,44,0,"atm",true,88,5000,true,80000]'
	stops QDISC=codel_oot
	starts LINKLAYER=ethernet OVERHEAD=18 STAB_MPU=64
	shows r1 "$RATE" '["fq_codel_oot",1000000,18,64,"noatm",false]'
	shows ifb4r1 "$RATE" '["fq_codel_oot",2500000,18,64,"noatm",true]'
	# A second start takes the place of the first, as a reload does after a failure
	ip -n "$ROUTER" link del ifb4r1
	starts
	shows r1 "$RATE" '["fq_codel_oot",1000000,null,0,"noatm",false]'
	stops
}

# Both directions carry the packets, and another MTU is the ifb's, too
traffic()
{
	topology
	ip -n "$ROUTER" link set r1 mtu 1400
	starts
	check "MTU" "$(ip -n "$ROUTER" -j link show dev ifb4r1 | jq '.[0].mtu')" == 1400
	in_ns "$ROUTER" ping -c 20 -i 0.01 "$SERVER_IP" >/dev/null || fail "no answer"
	check "packets of egress" "$(queue_get r1 .packets)" ">=" 20
	check "packets of ingress" "$(queue_get ifb4r1 .packets)" ">=" 20
	stops
}

# An option that tc refuses leaves the words of tc, and no redirect
refused()
{
	topology
	if sqm start IQDISC_OPTS="target 7parsecs" && [[ -z $REAL ]]; then
		fail "a target that is none has status 0"
	fi
	grep -q 7parsecs "$LIB_TMP/said" || fail "it says: $(<"$LIB_TMP/said")"
	check "filters of ingress" "$(tc -n "$ROUTER" filter show dev r1 ingress | grep mirred || :)" empty
}

lib_add options "sqm-scripts: the options of a configuration are those of the qdiscs"
lib_add traffic "sqm-scripts: both directions are shaped"
lib_add refused "sqm-scripts: what tc refuses is shown, and nothing is redirected"
lib_main "$@"
