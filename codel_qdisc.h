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
 * @memory: truesize of the queued packets, without the peeked one, bytes;
 *	CODEL_QDISC_FLOWS
 * @maxpacket: largest packet that left, segmentation offload aside, bytes
 * @ecn_mark: packets that CoDel marked
 * @ce_mark: packets that were marked because of ce_threshold
 * @drop_overlimit: packets dropped because of a limit
 * @peeked: the packet in gso_skb came from our ->peek(), and its departure is
 *	not counted yet
 * @peeked_segs: its segments
 * @peeked_len: its bytes
 */
struct codel_qdisc {
	struct codel_config config;

	struct codel_lost lost;
	u64 memory;
	u32 maxpacket;
	u32 ecn_mark;
	u32 ce_mark;
	u32 drop_overlimit;

	bool peeked;
	u32 peeked_segs;
	u32 peeked_len;
};

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

/* Count a packet that was taken out as lost. Freeing it is the caller's. */
static inline void codel_qdisc_lose(struct Qdisc *sch, struct codel_qdisc *c,
				    const struct sk_buff *skb)
{
	qdisc_qstats_drop(sch);
	c->lost.packets++;
	c->lost.bytes += qdisc_pkt_len(skb);
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

static inline bool codel_qdisc_signal(struct Qdisc *sch, struct codel_qdisc *c,
				      struct codel_queue *queue, u64 now,
				      u64 sojourn)
{
	/* who is below target need not ask the device for its MTU */
	bool standing = sojourn >= c->config.params.target &&
			sch->qstats.backlog > codel_qdisc_mtu(sch);

	return codel_signal(&queue->vars, &c->config.params, now, sojourn,
			    standing);
}

static noinline void codel_qdisc_ce_mark(struct codel_qdisc *c,
					 struct sk_buff *skb)
{
	if (codel_mark_matches(skb, c->config.ce_selector, c->config.ce_mask) &&
	    codel_mark(skb))
		c->ce_mark++;
}

static __always_inline void codel_qdisc_ce_threshold(struct codel_qdisc *c,
						     struct sk_buff *skb,
						     u64 sojourn)
{
	if (unlikely(sojourn > c->config.ce_threshold))
		codel_qdisc_ce_mark(c, skb);
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
 * until one may leave.
 */
static noinline struct sk_buff *
codel_qdisc_act(struct Qdisc *sch, struct codel_qdisc *c,
		struct codel_queue *queue, struct sk_buff *skb, u64 now)
{
	u64 sojourn;

	do {
		if (c->config.ecn && codel_mark(skb)) {
			c->ecn_mark++;
			return skb;
		}
		codel_qdisc_lose(sch, c, skb);
		codel_compat_dequeue_drop(sch, skb);
		if (!queue->tail) {
			codel_empty(&queue->vars);
			return NULL;
		}
		skb = codel_qdisc_pop(sch, c, queue);
		sojourn = codel_qdisc_left(c, queue, skb, now);
	} while (c->lost.packets < CODEL_QDISC_MAX_DROPS &&
		 codel_qdisc_signal(sch, c, queue, now, sojourn));

	codel_qdisc_ce_threshold(c, skb, sojourn);
	return skb;
}

/**
 * codel_qdisc_pull() - take from a queue what may leave it now
 * @sch: the qdisc
 * @c: its shared part; @c->lost grows by what CoDel drops on the way,
 *	CODEL_QDISC_MAX_DROPS at most
 * @queue: one of its queues
 *
 * Return: the packet, or NULL if the queue is empty.
 */
static __always_inline struct sk_buff *
codel_qdisc_pull(struct Qdisc *sch, struct codel_qdisc *c,
		 struct codel_queue *queue)
{
	struct sk_buff *skb;
	u64 now, sojourn;

	if (!queue->tail) {
		codel_empty(&queue->vars);
		return NULL;
	}
	now = ktime_get_ns();
	skb = codel_qdisc_pop(sch, c, queue);
	sojourn = codel_qdisc_left(c, queue, skb, now);
	if (unlikely(codel_qdisc_signal(sch, c, queue, now, sojourn)))
		return codel_qdisc_act(sch, c, queue, skb, now);
	codel_qdisc_ce_threshold(c, skb, sojourn);
	return skb;
}

/*
 * Peeking. A parent that looks before it takes (tbf, qfq, hfsc) finds the packet
 * in sch->gso_skb and may take it from there itself, without a call to us. Until
 * then it is queued like any other. So it is counted as sent when we find that
 * it has gone.
 */
static inline void codel_qdisc_settle(struct Qdisc *sch, struct codel_qdisc *c)
{
	if (!c->peeked || skb_peek(&sch->gso_skb))
		return;
	c->peeked = false;
	_bstats_update(&sch->bstats, c->peeked_len, c->peeked_segs);
}

/*
 * The packet that a peek has set aside, NULL if there is none. Other packets in
 * gso_skb are the core's: it put them back because the device was busy.
 */
static inline struct sk_buff *codel_qdisc_peeked(struct Qdisc *sch,
						 struct codel_qdisc *c)
{
	codel_qdisc_settle(sch, c);
	return c->peeked ? skb_peek(&sch->gso_skb) : NULL;
}

/* Set a pulled packet aside; it is part of the queue again. */
static inline void codel_qdisc_set_aside(struct Qdisc *sch,
					 struct codel_qdisc *c,
					 struct sk_buff *skb)
{
	c->peeked = true;
	c->peeked_len = qdisc_pkt_len(skb);
	c->peeked_segs = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
	__skb_queue_head(&sch->gso_skb, skb);
	codel_qdisc_qlen_add(sch, 1, c->peeked_len);
}

/* Take the packet back that a peek has set aside, NULL if there is none. */
static inline struct sk_buff *codel_qdisc_take_aside(struct Qdisc *sch,
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

/* Free all packets of a queue; the caller resets qlen. */
static inline void codel_qdisc_purge(struct codel_queue *queue)
{
	struct sk_buff *head;

	if (queue->tail) {
		head = queue->tail->next;
		queue->tail->next = NULL;
		rtnl_kfree_skbs(head, queue->tail);
		queue->tail = NULL;
	}
	queue->backlog = 0;
}

/* Forget the peeked packet and the memory; the core frees it and resets qlen. */
static inline void codel_qdisc_reset(struct Qdisc *sch, struct codel_qdisc *c)
{
	codel_qdisc_settle(sch, c);
	c->peeked = false;
	c->memory = 0;
}

/* Drop the packets that a change no longer leaves room for, after unlocking. */
static inline void codel_qdisc_free_list(struct sk_buff *list)
{
	kfree_skb_list_reason(list, SKB_DROP_REASON_QDISC_DROP);
}

#endif /* CODEL_QDISC_H */
