// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Version 1 of JSON, for one more release: see top.h */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_ether.h>

#include "text.h"
#include "top.h"

static void top_json_tuple(FILE *out, const struct codel_tuple *tuple)
{
	bool v4 = tuple->protocol == htons(ETH_P_IP);
	int family = v4 ? AF_INET : AF_INET6;
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	if (!tuple->protocol) {
		fputs("null", out);
		return;
	}
	fprintf(out, "{\"ethertype\":%u", ntohs(tuple->protocol));
	if (v4 || tuple->protocol == htons(ETH_P_IPV6))
		fprintf(out, ",\"src\":\"%s\",\"dst\":\"%s\",\"sport\":%u,\"dport\":%u,"
			"\"protocol\":%u", inet_ntop(family, tuple->src, src, sizeof(src)),
			inet_ntop(family, tuple->dst, dst, sizeof(dst)),
			ntohs(tuple->sport), ntohs(tuple->dport), tuple->ip_proto);
	fputc('}', out);
}

/* The counts of a flow; absent if unknown */
static void top_json_did(FILE *out, const struct flow_row *row, double longest)
{
	unsigned int i;

	fprintf(out, ",\"seconds\":%.9f,\"bytes\":%" PRIu64 ",\"packets\":%" PRIu64
		",\"drops\":%u,\"marks\":%u,\"share\":%.6f", row->seconds, row->bytes,
		row->packets, row->drops, row->marks, row->share);
	if (row->seconds > 0)
		fprintf(out, ",\"bytes_per_second\":%.3f", row->rate);
	if (row->packets)
		fprintf(out, ",\"p50_ns\":%.0f,\"p99_ns\":%.0f",
			flows_percentile(row, 50, longest),
			flows_percentile(row, 99, longest));
	fputs(",\"delay\":[", out);
	for (i = 0; i < CODEL_FLOW_DELAYS; i++)
		fprintf(out, "%s%u", i ? "," : "", row->delay[i]);
	fputc(']', out);
}

static void top_json_flow(FILE *out, const struct flow_row *row, double longest)
{
	const struct cs_flow *flow = row->flow;
	char class[CS_TEXT];

	fprintf(out, "{\"class\":\"%s\",\"backlog_bytes\":%u,\"backlog_packets\":%u,"
		"\"ldelay_us\":%u,\"count\":%u,\"dropping\":%s",
		cs_text_handle(class, flow->classid), flow->backlog, flow->qlen,
		flow->ldelay, flow->count, flow->dropping ? "true" : "false");
	if (flow->known) {
		fputs(",\"flow\":", out);
		top_json_tuple(out, &flow->stats.tuple);
		fprintf(out, ",\"total\":{\"bytes\":%" PRIu64 ",\"packets\":%" PRIu64
			",\"drops\":%u,\"marks\":%u}", (uint64_t)flow->stats.bytes,
			(uint64_t)flow->stats.packets, flow->stats.drops, flow->stats.marks);
	}
	if (row->known)
		top_json_did(out, row, longest);
	fputc('}', out);
}

void top_json_v1(FILE *out, const struct top_view *view)
{
	const uint64_t time = view->snapshot->realtime;
	const struct cs_qdisc *qdisc = view->of.q;
	double longest = qdisc->oot ? (double)qdisc->ext_stats.delay_max : 0;
	char handle[CS_TEXT], parent[CS_TEXT];
	size_t i;

	fprintf(out, "{\"version\":1,\"time\":%" PRIu64 ".%09" PRIu64 ",\"seconds\":", time / 1000000000,
		time % 1000000000);
	if (view->of.since)
		fprintf(out, "%.9f", view->of.delta.seconds);
	else
		fputs("null", out);
	fprintf(out, ",\"dev\":\"%s\",\"handle\":\"%s\",\"parent\":\"%s\",\"kind\":\"%s\""
		",\"module\":\"%s\",\"bytes\":%" PRIu64 ",\"active_flows\":%zu,\"flows\":[", qdisc->dev,
		cs_text_handle(handle, qdisc->handle), cs_text_handle(parent, qdisc->parent),
		qdisc->kind, cs_module_word(qdisc), view->of.delta.bytes, view->n);
	for (i = 0; i < view->shown; i++) {
		fputs(i ? "," : "", out);
		top_json_flow(out, &view->rows[i], longest);
	}
	fputs("]}\n", out);
}
