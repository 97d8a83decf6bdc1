// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See flows.h */
#include <stdlib.h>

#include <linux/pkt_sched.h>

#include "../codel_histogram.h"
#include "flows.h"

static size_t flows_index(const struct cs_flow *flow)
{
	return TC_H_MIN(flow->classid) % FLOWS_MAX;
}

void flows_note(struct flow_seen *seen, uint64_t now, const struct cs_flow *flows, size_t n)
{
	struct flow_seen *note;

	for (; n--; flows++) {
		note = &seen[flows_index(flows)];
		note->at = now;
		note->stats = flows->stats;
	}
}

/* A flow that counts less than before belongs to another hash now, or was reset. */
static bool flows_is_same(const struct flow_seen *then, const struct codel_flow_stats *now)
{
	return then->at && now->packets >= then->stats.packets &&
	       now->bytes >= then->stats.bytes && now->drops >= then->stats.drops &&
	       now->marks >= then->stats.marks;
}

static void flows_subtract(struct flow_row *row, const struct codel_flow_stats *then)
{
	const struct codel_flow_stats *now = &row->flow->stats;
	unsigned int i;

	row->bytes = now->bytes - then->bytes;
	row->packets = now->packets - then->packets;
	row->drops = now->drops - then->drops;
	row->marks = now->marks - then->marks;
	for (i = 0; i < CODEL_FLOW_DELAYS; i++)
		row->delay[i] = now->delay[i] - then->delay[i];
}

/*
 * A flow that was not seen before did all that it counts in this interval, if that can
 * be: no more than the whole qdisc did.
 */
static void flows_measure(struct flow_row *row, const struct flow_seen *then, uint64_t now,
			  const struct cs_delta *delta)
{
	static const struct codel_flow_stats nothing;

	row->seconds = delta->seconds;
	if (then && flows_is_same(then, &row->flow->stats)) {
		flows_subtract(row, &then->stats);
		row->seconds = (double)(now - then->at) / 1e9;
		row->known = true;
	} else {
		flows_subtract(row, &nothing);
		row->known = !then || row->bytes <= delta->bytes;
	}
}

/* In a longer time than the qdisc's, as much as at its rate */
static void flows_weigh(struct flow_row *row, const struct cs_delta *delta)
{
	double part = (double)row->bytes;

	if (row->seconds > 0) {
		row->rate = (double)row->bytes / row->seconds;
		part = row->rate * delta->seconds;
	}
	row->share = delta->bytes ? part / (double)delta->bytes : 0;
	if (row->share > 1)
		row->share = 1;
}

static int flows_order(const void *one, const void *other)
{
	const struct flow_row *a = one, *b = other;

	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	if (a->flow->backlog != b->flow->backlog)
		return a->flow->backlog < b->flow->backlog ? 1 : -1;
	return a->flow->classid < b->flow->classid ? -1 : 1;
}

void flows_compare(struct flow_row *rows, const struct flow_seen *seen, uint64_t now,
		   const struct cs_flow *flows, size_t n, const struct cs_delta *delta)
{
	struct flow_row *row = rows;
	size_t i;

	for (i = 0; i < n; i++, row++) {
		*row = (struct flow_row) { .flow = &flows[i] };
		if (!flows[i].known)
			continue;
		flows_measure(row, seen ? &seen[flows_index(&flows[i])] : NULL, now, delta);
		if (row->known)
			flows_weigh(row, delta);
	}
	flows_sort(rows, n, FLOWS_SHARE, 0);
}

double flows_percentile(const struct flow_row *row, unsigned int percent, double max)
{
	struct codel_histogram h;

	codel_flow_histogram(&h, row->delay);
	h.max = (uint64_t)max;
	return h.first < h.end ? (double)codel_percentile(&h, 10 * percent) : 0;
}

static double flows_key_of(const struct flow_row *row, enum flows_key key, double longest)
{
	switch (key) {
	case FLOWS_RATE:
		return row->rate;
	case FLOWS_BACKLOG:
		return row->flow->backlog;
	case FLOWS_P99:
		return flows_percentile(row, 99, longest);
	case FLOWS_DROPS:
		return row->drops;
	default:
		return row->share;
	}
}

void flows_sort(struct flow_row *rows, size_t n, enum flows_key key, double longest)
{
	size_t i;

	for (i = 0; i < n; i++)
		rows[i].key = flows_key_of(&rows[i], key, longest);
	if (n)
		qsort(rows, n, sizeof(*rows), flows_order);
}
