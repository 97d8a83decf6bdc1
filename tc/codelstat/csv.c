// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* A line per qdisc and refresh; a column has the name of its member in JSON. Unknown values are empty. */
#include "fields.h"
#include "text.h"

static void cs_csv_text(FILE *out, const char *text)
{
	cs_put(out, ",");
	cs_put(out, text);
}

/* The names of the columns of numbers, from @first to @last */
static void cs_csv_names(FILE *out, enum cs_field_id first, enum cs_field_id last)
{
	for (; first <= last; first++)
		cs_csv_text(out, cs_fields[first].path);
}

static void cs_csv_numbers(FILE *out, enum cs_field_id first, enum cs_field_id last,
			   const struct cs_row *row)
{
	uint64_t value;

	for (; first <= last; first++) {
		cs_put(out, ",");
		if (cs_field_get(&value, &cs_fields[first], row->q, row))
			cs_put_uint(out, value);
	}
}

void cs_csv_header(FILE *out)
{
	cs_put(out, "time,seconds,dev,ifindex,handle,parent,above,kind");
	cs_csv_names(out, FIELD_CHANGE_BYTES, FIELD_CHANGE_MAX);
	cs_csv_names(out, FIELD_QLEN, FIELD_BACKLOG);
	cs_put(out, ",change.backlog_ms,verdict,module,verdict_code");
	cs_csv_names(out, FIELD_CHANGE_WIRE, FIELD_CHANGE_WIRE);
	cs_csv_names(out, FIELD_RATE, FIELD_RATE);
	cs_put(out, "\n");
}

/* Nothing in a verdict or a name needs more than that. */
static void cs_csv_quoted(FILE *out, const char *text)
{
	cs_put(out, "\"");
	cs_put(out, text);
	cs_put(out, "\"");
}

static void cs_csv_place(FILE *out, const struct cs_qdisc *q)
{
	char text[CS_TEXT];

	cs_csv_quoted(out, q->dev);
	cs_csv_text(out, cs_text_uint(text, (uint64_t)q->ifindex));
	cs_csv_text(out, cs_text_handle(text, q->handle));
	cs_csv_text(out, cs_text_handle(text, q->parent));
	cs_csv_text(out, q->above);
	cs_csv_text(out, q->kind);
}

static void cs_csv_row(FILE *out, const struct cs_row *row)
{
	const struct cs_qdisc *q = row->q;
	char verdict[256];
	enum cs_code code;

	cs_csv_place(out, q);
	cs_csv_numbers(out, FIELD_CHANGE_BYTES, FIELD_CHANGE_MAX, row);
	cs_csv_numbers(out, FIELD_QLEN, FIELD_BACKLOG, row);
	cs_put(out, ",");
	if (row->backlog_ms > 0)
		cs_put_real(out, row->backlog_ms, 3);
	else if (!q->backlog)
		cs_put(out, "0");
	cs_put(out, ",");
	code = cs_verdict(q, &row->delta, row->flows, row->n_flows, verdict, sizeof(verdict));
	cs_csv_quoted(out, verdict);
	cs_csv_text(out, cs_module_word(q));
	cs_csv_text(out, cs_code_words[code]);
	cs_csv_numbers(out, FIELD_CHANGE_WIRE, FIELD_CHANGE_WIRE, row);
	cs_csv_numbers(out, FIELD_RATE, FIELD_RATE, row);
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
		cs_put(out, ",");
		cs_csv_row(out, &row);
	}
}
