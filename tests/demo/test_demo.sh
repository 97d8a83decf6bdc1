#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the demonstration, shortened, on the host: three qdiscs, plausible
# figures, a picture.  With ECN, so that marks are seen as well as drops.

set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work" out/demo-test.json out/demo-test.png' EXIT
json=out/demo-test.json
png=out/demo-test.png

# shellcheck source=tests/kernel/lib/ktap.sh
. tests/kernel/lib/ktap.sh

# holds EXPRESSION: of every qdisc's figures by its kind, q, and its queue delay
holds()
{
	/usr/bin/python3 - "$json" "$1" <<-'END' 2>"$work/why" || { ktap_notes "$work/why"; return 1; }
		import json, sys
		data = json.load(open(sys.argv[1]))
		q = {p["qdisc"]: p for p in data["phases"]}
		served_by = data["setup"]["served_by"]
		def delay(kind, which):
		    return q[kind]["ping"][which] - q[kind]["ping"]["base_ms"]
		assert eval(sys.argv[2]), f"{sys.argv[2]}: no"
	END
}

# claim TITLE EXPRESSION
claim()
{
	holds "$2"
	ktap_result $? "$1"
}

is_png()
{
	/usr/bin/python3 - "$png" <<-'END' 2>"$work/why" || { ktap_notes "$work/why"; return 1; }
		import sys
		from PIL import Image
		with Image.open(sys.argv[1]) as picture:
		    assert picture.format == "PNG" and min(picture.size) > 400, picture
		    shown = picture.convert("RGB").getcolors(1 << 24)
		# Background, axes and one colour for each line.
		assert len([n for n, _colour in shown if n > 100]) > 5, shown
	END
}

ktap_plan 11
lab/demo/run --ecn --seconds 8 --name demo-test >"$work/table" 2>"$work/progress"
status=$?
ktap_notes "$work/progress" "$work/table"
ktap_result $((status != 0)) "the demonstration runs"
[ "$(grep -cE '^(pfifo|codel_oot|fq_codel_oot) ( +[0-9.]+){8}$' "$work/table")" = 3 ]
ktap_result $? "its table has three rows of figures"
claim "pfifo's queue takes hundreds of milliseconds" \
	"delay('pfifo', 'p50_ms') > 100"
claim "codel's takes less than a tenth of that" \
	"delay('pfifo', 'p50_ms') > 10 * delay('codel_oot', 'p50_ms')"
claim "fq_codel's adds less than 15 ms to 99 of 100 pings" \
	"delay('fq_codel_oot', 'p99_ms') < 15"
# fq_codel_oot in timelines 0 to 9 and 20261126: 8.85 to 9.24 Mbit/s, which are 92.5% and more
claim "the uplink is used: 90% of its bytes reach TCP's readers, or are its headers" \
	"all(p['throughput_mbit'] * 1514 / 1448 >= 9.0 for p in q.values())"
claim "only fq_codel marks by default" \
	"[q[k]['marks'] > 0 for k in ('pfifo', 'codel_oot', 'fq_codel_oot')] == [False, False, True]"
claim "the options are the defaults, and every sample is kept" \
	"q['codel_oot']['options']['target'] == 5000 and q['pfifo']['options']['limit'] == 1000 \
	 and all(len(p['ping']['samples']) > 100 for p in q.values())"
claim "each qdisc is served by the module that its name says" \
	"served_by == {'pfifo': 'built-in', 'codel_oot': 'sch_codel_oot', \
		'fq_codel_oot': 'sch_fq_codel_oot'}"
# A user namespace without a map: another user, who may read the tree
unshare --user lab/demo/run >"$work/refusal" 2>&1
[[ $? -eq 1 && $(<"$work/refusal") == "demo: root is required, "*": run sudo make demo" ]] || (ktap_notes "$work/refusal"; false)
ktap_result $? "another user than root reads one sentence"
is_png
ktap_result $? "the picture is a picture"
ktap_exit
