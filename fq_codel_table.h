/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The flows of an FQ-CoDel: a pool of queues. Each of them is
 * - found by the hash of its packets. A hash keeps its queue until another one
 *   needs it, the one that is idle for longest first, so that a flow that comes
 *   back finds the CoDel state that it left. Hashes share queues only when none is
 *   free, and then those that are fat already: see fq_codel_share();
 * - in a ring with the queues of about its size, so that one of the fattest is
 *   found in constant time;
 * - in a line, of new or of old flows, while it has packets.
 *
 * Links are indices of 16 bits: a flow takes one cache line of 64 bytes.
 */
#ifndef FQ_CODEL_TABLE_H
#define FQ_CODEL_TABLE_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "fq_codel_flow.h"
#include "fq_codel_users.h"

#define FQ_CODEL_FLOWS_MAX	65536
#define FQ_CODEL_NONE		U32_MAX

/* Rings: two of the idle, and one for each power of two of bytes */
#define FQ_CODEL_RING_IDLE	0
#define FQ_CODEL_RING_KEPT	1	/* idle, but its flow has come back before */
#define FQ_CODEL_RING_NONE	2	/* idle, but no hash may have it */
#define FQ_CODEL_RING_MIN	3
#define FQ_CODEL_RINGS		64
#define FQ_CODEL_RING_SHIFT	4	/* all sizes below 16 bytes have the same ring */
#define FQ_CODEL_IDLE		(BIT_ULL(FQ_CODEL_RING_IDLE) |		\
				 BIT_ULL(FQ_CODEL_RING_KEPT))

/* Of the queues, 1/32 are kept for flows that came back before, if they are idle */
#define FQ_CODEL_KEPT_SHIFT	5

/* Old flows without packets at most: one dequeue may have to retire them all */
#define FQ_CODEL_LINGERING	16

/* Flows in the ring of the largest that are compared to find the fattest */
#define FQ_CODEL_COMPARED	4

/* Queues that hashes share at most when none is free: 1/16 of all, 1 to 64 */
#define FQ_CODEL_SHARES		64
#define FQ_CODEL_SHARES_SHIFT	4

/**
 * struct fq_codel_line - flows that wait for their turn
 * @first: whose turn is next; valid if @len
 * @last: who waits for longest; valid if @len
 * @len: flows
 */
struct fq_codel_line {
	u32 first;
	u32 last;
	u32 len;
};

/**
 * struct fq_codel_table - the pool
 * @flows: @count of them
 * @buckets: first flow by hash, FQ_CODEL_NONE if there is none; @count of them
 * @turn_prev: of each flow, the one before it in its line; of an idle one, the last of the
 *	old flows when it ran out of packets, or itself
 * @users: what is counted for the flows
 * @count: flows
 * @salt: odd; multiplied with it, a hash says its bucket
 * @rings_used: bit map of @rings
 * @rings: first flow of each
 * @new: became active since their last turn
 * @old: had a turn
 * @round_last: flow of @old whose turn ends the round; valid if @old has any
 * @round: counts the passes through @old
 * @lingering: flows of @old that were out of packets when their last turn ended
 * @shares_mask: of a hash, the bits that say its place in @shares
 * @shares: flows that hashes share, valid if they are SHARED; FQ_CODEL_NONE at first
 * @shared: packets that came while no queue was idle for their hash
 */
struct fq_codel_table {
	struct fq_codel_flow *flows;
	u32 *buckets;
	u16 *turn_prev;
	struct fq_codel_users users;
	u32 count;
	u32 salt;
	u64 rings_used;
	struct fq_codel_line new;
	struct fq_codel_line old;
	u32 round_last;
	u32 round;
	u16 lingering;
	u64 shared;
	u32 shares_mask;
	u32 rings[FQ_CODEL_RINGS];
	u32 shares[FQ_CODEL_SHARES];
};

static inline u32 fq_codel_index(const struct fq_codel_table *t,
				 const struct fq_codel_flow *flow)
{
	return flow - t->flows;
}

/* The record of a flow, NULL if it has none */
static inline struct fq_codel_user *fq_codel_user(const struct fq_codel_table *t,
						  const struct fq_codel_flow *flow)
{
	struct fq_codel_user *user = fq_codel_user_slot(&t->users, t->flows, flow);

	return user->owner == flow ? user : NULL;
}

/* A flow has become that of another hash. */
static inline void fq_codel_user_renamed(struct fq_codel_table *t,
					 const struct fq_codel_flow *flow)
{
	struct fq_codel_user *user = fq_codel_user(t, flow);

	if (user)
		fq_codel_user_clear(user);
}

/* ---- rings ---- */

static inline void fq_codel_ring_add(struct fq_codel_table *t,
				     struct fq_codel_flow *flow, u8 ring)
{
	u32 i = fq_codel_index(t, flow);
	struct fq_codel_flow *first;

	flow->fq_codel_ring = ring;
	if (!(t->rings_used & BIT_ULL(ring))) {
		t->rings_used |= BIT_ULL(ring);
		t->rings[ring] = i;
		flow->ring_prev = i;
		flow->ring_next = i;
		return;
	}
	first = &t->flows[t->rings[ring]];
	flow->ring_prev = first->ring_prev;
	flow->ring_next = t->rings[ring];
	t->flows[first->ring_prev].ring_next = i;
	first->ring_prev = i;
}

static inline void fq_codel_ring_del(struct fq_codel_table *t,
				     struct fq_codel_flow *flow)
{
	u32 i = fq_codel_index(t, flow);
	u8 ring = flow->fq_codel_ring;

	if (flow->ring_next == i) {
		t->rings_used &= ~BIT_ULL(ring);
		return;
	}
	t->flows[flow->ring_prev].ring_next = flow->ring_next;
	t->flows[flow->ring_next].ring_prev = flow->ring_prev;
	if (t->rings[ring] == i)
		t->rings[ring] = flow->ring_next;
}

static noinline void fq_codel_ring_move(struct fq_codel_table *t,
					struct fq_codel_flow *flow, u8 ring)
{
	if (flow->fq_codel_ring != FQ_CODEL_RING_NONE)
		fq_codel_ring_del(t, flow);
	if (ring != FQ_CODEL_RING_NONE)
		fq_codel_ring_add(t, flow, ring);
	else
		flow->fq_codel_ring = ring;
}

static_assert(FQ_CODEL_RING_MIN + 64 - FQ_CODEL_RING_SHIFT < FQ_CODEL_RINGS);

/* The bytes of an active flow have changed: put it into the ring of its size. Every
 * number of 64 bits has a ring: a size table can make the packets of a flow any length.
 */
static __always_inline void fq_codel_resized(struct fq_codel_table *t,
					     struct fq_codel_flow *flow)
{
	u8 ring = FQ_CODEL_RING_MIN + fls64(flow->queue.backlog >> FQ_CODEL_RING_SHIFT);

	if (ring != flow->fq_codel_ring)
		fq_codel_ring_move(t, flow, ring);
}

/* A flow of a ring that has a packet, if there is one: from now on it is the first, so that
 * those without are not looked at again soon.
 */
static inline struct fq_codel_flow *fq_codel_ring_begin(struct fq_codel_table *t,
							u8 ring)
{
	u32 first = t->rings[ring], i = first;

	while (!t->flows[i].queue.tail) {
		i = t->flows[i].ring_next;
		if (i == first)
			break;
	}
	t->rings[ring] = i;
	return &t->flows[i];
}

/* The largest of some flows of a ring that have a packet, and none of some flags */
static inline struct fq_codel_flow *
fq_codel_ring_largest(struct fq_codel_table *t, u8 ring, u8 without)
{
	struct fq_codel_flow *flow = fq_codel_ring_begin(t, ring);
	struct fq_codel_flow *largest = NULL;
	int i;

	for (i = 0; i < FQ_CODEL_COMPARED; i++) {
		if (flow->queue.tail && !(flow->fq_codel_flags & without) &&
		    (!largest || flow->queue.backlog > largest->queue.backlog))
			largest = flow;
		flow = &t->flows[flow->ring_next];
	}
	return largest;
}

static __always_inline struct fq_codel_flow *
fq_codel_fattest_without(struct fq_codel_table *t, u8 without)
{
	u64 used = t->rings_used & ~FQ_CODEL_IDLE;
	struct fq_codel_flow *fattest;
	int ring;

	while (used) {
		ring = fls64(used) - 1;
		fattest = fq_codel_ring_largest(t, ring, without);
		if (likely(fattest))
			return fattest;
		used &= ~BIT_ULL(ring);
	}
	return NULL;
}

/**
 * fq_codel_fattest() - a flow to take packets from
 * @t: the pool
 *
 * The flows that have sent their last packet may be in the ring of its size until
 * their next turn: those that linger, and two that are the first of a line.
 *
 * Return: the largest of some flows that are all larger than half of the largest
 * there is; it has a packet. NULL if no flow has.
 */
static inline struct fq_codel_flow *fq_codel_fattest(struct fq_codel_table *t)
{
	return fq_codel_fattest_without(t, 0);
}

/* ---- lines ---- */

static inline void fq_codel_line_add(struct fq_codel_table *t,
				     struct fq_codel_line *line,
				     struct fq_codel_flow *flow)
{
	u32 i = fq_codel_index(t, flow);

	if (line->len++) {
		t->flows[line->last].turn_next = i;
		t->turn_prev[i] = line->last;
	} else {
		line->first = i;
		if (line == &t->old)
			t->round_last = i;
	}
	line->last = i;
	if (line == &t->old)
		flow->fq_codel_flags |= FQ_CODEL_ACTIVE | FQ_CODEL_OLD;
	else
		flow->fq_codel_flags |= FQ_CODEL_ACTIVE;
}

/* To the old flows, behind the one that was their last when it ran out of packets. If
 * that one has moved since, then backwards.
 */
static inline void fq_codel_line_return(struct fq_codel_table *t,
					struct fq_codel_flow *flow)
{
	u32 i = fq_codel_index(t, flow), prev = t->turn_prev[i];
	struct fq_codel_flow *before = &t->flows[prev];

	if (!(before->fq_codel_flags & FQ_CODEL_OLD) || prev == t->old.last) {
		fq_codel_line_add(t, &t->old, flow);
		return;
	}
	flow->turn_next = before->turn_next;
	t->turn_prev[flow->turn_next] = i;
	before->turn_next = i;
	t->old.len++;
	flow->fq_codel_flags |= FQ_CODEL_ACTIVE | FQ_CODEL_OLD;
}

static inline void fq_codel_line_del(struct fq_codel_table *t,
				     struct fq_codel_flow *flow)
{
	bool old = flow->fq_codel_flags & FQ_CODEL_OLD;
	struct fq_codel_line *line = old ? &t->old : &t->new;
	u32 i = fq_codel_index(t, flow);
	bool first = line->first == i;

	line->len--;
	if (first)
		line->first = flow->turn_next;
	else
		t->flows[t->turn_prev[i]].turn_next = flow->turn_next;
	if (line->last == i)
		line->last = t->turn_prev[i];
	else
		t->turn_prev[flow->turn_next] = t->turn_prev[i];
	if (old && t->round_last == i) {
		t->round += first;
		t->round_last = first ? line->last : t->turn_prev[i];
	}
	flow->fq_codel_flags &= ~(FQ_CODEL_ACTIVE | FQ_CODEL_OLD);
}

/* No idle flow is in the dropping state; one that is back before its CoDel would have
 * been asked is in it again.
 */
static inline void fq_codel_pause(struct fq_codel_flow *flow)
{
	if (flow->queue.vars.dropping)
		flow->fq_codel_flags |= FQ_CODEL_DROPPING;
	flow->queue.vars.dropping = false;
}

static inline void fq_codel_resume(struct fq_codel_flow *flow)
{
	if (flow->fq_codel_flags & FQ_CODEL_DROPPING)
		flow->queue.vars.dropping = true;
}

/**
 * fq_codel_activate() - a packet has come to a flow that had none
 * @t: the pool
 * @flow: is not in a line
 * @quantum: bytes of a turn
 *
 * It is new if the old flows had their turn since it was active last, or if it did
 * not need all of its own as one of them. If not, it is where it would be had it waited
 * for its next turn, and with the quantum of that. There is one quantum a round for all
 * of that, and what it sent too much is paid back by what it would have got in the rounds
 * since (RFC 8290 forgets it): nobody gets more by timing.
 */
static inline void fq_codel_activate(struct fq_codel_table *t,
				     struct fq_codel_flow *flow, u32 quantum)
{
	u32 rounds = t->round - flow->fq_codel_idle_round;
	bool new = rounds || !t->old.len || flow->fq_codel_flags & FQ_CODEL_SPARED;

	flow->deficit = min_t(s64, flow->deficit + (u64)(new ? rounds : 1) * quantum,
			      quantum);
	if (rounds)
		codel_empty(&flow->queue.vars);
	else
		fq_codel_resume(flow);
	flow->fq_codel_flags &= ~(FQ_CODEL_DROPPING | FQ_CODEL_SPARED);
	flow->queue.vars.user_time = 0;
	if (new)
		fq_codel_line_add(t, &t->new, flow);
	else
		fq_codel_line_return(t, flow);
}

/* The first of the old flows goes behind the others; if it was the last of a round, it
 * is that of the next round, too.
 */
static inline void fq_codel_rotate(struct fq_codel_table *t,
				   struct fq_codel_flow *flow)
{
	struct fq_codel_line *old = &t->old;
	u32 i = old->first;

	t->round += t->round_last == i;
	if (old->len == 1)
		return;
	t->flows[old->last].turn_next = i;
	t->turn_prev[i] = old->last;
	old->first = flow->turn_next;
	old->last = i;
}

/* May a flow wait without a packet until its next turn? For one turn, if few do. */
static inline bool fq_codel_linger(struct fq_codel_table *t,
				   struct fq_codel_flow *flow)
{
	if (flow->fq_codel_flags & FQ_CODEL_LINGERS ||
	    t->lingering == FQ_CODEL_LINGERING)
		return false;
	t->lingering++;
	flow->fq_codel_flags |= FQ_CODEL_LINGERS;
	return true;
}

/* A flow that lingers has a packet again, or has to go. */
static inline void fq_codel_linger_end(struct fq_codel_table *t,
				       struct fq_codel_flow *flow)
{
	t->lingering--;
	flow->fq_codel_flags &= ~FQ_CODEL_LINGERS;
}

/* Does the flow whose turn it is stay, although it may not send? If it has sent all that it
 * had, then for one turn (RFC 8290, section 4.2), and only if few do.
 */
static inline bool fq_codel_remains(struct fq_codel_table *t,
				    struct fq_codel_flow *flow)
{
	return flow->deficit <= 0 && (flow->queue.tail || fq_codel_linger(t, flow));
}

/* The flow whose turn it is has sent what it may: the next turn is another's. */
static inline void fq_codel_pass(struct fq_codel_table *t,
				 struct fq_codel_flow *flow, u32 quantum)
{
	flow->deficit += quantum;
	if (flow->fq_codel_flags & FQ_CODEL_OLD) {
		fq_codel_rotate(t, flow);
		return;
	}
	fq_codel_line_del(t, flow);
	fq_codel_line_add(t, &t->old, flow);
}

/*
 * Every flow with packets has had a turn and may not send: all are in debt. Give each of them
 * at once the quanta of all rounds that would pass like this one, until the first may send.
 */
static noinline void fq_codel_skip_rounds(struct fq_codel_table *t, u32 quantum)
{
	struct fq_codel_flow *flow;
	s32 nearest = S32_MIN;
	u32 i, n, rounds;

	for (n = 0, i = t->old.first; n < t->old.len; n++, i = flow->turn_next) {
		flow = &t->flows[i];
		if (flow->queue.tail)
			nearest = max(nearest, flow->deficit);
	}
	if (nearest > 0 || nearest == S32_MIN)
		return;
	rounds = (u32)-nearest / quantum + 1;
	for (n = 0, i = t->old.first; n < t->old.len; n++, i = flow->turn_next) {
		flow = &t->flows[i];
		flow->deficit = min_t(s64, flow->deficit + (u64)rounds * quantum, quantum);
	}
	t->round += rounds;
}

/**
 * fq_codel_turn_end() - the flow whose turn it is remains, and may not send
 * @t: the pool
 * @flow: the flow
 * @quantum: bytes of a turn
 * @turns: that have ended since the search for a flow that may send began
 *
 * However small the quantum and however large the debts, a search among n flows looks at
 * flows 5n + 1 times at most: n turns before one that leaves its flow in debt, n + 1 turns,
 * twice all flows to skip rounds, and n turns. (It also retires those without packets, each
 * once.)
 *
 * Return: @turns, with this one.
 */
static __always_inline u32 fq_codel_turn_end(struct fq_codel_table *t,
					     struct fq_codel_flow *flow, u32 quantum,
					     u32 turns)
{
	fq_codel_pass(t, flow, quantum);
	if (likely(turns < t->old.len))
		return turns + 1;
	fq_codel_skip_rounds(t, quantum);
	return 0;
}

/* ---- the pool ---- */

static inline u32 *fq_codel_bucket(const struct fq_codel_table *t, u32 hash)
{
	return &t->buckets[reciprocal_scale(hash * t->salt, t->count)];
}

static inline void fq_codel_hash_add(struct fq_codel_table *t,
				     struct fq_codel_flow *flow, u32 hash)
{
	u32 *bucket = fq_codel_bucket(t, hash);
	u32 i = fq_codel_index(t, flow);

	flow->hash = hash;
	flow->fq_codel_flags |= FQ_CODEL_HASHED;
	flow->bucket_next = *bucket == FQ_CODEL_NONE ? i : *bucket;
	*bucket = i;
}

static inline void fq_codel_hash_del(struct fq_codel_table *t,
				     struct fq_codel_flow *flow)
{
	u32 *bucket = fq_codel_bucket(t, flow->hash);
	u32 i = fq_codel_index(t, flow);
	bool last = flow->bucket_next == i;
	struct fq_codel_flow *before;

	flow->fq_codel_flags &= ~FQ_CODEL_HASHED;
	if (*bucket == i) {
		*bucket = last ? FQ_CODEL_NONE : flow->bucket_next;
		return;
	}
	before = &t->flows[*bucket];
	while (before->bucket_next != i)
		before = &t->flows[before->bucket_next];
	before->bucket_next = last ? fq_codel_index(t, before) :
				     flow->bucket_next;
}

/**
 * fq_codel_retire() - a flow has no packet any more: take it out of its line
 * @t: the pool
 * @flow: is active
 *
 * CoDel finds the queue empty if the flow may still send, or is the only one. If not, the
 * flow is not asked before its next turn, and CoDel knows nothing if it is back by then
 * (RFC 8290, section 4.2).
 */
static inline void fq_codel_retire(struct fq_codel_table *t,
				   struct fq_codel_flow *flow)
{
	u8 ring = flow->fq_codel_flags & FQ_CODEL_CAME ? FQ_CODEL_RING_KEPT :
							 FQ_CODEL_RING_IDLE;
	u32 i = fq_codel_index(t, flow);

	if (flow->fq_codel_flags & FQ_CODEL_LINGERS)
		fq_codel_linger_end(t, flow);
	if (flow->deficit > 0 && flow->fq_codel_flags & FQ_CODEL_OLD)
		flow->fq_codel_flags |= FQ_CODEL_SPARED;
	fq_codel_line_del(t, flow);
	if (flow->deficit > 0 || !t->old.len)
		codel_empty(&flow->queue.vars);
	else
		fq_codel_pause(flow);
	flow->fq_codel_idle_round = t->round;
	t->turn_prev[i] = t->old.len ? t->old.last : i;
	flow->fq_codel_flags &= ~FQ_CODEL_SHARED;
	flow->fq_codel_flags |= FQ_CODEL_CAME;
	if (flow->fq_codel_flags & FQ_CODEL_CLASS) {
		if (flow->fq_codel_flags & FQ_CODEL_HASHED)
			fq_codel_hash_del(t, flow);
		ring = FQ_CODEL_RING_NONE;
	}
	fq_codel_ring_move(t, flow, ring);
}

/* An empty flow is SHARED until a dequeue finds it empty: no packet waits in it. */
static inline bool fq_codel_is_shared(const struct fq_codel_table *t, u32 i)
{
	return i != FQ_CODEL_NONE && t->flows[i].queue.tail &&
	       t->flows[i].fq_codel_flags & FQ_CODEL_SHARED;
}

/*
 * The queue for a hash that finds none free: one that others share already, or else
 * the fattest, of those that never came back if possible. So a flood from many
 * sources joins itself, and whoever has a queue to himself keeps it so.
 */
static inline struct fq_codel_flow *fq_codel_share(struct fq_codel_table *t,
						   u32 *share)
{
	struct fq_codel_flow *flow;

	t->shared++;
	if (fq_codel_is_shared(t, *share))
		return &t->flows[*share];
	flow = fq_codel_fattest_without(t, FQ_CODEL_CAME);
	if (!flow)
		flow = fq_codel_fattest(t);
	if (!flow)	/* filters use them all */
		flow = &t->flows[0];
	flow->fq_codel_flags |= FQ_CODEL_SHARED;
	*share = fq_codel_index(t, flow);
	return flow;
}

/*
 * The ring to take an idle queue from, FQ_CODEL_RING_NONE if there is no free one.
 * A source of a flood sends a packet and is not heard of for long; a flow that came
 * back finds its queue although it is idle most of the time. So the last few of those
 * are not for newcomers, if there is a queue to share.
 */
static inline u8 fq_codel_free_ring(const struct fq_codel_table *t)
{
	u32 idle = t->count - t->new.len - t->old.len;

	if (t->rings_used & BIT_ULL(FQ_CODEL_RING_IDLE))
		return FQ_CODEL_RING_IDLE;
	if (!(t->rings_used & BIT_ULL(FQ_CODEL_RING_KEPT)))
		return FQ_CODEL_RING_NONE;
	if (t->rings_used & ~FQ_CODEL_IDLE &&
	    idle <= t->count >> FQ_CODEL_KEPT_SHIFT)
		return FQ_CODEL_RING_NONE;
	return FQ_CODEL_RING_KEPT;
}

/* The first flow of a line may have sent its last packet without the line being looked at
 * since: it is idle. One in the dropping state stays, as its end has to be reported.
 */
static inline void fq_codel_retire_first(struct fq_codel_table *t,
					 const struct fq_codel_line *line)
{
	struct fq_codel_flow *flow = &t->flows[line->first];

	if (line->len && !flow->queue.tail && !flow->queue.vars.dropping)
		fq_codel_retire(t, flow);
}

/* Give a hash the queue of a ring of idle ones that is idle for longest. CoDel starts anew,
 * but in a single queue, which is that of all hashes.
 */
static inline struct fq_codel_flow *fq_codel_take(struct fq_codel_table *t,
						  u8 ring, u32 hash)
{
	struct fq_codel_flow *flow = &t->flows[t->rings[ring]];

	if (flow->fq_codel_flags & FQ_CODEL_HASHED)
		fq_codel_hash_del(t, flow);
	if (likely(t->count > 1))
		flow->queue.vars = (struct codel_vars) {
			.user_time = flow->fq_codel_idle_round,
		};
	flow->deficit = max(flow->deficit, 0);
	flow->fq_codel_ring = ring;
	fq_codel_hash_add(t, flow, hash);
	fq_codel_user_renamed(t, flow);
	return flow;
}

/*
 * No queue is known by this hash. Give it a free one, unless packets of the hash may
 * still wait in a queue that it had to share.
 */
static noinline struct fq_codel_flow *
fq_codel_assign(struct fq_codel_table *t, u32 hash)
{
	u32 *share = &t->shares[hash * t->salt & t->shares_mask];
	u8 ring;

	if (fq_codel_is_shared(t, *share))
		return fq_codel_share(t, share);
	ring = fq_codel_free_ring(t);
	if (ring == FQ_CODEL_RING_NONE) {
		fq_codel_retire_first(t, &t->new);
		fq_codel_retire_first(t, &t->old);
		ring = fq_codel_free_ring(t);
	}
	if (ring == FQ_CODEL_RING_NONE)
		return fq_codel_share(t, share);
	return fq_codel_take(t, ring, hash);
}

/**
 * fq_codel_lookup() - the queue for a hash
 * @t: the pool
 * @hash: of the packet that is about to be queued
 *
 * Return: the queue, which may be idle
 */
static inline struct fq_codel_flow *fq_codel_lookup(struct fq_codel_table *t,
						    u32 hash)
{
	u32 i = *fq_codel_bucket(t, hash);
	struct fq_codel_flow *flow;

	while (i != FQ_CODEL_NONE) {
		flow = &t->flows[i];
		if (likely(flow->hash == hash))
			return flow;
		i = flow->bucket_next == i ? FQ_CODEL_NONE : flow->bucket_next;
	}
	return fq_codel_assign(t, hash);
}

/**
 * fq_codel_class() - the queue that a filter has chosen
 * @t: the pool
 * @i: its index, below @count
 *
 * Return: the queue, which is no longer given to hashes; one that has it now shares
 * it until it is empty
 */
static inline struct fq_codel_flow *fq_codel_class(struct fq_codel_table *t,
						   u32 i)
{
	struct fq_codel_flow *flow = &t->flows[i];

	if (likely(flow->fq_codel_flags & FQ_CODEL_CLASS))
		return flow;
	flow->fq_codel_flags |= FQ_CODEL_CLASS;
	if (flow->fq_codel_ring <= FQ_CODEL_RING_KEPT) {
		if (flow->fq_codel_flags & FQ_CODEL_HASHED)
			fq_codel_hash_del(t, flow);
		fq_codel_ring_move(t, flow, FQ_CODEL_RING_NONE);
	}
	return flow;
}

/**
 * fq_codel_join() - the queue that a packet's priority selects
 * @t: the pool
 * @i: its index, below @count
 *
 * A sender sets the priority of its own packets, so nothing is reserved: a hash that has
 * the queue keeps it, and a queue that no hash has is free again when it is empty.
 *
 * Return: the queue, which may be idle
 */
static inline struct fq_codel_flow *fq_codel_join(struct fq_codel_table *t, u32 i)
{
	struct fq_codel_flow *flow = &t->flows[i];

	/* only the flow of a hash comes back */
	if (!(flow->fq_codel_flags & FQ_CODEL_HASHED))
		flow->fq_codel_flags &= ~FQ_CODEL_CAME;
	return flow;
}

/* All flows idle and unknown; their packets are the caller's. */
static inline void fq_codel_table_clear(struct fq_codel_table *t)
{
	u32 i;

	t->rings_used = 0;
	memset(&t->new, 0, sizeof(t->new));
	memset(&t->old, 0, sizeof(t->old));
	t->lingering = 0;
	for (i = 0; i < FQ_CODEL_SHARES; i++)
		t->shares[i] = FQ_CODEL_NONE;
	for (i = 0; i < t->count; i++) {
		memset(&t->flows[i], 0, sizeof(t->flows[i]));
		t->flows[i].fq_codel_idle_round = t->round - 1;
		t->turn_prev[i] = i;
		fq_codel_ring_add(t, &t->flows[i], FQ_CODEL_RING_IDLE);
		t->buckets[i] = FQ_CODEL_NONE;
	}
	if (t->count)
		fq_codel_users_clear(&t->users);
}

/* Free what a pool consists of, if it has been made. */
static inline void fq_codel_table_release(struct fq_codel_table *t)
{
	kvfree(t->users.records);
	kvfree(t->turn_prev);
	kvfree(t->buckets);
	kvfree(t->flows);
}

static inline void fq_codel_table_free(struct fq_codel_table *t)
{
	if (t)
		fq_codel_table_release(t);
	kfree(t);
}

/**
 * fq_codel_table_new() - make a pool
 * @count: flows, 1 to FQ_CODEL_FLOWS_MAX
 *
 * Return: the pool, or NULL if there is no memory for it.
 */
static inline struct fq_codel_table *fq_codel_table_new(u32 count)
{
	struct fq_codel_table *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->flows = kvmalloc_array(count, sizeof(*t->flows), GFP_KERNEL);
	t->buckets = kvmalloc_array(count, sizeof(*t->buckets), GFP_KERNEL);
	t->turn_prev = kvmalloc_array(count, sizeof(*t->turn_prev), GFP_KERNEL);
	if (!t->flows || !t->buckets || !t->turn_prev ||
	    !fq_codel_users_make(&t->users, t->flows, count)) {
		fq_codel_table_free(t);
		return NULL;
	}
	t->count = count;
	t->salt = get_random_u32() | 1;
	t->shares_mask = rounddown_pow_of_two(clamp(count >> FQ_CODEL_SHARES_SHIFT,
						    1U, FQ_CODEL_SHARES + 0U)) - 1;
	fq_codel_table_clear(t);
	return t;
}

#endif /* FQ_CODEL_TABLE_H */
