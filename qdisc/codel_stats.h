/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What a qdisc counts: the fate of every packet, by cause, and how long those waited
 * that were sent. All of it in 64 bits, and an increment for each number: what these
 * mean and how they are shown is in codel_uapi.h.
 *
 * Written and read under the root lock.
 */
#ifndef CODEL_STATS_H
#define CODEL_STATS_H

#include <linux/slab.h>
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
 * @delay_sum: of the sojourn times of @sent, ns
 * @delay_max: the longest of them, ns
 * @wire_bytes: of @sent on the wire, if the qdisc shapes
 * @delay: packets of @sent by sojourn time
 * @slices: of a shared link
 * @waits: slices that began later because of other qdiscs
 * @wait_sum: by how much, ns
 */
struct codel_stats {
	struct codel_count received;
	struct codel_count sent;
	u64 segments;
	struct codel_count drop[CODEL_DROP_CAUSES];
	struct codel_count mark[CODEL_MARK_CAUSES];
	u64 delay_sum;
	u64 delay_max;
	u64 wire_bytes;
	u64 delay[CODEL_DELAY_BUCKETS];
	u64 slices;
	u64 waits;
	u64 wait_sum;
};

static inline void codel_stats_count(struct codel_count *count, u32 bytes)
{
	count->packets++;
	count->bytes += bytes;
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
	++*(stats->delay + codel_delay_bucket(sojourn));
}

/*
 * Packets that are the qdisc's own: the core keeps in gso_skb and skb_bad_txq what the device
 * did not take, or what a parent has peeked. It counts them as queued, too, but they have been
 * counted as sent.
 */
static inline struct codel_count codel_stats_queued(const struct Qdisc *sch)
{
	struct codel_count queued = {
		.packets = sch->q.qlen,
		.bytes = sch->qstats.backlog,
	};
	const struct sk_buff *skb;

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

/**
 * codel_stats_alloc() - allocate the statistics of a dump, under the lock
 * @stats: the counters
 * @head: length of all that is before the histogram, bytes; it ends with struct codel_ext_stats
 * @size: set to the length with the histogram: from its first bucket that is not 0 to that of the
 *	maximum. Pages are zeroed when they are allocated, so room for all buckets costs more
 *
 * Return: all zero, but for the histogram; NULL without memory. The caller frees it.
 */
static inline void *codel_stats_alloc(const struct codel_stats *stats, int head, int *size)
{
	u32 end = stats->sent.packets ? codel_delay_bucket(stats->delay_max) + 1 : 0;
	struct codel_ext_stats *ext;
	u32 first = 0;
	void *st;

	while (first < end && !stats->delay[first])
		first++;
	*size = head + (end - first) * sizeof(*stats->delay);
	st = kzalloc(*size, GFP_ATOMIC);
	if (!st)
		return NULL;
	ext = st + head - sizeof(*ext);
	ext->delay_offset = sizeof(*ext);
	ext->delay_first = first;
	ext->delay_count = end - first;
	memcpy(ext + 1, stats->delay + first, *size - head);
	return st;
}

/* Copy all counters but the histogram, under the lock. */
static inline void codel_stats_read(struct codel_ext_stats *ext, const struct Qdisc *sch,
				    const struct codel_stats *stats)
{
	BUILD_BUG_ON(sizeof(ext->drop) != sizeof(stats->drop));
	BUILD_BUG_ON(sizeof(ext->mark) != sizeof(stats->mark));

	ext->received = stats->received;
	ext->sent = stats->sent;
	ext->queued = codel_stats_queued(sch);
	ext->bypassed.packets = u64_stats_read(&sch->bstats.packets) - stats->segments;
	ext->bypassed.bytes = u64_stats_read(&sch->bstats.bytes) - stats->sent.bytes;
	memcpy(ext->drop, stats->drop, sizeof(ext->drop));
	memcpy(ext->mark, stats->mark, sizeof(ext->mark));
	ext->delay_sum = stats->delay_sum;
	ext->delay_max = stats->delay_max;
	ext->wire_bytes = stats->wire_bytes;
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

#endif /* CODEL_STATS_H */
