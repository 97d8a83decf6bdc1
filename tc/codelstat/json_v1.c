// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Version 1 of JSON, for one more release: after it, this file goes. Unknown values are null or
 * absent.
 */
#include "../codel_ext_stats.h"
#include "fields.h"
#include "json_v1.h"
#include "qdisc_json.h"
#include "tc_json.h"
#include "text.h"

static void v1_number(const struct cs_row *row, enum cs_field_id number)
{
	const struct cs_field *field = &cs_fields[number];
	uint64_t value;

	if (!cs_field_is_there(field, row->q))
		return;
	if (!cs_field_get(&value, field, row->q, row))
		codel_json_null(field->name);
	else if (field->form == CS_FLAG)
		codel_json_bool(field->name, value);
	else
		codel_json_u64(field->name, value);
}

static void v1_numbers(const struct cs_row *row, const enum cs_field_id *numbers, size_t n)
{
	while (n--)
		v1_number(row, *numbers++);
}

#define V1_NUMBERS(row, ...) do {						\
	static const enum cs_field_id numbers[] = { __VA_ARGS__ };		\
	v1_numbers(row, numbers, sizeof(numbers) / sizeof(*numbers));		\
} while (0)

static void v1_options(const struct cs_row *row)
{
	const struct cs_qdisc *q = row->q;

	open_json_object("options");
	V1_NUMBERS(row, FIELD_LIMIT, FIELD_TARGET, FIELD_INTERVAL, FIELD_CE_THRESHOLD, FIELD_CEILING, FIELD_RATE);
	if (q->rate != UINT64_MAX) {
		codel_json_u64("target_effective_ns", cs_target(q));
		codel_json_u64("interval_effective_ns", cs_interval(q));
	}
	V1_NUMBERS(row, FIELD_ECN, FIELD_FLOWS, FIELD_MEMORY_LIMIT);
	close_json_object();
}

/* Statistics that in-tree qdiscs have, too */
static void v1_stats(const struct cs_row *row)
{
	open_json_object("stats");
	V1_NUMBERS(row, FIELD_BYTES, FIELD_PACKETS, FIELD_DROPS, FIELD_OVERLIMITS, FIELD_BACKLOG, FIELD_QLEN,
		   FIELD_MAXPACKET, FIELD_ECN_MARK, FIELD_CE_MARK, FIELD_DROP_OVERLIMIT, FIELD_DROP_OVERMEMORY,
		   FIELD_MEMORY_USED, FIELD_NEW_FLOWS, FIELD_ACTIVE_FLOWS, FIELD_LDELAY, FIELD_DROPPING);
	close_json_object();
}

/* Of @count buckets from @i on, those that are not empty: [from, to, packets], ns; the last
 * bucket has no end
 */
static void v1_buckets(const uint64_t *delay, unsigned int i, unsigned int count)
{
	const unsigned int end = i + count;

	open_json_array(PRINT_JSON, "buckets");
	for (; i < end; i++, delay++) {
		if (!*delay)
			continue;
		open_json_array(PRINT_JSON, NULL);
		codel_json_u64(NULL, codel_delay_bound(i));
		if (i < CODEL_DELAY_BUCKETS - 1)
			codel_json_u64(NULL, codel_delay_bound(i + 1));
		else
			codel_json_null(NULL);
		codel_json_u64(NULL, *delay);
		close_json_array(PRINT_JSON, NULL);
	}
	close_json_array(PRINT_JSON, NULL);
}

/* Packet accounting, and the delay since the counters began */
static void v1_ext_stats(const struct cs_row *row)
{
	const struct codel_ext_stats *stats = &row->q->ext_stats;

	open_json_object("ledger");
	codel_json_accounts(stats);
	v1_number(row, FIELD_WIRE_BYTES);
	codel_json_causes("drop", codel_drop_causes, stats->drop, CODEL_DROP_CAUSES);
	codel_json_causes("mark", codel_mark_causes, stats->mark, CODEL_MARK_CAUSES);
	v1_number(row, FIELD_SHARED);
	close_json_object();
	open_json_object("delay");
	codel_json_u64("sum_ns", stats->delay_sum);
	codel_json_u64("max_ns", stats->delay_max);
	v1_buckets(row->q->delay, stats->delay_first, stats->delay_count);
	close_json_object();
}

static void v1_range(const struct cs_row *row, enum cs_field_id first, size_t n)
{
	for (; n--; first++)
		v1_number(row, first);
}

static void v1_causes(const char *key, const struct cs_row *row, enum cs_field_id first, size_t n)
{
	open_json_object(key);
	v1_range(row, first, n);
	close_json_object();
}

void json_v1_change(const struct cs_row *row)
{
	codel_json_string("since", row->since ? "before" : "start");
	open_json_object("change");
	V1_NUMBERS(row, FIELD_CHANGE_BYTES, FIELD_CHANGE_PACKETS, FIELD_CHANGE_WIRE);
	v1_causes("drops", row, FIELD_CHANGE_DROP, CODEL_DROP_CAUSES);
	v1_causes("marks", row, FIELD_CHANGE_MARK, CODEL_MARK_CAUSES);
	if (row->delays.known) {
		v1_range(row, FIELD_CHANGE_P50, FIELD_CHANGE_MAX - FIELD_CHANGE_P50 + 1);
		v1_buckets(row->delta.delay, 0, CODEL_DELAY_BUCKETS);
	}
	if (row->backlog_ms > 0)
		tc_json_real("backlog_ms", row->backlog_ms, 3);
	else if (!row->q->backlog)
		codel_json_uint("backlog_ms", 0);
	close_json_object();
}

static void v1_place(const struct cs_qdisc *q)
{
	char text[CS_TEXT];

	codel_json_string("dev", q->dev);
	codel_json_int("ifindex", q->ifindex);
	codel_json_string("handle", cs_text_handle(text, q->handle));
	codel_json_string("parent", cs_text_handle(text, q->parent));
	if (*q->above)
		codel_json_string("above", q->above);
	codel_json_string("kind", q->kind);
	codel_json_string("module", cs_module_word(q));
}

void json_v1_qdisc(const struct cs_row *row)
{
	open_json_object(NULL);
	v1_place(row->q);
	v1_options(row);
	v1_stats(row);
	if (row->q->oot)
		v1_ext_stats(row);
	json_v1_change(row);
	qdisc_json_verdict(row);
	close_json_object();
}
