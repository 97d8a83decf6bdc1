/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The number of flows of a live FQ-CoDel changes: all packets move from one flow table to
 * another. No packet is lost, and packets of a hash keep their order.
 *
 * The caller selects the flow of every packet again, in the order of the schedule. All
 * packets of a hash are in one flow, so that they keep their order. A flow takes its
 * deficit and its CoDel state along with its first packet. What idle flows leave is given
 * up: a change of `flows` is a rare command, and grants each idle flow at most one
 * quantum more and a fresh start of CoDel. Flow records start from 0, as after any change
 * of a flow's hash. In an overflow flow, packets of several hashes follow each other by
 * flow and not by time.
 */
#ifndef FQ_CODEL_RESIZE_H
#define FQ_CODEL_RESIZE_H

#include "fq_codel_table.h"

/**
 * typedef fq_codel_select_fn - select the flow of a packet that moves
 * @t: the new flow table
 * @skb: the packet
 * @arg: of fq_codel_resize()
 *
 * Return: the flow.
 */
typedef struct fq_codel_flow *(*fq_codel_select_fn)(struct fq_codel_table *t,
						    struct sk_buff *skb, void *arg);

/* Filters select the same flows as before, as far as they exist. */
static inline void fq_codel_resize_reserved(struct fq_codel_table *to,
					    const struct fq_codel_table *from)
{
	u32 i, count = min(from->overflow, to->overflow);

	for (i = 0; i < count; i++)
		if (fq_codel_table_flow(from, i)->flags & FQ_CODEL_RESERVED)
			fq_codel_table_reserve(to, i);
}

/*
 * The flow of the same number if filters have selected it, and then for the hash as well
 * that still owns it; otherwise the caller's choice
 */
static inline struct fq_codel_flow *
fq_codel_resize_select(struct fq_codel_table *to, const struct fq_codel_table *from,
		       const struct fq_codel_flow *flow, struct sk_buff *skb,
		       fq_codel_select_fn select, void *arg)
{
	u32 i = fq_codel_table_index(from, flow);
	struct fq_codel_flow *dest;

	if (!(flow->flags & FQ_CODEL_RESERVED) || i >= min(from->overflow, to->overflow))
		return select(to, skb, arg);
	dest = fq_codel_table_flow(to, i);
	if (flow->flags & ~dest->flags & FQ_CODEL_HASHED)
		fq_codel_hash_add(to, dest, from->hashes[i]);
	return dest;
}

/* Move the packets of the flows of a list to the same list of another table. */
static inline void fq_codel_resize_turns(struct fq_codel_table *to,
					 struct fq_codel_table *from,
					 struct fq_codel_turns *to_turns,
					 const struct fq_codel_turns *from_turns,
					 fq_codel_select_fn select, void *arg)
{
	struct fq_codel_flow *flow = from_turns->first, *dest;
	struct sk_buff *skb;
	u32 n;

	for (n = 0; n < from_turns->len; n++) {
		while (flow->queue.tail) {
			skb = codel_queue_pop(&flow->queue);
			dest = fq_codel_resize_select(to, from, flow, skb, select, arg);
			if (fq_codel_is_idle(dest)) {
				dest->queue.vars = flow->queue.vars;
				dest->queue.ldelay = flow->queue.ldelay;
				dest->deficit = flow->deficit;
				dest->flags |= FQ_CODEL_ACTIVE;
				fq_codel_turns_append(&to->drr, to_turns, dest);
			}
			codel_queue_append(&dest->queue, skb);
			dest->queue.backlog += qdisc_pkt_len(skb);
		}
		flow = fq_codel_table_flow(from, flow->turn_next);
	}
}

/**
 * fq_codel_resize() - move all packets to another flow table; the caller ranks the flows
 * @to: a new table
 * @from: the table in use, or all zero; keeps no packet
 * @select: selects the flow of a packet
 * @arg: passed to @select
 *
 * Under the root lock; O(n) for n packets and flows. The packets of an overflow flow are in
 * no order of arrival then, so hashes stay there until all of these have left.
 */
static inline void fq_codel_resize(struct fq_codel_table *to, struct fq_codel_table *from,
				   fq_codel_select_fn select, void *arg)
{
	u64 collisions = from->collisions;

	fq_codel_shared_all(to, U64_MAX);
	fq_codel_resize_reserved(to, from);
	fq_codel_resize_turns(to, from, &to->drr.new_flows, &from->drr.new_flows, select, arg);
	fq_codel_resize_turns(to, from, &to->drr.old_flows, &from->drr.old_flows, select, arg);
	fq_codel_shared_all(to, ktime_get_ns());
	to->collisions = collisions;
}

#endif /* FQ_CODEL_RESIZE_H */
