// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The difference of two snapshots of a qdisc. */
#include <string.h>

#include "snapshot.h"

/* Counters of 32 bits wrap; so does their difference. */
#define CS_SINCE_32(field) ((uint32_t)(now->field - (before ? before->field : 0)))
#define CS_SINCE(field) (now->field - (before ? before->field : 0))

static void cs_delta_oot(struct cs_delta *delta, const struct cs_qdisc *before,
			  const struct cs_qdisc *now)
{
	/* one loop per counter, because this runs for every qdisc */
	uint64_t *delay = delta->delay + now->ext_stats.delay_first;
	unsigned int i;

	for (i = 0; i < CODEL_DROP_CAUSES; i++) {
		delta->cause[i] = CS_SINCE(ext_stats.drop[i].packets);
		delta->drops += delta->cause[i];
	}
	for (i = 0; i < CODEL_MARK_CAUSES; i++)
		delta->mark[i] = CS_SINCE(ext_stats.mark[i].packets);
	for (i = 0; i < now->ext_stats.delay_count; i++) {
		delay[i] = now->delay[i];
		if (before)
			delay[i] -= cs_delay_in(before, now->ext_stats.delay_first + i);
		delta->delays += delay[i];
	}
	delta->collisions = CS_SINCE(collisions);
	delta->wire = CS_SINCE(ext_stats.wire_bytes);
	/* one that has come into the link shows what it counted before */
	if (before && !before->link.queues)
		return;
	delta->waits = CS_SINCE(link.waits);
	delta->wait_sum = CS_SINCE(link.wait_sum);
}

/* As many as cs_follow() has seen */
static void cs_at_least(struct cs_delta *delta, const struct cs_qdisc *now,
			enum codel_drop_cause cause)
{
	if (delta->cause[cause] < now->ext_stats.drop[cause].packets)
		delta->cause[cause] = now->ext_stats.drop[cause].packets;
}

static void cs_delta_in_tree(struct cs_delta *delta, const struct cs_qdisc *before,
			     const struct cs_qdisc *now)
{
	uint64_t limit = CS_SINCE_32(drop_overlimit);
	uint64_t memory = CS_SINCE_32(drop_overmemory);

	delta->drops = CS_SINCE_32(drops);
	delta->cause[CODEL_DROP_MEMORY] = memory;
	/* in-tree fq_codel counts drops for memory in both */
	if (limit > memory)
		delta->cause[CODEL_DROP_LIMIT] = limit - memory;
	/* the core reads its count of drops at another time */
	if (delta->drops > delta->cause[CODEL_DROP_LIMIT] + memory)
		delta->cause[CODEL_DROP_CODEL] = delta->drops - memory -
						 delta->cause[CODEL_DROP_LIMIT];
	if (!before) {
		cs_at_least(delta, now, CODEL_DROP_CODEL);
		cs_at_least(delta, now, CODEL_DROP_LIMIT);
	}
	delta->mark[CODEL_MARK_CODEL] = CS_SINCE_32(ecn_mark);
	delta->mark[CODEL_MARK_CE_THRESHOLD] = CS_SINCE_32(ce_mark);
}

void cs_delta(struct cs_delta *delta, const struct cs_qdisc *before,
	      const struct cs_qdisc *now, double seconds)
{
	memset(delta, 0, sizeof(*delta));
	delta->seconds = before ? seconds : 0;
	delta->bytes = CS_SINCE(bytes);
	delta->packets = CS_SINCE(packets);
	if (now->oot)
		cs_delta_oot(delta, before, now);
	else
		cs_delta_in_tree(delta, before, now);
	delta->marks = delta->mark[CODEL_MARK_CODEL] + delta->mark[CODEL_MARK_CE_THRESHOLD];
}

/* From @then to a difference of counters, of which only 32 bits are known and which may be late */
static uint64_t cs_followed(uint64_t then, uint32_t now)
{
	const uint32_t more = now - (uint32_t)then;

	return more > INT32_MAX ? then : then + more;
}

void cs_follow(struct cs_snapshot *now, const struct cs_snapshot *before)
{
	const struct cs_qdisc *then;
	struct cs_qdisc *q = now->qdiscs;
	struct cs_delta all;

	for (; q < now->qdiscs + now->n_qdiscs; q++) {
		then = q->oot ? NULL : cs_snapshot_find(before, q);
		if (!then)
			continue;
		cs_delta(&all, NULL, then, 0);
		q->ext_stats.drop[CODEL_DROP_CODEL].packets =
			cs_followed(all.cause[CODEL_DROP_CODEL], q->drops - q->drop_overlimit);
		q->ext_stats.drop[CODEL_DROP_LIMIT].packets =
			cs_followed(all.cause[CODEL_DROP_LIMIT],
				    q->drop_overlimit - q->drop_overmemory);
	}
}

unsigned int cs_reach(const uint64_t delay[CODEL_DELAY_BUCKETS], uint64_t sum, double p,
		      unsigned int i, uint64_t *passed)
{
	/* 99.9% of 1000 are 999, whatever 99.9 is in binary */
	const double share = (double)sum * p / 100 * (1 - 1e-12);

	while (i < CODEL_DELAY_BUCKETS - 1 &&
	       (!(*passed + delay[i]) || (double)(*passed + delay[i]) < share))
		*passed += delay[i++];
	return i;
}

/* The buckets may contain packets that are not in the longest delay yet. The last bucket
 * has no upper bound.
 */
static double cs_capped(unsigned int bucket, uint64_t longest)
{
	const uint64_t bound = codel_delay_bound(bucket + 1);

	if (longest >= codel_delay_bound(bucket) &&
	    (longest < bound || bucket == CODEL_DELAY_BUCKETS - 1))
		return (double)longest;
	return (double)bound;
}

void cs_delays(struct cs_delays *delays, const struct cs_qdisc *qdisc,
	       const struct cs_delta *delta)
{
	const struct {
		double p;
		double *to;
	} wanted[] = {
		{ 50, &delays->p50 }, { 90, &delays->p90 }, { 99, &delays->p99 },
		{ 99.9, &delays->p999 }, { 100, &delays->max },
	};
	unsigned int bucket = qdisc->ext_stats.delay_first;
	uint64_t passed = 0;
	size_t i;

	memset(delays, 0, sizeof(*delays));
	delays->known = delta->delays;
	for (i = 0; delays->known && i < sizeof(wanted) / sizeof(*wanted); i++) {
		bucket = cs_reach(delta->delay, delta->delays, wanted[i].p, bucket, &passed);
		*wanted[i].to = cs_capped(bucket, qdisc->ext_stats.delay_max);
	}
}

double cs_backlog_ms(const struct cs_qdisc *qdisc, const struct cs_delta *delta)
{
	if (!qdisc->backlog)
		return 0;
	if (!delta->bytes || delta->seconds <= 0)
		return -1;
	return (double)qdisc->backlog / ((double)delta->bytes / delta->seconds) * 1e3;
}
