// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See link.h */
#include <stdio.h>
#include <string.h>

#include "../codel_ext_stats.h"
#include "link.h"

void cs_link_read(struct cs_qdisc *q, const void *ext, size_t len)
{
	const struct codel_ext_stats *stats = &q->ext_stats;
	const size_t offset = stats->shared_offset;

	if (stats->delay_offset <= CODEL_EXT_STATS_SHARED || !offset ||
	    len < sizeof(q->link) || offset > len - sizeof(q->link))
		return;
	memcpy(&q->link, (const char *)ext + offset, sizeof(q->link));
}

const struct cs_qdisc *cs_link(const struct cs_snapshot *now, size_t first, enum cs_kind kind,
			       size_t *queues)
{
	const struct cs_qdisc *found = NULL, *q, *end;
	size_t least = SIZE_MAX;

	*queues = 0;
	if (!now->links)
		return NULL;
	q = &now->qdiscs[first];
	for (end = q + cs_total_queues(now, first); q < end; q++) {
		if (!cs_link_has(q, kind))
			continue;
		if (!found)
			found = q;
		/* they are read one after another: one may have been added or deleted meanwhile */
		if (least > q->link.queues)
			least = q->link.queues;
		++*queues;
	}
	return *queues < least ? NULL : found;
}

/* Where settings differ, the longest target and interval, and the lowest limit and threshold */
static void cs_link_add_settings(struct cs_qdisc *link, const struct cs_qdisc *q)
{
	if (link->target < cs_target(q))
		link->target = cs_target(q);
	if (link->interval < cs_interval(q))
		link->interval = cs_interval(q);
	if (link->ce_threshold > q->ce_threshold)
		link->ce_threshold = q->ce_threshold;
	if (link->limit > q->limit)
		link->limit = q->limit;
	if (link->maxpacket < q->maxpacket)
		link->maxpacket = q->maxpacket;
	link->ecn &= q->ecn;
}

void cs_link_fill(struct cs_total *link, const struct cs_snapshot *before,
		  const struct cs_snapshot *now, size_t first, enum cs_kind kind)
{
	const struct cs_qdisc *q = &now->qdiscs[first], *end = q + cs_total_queues(now, first);
	struct cs_qdisc *sum = &link->q;

	cs_total_fill(link, before, now, first, kind);
	snprintf(sum->kind, sizeof(sum->kind), "link of %u", (unsigned int)link->queues);
	sum->rate = link->one->rate;
	sum->ce_threshold = UINT64_MAX;
	sum->limit = UINT32_MAX;
	sum->ecn = true;
	for (; q < end; q++)
		if (cs_link_has(q, kind))
			cs_link_add_settings(sum, q);
}

double cs_link_used(const struct cs_total *link)
{
	const struct cs_delta *delta = &link->row.delta;

	/* a recording may be damaged: a link always has a rate */
	if (!link->row.since || delta->seconds <= 0 || !link->q.rate || link->q.rate == UINT64_MAX)
		return -1;
	return (double)delta->wire / delta->seconds / (double)link->q.rate;
}
