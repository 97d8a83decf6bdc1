// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include <string.h>

#include "row.h"
#include "text.h"

void cs_row_fill(struct cs_row *row, const struct cs_snapshot *before,
		 const struct cs_snapshot *now, size_t i)
{
	const struct cs_qdisc *then = NULL;

	row->q = &now->qdiscs[i];
	if (before)
		then = cs_snapshot_find(before, row->q);
	row->since = then;
	cs_delta(&row->delta, then, row->q,
		 then ? (double)(now->monotonic - before->monotonic) / 1e9 : 0);
	cs_delays(&row->delays, row->q, &row->delta);
	cs_far_delays(&row->far, then, row->q);
	row->backlog_ms = cs_backlog_ms(row->q, &row->delta);
	row->flows = cs_snapshot_flows(now, row->q, &row->n_flows);
}

const char *cs_module_word(const struct cs_qdisc *qdisc)
{
	return qdisc->out_of_tree ? "out-of-tree" : "in-tree";
}

bool cs_is_plain(const struct cs_qdisc *qdisc)
{
	return !strstr(qdisc->kind, "_oot");
}

void cs_put(FILE *out, const char *text)
{
	while (*text)
		putc_unlocked(*text++, out);
}

void cs_put_uint(FILE *out, uint64_t value)
{
	char digits[CS_TEXT];
	char *const end = digits + sizeof(digits);
	char *first = end;

	do {
		*--first = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (first < end)
		putc_unlocked(*first++, out);
}

void cs_put_real(FILE *out, double value, int digits)
{
	fprintf(out, "%.*f", digits, value);
}

void cs_put_seconds(FILE *out, uint64_t ns)
{
	char text[CS_TEXT];

	cs_put_uint(out, ns / 1000000000);
	/* nine digits: the first of ten is in the place of the point */
	cs_text_uint(text, 1000000000 + ns % 1000000000);
	*text = '.';
	cs_put(out, text);
}
