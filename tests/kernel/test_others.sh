#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: libnl
# vm: --with python3-pyroute2 --with prometheus-node-exporter --with libnl-utils
#
# Programs of others that read qdiscs, as doc/others.md lists them: they show the out-of-tree kinds, with the numbers of tc.
# The topology is that of topo_create; the qdisc is the root of r1.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/kernel/served.sh
. "$LIB_DIR/served.sh"

# sends KIND [OPTION...]: some packets have left through such a qdisc. PACKETS and BYTES are tc's
sends()
{
	topo_create
	tc -n "$ROUTER" qdisc add dev r1 root handle 10: "$@"
	in_ns "$ROUTER" ping -c 20 -i 0.01 "$SERVER_IP" >/dev/null || fail "no answer"
	PACKETS=$(qdisc_get "$ROUTER" r1 10: .packets)
	BYTES=$(qdisc_get "$ROUTER" r1 10: .bytes)
	check "packets" "$PACKETS" ">=" 20
}

# pyroute2 KIND LIMIT: the options of a kind that it does not know are hexadecimal digits
pyroute2()
{
	lib_require python3
	sends "$1" limit 77
	in_ns "$ROUTER" python3 - >"$LIB_TMP/read" <<-'END'
		from pyroute2 import IPRoute

		with IPRoute() as ip:
		    (r1,) = ip.link_lookup(ifname="r1")
		    for qdisc in ip.get_qdiscs(index=r1):
		        basic = qdisc.get_attr("TCA_STATS2").get_attr("TCA_STATS_BASIC")
		        options = qdisc.get_attr("TCA_OPTIONS")
		        limit = "hexadecimal" if isinstance(options, str) else options.get_attr("TCA_CODEL_LIMIT")
		        print(qdisc.get_attr("TCA_KIND"), hex(qdisc["handle"]), basic["packets"], basic["bytes"], limit)
	END
	check "pyroute2" "$(<"$LIB_TMP/read")" == "$1 0x100000 $PACKETS $BYTES $2"
}

# pyroute2_plain: the out-of-tree module under the name that pyroute2 knows
pyroute2_plain()
{
	modprobe sch_codel_oot
	require_out_of_tree codel
	pyroute2 codel 77
}

# served_by_the_exporter
served_by_the_exporter()
{
	in_ns "$ROUTER" python3 -c 'import sys, urllib.request as u
sys.stdout.write(u.urlopen("http://127.0.0.1:9100/metrics").read().decode())' >"$LIB_TMP/metrics" 2>/dev/null
}

node_exporter()
{
	lib_require prometheus-node-exporter python3
	sends "$1"
	in_ns "$ROUTER" prometheus-node-exporter --collector.disable-defaults --collector.qdisc \
		--web.listen-address=127.0.0.1:9100 >"$LIB_TMP/exporter" 2>&1 &
	defer lib_stop $!
	busywait 60 served_by_the_exporter || fail "no metrics: $(<"$LIB_TMP/exporter")"
	check "bytes" "$(sed -n "s/^node_qdisc_bytes_total{device=\"r1\",kind=\"$1\"} //p" "$LIB_TMP/metrics")" == "$BYTES"
	check "packets" "$(sed -n "s/^node_qdisc_packets_total{device=\"r1\",kind=\"$1\"} //p" "$LIB_TMP/metrics")" == "$PACKETS"
}

libnl()
{
	lib_require nl-qdisc-list
	sends "$1"
	in_ns "$ROUTER" nl-qdisc-list --stats --dev r1 >"$LIB_TMP/read"
	grep -q "^qdisc $1 dev r1 id 10: parent root" "$LIB_TMP/read" || fail "it prints: $(<"$LIB_TMP/read")"
	grep -q "\b$PACKETS\b" "$LIB_TMP/read" || fail "$PACKETS packets are not in: $(<"$LIB_TMP/read")"
}

lib_add pyroute2 "pyroute2 shows the kind and its counters" "$CODEL_KIND" hexadecimal
lib_add pyroute2 "pyroute2 shows the kind and its counters" "$FQ_CODEL_KIND" hexadecimal
lib_add pyroute2_plain "pyroute2 shows the options under a plain name"
lib_add_each node_exporter "node_exporter exports the counters of the kind"
lib_add_each libnl "nl-qdisc-list lists the kind"
lib_main "$@"
