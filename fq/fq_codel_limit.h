/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Limits of packets and memory: whether one is exceeded, and how packets are dropped then.
 */
#ifndef FQ_CODEL_LIMIT_H
#define FQ_CODEL_LIMIT_H

#include "../qdisc/codel_qdisc.h"
#include "fq_codel_count.h"
#include "fq_codel_drop.h"
#include "fq_codel_sched.h"

static inline bool fq_codel_memory_over(const struct fq_codel_sched *q)
{
	return q->shared.memory > q->config.memory_limit;
}

static inline bool fq_codel_over(struct Qdisc *sch)
{
	return sch->q.qlen > sch->limit ||
	       fq_codel_memory_over(qdisc_priv(sch));
}

/*
 * Return whether more than half of a limit is used. While it is, every flow that gets a packet
 * is ranked. So when a limit is exceeded, the packets of ranked flows make up half of it at
 * least, and there is a flow to drop from.
 */
static __always_inline bool fq_codel_is_crowded(struct Qdisc *sch)
{
	const struct fq_codel_sched *q = qdisc_priv(sch);

	return sch->q.qlen > q->crowded_packets || q->shared.memory > q->crowded_memory;
}

/*
 * Drop half of a flow's bytes from its head, drop_batch packets at most. Each drop is a
 * signal to CoDel as well.
 */
static __always_inline void fq_codel_drop_from(struct Qdisc *sch, struct fq_codel_flow *flow,
					       enum codel_drop_cause cause,
					       struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	u32 until = fq_codel_drop_until(flow, q->config.quantum);
	u32 dropped = 0, bytes = 0;

	do {
		struct sk_buff *skb;

		skb = codel_qdisc_pop(sch, &flow->queue, true);
		bytes += qdisc_pkt_len(skb);
		if (trace_codel_drop_enabled())
			codel_qdisc_trace_drop(sch, &flow->queue, skb, cause);
		codel_shape_dropped(sch, skb);
		codel_compat_overlimit(skb, to_free);
	} while (++dropped < q->config.drop_batch && flow->queue.tail &&
		 flow->queue.backlog > until);

	codel_qdisc_count_drops(sch, cause, dropped, bytes);
	codel_overflow(&flow->queue.vars, dropped);
	fq_codel_count(&q->table, flow, dropped, 0);
	fq_codel_shrunk(&q->table.drr.lists, flow);
}

/*
 * Drop what exceeds the limits: the peeked packet, which is the oldest, and then
 * from the largest flows. Return: the packets to free.
 */
static inline struct sk_buff *fq_codel_trim(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct fq_codel_flow *flow;
	bool overmemory;
	u32 before;

	while (fq_codel_over(sch)) {
		struct sk_buff *skb = NULL;

		if (sch->q.qlen > sch->limit)
			skb = codel_qdisc_peek_take(sch);
		if (skb) {
			codel_qdisc_drop(sch, NULL, skb, CODEL_DROP_CHANGE);
			__qdisc_drop(skb, &to_free);
			continue;
		}
		flow = fq_codel_largest(&q->table.drr.lists);
		if (!flow)
			break;
		overmemory = fq_codel_memory_over(q);
		before = q->shared.lost.packets;
		fq_codel_drop_from(sch, flow, CODEL_DROP_CHANGE, &to_free);
		if (overmemory)
			q->trim_overmemory += q->shared.lost.packets - before;
	}
	return to_free;
}

#endif /* FQ_CODEL_LIMIT_H */
