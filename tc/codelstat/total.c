// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See row.h */
#include <stdio.h>
#include <string.h>

#include "link.h"

size_t cs_total_queues(const struct cs_snapshot *now, size_t first)
{
	size_t end = first;

	while (end < now->n_qdiscs && now->qdiscs[end].ifindex == now->qdiscs[first].ifindex)
		end++;
	return end - first;
}

static bool cs_total_has(const struct cs_qdisc *q, enum cs_kind link)
{
	return link == CS_OTHER || cs_link_has(q, link);
}

static void cs_total_add_link(struct codel_shared_stats *total, const struct cs_qdisc *q)
{
	total->slices += q->link.slices;
	total->waits += q->link.waits;
	total->wait_sum += q->link.wait_sum;
	total->link_bytes += q->ext_stats.wire_bytes;
	total->flows += q->link.flows;
	total->queues++;
}

static void cs_total_add_qdisc(struct cs_qdisc *total, const struct cs_qdisc *q)
{
	total->bytes += q->bytes;
	total->packets += q->packets;
	total->backlog += q->backlog;
	total->qlen += q->qlen;
	total->oot &= q->oot;
	if (total->ext_stats.delay_max < q->ext_stats.delay_max)
		total->ext_stats.delay_max = q->ext_stats.delay_max;
}

static void cs_total_add_delta(struct cs_delta *total, const struct cs_delta *delta,
			       const struct cs_qdisc *q)
{
	const unsigned int first = q->ext_stats.delay_first;
	unsigned int i;

	total->bytes += delta->bytes;
	total->packets += delta->packets;
	total->wire += delta->wire;
	total->waits += delta->waits;
	total->wait_sum += delta->wait_sum;
	total->collisions += delta->collisions;
	total->drops += delta->drops;
	total->marks += delta->marks;
	total->delays += delta->delays;
	for (i = 0; i < CODEL_DROP_CAUSES; i++)
		total->cause[i] += delta->cause[i];
	for (i = 0; i < CODEL_MARK_CAUSES; i++)
		total->mark[i] += delta->mark[i];
	for (i = first; i < first + q->ext_stats.delay_count; i++)
		total->delay[i] += delta->delay[i];
}

/* Add up, from @before on; NULL: since the counters began. False if a queue was not there before: a
 * total with such queues is of no interval.
 */
static bool cs_total_add(struct cs_total *total, const struct cs_snapshot *before,
			 const struct cs_qdisc *q, const struct cs_qdisc *end, enum cs_kind link)
{
	const struct cs_qdisc *then = NULL;
	struct cs_delta delta;

	memset(total, 0, sizeof(*total));
	total->q.oot = true;
	for (; q < end; q++) {
		if (!cs_total_has(q, link))
			continue;
		if (before)
			then = cs_snapshot_find(before, q);
		if (before && !then)
			return false;
		if (!total->queues++)
			total->one = q;
		cs_delta(&delta, then, q, 0);
		total->drops += q->drops;
		cs_total_add_qdisc(&total->q, q);
		cs_total_add_delta(&total->row.delta, &delta, q);
		if (link != CS_OTHER)
			cs_total_add_link(&total->q.link, q);
	}
	return before;
}

void cs_total_fill(struct cs_total *total, const struct cs_snapshot *before,
		   const struct cs_snapshot *now, size_t first, enum cs_kind link)
{
	const struct cs_qdisc *q = &now->qdiscs[first], *end = q + cs_total_queues(now, first);
	struct cs_row *row = &total->row;
	bool since = cs_total_add(total, before, q, end, link);

	if (before && !since)
		cs_total_add(total, NULL, q, end, link);
	total->q.ifindex = q->ifindex;
	memcpy(total->q.dev, q->dev, sizeof(q->dev));
	snprintf(total->q.kind, sizeof(total->q.kind), "%u queues", (unsigned int)total->queues);
	row->q = &total->q;
	row->since = since;
	if (since)
		row->delta.seconds = (double)(now->monotonic - before->monotonic) / 1e9;
	if (total->q.oot)
		cs_delays(&row->delays, &total->q, &row->delta);
	row->backlog_ms = cs_backlog_ms(&total->q, &row->delta);
}
