// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Version 1 of the JSON of "codelstat top", for one more release: see top.h */
#include <arpa/inet.h>

#include "../codel_flow.h"
#include "qdisc_json.h"
#include "tc_json.h"
#include "text.h"
#include "top.h"

static void v1_tuple(const struct codel_tuple *tuple)
{
	const int family = codel_family(tuple);
	char text[INET6_ADDRSTRLEN];

	if (!tuple->protocol) {
		codel_json_null("flow");
		return;
	}
	open_json_object("flow");
	codel_json_uint("ethertype", ntohs(tuple->protocol));
	if (family != AF_UNSPEC) {
		codel_json_string("src", inet_ntop(family, tuple->src, text, sizeof(text)));
		codel_json_string("dst", inet_ntop(family, tuple->dst, text, sizeof(text)));
		codel_json_uint("sport", ntohs(tuple->sport));
		codel_json_uint("dport", ntohs(tuple->dport));
		codel_json_uint("protocol", tuple->ip_proto);
	}
	close_json_object();
}

/* The counts of a flow; absent if unknown */
static void v1_did(const struct flow_row *row, double longest)
{
	unsigned int i;

	top_json_figures(row);
	if (row->seconds > 0)
		tc_json_real("bytes_per_second", row->rate, 3);
	if (row->packets) {
		tc_json_real("p50_ns", flows_percentile(row, 50, longest), 0);
		tc_json_real("p99_ns", flows_percentile(row, 99, longest), 0);
	}
	open_json_array(PRINT_JSON, "delay");
	for (i = 0; i < CODEL_FLOW_DELAYS; i++)
		codel_json_uint(NULL, row->delay[i]);
	close_json_array(PRINT_JSON, NULL);
}

static void v1_flow(const struct flow_row *row, double longest)
{
	const struct cs_flow *flow = row->flow;
	char class[CS_TEXT];

	open_json_object(NULL);
	codel_json_string("class", cs_text_handle(class, flow->classid));
	codel_json_uint("backlog_bytes", flow->backlog);
	codel_json_uint("backlog_packets", flow->qlen);
	codel_json_uint("ldelay_us", flow->ldelay);
	codel_json_uint("count", flow->count);
	codel_json_bool("dropping", flow->dropping);
	if (flow->known) {
		v1_tuple(&flow->stats.tuple);
		open_json_object("total");
		codel_json_flow_counts(&flow->stats);
		close_json_object();
	}
	if (row->known)
		v1_did(row, longest);
	close_json_object();
}

void top_json_v1(FILE *out, const struct top_view *view)
{
	const struct cs_qdisc *qdisc = view->of.q;
	double longest = qdisc->oot ? (double)qdisc->ext_stats.delay_max : 0;
	char text[CS_TEXT];
	size_t i;

	tc_json_begin(out);
	qdisc_json_time(CS_JSON_V1, view->before, view->snapshot);
	codel_json_string("dev", qdisc->dev);
	codel_json_string("handle", cs_text_handle(text, qdisc->handle));
	codel_json_string("parent", cs_text_handle(text, qdisc->parent));
	codel_json_string("kind", qdisc->kind);
	codel_json_string("module", cs_module_word(qdisc));
	codel_json_u64("bytes", view->of.delta.bytes);
	codel_json_u64("active_flows", view->n);
	open_json_array(PRINT_JSON, "flows");
	for (i = 0; i < view->shown; i++)
		v1_flow(&view->rows[i], longest);
	close_json_array(PRINT_JSON, NULL);
	tc_json_end();
}
