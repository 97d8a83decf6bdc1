/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* One flow of an FQ-CoDel. */
#ifndef FQ_CODEL_FLOW_H
#define FQ_CODEL_FLOW_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "../qdisc/codel_queue.h"

#define FQ_CODEL_RECURRING	BIT(0)	/* was active before, for the same hash */
#define FQ_CODEL_RESERVED	BIT(1)	/* filters select the flow, or it is an overflow flow */
#define FQ_CODEL_HASHED		BIT(2)	/* a hash owns the flow, and its bucket contains it */
#define FQ_CODEL_ACTIVE		BIT(3)	/* on new_flows or old_flows; otherwise idle */
#define FQ_CODEL_WAITING	BIT(4)	/* has had no packet since its last turn ended */
#define FQ_CODEL_RECENT		BIT(5)	/* was active since fq_codel_table_pass_over() */
#define FQ_CODEL_BULK		BIT(6)	/* has got another quantum since it became active last */

/**
 * struct fq_codel_flow - a queue with its place in the flow table
 * @queue: packets and CoDel state
 * @deficit: bytes that the flow may still send in this round
 * @refill_turn: of an idle flow, the turn in which a new round begins for the flow
 * @turn_next: next flow on new_flows or old_flows
 * @list_prev: previous flow on its circular list
 * @list_next: next flow on its circular list
 * @list: its circular list, see fq_codel_lists.h
 * @flags: FQ_CODEL_RECURRING, ...
 */
struct fq_codel_flow {
	struct codel_queue queue;
	s32 deficit;
	u32 refill_turn;
	u16 turn_next;
	u16 list_prev;
	u16 list_next;
	u8 list;
	u8 flags;
};

static_assert(sizeof(struct fq_codel_flow) <= 64);

static inline bool fq_codel_is_idle(const struct fq_codel_flow *flow)
{
	return !(flow->flags & FQ_CODEL_ACTIVE);
}

#endif /* FQ_CODEL_FLOW_H */
