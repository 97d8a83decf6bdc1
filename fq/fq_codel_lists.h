/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The flows of an FQ-CoDel, their circular lists, and which flow pays above a limit. Every flow
 * is on exactly one of these lists:
 * - a ranked flow on the list of its size class, which is the power of two of its backlog,
 *   so that a flow of the largest class is found by one fls();
 * - any other flow on its home list, which its flags select.
 *
 * An active flow becomes ranked when several packets of it exceed a quantum, when one of its
 * packets comes while the qdisc is crowded, or when a hash in search of an idle flow meets
 * it. It stays ranked until it is idle, or a search for the largest flow finds it without
 * packets. So a flow that sends a packet now and then stays on its home list: becoming
 * active and becoming idle changes no list.
 *
 * Links are indices of 16 bits: a flow takes one cache line of 64 bytes.
 */
#ifndef FQ_CODEL_LISTS_H
#define FQ_CODEL_LISTS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "../qdisc/codel_queue.h"

#define FQ_CODEL_RECURRING	BIT(0)	/* was active before, for the same hash or by its class */
#define FQ_CODEL_OVERFLOW	BIT(1)	/* hashes share the flow, and none owns it */
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
 * @list: its circular list
 * @share: of an overflow flow, the power of two of its quanta in a round, for as many senders
 * @flags: FQ_CODEL_RECURRING, ...
 */
struct fq_codel_flow {
	struct codel_queue queue;
	s32 deficit;
	u32 refill_turn;
	u16 turn_next;
	u16 list_prev;
	u16 list_next;
	u8 list : 5;
	u8 share : 3;
	u8 flags;
};

static_assert(sizeof(struct fq_codel_flow) <= 64);

static inline bool fq_codel_is_idle(const struct fq_codel_flow *flow)
{
	return !(flow->flags & FQ_CODEL_ACTIVE);
}

#define FQ_CODEL_LIST_ONCE	0	/* active once at most; other hashes get these first */
#define FQ_CODEL_LIST_RECURRING	FQ_CODEL_RECURRING
#define FQ_CODEL_LIST_OVERFLOW	FQ_CODEL_OVERFLOW
#define FQ_CODEL_LIST_CLASSES	3	/* the first size class */
#define FQ_CODEL_LISTS		32

/* All backlogs below 16 bytes are one size class */
#define FQ_CODEL_CLASS_SHIFT	4

static_assert(FQ_CODEL_LIST_CLASSES + 32 - FQ_CODEL_CLASS_SHIFT == FQ_CODEL_LISTS - 1);

/**
 * struct fq_codel_lists - flows by their use and size
 * @flows: all flows
 * @used: bit map of the lists that contain flows
 * @first: of each list, the index of its first flow; valid if the list is in @used
 */
struct fq_codel_lists {
	struct fq_codel_flow *flows;
	u32 used;
	u16 first[FQ_CODEL_LISTS];
};

static inline u32 fq_codel_index(const struct fq_codel_lists *lists,
				 const struct fq_codel_flow *flow)
{
	return flow - lists->flows;
}

/* The home list of a flow; an overflow flow is never recurring */
static inline u8 fq_codel_home(const struct fq_codel_flow *flow)
{
	return flow->flags & (FQ_CODEL_RECURRING | FQ_CODEL_OVERFLOW);
}

static inline bool fq_codel_is_ranked(const struct fq_codel_flow *flow)
{
	return flow->list >= FQ_CODEL_LIST_CLASSES;
}

/* The backlog of a sender, bytes: an overflow flow has several. */
static inline u32 fq_codel_size(const struct fq_codel_flow *flow)
{
	return flow->queue.backlog >> flow->share;
}

static inline u8 fq_codel_size_class(const struct fq_codel_flow *flow)
{
	return FQ_CODEL_LIST_CLASSES + fls(fq_codel_size(flow) >> FQ_CODEL_CLASS_SHIFT);
}

/* Not in brackets and not BIT(), for which UBSAN would check the number of the list */
static inline u16 *fq_codel_list_first(struct fq_codel_lists *lists, u8 list)
{
	return lists->first + list;
}

static inline u32 fq_codel_list_bit(u8 list)
{
	return 1U << (list % FQ_CODEL_LISTS);
}

static inline void fq_codel_list_add(struct fq_codel_lists *lists,
				     struct fq_codel_flow *flow, u8 list)
{
	struct fq_codel_flow *flows = lists->flows, *next;
	u16 *first = fq_codel_list_first(lists, list);
	u32 i = flow - flows;

	flow->list = list;
	if (!(lists->used & fq_codel_list_bit(list))) {
		lists->used |= fq_codel_list_bit(list);
		*first = i;
		flow->list_prev = i;
		flow->list_next = i;
		return;
	}
	next = &flows[*first];
	flow->list_next = *first;
	flow->list_prev = next->list_prev;
	flows[next->list_prev].list_next = i;
	next->list_prev = i;
}

static inline void fq_codel_list_del(struct fq_codel_lists *lists,
				     struct fq_codel_flow *flow)
{
	struct fq_codel_flow *flows = lists->flows;
	u16 *first = fq_codel_list_first(lists, flow->list);
	u32 i = flow - flows, prev = flow->list_prev, next = flow->list_next;

	if (next == i) {
		lists->used &= ~fq_codel_list_bit(flow->list);
		return;
	}
	flows[prev].list_next = next;
	flows[next].list_prev = prev;
	if (*first == i)
		*first = next;
}

/* Make a flow the last of a list. */
static inline void fq_codel_list_move(struct fq_codel_lists *lists,
				      struct fq_codel_flow *flow, u8 list)
{
	fq_codel_list_del(lists, flow);
	fq_codel_list_add(lists, flow, list);
}

/* Make the first flow of a list the last. */
static inline void fq_codel_list_rotate(struct fq_codel_lists *lists, u8 list)
{
	u16 *first = fq_codel_list_first(lists, list);

	*first = lists->flows[*first].list_next;
}

/* Put an active flow with packets on the list of its size class. */
static inline void fq_codel_rank(struct fq_codel_lists *lists,
				 struct fq_codel_flow *flow)
{
	u8 class = fq_codel_size_class(flow);

	if (class != flow->list)
		fq_codel_list_move(lists, flow, class);
}

/* An active flow has one packet less. */
static inline void fq_codel_shrunk(struct fq_codel_lists *lists,
				   struct fq_codel_flow *flow)
{
	if (fq_codel_is_ranked(flow) && flow->queue.tail)
		fq_codel_rank(lists, flow);
}

/**
 * fq_codel_largest() - find a flow to drop packets from
 * @lists: the lists
 *
 * A flow that the search finds without packets leaves its size class: each departure of a
 * last packet costs at most one search one such step.
 *
 * Return: a ranked flow with packets, whose backlog is larger than half of the largest one
 * of these if that is 16 bytes or more; NULL if no flow with packets is ranked.
 */
static inline struct fq_codel_flow *fq_codel_largest(struct fq_codel_lists *lists)
{
	while (lists->used >> FQ_CODEL_LIST_CLASSES) {
		u32 class = fls(lists->used) - 1;
		struct fq_codel_flow *flow = &lists->flows[*fq_codel_list_first(lists, class)];

		if (likely(flow->queue.tail))
			return flow;
		fq_codel_list_move(lists, flow, fq_codel_home(flow));
	}
	return NULL;
}

/**
 * fq_codel_drop_victim() - find the flow that pays
 * @lists: the lists
 * @own: flow of the packet that has just been queued; need not be ranked yet
 *
 * Return: @own if its backlog is as large as that of the largest ranked flow, or else that
 * flow; NULL if neither has packets.
 */
static inline struct fq_codel_flow *fq_codel_drop_victim(struct fq_codel_lists *lists,
							 struct fq_codel_flow *own)
{
	struct fq_codel_flow *flow = fq_codel_largest(lists);

	if (likely(flow && fq_codel_size(flow) > fq_codel_size(own)))
		return flow;
	return own->queue.tail ? own : NULL;
}

/**
 * fq_codel_drop_until() - find how far a flow is emptied
 * @flow: a flow with packets
 * @quantum: bytes that a flow may send in a round
 *
 * Half is rounded up to a packet; in a flow of no more than a quantum it is rounded down,
 * because a flow of three packets would lose two.
 *
 * Return: packets are dropped from the head while the backlog is larger, bytes.
 */
static inline u32 fq_codel_drop_until(const struct fq_codel_flow *flow, u32 quantum)
{
	u32 until = flow->queue.backlog / 2;

	if (flow->queue.backlog <= quantum)
		until += qdisc_pkt_len(flow->queue.tail->next) - 1;
	return until;
}

#endif /* FQ_CODEL_LISTS_H */
