/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A queue of packets with its CoDel state. Arrivals, departures and drops are accounted for
 * in the qdisc, in its parents and in its statistics. sch_codel and sch_fq_codel share this.
 *
 * Two invariants hold whenever the root lock is free:
 * - sch->q.qlen and sch->qstats.backlog count the packets in all queues of the qdisc and
 *   in gso_skb, where the core keeps what a parent has peeked;
 * - every drop has been reported to the parents, after these counts were right.
 */
#ifndef CODEL_QUEUE_H
#define CODEL_QUEUE_H

#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "../codel.h"
#include "../codel_shaper.h"
#include "../codel_shared.h"
#include "codel_stats.h"
#include "codel_trace.h"
#include "compat.h"

#define CODEL_DEVICE_MTU_MAX	SZ_1M

/* A ce_threshold that no sojourn time exceeds. */
#define CODEL_QDISC_CE_OFF	U64_MAX

/**
 * struct codel_skb_cb - a packet while it is queued
 * @enqueue_time: arrival, ns
 * @truesize: memory it was charged with, bytes; skb->truesize may change later; of queues
 *	that take turns
 */
struct codel_skb_cb {
	u64 enqueue_time;
	u32 truesize;
};

static inline struct codel_skb_cb *codel_skb_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct codel_skb_cb));
	return (struct codel_skb_cb *)qdisc_skb_cb(skb)->data;
}

/**
 * struct codel_queue - packets in order of arrival, and CoDel's view of them
 * @tail: the packet that arrived last, NULL if empty; its successor is the next to leave
 * @backlog: bytes modulo 2^32, as in the core; of a queue that takes turns with others
 * @ldelay: sojourn time of the last packet that left, see codel_qdisc_pack_time()
 * @vars: state of the algorithm
 */
struct codel_queue {
	struct sk_buff *tail;
	u32 backlog;
	u32 ldelay;
	struct codel_vars vars;
};

/*
 * The MTU of a device at this moment, link layer header included as in the backlog. Whatever
 * the device claims, CoDel acts on CODEL_DEVICE_MTU_MAX bytes that wait.
 */
static inline u32 codel_device_mtu(const struct net_device *dev)
{
	return min_t(u32, READ_ONCE(dev->mtu) + dev->hard_header_len, CODEL_DEVICE_MTU_MAX);
}

/* Append a packet. Return: true if it is the only one. */
static inline bool codel_queue_append(struct codel_queue *queue, struct sk_buff *skb)
{
	struct sk_buff *tail = queue->tail;

	queue->tail = skb;
	if (!tail) {
		skb->next = skb;
		return true;
	}
	skb->next = tail->next;
	tail->next = skb;
	return false;
}

/* Take the first packet of a queue that has one. */
static inline struct sk_buff *codel_queue_pop(struct codel_queue *queue)
{
	struct sk_buff *tail = queue->tail;
	struct sk_buff *skb = tail->next;

	if (unlikely(skb == tail))
		queue->tail = NULL;
	else
		tail->next = skb->next;
	skb_mark_not_on_list(skb);
	return skb;
}

/**
 * struct codel_config - options that both kinds have
 * @params: target, interval and ceiling in force
 * @target: as the operator set it, ns; longer in @params if the shaper is slow
 * @interval: as @target
 * @ceiling: the same, or CODEL_CEILING_OFF; 0 for the default
 * @shape: of the shaper
 * @mtu: of the device, for which @params are, bytes
 * @packet: a full packet on the wire, bytes
 * @ce_threshold: sojourn time above which every packet that can be is marked,
 *	ns; CODEL_QDISC_CE_OFF for none
 * @limit: packets
 * @answers: index of the device on which answers of the far queue come in; 0: that of the qdisc
 * @bottleneck: enum codel_bottleneck
 * @ce_selector: see codel_mark_matches(); fq_codel only
 * @ce_mask: see codel_mark_matches(); fq_codel only
 * @ecn: mark packets that can be marked, in place of dropping them
 * @extended: dump what in-tree qdiscs do not have, too
 */
struct codel_config {
	struct codel_params params;
	u64 target;
	u64 interval;
	u64 ceiling;
	struct codel_shape shape;
	u64 ce_threshold;
	u32 mtu;
	u32 packet;
	u32 limit;
	u32 answers;
	u8 bottleneck;
	u8 ce_selector;
	u8 ce_mask;
	bool ecn;
	bool extended;
};

/**
 * struct codel_lost - what the parents count, but the qdisc no longer does
 * @packets: how many; negative while more segments than super-packets have been queued
 * @bytes: their lengths
 */
struct codel_lost {
	s32 packets;
	s32 bytes;
};

struct codel_far;
struct codel_shared_link;

/**
 * struct codel_share - the part of a qdisc in a link that qdiscs of its device share
 * @slice: of link time
 * @new_flows: how many of @queues have not used up a turn; NULL with a single queue
 * @link: the link; NULL without
 * @next: that of a change; @link otherwise. Under RTNL
 * @list: the qdiscs of the link; under RTNL
 * @asked: when the latest slice could have begun without the others, ns
 */
struct codel_share {
	struct codel_slice slice;
	const u32 *new_flows;
	struct codel_shared_link *link;
	struct codel_shared_link *next;
	struct list_head list;
	u64 asked;
};

/**
 * struct codel_qdisc - the begin of a qdisc's private data, which both kinds have
 * @config: changes under the root lock
 * @lost: none whenever the root lock is free
 * @memory: truesize of the queued packets, bytes; of queues that take turns
 * @maxpacket: largest packet that left, segmentation offload aside, bytes
 * @queues: the first of an array of queues that take turns at the link
 * @bulk_flows: how many of these have used up a turn
 * @queue_size: distance between two of @queues, bytes; 0 with a single queue
 * @link: the times that it stood still
 * @drops: packets that the last call of codel_qdisc_act() has dropped
 * @marks: packets that it has marked
 * @splitting: segments of a super-packet are being queued; @lost is reported after the last one
 * @far: the far queue; NULL without
 * @far_next: that of a change; @far otherwise. Under RTNL
 * @pace: rate of the shaper
 * @clock: when the next packet may leave
 * @watchdog: asks the qdisc again at that time
 * @stats: what the user is shown
 * @share: of a shared link
 */
struct codel_qdisc {
	struct codel_config config;

	struct codel_lost lost;
	u64 memory;
	u32 maxpacket;
	const struct codel_queue *queues;
	const u32 *bulk_flows;
	u32 queue_size;
	struct codel_link link;
	u32 drops;
	u32 marks;

	struct codel_pace pace;
	struct codel_clock clock;
	struct qdisc_watchdog watchdog;
	struct codel_far *far;
	struct codel_far *far_next;
	bool splitting;

	struct codel_stats stats;
	struct codel_share share;
};

static inline struct codel_qdisc *codel_qdisc(struct Qdisc *sch)
{
	return qdisc_priv(sch);
}

/*
 * Report the drops to the parents, which look at the qlen of this qdisc: every function that
 * drops packets calls this last. The loss can be of bytes alone: the parents do not count
 * the arriving packet, and a packet of another length was dropped.
 */
static inline void codel_qdisc_tree_reduce_backlog(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_lost lost = c->lost;

	if (likely(!lost.packets && !lost.bytes) || c->splitting)
		return;
	c->lost = (struct codel_lost) {};
	qdisc_tree_reduce_backlog(sch, lost.packets, lost.bytes);
}

/*
 * In all functions, @turns is a constant: true if the qdisc has several queues, which take turns
 * at the link. Then the bytes of each queue and the memory of all are counted, too.
 */

/* The sojourn time of a packet begins. */
static inline void codel_qdisc_stamp(const struct sk_buff *skb)
{
	codel_skb_cb(skb)->enqueue_time = ktime_get_ns();
}

/* Count a packet that the caller has stamped, and appends to a queue next. */
static inline void codel_qdisc_count(struct Qdisc *sch, struct codel_queue *queue,
				     bool turns, struct sk_buff *skb)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	u32 len = qdisc_pkt_len(skb);

	codel_compat_qlen_add(sch, 1, len);
	if (turns) {
		codel_skb_cb(skb)->truesize = skb->truesize;
		c->memory += skb->truesize;
		queue->backlog += len;
	}
}

/* Take the first packet of a queue that has one. */
static inline struct sk_buff *codel_qdisc_pop(struct Qdisc *sch, struct codel_queue *queue,
					      bool turns)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct sk_buff *skb = codel_queue_pop(queue);
	u32 len = qdisc_pkt_len(skb);

	codel_compat_qlen_add(sch, -1, -(int)len);
	if (turns) {
		c->memory -= codel_skb_cb(skb)->truesize;
		queue->backlog -= len;
	}
	return skb;
}

/* Count the packets of a queue: O(n), for statistics only. */
static inline u32 codel_queue_count(const struct codel_queue *queue)
{
	const struct sk_buff *skb = queue->tail;
	u32 packets = 0;

	if (!skb)
		return 0;
	do {
		packets++;
		skb = skb->next;
	} while (skb != queue->tail);
	return packets;
}

static inline u64 codel_qdisc_sojourn(const struct sk_buff *skb)
{
	return ktime_get_ns() - codel_skb_cb(skb)->enqueue_time;
}

/* Number of the class that a queue is; 0 in codel, or without a queue */
static inline u32 codel_qdisc_class(struct Qdisc *sch, const struct codel_queue *queue)
{
	const struct codel_qdisc *c = codel_qdisc(sch);

	if (!c->queue_size || !queue)
		return 0;
	return 1 + ((const char *)queue - (const char *)c->queues) / c->queue_size;
}

static inline void codel_qdisc_trace_drop(struct Qdisc *sch, const struct codel_queue *queue,
					  const struct sk_buff *skb,
					  enum codel_drop_cause cause)
{
	trace_codel_drop(sch, codel_qdisc_class(sch, queue), codel_qdisc_sojourn(skb),
			 queue ? queue->vars.count : 0, cause, qdisc_pkt_len(skb));
}

static inline void codel_qdisc_trace_mark(struct Qdisc *sch, const struct codel_queue *queue,
					  const struct sk_buff *skb,
					  enum codel_mark_cause cause)
{
	trace_codel_mark(sch, codel_qdisc_class(sch, queue), codel_qdisc_sojourn(skb),
			 queue->vars.count, cause, qdisc_pkt_len(skb));
}

/* Count a packet that arrives. */
static inline void codel_qdisc_received(struct Qdisc *sch, const struct sk_buff *skb)
{
	codel_stats_count(&codel_qdisc(sch)->stats.received, qdisc_pkt_len(skb));
}

/*
 * Count a packet of @len bytes that arrived and is not queued. The caller frees it, unless
 * an action of a filter owns it.
 */
static inline void codel_qdisc_reject(struct Qdisc *sch, u32 len, enum codel_drop_cause cause)
{
	codel_stats_count(&codel_qdisc(sch)->stats.drop[cause], len);
	if (cause != CODEL_DROP_STOLEN)
		qdisc_qstats_drop(sch);
	trace_codel_drop(sch, 0, 0, 0, cause, len);
}

/*
 * Count packets that were removed from a queue as drops. The caller traces and frees them,
 * and counts them in the flow record.
 */
static inline void codel_qdisc_count_drops(struct Qdisc *sch, enum codel_drop_cause cause,
					   u32 packets, u32 bytes)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	__qdisc_qstats_drop(sch, packets);
	c->lost.packets += packets;
	c->lost.bytes += bytes;
	c->stats.drop[cause].packets += packets;
	c->stats.drop[cause].bytes += bytes;
}

/*
 * The same for one packet. It is traced.
 */
static inline void codel_qdisc_drop(struct Qdisc *sch, const struct codel_queue *queue,
				    const struct sk_buff *skb,
				    enum codel_drop_cause cause)
{
	codel_qdisc_count_drops(sch, cause, 1, qdisc_pkt_len(skb));
	if (trace_codel_drop_enabled())
		codel_qdisc_trace_drop(sch, queue, skb, cause);
}

/* Count a packet that was marked. */
static inline void codel_qdisc_marked(struct Qdisc *sch, const struct codel_queue *queue,
				      const struct sk_buff *skb,
				      enum codel_mark_cause cause)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	codel_stats_count(&c->stats.mark[cause], qdisc_pkt_len(skb));
	c->marks++;
	if (trace_codel_mark_enabled())
		codel_qdisc_trace_mark(sch, queue, skb, cause);
}

/* Nanoseconds as the microseconds of a 32-bit field that holds no more. */
static inline u32 codel_qdisc_us(u64 ns)
{
	return min_t(u64, div_u64(ns, CODEL_NSEC_PER_USEC), U32_MAX);
}

/* A sojourn time in 32 bits: ns, or with the highest bit set us; no division for
 * most packets.
 */
#define CODEL_QDISC_IN_US	BIT(31)

static inline u32 codel_qdisc_pack_time(u64 ns)
{
	if (likely(ns < CODEL_QDISC_IN_US))
		return ns;
	return CODEL_QDISC_IN_US |
	       min(codel_qdisc_us(ns), CODEL_QDISC_IN_US - 1);
}

/* Sojourn time of the last packet that left the queue, us; 2^31-1 and more are one. */
static inline u32 codel_qdisc_ldelay(const struct codel_queue *queue)
{
	u32 time = queue->ldelay;

	if (time & CODEL_QDISC_IN_US)
		return time - CODEL_QDISC_IN_US;
	return codel_qdisc_us(time);
}

/* A packet has left its queue, to be sent or dropped. */
static inline u64 codel_qdisc_update_ldelay(struct Qdisc *sch, struct codel_queue *queue,
					    const struct sk_buff *skb, u64 now)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	u64 sojourn = now - codel_skb_cb(skb)->enqueue_time;
	u32 len = qdisc_pkt_len(skb);

	if (unlikely(len > c->maxpacket && !skb_is_gso(skb)))
		c->maxpacket = len;
	queue->ldelay = codel_qdisc_pack_time(sojourn);
	return sojourn;
}

static inline void codel_qdisc_trace_purge(struct Qdisc *sch, const struct codel_queue *queue)
{
	const struct sk_buff *skb = queue->tail;

	do {
		skb = skb->next;
		codel_qdisc_trace_drop(sch, queue, skb, CODEL_DROP_RESET);
	} while (skb != queue->tail);
}

/* Free all packets of a queue; the core resets qlen. */
static inline void codel_qdisc_purge(struct Qdisc *sch, struct codel_queue *queue)
{
	struct sk_buff *head;

	if (queue->tail) {
		if (trace_codel_drop_enabled())
			codel_qdisc_trace_purge(sch, queue);
		head = queue->tail->next;
		queue->tail->next = NULL;
		rtnl_kfree_skbs(head, queue->tail);
		queue->tail = NULL;
	}
	queue->backlog = 0;
}

/* Packets dropped for any limit, as the in-tree qdiscs count them */
static inline u64 codel_qdisc_overlimit(struct Qdisc *sch)
{
	const struct codel_qdisc *c = codel_qdisc(sch);

	return c->stats.drop[CODEL_DROP_LIMIT].packets +
	       c->stats.drop[CODEL_DROP_MEMORY].packets +
	       c->stats.drop[CODEL_DROP_CHANGE].packets;
}

/* Drop the packets that a change no longer leaves room for, after unlocking. */
static inline void codel_qdisc_free_list(struct sk_buff *list)
{
	kfree_skb_list_reason(list, SKB_DROP_REASON_QDISC_DROP);
}

#endif /* CODEL_QUEUE_H */
