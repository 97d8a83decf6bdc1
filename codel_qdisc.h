/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CoDel as part of a qdisc: what sch_codel and sch_fq_codel share. A queue of
 * packets with its CoDel state, the dequeue that drops and marks, peeking, and
 * the accounting of both towards the qdisc and its parents.
 *
 * Two invariants hold whenever the root lock is free:
 * - sch->q.qlen and sch->qstats.backlog count the packets in all queues of the
 *   qdisc and the peeked one;
 * - the parents know of every drop, and were told only once these were right.
 */
#ifndef CODEL_QDISC_H
#define CODEL_QDISC_H

#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "codel.h"
#include "codel_mark.h"
#include "codel_stats.h"
#include "codel_trace.h"
#include "compat.h"

/* Packets that CoDel drops in one dequeue at most; what is overdue then is
 * caught up with in the next.
 */
#define CODEL_QDISC_MAX_DROPS	16

/* Bytes waiting that CoDel always acts on, whatever MTU the device claims. */
#define CODEL_QDISC_MAX_MTU	SZ_1M

/* A ce_threshold that no sojourn time exceeds. */
#define CODEL_QDISC_CE_OFF	U64_MAX

/* Defined as 1 by a qdisc of several queues: it counts the bytes of each, and the
 * memory of all. One of a single queue has no use for that.
 */
#ifndef CODEL_QDISC_FLOWS
#define CODEL_QDISC_FLOWS	0
#endif

/**
 * struct codel_skb_cb - a packet while it is queued
 * @enqueue_time: when it came, ns
 * @truesize: memory it was charged with, bytes; skb->truesize may change later;
 *	CODEL_QDISC_FLOWS
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
 * @backlog: bytes; CODEL_QDISC_FLOWS
 * @vars: state of the algorithm; @vars.user_time is the sojourn time of the last
 *	packet that left, see codel_qdisc_ldelay()
 */
struct codel_queue {
	struct sk_buff *tail;
	u64 backlog;
	struct codel_vars vars;
};

/**
 * struct codel_config - options that both kinds have
 * @params: target and interval
 * @ce_threshold: sojourn time above which every packet that can be is marked,
 *	ns; CODEL_QDISC_CE_OFF for none
 * @limit: packets
 * @ce_selector: see codel_mark_matches(); fq_codel only
 * @ce_mask: see codel_mark_matches(); fq_codel only
 * @ecn: mark packets that can be marked, in place of dropping them
 */
struct codel_config {
	struct codel_params params;
	u64 ce_threshold;
	u32 limit;
	u8 ce_selector;
	u8 ce_mask;
	bool ecn;
};

/**
 * struct codel_lost - packets dropped that the parents do not know of yet
 * @packets: how many
 * @bytes: their lengths
 */
struct codel_lost {
	u32 packets;
	u32 bytes;
};

/**
 * struct codel_qdisc - the part of a qdisc's private data that both kinds have
 * @config: changes under the root lock
 * @lost: none whenever the root lock is free
 * @sojourn: sojourn time of the packet that codel_qdisc_act() has returned, ns
 * @memory: truesize of the queued packets, without the peeked one, bytes;
 *	CODEL_QDISC_FLOWS
 * @maxpacket: largest packet that left, segmentation offload aside, bytes
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

	bool peeked;
	u32 peeked_segs;
	u32 peeked_len;
	u64 peeked_sojourn;

	struct codel_stats stats;
};

/* Defined by a qdisc of flows: the class number of a queue, and what it counts for it */
#if CODEL_QDISC_FLOWS
static u32 codel_qdisc_flow(struct Qdisc *sch, const struct codel_queue *queue);
static void codel_qdisc_flow_dropped(struct Qdisc *sch,
				     const struct codel_queue *queue, u32 packets);
static void codel_qdisc_flow_marked(struct Qdisc *sch,
				    const struct codel_queue *queue);
#else
#define codel_qdisc_flow(sch, queue)			0
#define codel_qdisc_flow_dropped(sch, queue, packets)	do { } while (0)
#define codel_qdisc_flow_marked(sch, queue)		do { } while (0)
#endif

static inline void codel_qdisc_qlen_add(struct Qdisc *sch, int packets,
					int bytes)
{
	WRITE_ONCE(sch->q.qlen, sch->q.qlen + packets);
	WRITE_ONCE(sch->qstats.backlog, sch->qstats.backlog + bytes);
}

/* Tell the parents. The last step of whatever dropped: they look at our qlen. */
static inline void codel_qdisc_report(struct Qdisc *sch, struct codel_qdisc *c)
{
	struct codel_lost lost = c->lost;

	if (likely(!lost.packets))
		return;
	c->lost = (struct codel_lost) {};
	qdisc_tree_reduce_backlog(sch, lost.packets, lost.bytes);
}

/* Append a packet. */
static inline void codel_qdisc_push(struct Qdisc *sch, struct codel_qdisc *c,
				    struct codel_queue *queue,
				    struct sk_buff *skb)
{
	u64 now = ktime_get_ns();
	struct codel_skb_cb *cb = codel_skb_cb(skb);
	struct sk_buff *tail = queue->tail;
	u32 len = qdisc_pkt_len(skb);

	cb->enqueue_time = now;
	if (tail) {
		skb->next = tail->next;
		tail->next = skb;
	} else {
		skb->next = skb;
	}
	queue->tail = skb;
	codel_qdisc_qlen_add(sch, 1, len);
	if (CODEL_QDISC_FLOWS) {
		cb->truesize = skb->truesize;
		c->memory += skb->truesize;
		queue->backlog += len;
	}
}

/* Take the first packet of a queue that has one. */
static inline struct sk_buff *codel_qdisc_pop(struct Qdisc *sch,
					      struct codel_qdisc *c,
					      struct codel_queue *queue)
{
	struct sk_buff *tail = queue->tail;
	struct sk_buff *skb = tail->next;
	u32 len = qdisc_pkt_len(skb);

	if (unlikely(skb == tail))
		queue->tail = NULL;
	else
		tail->next = skb->next;
	skb_mark_not_on_list(skb);
	codel_qdisc_qlen_add(sch, -1, -(int)len);
	if (CODEL_QDISC_FLOWS) {
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

static noinline void codel_qdisc_trace_drop(struct Qdisc *sch,
					    const struct codel_queue *queue,
					    const struct sk_buff *skb,
					    enum codel_drop_cause cause)
{
	trace_codel_drop(sch, queue ? codel_qdisc_flow(sch, queue) : 0,
			 codel_qdisc_sojourn(skb), queue ? queue->vars.count : 0,
			 cause, qdisc_pkt_len(skb));
}

static noinline void codel_qdisc_trace_mark(struct Qdisc *sch,
					    const struct codel_queue *queue,
					    const struct sk_buff *skb,
					    enum codel_mark_cause cause)
{
	trace_codel_mark(sch, codel_qdisc_flow(sch, queue),
			 codel_qdisc_sojourn(skb), queue->vars.count, cause,
			 qdisc_pkt_len(skb));
}

static noinline void codel_qdisc_trace_state(struct Qdisc *sch,
					     const struct codel_queue *queue,
					     u64 sojourn)
{
	trace_codel_state(sch, codel_qdisc_flow(sch, queue), sojourn,
			  queue->vars.count, queue->vars.dropping);
}

/* A packet has come. */
static inline void codel_qdisc_received(struct codel_qdisc *c,
					const struct sk_buff *skb)
{
	codel_stats_count(&c->stats.received, qdisc_pkt_len(skb));
}

/* Count a packet that has come and is not queued. Freeing it is the caller's. */
static noinline void codel_qdisc_refuse(struct Qdisc *sch, struct codel_qdisc *c,
				      const struct sk_buff *skb,
				      enum codel_drop_cause cause)
{
	u32 len = qdisc_pkt_len(skb);

	codel_stats_count(&c->stats.drop[cause], len);
	if (cause != CODEL_DROP_TAKEN)
		qdisc_qstats_drop(sch);
	trace_codel_drop(sch, 0, 0, 0, cause, len);
}

/*
 * Count a packet that was taken out of a queue, or out of gso_skb if that is NULL, as
 * lost. Freeing it is the caller's, and telling the flow.
 */
static inline void codel_qdisc_lose(struct Qdisc *sch, struct codel_qdisc *c,
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
		codel_qdisc_trace_drop(sch, queue, skb, cause);
}

/* Count a packet that was marked. */
static inline void codel_qdisc_marked(struct Qdisc *sch, struct codel_qdisc *c,
				      const struct codel_queue *queue,
				      const struct sk_buff *skb,
				      enum codel_mark_cause cause)
{
	codel_stats_count(&c->stats.mark[cause], qdisc_pkt_len(skb));
	codel_qdisc_flow_marked(sch, queue);
	if (trace_codel_mark_enabled())
		codel_qdisc_trace_mark(sch, queue, skb, cause);
}

/*
 * The MTU below which a backlog is no standing queue (RFC 8289, section 4.2): the
 * device's at this moment, link layer header included as in the backlog.
 */
static inline u32 codel_qdisc_mtu(const struct Qdisc *sch)
{
	const struct net_device *dev = qdisc_dev(sch);

	return min_t(u32, READ_ONCE(dev->mtu) + dev->hard_header_len,
		     CODEL_QDISC_MAX_MTU);
}

/* More than an MTU waits, if anybody needs to know: who is below target does not ask. */
static __always_inline bool codel_qdisc_standing(const struct Qdisc *sch,
						 const struct codel_qdisc *c,
						 u64 sojourn)
{
	return sojourn >= c->config.params.target &&
	       sch->qstats.backlog > codel_qdisc_mtu(sch);
}

static noinline bool codel_qdisc_signal_traced(struct Qdisc *sch,
					       struct codel_qdisc *c,
					       struct codel_queue *queue, u64 now,
					       u64 sojourn)
{
	bool was_dropping = queue->vars.dropping;
	bool signal;

	signal = codel_signal(&queue->vars, &c->config.params, now, sojourn,
			      codel_qdisc_standing(sch, c, sojourn));
	if (was_dropping != queue->vars.dropping)
		codel_qdisc_trace_state(sch, queue, sojourn);
	return signal;
}

static __always_inline bool codel_qdisc_signal(struct Qdisc *sch,
					       struct codel_qdisc *c,
					       struct codel_queue *queue, u64 now,
					       u64 sojourn)
{
	/* all in one place: the answer of codel_signal() stays a jump */
	if (trace_codel_state_enabled())
		return codel_qdisc_signal_traced(sch, c, queue, now, sojourn);
	return codel_signal(&queue->vars, &c->config.params, now, sojourn,
			    codel_qdisc_standing(sch, c, sojourn));
}

/* The queue was found empty. */
static inline void codel_qdisc_empty(struct Qdisc *sch, struct codel_queue *queue)
{
	bool was_dropping = queue->vars.dropping;

	codel_empty(&queue->vars);
	if (trace_codel_state_enabled() && was_dropping)
		codel_qdisc_trace_state(sch, queue, 0);
}

static noinline void codel_qdisc_ce_mark(struct Qdisc *sch, struct codel_qdisc *c,
					 const struct codel_queue *queue,
					 struct sk_buff *skb)
{
	if (codel_mark_matches(skb, c->config.ce_selector, c->config.ce_mask) &&
	    codel_mark(skb))
		codel_qdisc_marked(sch, c, queue, skb, CODEL_MARK_CE_THRESHOLD);
}

static __always_inline void
codel_qdisc_ce_threshold(struct Qdisc *sch, struct codel_qdisc *c,
			 const struct codel_queue *queue, struct sk_buff *skb,
			 u64 sojourn)
{
	if (unlikely(sojourn > c->config.ce_threshold))
		codel_qdisc_ce_mark(sch, c, queue, skb);
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
	u32 time = queue->vars.user_time;

	if (time & CODEL_QDISC_IN_US)
		return time - CODEL_QDISC_IN_US;
	return codel_qdisc_us(time);
}

/* A packet has left its queue, to be sent or dropped. */
static inline u64 codel_qdisc_left(struct codel_qdisc *c,
				   struct codel_queue *queue,
				   const struct sk_buff *skb, u64 now)
{
	u64 sojourn = now - codel_skb_cb(skb)->enqueue_time;
	u32 len = qdisc_pkt_len(skb);

	if (unlikely(len > c->maxpacket && !skb_is_gso(skb)))
		c->maxpacket = len;
	queue->vars.user_time = codel_qdisc_pack_time(sojourn);
	return sojourn;
}

/*
 * CoDel wants this packet to signal: mark it, or drop it and look at the next,
 * until one may leave. Its sojourn time is in c->sojourn: an argument for it would be
 * the address of a variable, and put all callers under the stack protector.
 */
static noinline struct sk_buff *
codel_qdisc_act(struct Qdisc *sch, struct codel_qdisc *c,
		struct codel_queue *queue, struct sk_buff *skb, u64 now)
{
	while (c->lost.packets < CODEL_QDISC_MAX_DROPS) {
		if (c->config.ecn && codel_mark(skb)) {
			codel_qdisc_marked(sch, c, queue, skb, CODEL_MARK_CODEL);
			return skb;
		}
		codel_qdisc_lose(sch, c, queue, skb, CODEL_DROP_CODEL);
		codel_qdisc_flow_dropped(sch, queue, 1);
		codel_compat_dequeue_drop(sch, skb);
		if (!queue->tail) {
			codel_qdisc_empty(sch, queue);
			return NULL;
		}
		skb = codel_qdisc_pop(sch, c, queue);
		c->sojourn = codel_qdisc_left(c, queue, skb, now);
		if (!codel_qdisc_signal(sch, c, queue, now, c->sojourn))
			break;
	}
	codel_qdisc_ce_threshold(sch, c, queue, skb, c->sojourn);
	return skb;
}

/**
 * codel_qdisc_pull() - take from a queue what may leave it now
 * @sch: the qdisc
 * @c: its shared part; @c->lost grows by what CoDel drops on the way, to
 *	CODEL_QDISC_MAX_DROPS at most
 * @queue: one of its queues
 * @peek: do not report what was dropped: the packet is to be part of the queue again
 * @sojourn: set to the sojourn time of the packet, ns
 *
 * Return: the packet; or NULL if the queue is empty, when nothing is reported.
 */
static __always_inline struct sk_buff *
codel_qdisc_pull(struct Qdisc *sch, struct codel_qdisc *c,
		 struct codel_queue *queue, bool peek, u64 *sojourn)
{
	struct sk_buff *skb;
	u64 now;

	if (!queue->tail) {
		codel_qdisc_empty(sch, queue);
		return NULL;
	}
	now = ktime_get_ns();
	skb = codel_qdisc_pop(sch, c, queue);
	*sojourn = codel_qdisc_left(c, queue, skb, now);
	if (unlikely(codel_qdisc_signal(sch, c, queue, now, *sojourn))) {
		c->sojourn = *sojourn;
		skb = codel_qdisc_act(sch, c, queue, skb, now);
		*sojourn = c->sojourn;
		if (skb && !peek)
			codel_qdisc_report(sch, c);
		return skb;
	}
	codel_qdisc_ce_threshold(sch, c, queue, skb, *sojourn);
	return skb;
}

/* A packet leaves the qdisc to be sent. */
static __always_inline void codel_qdisc_sent(struct Qdisc *sch,
					     struct codel_qdisc *c, u32 len,
					     u32 segs, u64 sojourn)
{
	_bstats_update(&sch->bstats, len, segs);
	codel_stats_sent(&c->stats, len, segs, sojourn);
}

/*
 * Peeking. A parent that looks before it takes (tbf, qfq, hfsc) finds the packet
 * in sch->gso_skb and may take it from there itself, without a call to us. Until
 * then it is queued like any other. So it is counted as sent when we find that
 * it has gone, with the sojourn time that it had when it was last seen.
 */
static noinline void codel_qdisc_settle(struct Qdisc *sch, struct codel_qdisc *c)
{
	if (!c->peeked || skb_peek(&sch->gso_skb))
		return;
	c->peeked = false;
	codel_qdisc_sent(sch, c, c->peeked_len, c->peeked_segs,
			 c->peeked_sojourn);
}

/*
 * The packet that a peek has set aside, NULL if there is none. Other packets in
 * gso_skb are the core's: it put them back because the device was busy.
 */
static inline struct sk_buff *codel_qdisc_peeked(struct Qdisc *sch,
						 struct codel_qdisc *c)
{
	struct sk_buff *skb;

	if (likely(!c->peeked))
		return NULL;
	codel_qdisc_settle(sch, c);
	if (!c->peeked)
		return NULL;
	skb = skb_peek(&sch->gso_skb);
	c->peeked_sojourn = codel_qdisc_sojourn(skb);
	return skb;
}

/* Set a pulled packet aside; it is part of the queue again. */
static inline void codel_qdisc_set_aside(struct Qdisc *sch,
					 struct codel_qdisc *c,
					 struct sk_buff *skb, u64 sojourn)
{
	c->peeked = true;
	c->peeked_len = qdisc_pkt_len(skb);
	c->peeked_segs = codel_compat_segs(skb);
	c->peeked_sojourn = sojourn;
	__skb_queue_head(&sch->gso_skb, skb);
	codel_qdisc_qlen_add(sch, 1, c->peeked_len);
}

/*
 * Take the packet back that a peek has set aside, NULL if there is none.
 * c->peeked_sojourn is its sojourn time.
 */
static noinline struct sk_buff *codel_qdisc_take_aside(struct Qdisc *sch,
						       struct codel_qdisc *c)
{
	struct sk_buff *skb = codel_qdisc_peeked(sch, c);

	if (!skb)
		return NULL;
	__skb_unlink(skb, &sch->gso_skb);
	codel_qdisc_qlen_add(sch, -1, -(int)qdisc_pkt_len(skb));
	c->peeked = false;
	return skb;
}

static noinline void codel_qdisc_trace_purge(struct Qdisc *sch,
					     const struct codel_queue *queue)
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

/*
 * Count what is queued as dropped, before it is purged. Forget the peeked packet and the
 * memory; the core frees it and resets qlen.
 */
static inline void codel_qdisc_reset(struct Qdisc *sch, struct codel_qdisc *c)
{
	struct sk_buff *skb = codel_qdisc_peeked(sch, c);
	struct codel_count queued = codel_stats_queued(sch, c->peeked);
	struct codel_count *drop = &c->stats.drop[CODEL_DROP_RESET];

	drop->packets += queued.packets;
	drop->bytes += queued.bytes;
	if (skb && trace_codel_drop_enabled())
		codel_qdisc_trace_drop(sch, NULL, skb, CODEL_DROP_RESET);
	c->peeked = false;
	c->memory = 0;
}

/* Start all counters from 0. */
static inline void codel_qdisc_reset_stats(struct Qdisc *sch,
					   struct codel_qdisc *c)
{
	codel_qdisc_settle(sch, c);
	codel_stats_clear(sch, &c->stats, c->peeked);
	c->maxpacket = 0;
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

#endif /* CODEL_QDISC_H */
