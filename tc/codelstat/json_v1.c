// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Version 1 of JSON, for one more release: after it, this file goes.
 * One JSON object per refresh, on one line, with all numbers of the dump. Unknown values
 * are null or absent. Names need no escapes: decode.c has escaped them.
 */
#include "row.h"
#include "text.h"

static void cs_json_key(FILE *out, const char *before, const char *key)
{
	cs_put(out, before);
	cs_put(out, "\"");
	cs_put(out, key);
	cs_put(out, "\":");
}

static void cs_json_uint(FILE *out, const char *key, uint64_t value)
{
	cs_json_key(out, ",", key);
	cs_put_uint(out, value);
}

static void cs_json_uint_or_off(FILE *out, const char *key, uint64_t value)
{
	cs_json_key(out, ",", key);
	if (value == UINT64_MAX)
		cs_put(out, "null");
	else
		cs_put_uint(out, value);
}

static void cs_json_text(FILE *out, const char *before, const char *key, const char *text)
{
	cs_json_key(out, before, key);
	cs_put(out, "\"");
	cs_put(out, text);
	cs_put(out, "\"");
}

static void cs_json_bool(FILE *out, const char *key, bool value)
{
	cs_json_key(out, ",", key);
	cs_put(out, value ? "true" : "false");
}

static void cs_json_count(FILE *out, const char *key, const struct codel_count *count)
{
	cs_json_key(out, "", key);
	cs_put(out, "{\"packets\":");
	cs_put_uint(out, count->packets);
	cs_json_uint(out, "bytes", count->bytes);
	cs_put(out, "}");
}

/* Of @count buckets from @i on, those that are not empty: [from, to, packets], ns; the last
 * bucket has no end
 */
static void cs_json_buckets(FILE *out, const uint64_t *delay, unsigned int i,
			    unsigned int count)
{
	const unsigned int end = i + count;
	const char *comma = "";

	cs_put(out, ",\"buckets\":[");
	for (; i < end; i++, delay++) {
		if (!*delay)
			continue;
		cs_put(out, comma);
		cs_put(out, "[");
		cs_put_uint(out, codel_delay_bound(i));
		cs_put(out, ",");
		if (i < CODEL_DELAY_BUCKETS - 1)
			cs_put_uint(out, codel_delay_bound(i + 1));
		else
			cs_put(out, "null");
		cs_put(out, ",");
		cs_put_uint(out, *delay);
		cs_put(out, "]");
		comma = ",";
	}
	cs_put(out, "]");
}

static void cs_json_options(FILE *out, const struct cs_qdisc *q)
{
	cs_put(out, ",\"options\":{\"limit\":");
	cs_put_uint(out, q->limit);
	cs_json_uint(out, "target_ns", q->target);
	cs_json_uint(out, "interval_ns", q->interval);
	cs_json_uint_or_off(out, "ce_threshold_ns", q->ce_threshold);
	cs_json_uint_or_off(out, "ceiling_ns", q->ceiling);
	cs_json_uint_or_off(out, "rate", q->rate);
	if (q->rate != UINT64_MAX) {
		cs_json_uint(out, "target_effective_ns", cs_target(q));
		cs_json_uint(out, "interval_effective_ns", cs_interval(q));
	}
	cs_json_bool(out, "ecn", q->ecn);
	if (q->type == CS_FQ_CODEL) {
		cs_json_uint(out, "flows", q->flows);
		cs_json_uint(out, "memory_limit", q->memory_limit);
	}
	cs_put(out, "}");
}

/* Statistics that in-tree qdiscs have, too */
static void cs_json_stats(FILE *out, const struct cs_qdisc *q)
{
	cs_put(out, ",\"stats\":{\"bytes\":");
	cs_put_uint(out, q->bytes);
	cs_json_uint(out, "packets", q->packets);
	cs_json_uint(out, "drops", q->drops);
	cs_json_uint(out, "overlimits", q->overlimits);
	cs_json_uint(out, "backlog", q->backlog);
	cs_json_uint(out, "qlen", q->qlen);
	cs_json_uint(out, "maxpacket", q->maxpacket);
	cs_json_uint(out, "ecn_mark", q->ecn_mark);
	cs_json_uint(out, "ce_mark", q->ce_mark);
	cs_json_uint(out, "drop_overlimit", q->drop_overlimit);
	if (q->type == CS_FQ_CODEL) {
		cs_json_uint(out, "drop_overmemory", q->drop_overmemory);
		cs_json_uint(out, "memory_used", q->memory);
		cs_json_uint(out, "new_flow_count", q->new_flow_count);
		cs_json_uint(out, "active_flows", q->active);
	} else {
		cs_json_uint(out, "ldelay_us", q->ldelay);
		cs_json_bool(out, "dropping", q->dropping);
	}
	cs_put(out, "}");
}

static void cs_json_causes(FILE *out, const struct codel_ext_stats *stats)
{
	size_t i;

	cs_put(out, ",\"drop\":{");
	for (i = 0; i < CODEL_DROP_CAUSES; i++) {
		cs_put(out, i ? "," : "");
		cs_json_count(out, cs_drop_words[i], &stats->drop[i]);
	}
	cs_put(out, "},\"mark\":{");
	for (i = 0; i < CODEL_MARK_CAUSES; i++) {
		cs_put(out, i ? "," : "");
		cs_json_count(out, cs_mark_words[i], &stats->mark[i]);
	}
	cs_put(out, "}");
}

/* Extended statistics: packet accounting, and the delay since the counters began */
static void cs_json_ext_stats(FILE *out, const struct cs_qdisc *q)
{
	const struct codel_ext_stats *stats = &q->ext_stats;

	cs_put(out, ",\"ledger\":{");
	cs_json_count(out, "received", &stats->received);
	cs_put(out, ",");
	cs_json_count(out, "sent", &stats->sent);
	cs_put(out, ",");
	cs_json_count(out, "queued", &stats->queued);
	cs_put(out, ",");
	cs_json_count(out, "bypassed", &stats->bypassed);
	cs_json_uint(out, "wire_bytes", stats->wire_bytes);
	cs_json_causes(out, stats);
	if (q->type == CS_FQ_CODEL)
		cs_json_uint(out, "shared", q->collisions);
	cs_put(out, "},\"delay\":{\"sum_ns\":");
	cs_put_uint(out, stats->delay_sum);
	cs_json_uint(out, "max_ns", stats->delay_max);
	cs_json_buckets(out, q->delay, stats->delay_first, stats->delay_count);
	cs_put(out, "}");
}

static void cs_json_words(FILE *out, const char *key, const char *const *words,
			  const uint64_t *counts, size_t n)
{
	size_t i;

	cs_json_key(out, ",", key);
	cs_put(out, "{");
	for (i = 0; i < n; i++) {
		cs_json_key(out, i ? "," : "", words[i]);
		cs_put_uint(out, counts[i]);
	}
	cs_put(out, "}");
}

/* The figures of the list: of the interval, or without one since the counters began */
static void cs_json_delta(FILE *out, const struct cs_row *row)
{
	const struct cs_delta *d = &row->delta;

	cs_json_text(out, ",", "since", row->since ? "before" : "start");
	cs_put(out, ",\"change\":{\"bytes\":");
	cs_put_uint(out, d->bytes);
	cs_json_uint(out, "packets", d->packets);
	if (row->q->oot)
		cs_json_uint(out, "wire_bytes", d->wire);
	cs_json_words(out, "drops", cs_drop_words, d->cause, CODEL_DROP_CAUSES);
	cs_json_words(out, "marks", cs_mark_words, d->mark, CODEL_MARK_CAUSES);
	if (row->delays.known) {
		cs_json_uint(out, "p50_ns", (uint64_t)row->delays.p50);
		cs_json_uint(out, "p90_ns", (uint64_t)row->delays.p90);
		cs_json_uint(out, "p99_ns", (uint64_t)row->delays.p99);
		cs_json_uint(out, "p999_ns", (uint64_t)row->delays.p999);
		cs_json_uint(out, "max_ns", (uint64_t)row->delays.max);
		cs_json_buckets(out, d->delay, 0, CODEL_DELAY_BUCKETS);
	}
	if (row->backlog_ms > 0)
		fprintf(out, ",\"backlog_ms\":%.3f", row->backlog_ms);
	else if (!row->q->backlog)
		cs_json_uint(out, "backlog_ms", 0);
	cs_put(out, "}");
}

static void cs_json_row(FILE *out, const struct cs_row *row)
{
	const struct cs_qdisc *q = row->q;
	char text[CS_TEXT], verdict[256];
	enum cs_code code;

	cs_json_text(out, "{", "dev", q->dev);
	cs_json_uint(out, "ifindex", (uint64_t)q->ifindex);
	cs_json_text(out, ",", "handle", cs_text_handle(text, q->handle));
	cs_json_text(out, ",", "parent", cs_text_handle(text, q->parent));
	if (*q->above)
		cs_json_text(out, ",", "above", q->above);
	cs_json_text(out, ",", "kind", q->kind);
	cs_json_text(out, ",", "module", cs_module_word(q));
	cs_json_options(out, q);
	cs_json_stats(out, q);
	if (q->oot)
		cs_json_ext_stats(out, q);
	cs_json_delta(out, row);
	code = cs_verdict(q, &row->delta, row->flows, row->n_flows, verdict, sizeof(verdict));
	cs_json_text(out, ",", "verdict", verdict);
	cs_json_text(out, ",", "verdict_code", cs_code_words[code]);
	cs_put(out, "}");
}

/* A device with several qdiscs, which is their sum */
static void cs_json_total(FILE *out, const struct cs_snapshot *before,
			  const struct cs_snapshot *now, size_t first)
{
	struct cs_total total;

	cs_total_fill(&total, before, now, first);
	cs_json_text(out, "{", "dev", total.q.dev);
	cs_json_uint(out, "ifindex", (uint64_t)total.q.ifindex);
	cs_json_uint(out, "queues", total.queues);
	cs_put(out, ",\"stats\":{\"bytes\":");
	cs_put_uint(out, total.q.bytes);
	cs_json_uint(out, "packets", total.q.packets);
	cs_json_uint(out, "drops", total.drops);
	cs_json_uint(out, "backlog", total.q.backlog);
	cs_json_uint(out, "qlen", total.q.qlen);
	cs_put(out, "}");
	cs_json_delta(out, &total.row);
	cs_put(out, "}");
}

void cs_json_v1(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now)
{
	const char *comma = "";
	struct cs_row row;
	size_t i;

	cs_put(out, "{\"version\":1,\"time\":");
	cs_put_seconds(out, now->realtime);
	cs_put(out, ",\"seconds\":");
	if (before)
		cs_put_seconds(out, now->monotonic - before->monotonic);
	else
		cs_put(out, "null");
	cs_put(out, ",\"qdiscs\":[");
	for (i = 0; i < now->n_qdiscs; i++) {
		cs_put(out, i ? "," : "");
		cs_row_fill(&row, before, now, i);
		cs_json_row(out, &row);
	}
	cs_put(out, "],\"devices\":[");
	for (i = 0; i < now->n_qdiscs; i += cs_total_queues(now, i)) {
		if (cs_total_queues(now, i) == 1)
			continue;
		cs_put(out, comma);
		cs_json_total(out, before, now, i);
		comma = ",";
	}
	cs_put(out, "]}\n");
}
