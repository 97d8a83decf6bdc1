/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What a qdisc counts: the fate of every packet, by cause, and how long those waited
 * that were sent. All of it in 64 bits, and an increment for each number: what these
 * mean and how they are shown is in codel_uapi.h.
 *
 * Written under the root lock. The histogram is read without it.
 */
#ifndef CODEL_STATS_H
#define CODEL_STATS_H

#include <linux/slab.h>
#include <linux/u64_stats_sync.h>
#include <net/gen_stats.h>
#include <net/sch_generic.h>

#include "../uapi/codel_delay.h"
#include "../uapi/codel_uapi.h"

/**
 * struct codel_stats - the counters
 * @received: packets given to ->enqueue()
 * @sent: packets that left
 * @segments: the packets of @sent as the core counts them, segments of the wire
 * @drop: by enum codel_drop_cause
 * @mark: by enum codel_mark_cause
 * @before: what the core had counted as sent when these numbers began
 * @delay_sum: of the sojourn times of @sent, ns
 * @delay_max: the longest of them, ns
 * @wire_bytes: of @sent on the wire, if the qdisc shapes
 * @sync: for readers of @delay on machines of 32 bits
 * @delay: packets of @sent by sojourn time
 */
struct codel_stats {
	struct codel_count received;
	struct codel_count sent;
	u64 segments;
	struct codel_count drop[CODEL_DROP_CAUSES];
	struct codel_count mark[CODEL_MARK_CAUSES];
	struct codel_count before;
	u64 delay_sum;
	u64 delay_max;
	u64 wire_bytes;
	struct u64_stats_sync sync;
	u64 delay[CODEL_DELAY_BUCKETS];
};

static inline void codel_stats_count(struct codel_count *count, u32 bytes)
{
	count->packets++;
	count->bytes += bytes;
}

/* Prepare the sequence counter of 32-bit kernels, once, before the first packet. */
static inline void codel_stats_init(struct codel_stats *stats)
{
	u64_stats_init(&stats->sync);
}

/* A packet of @len bytes and @segs segments is sent after its @sojourn, ns. */
static inline void codel_stats_sent(struct codel_stats *stats, u32 len, u32 segs,
				    u64 sojourn)
{
	codel_stats_count(&stats->sent, len);
	stats->segments += segs;
	stats->delay_sum += sojourn;
	if (unlikely(sojourn > stats->delay_max))
		stats->delay_max = sojourn;
	u64_stats_update_begin(&stats->sync);
	++*(stats->delay + codel_delay_bucket(sojourn));
	u64_stats_update_end(&stats->sync);
}

/*
 * Packets that are the qdisc's own: the core keeps in gso_skb and skb_bad_txq what the
 * device did not take, and counts it as queued, too. Ours in gso_skb is there only below
 * a parent, where the core does not put any.
 */
static inline struct codel_count codel_stats_queued(const struct Qdisc *sch,
						    bool peeked)
{
	struct codel_count queued = {
		.packets = sch->q.qlen,
		.bytes = sch->qstats.backlog,
	};
	const struct sk_buff *skb;

	if (peeked)
		return queued;
	skb_queue_walk(&sch->gso_skb, skb) {
		queued.packets--;
		queued.bytes -= qdisc_pkt_len(skb);
	}
	skb_queue_walk(&sch->skb_bad_txq, skb) {
		queued.packets--;
		queued.bytes -= qdisc_pkt_len(skb);
	}
	return queued;
}

/* What the core has counted as sent; more than @sent if it sent past the queue */
static inline struct codel_count codel_stats_core(const struct Qdisc *sch)
{
	return (struct codel_count) {
		.packets = u64_stats_read(&sch->bstats.packets),
		.bytes = u64_stats_read(&sch->bstats.bytes),
	};
}

/**
 * codel_stats_clear() - all numbers start again from 0
 * @sch: the qdisc, under its lock; the core's numbers too, unless an estimator of its
 *	rate would take that for a leap
 * @stats: what is queued counts as received
 * @peeked: the packet of codel_qdisc_peek_store() is in gso_skb
 */
static inline void codel_stats_clear(struct Qdisc *sch, struct codel_stats *stats,
				     bool peeked)
{
	u32 i;

	if (!rcu_access_pointer(sch->rate_est)) {
		u64_stats_update_begin(&sch->bstats.syncp);
		u64_stats_set(&sch->bstats.packets, 0);
		u64_stats_set(&sch->bstats.bytes, 0);
		u64_stats_update_end(&sch->bstats.syncp);
	}
	sch->qstats.drops = 0;
	sch->qstats.overlimits = 0;
	sch->qstats.requeues = 0;

	memset(stats, 0, offsetof(struct codel_stats, sync));
	stats->received = codel_stats_queued(sch, peeked);
	stats->before = codel_stats_core(sch);
	u64_stats_update_begin(&stats->sync);
	for (i = 0; i < CODEL_DELAY_BUCKETS; i++)
		WRITE_ONCE(stats->delay[i], 0);
	u64_stats_update_end(&stats->sync);
}

/* All but the histogram, under the lock */
static inline void codel_stats_read(struct codel_ext_stats *ext,
				    const struct Qdisc *sch,
				    const struct codel_stats *stats, bool peeked)
{
	struct codel_count core = codel_stats_core(sch);

	BUILD_BUG_ON(sizeof(ext->drop) != sizeof(stats->drop));
	BUILD_BUG_ON(sizeof(ext->mark) != sizeof(stats->mark));

	ext->received = stats->received;
	ext->sent = stats->sent;
	ext->queued = codel_stats_queued(sch, peeked);
	ext->bypassed.packets = core.packets - stats->before.packets -
				  stats->segments;
	ext->bypassed.bytes = core.bytes - stats->before.bytes -
				stats->sent.bytes;
	memcpy(ext->drop, stats->drop, sizeof(ext->drop));
	memcpy(ext->mark, stats->mark, sizeof(ext->mark));
	ext->delay_sum = stats->delay_sum;
	ext->delay_max = stats->delay_max;
	ext->wire_bytes = stats->wire_bytes;
}

static inline u64 codel_stats_bucket(const struct codel_stats *stats, u32 i)
{
	unsigned int start;
	u64 count;

	do {
		start = u64_stats_fetch_begin(&stats->sync);
		count = READ_ONCE(stats->delay[i]);
	} while (u64_stats_fetch_retry(&stats->sync, start));
	return count;
}

/* Which buckets are not 0, without the lock; the last has the maximum that was read with it */
static inline void codel_stats_range(struct codel_ext_stats *ext,
				     const struct codel_stats *stats)
{
	u32 end = ext->sent.packets ? codel_delay_bucket(ext->delay_max) + 1 : 0;
	u32 first = 0;

	while (first < end && !codel_stats_bucket(stats, first))
		first++;
	ext->delay_offset = sizeof(*ext);
	ext->delay_first = first;
	ext->delay_count = end - first;
}

/**
 * codel_stats_put() - statistics into a dump
 * @d: the dump
 * @st: them all
 * @size: their length, bytes
 * @kernels: how much of it the in-tree qdisc has: all that the older TCA_XSTATS gets
 *
 * Return: 0, or an error if there is no room.
 */
static inline int codel_stats_put(struct gnet_dump *d, void *st, int size, int kernels)
{
	int err = gnet_stats_copy_app(d, st, size);

	if (!err)
		d->xstats_len = min(d->xstats_len, kernels);
	return err;
}

/**
 * codel_stats_dump() - statistics of a qdisc into a dump, without the lock
 * @d: the dump
 * @st: them all, but for the histogram
 * @size: their length
 * @kernels: how much of it the in-tree qdisc has
 * @ext: the end of @st; which buckets follow is noted here
 * @stats: the histogram
 *
 * Return: 0, or an error if there is no room or no memory.
 */
static inline int codel_stats_dump(struct gnet_dump *d, const void *st, int size, int kernels,
				   struct codel_ext_stats *ext, const struct codel_stats *stats)
{
	u64 *bucket;
	void *all;
	int err;
	u32 i;

	codel_stats_range(ext, stats);
	all = kmalloc(size + ext->delay_count * sizeof(*bucket), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	bucket = memcpy(all, st, size) + size;
	for (i = 0; i < ext->delay_count; i++)
		bucket[i] = codel_stats_bucket(stats, ext->delay_first + i);
	err = codel_stats_put(d, all, size + ext->delay_count * sizeof(*bucket), kernels);
	kfree(all);
	return err;
}

#endif /* CODEL_STATS_H */
