// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* A line per qdisc and refresh. Unknown values are empty. */
#include "row.h"
#include "text.h"

void cs_csv_header(FILE *out)
{
	size_t i;

	fputs("time,interval,dev,ifindex,handle,parent,above,kind,bytes,packets", out);
	for (i = 0; i < CODEL_DROP_CAUSES; i++)
		fprintf(out, ",drop_%s", cs_drop_words[i]);
	for (i = 0; i < CODEL_MARK_CAUSES; i++)
		fprintf(out, ",mark_%s", cs_mark_words[i]);
	fputs(",p50_ns,p90_ns,p99_ns,p999_ns,max_ns,backlog_packets,backlog_bytes,backlog_ms,"
	      "verdict,module,verdict_code,wire_bytes,rate\n", out);
}

static void cs_csv_text(FILE *out, const char *text)
{
	cs_put(out, ",");
	cs_put(out, text);
}

/* Nothing in a verdict or a name needs more than that. */
static void cs_csv_quoted(FILE *out, const char *text)
{
	cs_put(out, ",\"");
	cs_put(out, text);
	cs_put(out, "\"");
}

static void cs_csv_uint(FILE *out, uint64_t value)
{
	cs_put(out, ",");
	cs_put_uint(out, value);
}

static void cs_csv_delay(FILE *out, const struct cs_delays *delays, double ns)
{
	if (delays->known)
		cs_csv_uint(out, (uint64_t)ns);
	else
		cs_put(out, ",");
}

static void cs_csv_causes(FILE *out, const struct cs_delta *delta)
{
	size_t i;

	for (i = 0; i < CODEL_DROP_CAUSES; i++)
		cs_csv_uint(out, delta->cause[i]);
	for (i = 0; i < CODEL_MARK_CAUSES; i++)
		cs_csv_uint(out, delta->mark[i]);
}

static void cs_csv_shaper(FILE *out, const struct cs_row *row)
{
	if (row->q->oot)
		cs_csv_uint(out, row->delta.wire);
	else
		cs_put(out, ",");
	if (row->q->rate != UINT64_MAX)
		cs_csv_uint(out, row->q->rate);
	else
		cs_put(out, ",");
}

static void cs_csv_row(FILE *out, const struct cs_row *row)
{
	const struct cs_qdisc *q = row->q;
	char text[CS_TEXT], verdict[256];
	enum cs_code code;

	cs_csv_quoted(out, q->dev);
	cs_csv_uint(out, (uint64_t)q->ifindex);
	cs_csv_text(out, cs_text_handle(text, q->handle));
	cs_csv_text(out, cs_text_handle(text, q->parent));
	cs_csv_text(out, q->above);
	cs_csv_text(out, q->kind);
	cs_csv_uint(out, row->delta.bytes);
	cs_csv_uint(out, row->delta.packets);
	cs_csv_causes(out, &row->delta);
	cs_csv_delay(out, &row->delays, row->delays.p50);
	cs_csv_delay(out, &row->delays, row->delays.p90);
	cs_csv_delay(out, &row->delays, row->delays.p99);
	cs_csv_delay(out, &row->delays, row->delays.p999);
	cs_csv_delay(out, &row->delays, row->delays.max);
	cs_csv_uint(out, q->qlen);
	cs_csv_uint(out, q->backlog);
	cs_put(out, ",");
	if (row->backlog_ms > 0)
		fprintf(out, "%.3f", row->backlog_ms);
	else if (!q->backlog)
		cs_put(out, "0");
	code = cs_verdict(q, &row->delta, row->flows, row->n_flows, verdict, sizeof(verdict));
	cs_csv_quoted(out, verdict);
	cs_csv_text(out, cs_module_word(q));
	cs_csv_text(out, cs_code_words[code]);
	cs_csv_shaper(out, row);
	cs_put(out, "\n");
}

void cs_csv(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now)
{
	struct cs_row row;
	size_t i;

	for (i = 0; i < now->n_qdiscs; i++) {
		cs_row_fill(&row, before, now, i);
		cs_put_seconds(out, now->realtime);
		cs_put(out, ",");
		if (row.since)
			cs_put_seconds(out, now->monotonic - before->monotonic);
		cs_csv_row(out, &row);
	}
}
