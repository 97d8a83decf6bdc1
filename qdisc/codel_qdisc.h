/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CoDel as part of a qdisc: the dequeue that drops and marks, and what a reset does. The queue
 * itself is in codel_queue.h.
 */
#ifndef CODEL_QDISC_H
#define CODEL_QDISC_H

#include "codel_mark.h"
#include "codel_queue.h"
#include "codel_share.h"

/*
 * Packets that CoDel drops in one dequeue at most; what is overdue then is caught up with in
 * the next.
 */
#define CODEL_QDISC_MAX_DROPS	256

/* The MTU below which a backlog is no standing queue (RFC 8289, section 4.2) */
static inline u32 codel_qdisc_mtu(const struct Qdisc *sch)
{
	return codel_device_mtu(qdisc_dev(sch));
}

/*
 * Return whether packets of the flow arrived while this packet waited. The packets of a
 * single burst, such as the first window of a web page, arrive within target. Dropping
 * some of them would not slow their sender down.
 */
static inline bool codel_qdisc_kept_coming(struct Qdisc *sch, const struct codel_queue *queue,
					   u64 now, u64 sojourn)
{
	u64 last = now - codel_skb_cb(queue->tail)->enqueue_time;

	return sojourn - last > codel_qdisc(sch)->config.params.target;
}

/* Return the backlog of the link behind a packet that has waited for target. */
static inline enum codel_waiting
codel_qdisc_waiting(struct Qdisc *sch, const struct codel_queue *queue, bool turns, u64 now,
		    u64 sojourn)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	u32 mtu = codel_qdisc_mtu(sch);

	codel_departure(&c->link, &c->config.params, now, sojourn);
	if (sch->qstats.backlog <= mtu)
		return CODEL_LITTLE;
	if (sch->qstats.backlog <= CODEL_MUCH_MTUS * mtu || !queue->tail)
		return CODEL_STANDING;
	/* With a queue for each flow, the ceiling drops no packet of a single burst. */
	if (turns && !codel_qdisc_kept_coming(sch, queue, now, sojourn))
		return CODEL_STANDING;
	return CODEL_MUCH;
}

static __always_inline enum codel_verdict
codel_qdisc_ask_with(struct Qdisc *sch, struct codel_queue *queue, bool turns, u64 now,
		     u64 sojourn, const struct codel_params *params)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_head head = {
		.sojourn = sojourn,
		.backlog = turns ? queue->backlog : sch->qstats.backlog,
		.shared = !turns,
	};

	if (sojourn >= c->config.params.target)
		head.waiting = codel_qdisc_waiting(sch, queue, turns, now, sojourn);
	if (head.waiting == CODEL_MUCH) {
		head.held = codel_held(&c->link, now, sojourn);
		/* A packet that a standstill held for half of its time is one of a burst, too. */
		if (turns && 2 * head.held >= sojourn)
			head.waiting = CODEL_STANDING;
	}
	return codel_signal(&queue->vars, params, now, &head, get_random_u32);
}

/* All of CoDel is inlined here, although CoDel at a distance calls it, too. */
static noinline __attribute__((flatten)) enum codel_verdict
codel_qdisc_ask_late(struct Qdisc *sch, struct codel_queue *queue, bool turns, u64 now,
		     u64 sojourn)
{
	return codel_qdisc_ask_with(sch, queue, turns, now, sojourn,
				    &codel_qdisc(sch)->config.params);
}

/* With ingress, and turns: the first signal to a flow comes early, and the next at its share. */
static noinline enum codel_verdict
codel_qdisc_ask_crossed(struct Qdisc *sch, struct codel_queue *queue, u64 now, u64 sojourn)
{
	struct codel_params params = codel_qdisc(sch)->config.params;

	if (codel_signal_is_recent(&queue->vars, &params, now))
		codel_shape_share(sch, &params);
	return codel_qdisc_ask_with(sch, queue, true, now, sojourn, &params);
}

/* A packet below target ends what an empty queue ends, unless the queue stands. */
static __always_inline enum codel_verdict
codel_qdisc_ask(struct Qdisc *sch, struct codel_queue *queue, bool turns, u64 now, u64 sojourn)
{
	const struct codel_config *config = &codel_qdisc(sch)->config;

	if (likely(sojourn < config->params.target && !queue->vars.stands)) {
		codel_empty(&queue->vars);
		return CODEL_PASS;
	}
	if (turns && unlikely(config->shape.ingress))
		return codel_qdisc_ask_crossed(sch, queue, now, sojourn);
	return codel_qdisc_ask_late(sch, queue, turns, now, sojourn);
}

/*
 * Report what was dropped on the way to @skb, which is about to leave. The parents still
 * count @skb, so count it here, too, for as long as they look. Were qlen 0, the parent
 * would be told that its child is empty while it dequeues from it. It finds that out by
 * itself when it has the packet, and sch_htb before 6.1.139, 6.6.91, 6.12.29, 6.14.7 and
 * 6.15 dereferences NULL if it is told before.
 */
static inline void codel_qdisc_reduce_backlog_in_dequeue(struct Qdisc *sch,
							 const struct sk_buff *skb)
{
	u32 len = qdisc_pkt_len(skb);

	if (!codel_qdisc(sch)->lost.packets)
		return;
	codel_compat_qlen_add(sch, 1, len);
	codel_qdisc_tree_reduce_backlog(sch);
	codel_compat_qlen_add(sch, -1, -(int)len);
}

/*
 * Mark or drop the packet as its verdict says, and go on with the next packet until one
 * may leave, which is marked if it is above ce_threshold. Tell the parents.
 *
 * The only packet of a queue is not dropped. No slower sender could shorten such a queue
 * (RFC 8289, section 4.2, which a queue among others meets by itself), and the sender would
 * have to wait for a timeout. The schedule goes on as if the packet had been dropped: a signal
 * that stays due would hit every flow as soon as it has a second packet.
 */
static noinline struct sk_buff *codel_qdisc_act(struct Qdisc *sch, struct codel_queue *queue,
						bool turns, struct sk_buff *skb,
						enum codel_verdict verdict, u64 now)
{
	u64 sojourn = now - codel_skb_cb(skb)->enqueue_time;
	struct codel_qdisc *c = codel_qdisc(sch);

	c->drops = 0;
	c->marks = 0;
	while (verdict != CODEL_PASS) {
		if (verdict == CODEL_SIGNAL && c->config.ecn && codel_mark(skb)) {
			codel_qdisc_marked(sch, queue, skb, CODEL_MARK_CODEL);
			break;
		}
		if (!queue->tail)
			break;
		codel_qdisc_drop(sch, queue, skb, verdict == CODEL_SIGNAL ?
				 CODEL_DROP_CODEL : CODEL_DROP_CEILING);
		codel_shape_dropped(sch, skb, verdict == CODEL_SIGNAL);
		c->drops++;
		codel_compat_dequeue_drop(sch, skb, verdict != CODEL_SIGNAL);
		skb = codel_qdisc_pop(sch, queue, turns);
		sojourn = codel_qdisc_update_ldelay(sch, queue, skb, now);
		if (c->drops == CODEL_QDISC_MAX_DROPS)
			break;
		verdict = codel_qdisc_ask(sch, queue, turns, now, sojourn);
	}
	if (sojourn > c->config.ce_threshold && !c->marks &&
	    codel_mark_matches(skb, c->config.ce_selector, c->config.ce_mask) && codel_mark(skb))
		codel_qdisc_marked(sch, queue, skb, CODEL_MARK_CE_THRESHOLD);
	codel_qdisc_reduce_backlog_in_dequeue(sch, skb);
	return skb;
}

/**
 * codel_qdisc_dequeue() - take the packet from a queue that may leave it now
 * @sch: the qdisc
 * @queue: one of its queues; it has a packet
 * @turns: constant; several queues take turns
 * @now: of this dequeue, ns
 * @sojourn: set to the sojourn time of the packet, ns
 * @acted: set to whether packets were dropped or marked: @drops and @marks of struct
 *	codel_qdisc
 *
 * CoDel drops CODEL_QDISC_MAX_DROPS packets at most on the way, and the parents are told. The
 * next packet is delivered then, and CoDel is not asked about it. It drops none unless
 * more than an MTU waits in the qdisc, and another packet in the queue.
 *
 * Return: the packet.
 */
static __always_inline struct sk_buff *
codel_qdisc_dequeue(struct Qdisc *sch, struct codel_queue *queue, bool turns, u64 now,
		    u64 *sojourn, bool *acted)
{
	enum codel_verdict verdict;
	struct sk_buff *skb;

	*acted = false;
	skb = codel_qdisc_pop(sch, queue, turns);
	*sojourn = codel_qdisc_update_ldelay(sch, queue, skb, now);
	verdict = codel_qdisc_ask(sch, queue, turns, now, *sojourn);
	if (likely(verdict == CODEL_PASS &&
		   *sojourn <= codel_qdisc(sch)->config.ce_threshold))
		return skb;
	*acted = true;
	skb = codel_qdisc_act(sch, queue, turns, skb, verdict, now);
	*sojourn = now - codel_skb_cb(skb)->enqueue_time;
	return skb;
}

/* A packet leaves the qdisc to be sent. */
static inline void codel_qdisc_sent(struct Qdisc *sch, u32 len, u32 segs,
				    u64 sojourn)
{
	_bstats_update(&sch->bstats, len, segs);
	codel_stats_sent(&codel_qdisc(sch)->stats, len, segs, sojourn);
}

/*
 * Take the packet back that a parent has peeked, and does not take itself: red hands a peek on,
 * and then asks for a packet. It counts as sent since qdisc_peek_dequeued() got it. The core
 * puts no packet into gso_skb below a parent, and asks the root only if there is none.
 */
static noinline struct sk_buff *codel_qdisc_take_peeked(struct Qdisc *sch)
{
	struct sk_buff *skb = __skb_dequeue(&sch->gso_skb);

	codel_compat_qlen_add(sch, -1, -(int)qdisc_pkt_len(skb));
	return skb;
}

/* Count what is queued as dropped, before it is purged; the core resets qlen. */
static inline void codel_qdisc_reset(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_count queued = codel_stats_queued(sch);
	struct codel_count *drop = &c->stats.drop[CODEL_DROP_RESET];

	drop->packets += queued.packets;
	drop->bytes += queued.bytes;
	c->memory = 0;
	c->link = (struct codel_link) {};
	codel_share_idle(sch);
	codel_shape_reset(sch);
	codel_far_reset(sch);
	c->lost = (struct codel_lost) {};
}

#endif /* CODEL_QDISC_H */
