#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: defaults changes refused_on_create
#
#
# Configuration: the defaults; every option takes effect exactly as given and leaves the other
# options alone; a wrong request is rejected as a whole, with a message that names the
# attribute.
#
# One namespace; d0 is a dummy, which carries the qdisc under test as its root:
#
#	tc, netlink.py --> [ qdisc ] d0

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"

lib_require python3

CODEL_DEFAULTS='{"limit":1000,"target":5000,"interval":100000,"ecn":false,"ce_threshold":null,
	"ceiling":50000}'
FQ_CODEL_DEFAULTS='{"limit":10240,"flows":1024,"quantum":1514,"target":5000,"interval":100000,
	"memory_limit":33554432,"ecn":true,"drop_batch":64,"ce_threshold":null,"ceiling":50000}'
NO_SHAPER='{"rate":null,"overhead":null,"mpu":0,"atm":"noatm","ingress":false,"split_gso":false,
	"shared":false,"bottleneck":"here","answers":"self"}'

# TCA_CODEL_* and TCA_FQ_CODEL_*; the nest TCA_CODEL_EXT has the same number
# in both. In the nest, 1 is the flag that ce_threshold is off, 3 the ceiling, and 4 the
# flag that the ceiling is off; 6 to 13 are the shaper's
EXT=64
EXT_CE_OFF=1 EXT_CEILING=3 EXT_CEILING_OFF=4
CE_OFF=${EXT}N=nest:1=hex:
CEILING=${EXT}N=nest:3
CEILING_OFF=${EXT}N=nest:4=hex:

is_fair()
{
	[[ $1 == "$FQ_CODEL_KIND" ]]
}

device()
{
	ns_create d
	ip -n "$NS" link add d0 type dummy
	ip -n "$NS" link set d0 up
}

# A selector that lets everything pass is not always shown
SHOWN='.[] | select(.root).options |
	if .ce_threshold_mask == 0 then del(.ce_threshold_selector, .ce_threshold_mask) else . end'

show()
{
	tc -n "$NS" -j qdisc show dev d0
}

# expect WHAT OPTIONS: these and no others, as JSON
expect()
{
	check "$1" "$(show | jq -c "$SHOWN | $SORTED")" == "$(jq -cn "$2 | $SORTED")"
}

# ask KIND <REQUESTS: each answer as a line of JSON. Fails unless there are as many
ask()
{
	local requests answers

	requests=$(cat)
	answers=$(in_ns "$NS" "$LIB_DIR/netlink.py" d0 "$1" <<<"$requests") ||
		fail "netlink.py: status $?"
	check "answers" "$(grep -c '^{' <<<"$answers" || :)" == "$(wc -l <<<"$requests")"
	echo "$answers"
}

# option NUMBER: the bytes in which the module dumps it, or "absent"
option()
{
	in_ns "$NS" "$LIB_DIR/netlink.py" d0 dump | jq -r ".options.\"$1\" // \"absent\""
}

# u32 NUMBER: its bytes in the order of this machine, as option and in_nest have them
u32()
{
	python3 -c 'import struct, sys; print(struct.pack("=I", int(sys.argv[1])).hex())' "$1"
}

# in_nest NUMBER: "=" and the bytes of an attribute in TCA_CODEL_EXT, or "absent"
in_nest()
{
	local nest

	nest=$(option "$EXT")
	[[ $nest != absent ]] || fail "no TCA_CODEL_EXT"
	python3 -c '
import struct, sys
nest, wanted, found = bytes.fromhex(sys.argv[1]), int(sys.argv[2]), []
while nest:
    length, number = struct.unpack_from("=HH", nest)
    found += [nest[4:length].hex()] * (number == wanted)
    nest = nest[(length + 3) & ~3:]
assert len(found) < 2
print("=" + found[0] if found else "absent")' "$nest" "$1"
}

defaults()
{
	local kind=$1 expected=$CODEL_DEFAULTS

	! is_fair "$kind" || expected=$FQ_CODEL_DEFAULTS
	device
	tc -n "$NS" qdisc add dev d0 root "$kind"
	expect "without options" "$expected + $NO_SHAPER"
	check "its kind" "$(qdisc_get "$NS" d0 root .kind)" == "$kind"
}

# A turn is one packet of the device, as far as that makes sense
quantum_follows_mtu()
{
	local pair

	device
	for pair in 68:256 1500:1514 9000:9014 65535:65549; do
		ip -n "$NS" link set d0 mtu "${pair%:*}"
		tc -n "$NS" qdisc add dev d0 root "$FQ_CODEL_KIND"
		check "quantum at MTU ${pair%:*}" \
			"$(qdisc_get "$NS" d0 root .options.quantum)" == "${pair#*:}"
		tc -n "$NS" qdisc del dev d0 root
	done
}

# WORDS | the options that have another value after them. The ceiling is half of interval or four
# targets, whichever is more, until it is set; it is off where that exceeds 32 bits.
CHANGES='
limit 77 | {"limit":77}
target 3ms | {"target":3000}
interval 50ms | {"interval":50000,"ceiling":25000}
target 7ms | {"target":7000,"ceiling":28000}
ecn | {"ecn":true}
noecn | {"ecn":false}
ce_threshold 1ms | {"ce_threshold":1000}
ce_threshold off | {"ce_threshold":null}
target 4294967295us | {"target":4294967295,"ceiling":null}
target 1073741823us | {"target":1073741823,"ceiling":4294967292}
target 0 | {"target":0,"ceiling":25000}
interval 4294967295us | {"interval":4294967295,"ceiling":2147483647}
interval 1us | {"interval":1,"ceiling":1}
limit 0 | {"limit":0}
limit 4294967295 | {"limit":4294967295}
ce_threshold 0 | {"ce_threshold":0}
ce_threshold 4294967295us | {"ce_threshold":4294967295}
ce_threshold off | {"ce_threshold":null}
ceiling 20ms | {"ceiling":20000}
interval 80ms | {"interval":80000}
target 19999us | {"target":19999}
target 20ms ceiling 4294967295us | {"target":20000,"ceiling":4294967295}
target 0 ceiling 1us | {"target":0,"ceiling":1}
ceiling off | {"ceiling":null}
target 4294967295us | {"target":4294967295}
target 5ms interval 100ms | {"target":5000,"interval":100000}
ceiling 30ms | {"ceiling":30000}
ceiling off | {"ceiling":null}
overhead 18 | {"overhead":18}
overhead -64 | {"overhead":-64}
overhead 256 | {"overhead":256}
overhead 0 | {"overhead":0}
mpu 64 | {"mpu":64}
mpu 256 | {"mpu":256}
atm | {"atm":"atm"}
ptm | {"atm":"ptm"}
overhead off | {"overhead":null}
noatm | {"atm":"noatm"}
mpu 0 | {"mpu":0}
ingress | {"ingress":true}
egress | {"ingress":false}
shared | {"shared":true}
rate 20mbit | {"rate":2500000,"split_gso":true,"target_effective":5000,"interval_effective":100000}
rate 1gbit | {"rate":125000000,"split_gso":false}
rate 8bit | {"rate":1,"split_gso":true,"target_effective":2271000000,"interval_effective":2271095000}
alone | {"shared":false}
rate 1000gbit | {"rate":125000000000,"split_gso":false,"target_effective":5000,"interval_effective":100000}
split_gso | {"split_gso":true}
rate 64kbit | {"rate":8000,"target_effective":283875,"interval_effective":378875}
no_split_gso | {"split_gso":false}
target 300ms | {"target":300000,"target_effective":300000,"interval_effective":100000}
target 5ms | {"target":5000,"target_effective":283875,"interval_effective":378875}
rate 999999999960bit | {"rate":124999999995,"target_effective":5000,"interval_effective":100000}
rate off | {"rate":null,"target_effective":"absent","interval_effective":"absent"}'
FQ_CODEL_CHANGES='
quantum 300 | {"quantum":300}
quantum 100 | {"quantum":256}
quantum 1048576 | {"quantum":1048576}
memory_limit 5000 | {"memory_limit":5000}
memory_limit 0 | {"memory_limit":0}
drop_batch 100 | {"drop_batch":100}
drop_batch 0 | {"drop_batch":1}
drop_batch 4294967295 | {"drop_batch":4294967295}'

# change_all KIND LIST: a line for each change, the first one for the state before
change_all()
{
	local words set

	echo "{\"got\":$(show)}"
	while IFS='|' read -r words set; do
		[[ -n $words ]] || continue
		# shellcheck disable=SC2086 # WORDS are several
		tc -n "$NS" qdisc change dev d0 root handle 1: "$1" $words
		echo "{\"words\":\"$words\",\"set\":$set,\"got\":$(show)}"
	done <<<"$2"
}

# Each change takes effect exactly, and does not alter other options
# shellcheck disable=SC2016 # jq's
changes()
{
	local kind=$1 list=$CHANGES

	! is_fair "$kind" || list+=$FQ_CODEL_CHANGES
	device
	tc -n "$NS" qdisc add dev d0 root handle 1: "$kind"
	change_all "$kind" "$list" >"$LIB_TMP/steps"
	check_faults "changes" == "$(grep -c '|' <<<"$list")" \
		jq -nr "[inputs | .got |= ($SHOWN)]"' | . as $steps | (range(1; length) |
			($steps[. - 1].got + $steps[.].set | with_entries(select(.value != "absent"))) as $want | $steps[.] |
			select(.got == null or .got != $want) |
			"after \(.words): \(.got), not \($want)"),
			"compared \(length - 1)"' "$LIB_TMP/steps"
}

# A new qdisc has all that is given at once
all_at_once()
{
	local kind=$1
	local words="limit 9 target 8ms interval 70ms ecn ce_threshold 6ms ceiling 30ms"
	local expected='{"limit":9,"target":8000,"interval":70000,"ecn":true,"ce_threshold":6000,
		"ceiling":30000,"rate":2500000,"overhead":-4,"mpu":84,"atm":"ptm","ingress":true,
		"split_gso":false,"target_effective":8000,"interval_effective":70000,"shared":true,
		"bottleneck":"here","answers":"self"}'

	words+=" rate 20mbit shared overhead -4 mpu 84 ptm ingress no_split_gso"

	if is_fair "$kind"; then
		words+=" flows 5 quantum 1000 memory_limit 40000 drop_batch 3 ce_threshold_selector 1/3"
		expected=$(jq -c '. + {flows: 5, quantum: 1000, memory_limit: 40000, drop_batch: 3,
			ce_threshold_selector: 1, ce_threshold_mask: 3}' <<<"$expected")
	fi
	device
	# shellcheck disable=SC2086
	tc -n "$NS" qdisc add dev d0 root "$kind" $words
	expect "all at once" "$expected"
}

# A flag inside TCA_CODEL_EXT switches ce_threshold off, and is in the dump if it is off
ce_threshold_off()
{
	local kind=$1 number=5

	! is_fair "$kind" || number=7
	device
	accepted "$kind" <<-END
		create
		change $number=u32:1000
		change $CE_OFF
		change $number=u32:0
		change $CE_OFF 1=u32:7000
		replace
	END
	check "the flag when off" "$(in_nest "$EXT_CE_OFF")" == "="
	check "target, given besides" "$(option 1)" == "$(u32 7000)"
	check "ce_threshold when off" "$(option "$number")" == absent
}

# Attributes in the nest switch the ceiling on and off. An explicit ceiling does not follow
# other options, and a target that would reach it is rejected.
ceiling()
{
	local kind=$1

	device
	accepted "$kind" <<-END
		create
		change $CEILING=u32:20000
		change $CEILING_OFF
		change 1=u32:20000 $CEILING=u32:20001
	END
	check "the ceiling" "$(in_nest "$EXT_CEILING")" == "=$(u32 20001)"
	check "the flag with a ceiling" "$(in_nest "$EXT_CEILING_OFF")" == absent
	echo "1 change 2=u32:1 1=u32:20001" | refused "$kind"
	accepted "$kind" <<-END
		change $CEILING_OFF 1=u32:20001
		replace
	END
	check "the ceiling when off" "$(in_nest "$EXT_CEILING")" == absent
	check "the flag when off" "$(in_nest "$EXT_CEILING_OFF")" == "="
	check "target, given besides" "$(option 1)" == "$(u32 20001)"
}

# set_to OPTION VALUE: of the root
set_to()
{
	check "$1" "$(qdisc_get "$NS" d0 root ".options.$1")" == "$2"
}

# A target in force has room for 1.5 full packets on the wire: 2271 bytes without a framing, 2623
# with 33 cells for 1540 bytes. The interval is longer by as much, and the default ceiling follows
slow_rate()
{
	local kind=$1

	device
	tc -n "$NS" qdisc add dev d0 root "$kind" rate 64kbit
	set_to target 5000
	set_to target_effective 283875
	set_to interval_effective 378875
	set_to ceiling 1135500
	tc -n "$NS" qdisc change dev d0 root "$kind" overhead 40 atm
	set_to target_effective 327875
	set_to interval_effective 422875
	tc -n "$NS" qdisc change dev d0 root "$kind" rate 20mbit
	set_to target_effective 5000
	set_to ceiling 50000
	tc -n "$NS" qdisc change dev d0 root "$kind" ceiling 50ms
	refuses "64kbit" tc -n "$NS" qdisc change dev d0 root "$kind" rate 64kbit
	[[ $REFUSAL == *"1.5 packets at the rate"* ]] || fail "$REFUSAL"
	set_to rate 2500000
}

# A ceiling that a larger MTU outgrows gives way to the default until it fits again. It is no reason to
# refuse what a request sets beside it; a request that sets a time is refused
outgrown_ceiling()
{
	local kind=$1

	device
	tc -n "$NS" qdisc add dev d0 root "$kind" rate 1mbit ceiling 20ms
	set_to ceiling 20000
	ip -n "$NS" link set d0 mtu 9000
	tc -n "$NS" qdisc change dev d0 root "$kind" limit 500
	set_to limit 500
	set_to target_effective 108168
	set_to ceiling 432672
	tc -n "$NS" qdisc change dev d0 root "$kind" overhead 40
	refuses "rate 900kbit" tc -n "$NS" qdisc change dev d0 root "$kind" rate 900kbit
	refuses "ceiling 30ms" tc -n "$NS" qdisc change dev d0 root "$kind" ceiling 30ms
	ip -n "$NS" link set d0 mtu 1500
	tc -n "$NS" qdisc change dev d0 root "$kind" overhead off
	set_to ceiling 20000
}

# Cells without a word: their attribute is to be blamed
wrong_cells()
{
	local kind=$1

	device
	tc -n "$NS" qdisc add dev d0 root handle 1: "$kind" ptm
	echo "change 2=u32:1 64N=nest:11=u32:3" | ask "$kind" >"$LIB_TMP/answers"
	check "the answer" "$(jq -c '[.errno, .at, .changed]' "$LIB_TMP/answers")" == '["ERANGE","64.11",false]'
	set_to atm ptm
}

# accepted KIND <REQUESTS: none is refused
accepted()
{
	local answer

	while read -r answer; do
		[[ $answer == *'"errno": 0,'* ]] || fail "$answer"
	done < <(ask "$1")
}

# refused KIND: the answer to each rejected request must have a message, and point to the attribute; nothing
# may have changed. Lines of the input are NUMBER REQUEST; NUMBER is "none" for bytes that are no attribute.
refused()
{
	local requests

	requests=$(cat)
	check_faults "requests that are refused" == "$(wc -l <<<"$requests")" \
		refused_wrongly "$1" "$requests"
	echo "$(wc -l <<<"$requests") requests"
}

refused_wrongly()
{
	cut -d ' ' -f 2- <<<"$2" | ask "$1" >"$LIB_TMP/answers"
	cut -d ' ' -f 1 <<<"$2" | paste -d ' ' - "$LIB_TMP/answers" | jq -nrR '
		[inputs | capture("^(?<at>[^ ]+) (?<answer>.*)$") | .answer |= fromjson] |
		(.[] | . as $want | .answer |
			select(((.errno | IN("EINVAL", "ERANGE")) and (.at // "none") == $want.at and
				.changed == false and .message != "") | not) |
			"\($want.at) is to be blamed: \(tojson)"),
		"compared \(length)"'
}

# wrong KIND: requests that must be rejected, each after the number of the wrong attribute. The valid
# attributes come first, so that the test fails if they are
# stored before the rest is validated.
wrong()
{
	local kind=$1 ce=5

	! is_fair "$kind" || ce=7
	wrong_u32 1
	wrong_u32 2
	wrong_u32 3
	wrong_u32 4
	wrong_u32 "$ce"
	cat <<-END
		3 1=u32:1 3=u32:0
		$ce 2=u32:1 $ce=u32:1 $CE_OFF
		$ce 2=u32:1 $CE_OFF $ce=u32:1
		64 2=u32:1 64=nest:1=hex:
		64.3 2=u32:1 64N=nest:3=hex:
		64.3 2=u32:1 64N=nest:3=hex:010000
		64.4 2=u32:1 64N=nest:4=u32:1
		64.2 2=u32:1 64N=nest:2=hex:
		64.5 2=u32:1 64N=nest:5=hex:
		64.0 2=u32:1 64N=nest:0=hex:
		64.1 2=u32:1 64N=nest:1=u32:1
		64 2=u32:1 64N=hex:0400
		64.2 2=u32:1 64N=nest:1=hex:,2=hex:
		64.5 2=u32:1 64N=nest:1=hex:,5=hex:
		64.3 2=u32:1 64N=nest:3=u32:0
		64.3 2=u32:1 64N=nest:3=u32:5000
		64.3 2=u32:1 1=u32:4294967295 64N=nest:3=u32:4294967295
		64.3 2=u32:1 64N=nest:1=hex:,3=u32:20000,4=hex:
		64.6 2=u32:1 64N=nest:6=hex:0000000000000000
		64.6 2=u32:1 64N=nest:6=hex:01a2941a1d000000
		64.6 2=u32:1 64N=nest:6=hex:ffffffffffffffff
		64.6 2=u32:1 64N=nest:6=hex:40420f0000000000,7=hex:
		64.8 2=u32:1 64N=nest:8=hex:bfffffff
		64.8 2=u32:1 64N=nest:8=u32:257
		64.8 2=u32:1 64N=nest:8=u32:2147483648
		64.8 2=u32:1 64N=nest:8=u32:18,9=hex:
		64.10 2=u32:1 64N=nest:10=u32:257
		64.10 2=u32:1 64N=nest:10=u32:4294967295
		0 2=u32:1 0=u32:1
		63 2=u32:1 63=u32:1
		65 2=u32:1 65=u32:1
		16383 2=u32:1 16383=u32:1
		none 2=u32:1 raw:08
		none 2=u32:1 raw:0800010001
		none 2=u32:1 raw:0300010001000000
	END
	if is_fair "$kind"; then
		wrong_fair
	else
		wrong_only_fair
	fi
}

wrong_u32()
{
	cat <<-END
		$1 6=u32:1 $1=hex:
		$1 $1=hex:01
		$1 $1=hex:010000
		$1 $1=hex:0100000000
		$1 $1=hex:0100000000000000
		$1 ${1}N=u32:1
	END
}

wrong_u8()
{
	cat <<-END
		$1 $1=hex:
		$1 $1=hex:0100
		$1 $1=u32:1
		$1 ${1}N=u8:1
	END
}

wrong_fair()
{
	wrong_u32 5
	wrong_u32 6
	wrong_u32 8
	wrong_u32 9
	wrong_u8 10
	wrong_u8 11
	cat <<-END
		5 2=u32:1 5=u32:0
		5 2=u32:1 5=u32:65537
		5 2=u32:1 5=u32:4294967295
		6 2=u32:1 6=u32:1048577
		6 2=u32:1 6=u32:4294967295
		12 2=u32:1 12=u32:1
	END
}

# Attributes that only fq_codel has
wrong_only_fair()
{
	local number

	for number in 6 7 8 9 10 11 12; do
		echo "$number 2=u32:1 $number=u32:1"
	done
}

# refuse_all KIND VERB: nothing of wrong() is taken
refuse_all()
{
	local kind=$1 verb=$2 requests

	requests=$(wrong "$kind")
	# codel has no attribute 6 that could be right
	is_fair "$kind" || requests=${requests// 6=u32:1 / }
	awk -v verb="$verb" '{ $1 = $1 " " verb; print }' <<<"$requests" | refused "$kind"
}

refused_on_create()
{
	device
	refuse_all "$1" create
	check "kind of the root" "$(qdisc_get "$NS" d0 root .kind)" == noqueue
}

# Options that differ from the defaults in everything: a change that falls back to
# these, or resets a field, shows
refused_on_change()
{
	local kind=$1 words="limit 9 target 8ms interval 70ms ecn ce_threshold 6ms"

	! is_fair "$kind" ||
		words+=" flows 5 quantum 1000 memory_limit 40000 drop_batch 3 ce_threshold_selector 1/3"
	device
	# shellcheck disable=SC2086
	tc -n "$NS" qdisc add dev d0 root handle 1: "$kind" $words
	refuse_all "$kind" change
	check "limit in force" "$(qdisc_get "$NS" d0 root .options.limit)" == 9
}

# An own name without options works with any tc
stock_tc()
{
	local kind=$1

	device
	TC_LIB_DIR=/nonexistent tc -n "$NS" qdisc add dev d0 root "$kind"
	# Not as JSON, which such a tc gets wrong for kinds that it does not know
	check "kind that a tc without plugins shows" \
		"$(TC_LIB_DIR=/nonexistent tc -n "$NS" -s qdisc show dev d0 | awk 'NR == 1 { print $2 }')" == "$kind"
	check "target in force" "$(option 1)" == "$(u32 5000)"
}

# numbers: of the attributes in a dump
numbers()
{
	in_ns "$NS" "$LIB_DIR/netlink.py" d0 dump | jq -c '.options | keys | map(tonumber) | sort'
}

# plain_name KIND NUMBERS: without options, an out-of-tree module that serves a plain name sends what the in-tree module
# sends, for clients that refuse what they do not know; once it is asked for more, all
plain_name()
{
	local kind=$1 numbers=$2

	device
	tc -n "$NS" qdisc add dev d0 root "$kind"
	[[ $(served_by "$kind") == "sch_${kind}_oot" ]] || skip "the in-tree module serves $kind"
	check "attributes" "$(numbers)" == "$numbers"
	TC_LIB_DIR=/nonexistent tc -n "$NS" qdisc change dev d0 root "$kind" target 3ms
	check "attributes after a change" "$(numbers)" == "$numbers"
	TC_LIB_DIR=/nonexistent tc -n "$NS" qdisc change dev d0 root "$kind" ce_threshold 1ms
	[[ $(numbers) != *$EXT* ]] || fail "attribute $EXT with ce_threshold: $(numbers)"
	tc -n "$NS" qdisc change dev d0 root "$kind" ceiling 30ms
	check "ceiling" "$(in_nest "$EXT_CEILING")" == "=$(u32 30000)"
}

# The stock tc knows all options of an out-of-tree module that serves the plain name
stock_tc_plain_name()
{
	device
	tc -n "$NS" qdisc add dev d0 root handle 1: codel
	[[ $(served_by codel) == sch_codel_oot ]] || skip "the in-tree module serves codel"
	TC_LIB_DIR=/nonexistent tc -n "$NS" qdisc change dev d0 root handle 1: codel \
		limit 77 target 3ms interval 50ms ecn ce_threshold 1ms
	expect "set by a tc without plugins" \
		'{"limit":77,"target":3000,"interval":50000,"ecn":true,"ce_threshold":1000}'
	tc -n "$NS" qdisc change dev d0 root handle 1: codel ceiling 25ms
	expect "and by a tc with plugins" \
		'{"limit":77,"target":3000,"interval":50000,"ecn":true,"ce_threshold":1000,
		"ceiling":25000}'" + $NO_SHAPER"
}

module_users()
{
	cat "/sys/module/sch_${1}/refcnt"
}

has_no_users()
{
	[[ $(module_users "$1") == 0 ]]
}

# A qdisc that was refused, or went, leaves no reference to its module behind
no_reference_left()
{
	local kind=$1

	[[ -d /sys/module/sch_$kind ]] || skip "sch_$kind is not a module"
	device
	tc -n "$NS" qdisc add dev d0 root "$kind"
	check "users while it is in use" "$(module_users "$kind")" ">" 0
	tc -n "$NS" qdisc del dev d0 root
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo "create 3=u32:0"
		echo "create 2=hex:01"
		echo "create 4096=u32:1"
	done | ask "$kind" >/dev/null
	busywait 5 has_no_users "$kind" || fail "$(module_users "$kind") users remain"
}

lib_add_each defaults "defaults"
lib_add quantum_follows_mtu "quantum is the device's packet, within bounds"
lib_add_each changes "a change is exact and leaves the rest alone"
lib_add_each all_at_once "all options in one request"
lib_add_each ce_threshold_off "ce_threshold goes on and off"
lib_add_each ceiling "the ceiling goes on and off, and stays above target"
lib_add_each slow_rate "a slow rate: target and interval in force"
lib_add_each outgrown_ceiling "a larger MTU than a ceiling has room for"
lib_add_each wrong_cells "cells that no word stands for"
lib_add_each refused_on_create "whatever is wrong is refused in a new qdisc"
lib_add_each refused_on_change "whatever is wrong is refused in a change"
lib_add_each stock_tc "a tc without plugins sets it up and shows it"
lib_add plain_name "codel sends what the in-tree module sends, and more if it is asked" codel "[1,2,3,4]"
# Debian's kernels have fq_codel built in. tests/vm/test_plain.sh boots one without it
if grep -q initcall_blacklist=fq_codel_module_init /proc/cmdline; then
	lib_add plain_name "fq_codel sends what the in-tree module sends, and more if it is asked" fq_codel "[1,2,3,4,5,6,8,9]"
fi
lib_add stock_tc_plain_name "a tc without plugins configures codel"
lib_add_each no_reference_left "a refused or deleted qdisc holds no module"
lib_main "$@"
