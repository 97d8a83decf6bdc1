/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The number of flows of a live FQ-CoDel changes: all that is queued or known moves
 * from one pool to another. No packet is lost, and packets of a hash keep their order.
 *
 * Nobody knows which hashes have packets in a queue that several share. So all that is
 * shared, and all that finds no queue any more, moves to a single queue, and hashes that
 * have no queue of their own find this one until it is empty.
 */
#ifndef FQ_CODEL_MOVE_H
#define FQ_CODEL_MOVE_H

#include "fq_codel_table.h"

/* Runs of packets that wait for being merged: 2^0, 2^1, ... of them */
#define FQ_CODEL_RUNS		17

static_assert(FQ_CODEL_FLOWS_MAX >> (FQ_CODEL_RUNS - 1) == 1);

/**
 * struct fq_codel_move - a move on its way
 * @to: the new pool
 * @from: the pool in use
 * @runs: packets on their way to the queue that is shared, apart from its first ones: at
 *	i, the last packet of 2^i queues in one, in order of arrival; NULL if there is none
 */
struct fq_codel_move {
	struct fq_codel_table *to;
	struct fq_codel_table *from;
	struct sk_buff *runs[FQ_CODEL_RUNS];
};

/* Merge two queues, each given by its last packet, in order of arrival; of two packets that
 * came at the same time, the one of @a is first. Return: the last packet of both.
 */
static inline struct sk_buff *fq_codel_merge(struct sk_buff *a, struct sk_buff *b)
{
	struct sk_buff *in_a = a->next, *in_b = b->next;
	struct sk_buff *first, **next = &first;

	a->next = NULL;
	b->next = NULL;
	while (in_a && in_b) {
		bool take_a = codel_skb_cb(in_a)->enqueue_time <=
			      codel_skb_cb(in_b)->enqueue_time;
		struct sk_buff **in = take_a ? &in_a : &in_b;

		*next = *in;
		next = &(*next)->next;
		*in = *next;
	}
	*next = in_a ? : in_b;
	if (in_a)
		b = a;
	b->next = first;
	return b;
}

/* Packets go to the queue that is shared. As in a binary counter, only runs of as many
 * queues are merged: each packet is looked at log2(queues) times.
 */
static inline void fq_codel_move_run(struct fq_codel_move *move, struct sk_buff *tail)
{
	struct sk_buff **run = move->runs;

	for (; *run; *run++ = NULL)
		tail = fq_codel_merge(*run, tail);
	*run = tail;
}

/* The last merge: what is in all runs, and in the queue itself */
static inline void fq_codel_move_runs(struct fq_codel_move *move)
{
	struct codel_queue *shared;
	struct sk_buff *tail = NULL;
	u32 i;

	for (i = 0; i < FQ_CODEL_RUNS; i++)
		if (move->runs[i])
			tail = tail ? fq_codel_merge(move->runs[i], tail) : move->runs[i];
	if (!tail)
		return;
	shared = &move->to->flows[move->to->shares[0]].queue;
	shared->tail = fq_codel_merge(shared->tail, tail);
}

/* Move the packets of a queue; only the one that is shared may have some already. */
static inline void fq_codel_move_packets(struct fq_codel_move *move,
					 struct codel_queue *to,
					 struct codel_queue *from)
{
	if (to->tail)
		fq_codel_move_run(move, from->tail);
	else
		to->tail = from->tail;
	to->backlog += from->backlog;
	from->tail = NULL;
	from->backlog = 0;
}

/* The queue that is shared after the move: @flow, unless there is one already */
static inline struct fq_codel_flow *
fq_codel_move_common(struct fq_codel_table *to, struct fq_codel_flow *flow)
{
	u32 i;

	if (fq_codel_is_shared(to, to->shares[0]))
		return &to->flows[to->shares[0]];
	flow->fq_codel_flags |= FQ_CODEL_SHARED;
	for (i = 0; i < FQ_CODEL_SHARES; i++)
		to->shares[i] = fq_codel_index(to, flow);
	return flow;
}

/* The ring to take an idle queue from first, if there is one */
static inline u8 fq_codel_idle_ring(const struct fq_codel_table *to)
{
	return __ffs64(to->rings_used);
}

/* One that is idle, or the fattest */
static inline struct fq_codel_flow *fq_codel_move_any(struct fq_codel_table *to)
{
	if (to->rings_used & FQ_CODEL_IDLE)
		return &to->flows[to->rings[fq_codel_idle_ring(to)]];
	return fq_codel_fattest(to) ? : to->flows;
}

enum fq_codel_move_kind {
	FQ_CODEL_MOVE_CLASS,	/* to the same number, if there is one */
	FQ_CODEL_MOVE_SHARED,
	FQ_CODEL_MOVE_OWN,	/* to one of its own, if there is one */
};

static inline enum fq_codel_move_kind
fq_codel_move_kind(const struct fq_codel_flow *flow)
{
	if (flow->fq_codel_flags & FQ_CODEL_CLASS)
		return FQ_CODEL_MOVE_CLASS;
	if (flow->fq_codel_flags & FQ_CODEL_SHARED)
		return FQ_CODEL_MOVE_SHARED;
	if (!(flow->fq_codel_flags & FQ_CODEL_HASHED))	/* selected by priority */
		return FQ_CODEL_MOVE_CLASS;
	return FQ_CODEL_MOVE_OWN;
}

/*
 * The queue that a class moves to, with the hashes that may be in it as well. (Only if
 * several classes are shared with hashes, the packets of a class may be divided.)
 */
static inline struct fq_codel_flow *
fq_codel_move_class(struct fq_codel_table *to, struct fq_codel_flow *flow, u32 i)
{
	struct fq_codel_flow *dest;

	if (!(flow->fq_codel_flags & FQ_CODEL_CLASS))
		return &to->flows[i];
	dest = fq_codel_class(to, i);
	if (flow->fq_codel_flags & FQ_CODEL_SHARED)
		return fq_codel_move_common(to, dest);
	if (flow->fq_codel_flags & FQ_CODEL_HASHED &&
	    !(dest->fq_codel_flags & FQ_CODEL_HASHED))
		fq_codel_hash_add(to, dest, flow->hash);
	return dest;
}

static inline struct fq_codel_flow *
fq_codel_move_where(struct fq_codel_table *to, struct fq_codel_table *from,
		    struct fq_codel_flow *flow)
{
	enum fq_codel_move_kind kind = fq_codel_move_kind(flow);
	u32 i = fq_codel_index(from, flow);

	if (kind == FQ_CODEL_MOVE_CLASS && i < to->count)
		return fq_codel_move_class(to, flow, i);
	if (kind == FQ_CODEL_MOVE_OWN && to->rings_used & FQ_CODEL_IDLE)
		return fq_codel_take(to, fq_codel_idle_ring(to), flow->hash);
	return fq_codel_move_common(to, fq_codel_move_any(to));
}

/* What was counted for a flow, if it has a record and finds one */
static inline void fq_codel_move_user(struct fq_codel_table *to,
				      struct fq_codel_table *from,
				      const struct fq_codel_flow *dest,
				      const struct fq_codel_flow *flow)
{
	struct fq_codel_user *user = fq_codel_user(from, flow);
	struct fq_codel_user *now = fq_codel_user_slot(&to->users, to->flows, dest);

	if (!user || (now->owner != dest && now->stats.packets))
		return;
	now->stats = user->stats;
	now->owner = dest;
}

/* What is known of a flow, to a queue of which nothing is */
static inline void fq_codel_move_state(struct fq_codel_table *to,
				       struct fq_codel_table *from,
				       struct fq_codel_flow *dest,
				       const struct fq_codel_flow *flow)
{
	u8 flags = dest->fq_codel_flags;
	u8 ring = dest->fq_codel_ring;

	dest->queue.vars = flow->queue.vars;
	dest->fq_codel_flags = flags;
	dest->fq_codel_ring = ring;
	dest->deficit = flow->deficit;
	fq_codel_move_user(to, from, dest, flow);
}

/* An active flow, to the same line */
static inline void fq_codel_move_active(struct fq_codel_move *move,
					struct fq_codel_flow *flow)
{
	struct fq_codel_table *to = move->to, *from = move->from;
	bool old = flow->fq_codel_flags & FQ_CODEL_OLD;
	struct fq_codel_flow *dest;

	dest = fq_codel_move_where(to, from, flow);
	if (!(dest->fq_codel_flags & FQ_CODEL_ACTIVE)) {
		fq_codel_move_state(to, from, dest, flow);
		dest->fq_codel_flags &= ~FQ_CODEL_LEFT;
		fq_codel_line_add(to, old ? &to->old : &to->new, dest);
	}
	dest->fq_codel_flags |= flow->fq_codel_flags & FQ_CODEL_CAME;
	fq_codel_move_packets(move, &dest->queue, &flow->queue);
	fq_codel_resized(to, dest);
}

/* The flows of a line that are of a kind */
static inline void fq_codel_move_line(struct fq_codel_move *move,
				      const struct fq_codel_line *line,
				      enum fq_codel_move_kind kind)
{
	struct fq_codel_flow *flow;
	u32 i = line->first, n;

	for (n = 0; n < line->len; n++) {
		flow = &move->from->flows[i];
		i = flow->turn_next;
		if (fq_codel_move_kind(flow) == kind)
			fq_codel_move_active(move, flow);
	}
}

/* What idle flows leave for their next packet, the oldest first: it goes first. */
static inline void fq_codel_move_idle(struct fq_codel_table *to,
				      struct fq_codel_table *from, u8 ring)
{
	u32 first = from->rings[ring], i = first;
	struct fq_codel_flow *flow, *dest;

	if (!(from->rings_used & BIT_ULL(ring)))
		return;
	do {
		flow = &from->flows[i];
		i = flow->ring_next;
		if (!(to->rings_used & FQ_CODEL_IDLE))
			return;
		if (!(flow->fq_codel_flags & FQ_CODEL_HASHED))
			continue;
		dest = fq_codel_take(to, fq_codel_idle_ring(to), flow->hash);
		fq_codel_move_state(to, from, dest, flow);
		dest->fq_codel_idle_round = to->round -
			(from->round - flow->fq_codel_idle_round);
		dest->fq_codel_flags |= flow->fq_codel_flags & FQ_CODEL_LEFT;
		fq_codel_ring_move(to, dest, ring);
	} while (i != first);
}

/* A flow that waits for its turn without a packet is idle, for this purpose. */
static inline void fq_codel_move_prepare(struct fq_codel_table *from,
					 const struct fq_codel_line *line)
{
	u32 i = line->first, n = line->len;
	struct fq_codel_flow *flow;

	while (n--) {
		flow = &from->flows[i];
		i = flow->turn_next;
		if (!flow->queue.tail)
			fq_codel_retire(from, flow);
	}
}

/**
 * fq_codel_table_move() - move everything
 * @to: a new pool
 * @from: the pool in use, or one that was never made; keeps no packet
 *
 * Under the root lock; takes O(n log n) for n packets and flows.
 */
static inline void fq_codel_table_move(struct fq_codel_table *to,
				       struct fq_codel_table *from)
{
	struct fq_codel_move move = { .to = to, .from = from };
	enum fq_codel_move_kind kind;

	if (!from->count)
		return;
	fq_codel_move_prepare(from, &from->new);
	fq_codel_move_prepare(from, &from->old);
	fq_codel_move_idle(to, from, FQ_CODEL_RING_IDLE);
	fq_codel_move_idle(to, from, FQ_CODEL_RING_KEPT);
	for (kind = FQ_CODEL_MOVE_CLASS; kind <= FQ_CODEL_MOVE_OWN; kind++) {
		fq_codel_move_line(&move, &from->new, kind);
		fq_codel_move_line(&move, &from->old, kind);
	}
	fq_codel_move_runs(&move);
	to->shared = from->shared;
}

#endif /* FQ_CODEL_MOVE_H */
