/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Packets in a queue with its CoDel state, and the accounting of what comes, leaves and
 * is lost towards the qdisc, its parents and its statistics: what sch_codel and
 * sch_fq_codel share below the algorithm.
 *
 * Two invariants hold whenever the root lock is free:
 * - sch->q.qlen and sch->qstats.backlog count the packets in all queues of the
 *   qdisc and the peeked one;
 * - the parents know of every drop, and were told only once these were right.
 */
#ifndef CODEL_QUEUE_H
#define CODEL_QUEUE_H

#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "../codel.h"
#include "codel_stats.h"
#include "codel_trace.h"
#include "compat.h"

/* A ce_threshold that no sojourn time exceeds. */
#define CODEL_QDISC_CE_OFF	U64_MAX

/**
 * struct codel_skb_cb - a packet while it is queued
 * @enqueue_time: when it came, ns
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
 * @tail: last that came, NULL if empty; its successor is the next to leave
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

/* Append a packet. */
static inline void codel_queue_append(struct codel_queue *queue, struct sk_buff *skb)
{
	struct sk_buff *tail = queue->tail;

	if (tail) {
		skb->next = tail->next;
		tail->next = skb;
	} else {
		skb->next = skb;
	}
	queue->tail = skb;
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
 * @params: target and interval
 * @ce_threshold: sojourn time above which every packet that can be is marked,
 *	ns; CODEL_QDISC_CE_OFF for none
 * @limit: packets
 * @ce_selector: see codel_mark_matches(); fq_codel only
 * @ce_mask: see codel_mark_matches(); fq_codel only
 * @ecn: mark packets that can be marked, in place of dropping them
 * @ceiling_set: @params.ceiling is the operator's, not the default for target and interval
 */
struct codel_config {
	struct codel_params params;
	u64 ce_threshold;
	u32 limit;
	u8 ce_selector;
	u8 ce_mask;
	bool ecn;
	bool ceiling_set;
};

/**
 * struct codel_lost - packets dropped that the parents do not know of yet
 * @packets: how many
 * @bytes: their lengths; modulo 2^32, as the parents' backlog
 */
struct codel_lost {
	u32 packets;
	u32 bytes;
};

/**
 * struct codel_qdisc - the part of a qdisc's private data that both kinds have
 * @config: changes under the root lock
 * @lost: none whenever the root lock is free
 * @sojourn: sojourn time of the packet that codel_qdisc_dequeue() has returned, ns
 * @memory: truesize of the queued packets, without the peeked one, bytes; of queues that
 *	take turns
 * @maxpacket: largest packet that left, segmentation offload aside, bytes
 * @queues: the first of an array of queues that take turns at the link
 * @queue_size: distance between two of @queues, bytes; 0 with a single queue
 * @watch: of the packets of all queues, if these take turns
 * @drops: packets that codel_qdisc_dequeue() has dropped when it has acted
 * @marks: packets that codel_qdisc_dequeue() has marked when it has acted
 * @peeked: the packet in gso_skb came from our ->peek(), and its departure is
 *	not counted yet
 * @peeked_segs: its segments
 * @peeked_len: its bytes
 * @peeked_sojourn: its sojourn time when it was last seen there, ns
 * @stats: what the user is shown
 */
struct codel_qdisc {
	struct codel_config config;

	struct codel_lost lost;
	u64 sojourn;
	u64 memory;
	u32 maxpacket;
	const struct codel_queue *queues;
	u32 queue_size;
	struct codel_watch watch;
	u32 drops;
	u32 marks;

	bool peeked;
	u32 peeked_segs;
	u32 peeked_len;
	u64 peeked_sojourn;

	struct codel_stats stats;
};

static inline void codel_qdisc_qlen_add(struct Qdisc *sch, int packets,
					int bytes)
{
	WRITE_ONCE(sch->q.qlen, sch->q.qlen + packets);
	WRITE_ONCE(sch->qstats.backlog, sch->qstats.backlog + bytes);
}

/*
 * Tell the parents. The last step of whatever dropped: they look at our qlen. No packet
 * but a number of bytes is lost if another packet was dropped in place of one that the
 * parents do not count.
 */
static inline void codel_qdisc_tree_reduce_backlog(struct Qdisc *sch, struct codel_qdisc *c)
{
	struct codel_lost lost = c->lost;

	if (likely(!lost.packets && !lost.bytes))
		return;
	c->lost = (struct codel_lost) {};
	qdisc_tree_reduce_backlog(sch, lost.packets, lost.bytes);
}

/*
 * In all functions, @turns is a constant: several queues take turns at the link, so the
 * bytes of each queue and the memory of all count.
 */

/* Append a packet. */
static inline void codel_qdisc_push(struct Qdisc *sch, struct codel_qdisc *c,
				    struct codel_queue *queue, bool turns,
				    struct sk_buff *skb)
{
	u64 now = ktime_get_ns();
	struct codel_skb_cb *cb = codel_skb_cb(skb);
	u32 len = qdisc_pkt_len(skb);

	cb->enqueue_time = now;
	codel_queue_append(queue, skb);
	codel_qdisc_qlen_add(sch, 1, len);
	if (turns) {
		cb->truesize = skb->truesize;
		c->memory += skb->truesize;
		queue->backlog += len;
	}
}

/* Take the first packet of a queue that has one. */
static inline struct sk_buff *codel_qdisc_pop(struct Qdisc *sch,
					      struct codel_qdisc *c,
					      struct codel_queue *queue, bool turns)
{
	struct sk_buff *skb = codel_queue_pop(queue);
	u32 len = qdisc_pkt_len(skb);

	codel_qdisc_qlen_add(sch, -1, -(int)len);
	if (turns) {
		c->memory -= codel_skb_cb(skb)->truesize;
		queue->backlog -= len;
	}
	return skb;
}

/* Packets in a queue; takes a while, and is for those who look at it. */
static inline u32 codel_qdisc_count(const struct codel_queue *queue)
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
static inline u32 codel_qdisc_class(const struct codel_qdisc *c,
				    const struct codel_queue *queue)
{
	if (!c->queue_size || !queue)
		return 0;
	return 1 + ((const char *)queue - (const char *)c->queues) / c->queue_size;
}

static noinline void codel_qdisc_trace_drop(struct Qdisc *sch,
					    const struct codel_qdisc *c,
					    const struct codel_queue *queue,
					    const struct sk_buff *skb,
					    enum codel_drop_cause cause)
{
	trace_codel_drop(sch, codel_qdisc_class(c, queue), codel_qdisc_sojourn(skb),
			 queue ? queue->vars.count : 0, cause, qdisc_pkt_len(skb));
}

static noinline void codel_qdisc_trace_mark(struct Qdisc *sch,
					    const struct codel_qdisc *c,
					    const struct codel_queue *queue,
					    const struct sk_buff *skb,
					    enum codel_mark_cause cause)
{
	trace_codel_mark(sch, codel_qdisc_class(c, queue), codel_qdisc_sojourn(skb),
			 queue->vars.count, cause, qdisc_pkt_len(skb));
}

static noinline void codel_qdisc_trace_state(struct Qdisc *sch,
					     const struct codel_qdisc *c,
					     const struct codel_queue *queue, u64 sojourn)
{
	trace_codel_state(sch, codel_qdisc_class(c, queue), sojourn, queue->vars.count,
			  queue->vars.dropping);
}

/* A packet has come. */
static inline void codel_qdisc_received(struct codel_qdisc *c,
					const struct sk_buff *skb)
{
	codel_stats_count(&c->stats.received, qdisc_pkt_len(skb));
}

/*
 * Count a packet of @len bytes that has come and is not queued. Freeing it is the
 * caller's, unless it is gone already.
 */
static noinline void codel_qdisc_reject(struct Qdisc *sch, struct codel_qdisc *c,
					u32 len, enum codel_drop_cause cause)
{
	codel_stats_count(&c->stats.drop[cause], len);
	if (cause != CODEL_DROP_TAKEN)
		qdisc_qstats_drop(sch);
	trace_codel_drop(sch, 0, 0, 0, cause, len);
}

/*
 * Count a packet that was taken out of a queue, or out of gso_skb if that is NULL, as
 * lost. Freeing it is the caller's, and telling the flow.
 */
static inline void codel_qdisc_drop(struct Qdisc *sch, struct codel_qdisc *c,
				    const struct codel_queue *queue,
				    const struct sk_buff *skb,
				    enum codel_drop_cause cause)
{
	u32 len = qdisc_pkt_len(skb);

	qdisc_qstats_drop(sch);
	c->lost.packets++;
	c->lost.bytes += len;
	codel_stats_count(&c->stats.drop[cause], len);
	if (trace_codel_drop_enabled())
		codel_qdisc_trace_drop(sch, c, queue, skb, cause);
}

/* Count a packet that was marked. */
static inline void codel_qdisc_marked(struct Qdisc *sch, struct codel_qdisc *c,
				      const struct codel_queue *queue,
				      const struct sk_buff *skb,
				      enum codel_mark_cause cause)
{
	codel_stats_count(&c->stats.mark[cause], qdisc_pkt_len(skb));
	c->marks++;
	if (trace_codel_mark_enabled())
		codel_qdisc_trace_mark(sch, c, queue, skb, cause);
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
static inline u64 codel_qdisc_update_ldelay(struct codel_qdisc *c,
					    struct codel_queue *queue,
					    const struct sk_buff *skb, u64 now)
{
	u64 sojourn = now - codel_skb_cb(skb)->enqueue_time;
	u32 len = qdisc_pkt_len(skb);

	if (unlikely(len > c->maxpacket && !skb_is_gso(skb)))
		c->maxpacket = len;
	queue->ldelay = codel_qdisc_pack_time(sojourn);
	return sojourn;
}

static noinline void codel_qdisc_trace_purge(struct Qdisc *sch,
					     const struct codel_qdisc *c,
					     const struct codel_queue *queue)
{
	const struct sk_buff *skb = queue->tail;

	do {
		skb = skb->next;
		codel_qdisc_trace_drop(sch, c, queue, skb, CODEL_DROP_RESET);
	} while (skb != queue->tail);
}

/* Free all packets of a queue; the core resets qlen. */
static inline void codel_qdisc_purge(struct Qdisc *sch, const struct codel_qdisc *c,
				     struct codel_queue *queue)
{
	struct sk_buff *head;

	if (queue->tail) {
		if (trace_codel_drop_enabled())
			codel_qdisc_trace_purge(sch, c, queue);
		head = queue->tail->next;
		queue->tail->next = NULL;
		rtnl_kfree_skbs(head, queue->tail);
		queue->tail = NULL;
	}
	queue->backlog = 0;
}

/* Packets dropped for any limit, as the kernel's own qdiscs count them */
static inline u64 codel_qdisc_overlimit(const struct codel_qdisc *c)
{
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
