/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Super-packets, which GRO and TSO make, are segmented before they are queued. A super-packet
 * would hold a slow link for the time of all its segments.
 */
#ifndef CODEL_SPLIT_H
#define CODEL_SPLIT_H

#include "codel_queue.h"

/* Put one packet, which the qdisc has counted as received, into a queue. Return: as ->enqueue(). */
typedef int (*codel_queue_fn)(struct sk_buff *skb, struct Qdisc *sch, struct codel_queue *queue,
			      struct sk_buff **to_free);

/*
 * Segment a super-packet. Return: the segments, ready to be queued; NULL if there is no memory
 * for them, or if nothing has to be segmented.
 */
static inline struct sk_buff *codel_split_segments(struct sk_buff *skb)
{
	netdev_features_t features = netif_skb_features(skb) & ~NETIF_F_GSO_MASK;
	struct sk_buff *segs = skb_gso_segment(skb, features);

	return IS_ERR(segs) ? NULL : segs;
}

/*
 * What the core sets for a packet before it is enqueued, but for a size table, to which modules
 * have no access. The time of arrival is the same.
 */
static inline void codel_split_prepare(struct sk_buff *seg, u64 enqueue_time)
{
	skb_mark_not_on_list(seg);
	qdisc_skb_cb(seg)->pkt_len = seg->len;
	codel_compat_set_segs(seg, 1);
	codel_skb_cb(seg)->enqueue_time = enqueue_time;
}

/**
 * codel_split_enqueue() - queue the segments of a super-packet
 * @skb: the super-packet, which is counted as received and has its time of arrival
 * @sch: the qdisc
 * @queue: of its flow
 * @to_free: packets that a limit drops
 * @put: puts one segment into @queue, and frees none
 *
 * The parents count one packet, the super-packet, after a return of success. So they are told
 * of the segments, as of a negative number of drops, after the last segment. If it cannot be
 * segmented, it is queued as it is.
 *
 * skb_segment() may exchange the truesizes of the super-packet and the last segment, whose
 * socket pays for both until the segment is freed. The qdisc counts the segment's own.
 *
 * Return: as ->enqueue(): success if any segment is queued.
 */
static __always_inline int codel_split_enqueue(struct sk_buff *skb, struct Qdisc *sch,
					       struct codel_queue *queue,
					       struct sk_buff **to_free, codel_queue_fn put)
{
	u32 whole = skb->truesize, held, bytes = qdisc_pkt_len(skb), len;
	struct sk_buff *segs = codel_split_segments(skb), *seg, *next;
	u64 enqueue_time = codel_skb_cb(skb)->enqueue_time;
	struct codel_qdisc *c = codel_qdisc(sch);
	bool queued = false;
	int ret;

	if (!segs)
		return put(skb, sch, queue, to_free);
	c->stats.received.packets--;
	c->stats.received.bytes -= bytes;
	c->splitting = true;
	skb_list_walk_safe(segs, seg, next) {
		codel_split_prepare(seg, enqueue_time);
		len = qdisc_pkt_len(seg);
		codel_stats_count(&c->stats.received, len);
		held = !next && skb->truesize != whole ? skb->truesize : seg->truesize;
		swap(seg->truesize, held);
		ret = put(seg, sch, queue, to_free);
		seg->truesize = held;
		if (ret != NET_XMIT_SUCCESS)
			continue;
		queued = true;
		c->lost.packets--;
		c->lost.bytes -= len;
	}
	consume_skb(skb);
	c->splitting = false;
	queued &= sch->q.qlen > 0;
	if (queued) {
		c->lost.packets++;
		c->lost.bytes += bytes;
	}
	codel_qdisc_tree_reduce_backlog(sch);
	return queued ? NET_XMIT_SUCCESS : NET_XMIT_CN;
}

#endif /* CODEL_SPLIT_H */
