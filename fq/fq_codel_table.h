/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The flow table of an FQ-CoDel: from the hash of a packet to its flow.
 *
 * A hash owns its flow alone, and keeps the flow until another hash needs it: first a
 * flow that was active once, then a recurring flow that was not active for a turn of their
 * home list. So a flow that comes back finds its CoDel state. A hash takes over an idle
 * flow only when the round of the flow's last quantum is over; otherwise a flood of
 * hashes could use one flow many times in a round, and old flows would never have a turn.
 *
 * Hashes that find no idle flow share the few overflow flows. Such a hash stays there
 * while packets of it wait there, so its packets leave in order. Other hashes may
 * own an idle flow, but while packets wait in their overflow flow, no more of them in a
 * round than there are overflow flows beside the first one. Otherwise a flood of hashes
 * would get each flow that becomes idle, and as many shares of the link.
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
#include <linux/vmalloc.h>

#include "fq_codel_drr.h"
#include "fq_codel_record.h"

#define FQ_CODEL_FLOWS_MAX	65536

/* The end of a bucket: with 65,536 flows, the last one is an overflow flow, and in no bucket */
#define FQ_CODEL_NONE		U16_MAX

/* Overflow flows: 1/16 of the flows, 1 to 8. More would get more of the link in a flood. */
#define FQ_CODEL_OVERFLOW_MAX	8
#define FQ_CODEL_OVERFLOW_SHIFT	4

/* Times by which hashes know whether packets of theirs wait in an overflow flow */
#define FQ_CODEL_SHARED_TIMES	512

/* While flows are active, new hashes leave 1/32 of the flows to recurring flows. */
#define FQ_CODEL_PROTECTED_SHIFT	5

/* Turns that a hash without an idle flow ends at most: as many as flows wait without packets */
#define FQ_CODEL_RECLAIMED	(FQ_CODEL_WAITING_MAX + 1)

/* Flows that a hash in search of an idle flow passes over at most */
#define FQ_CODEL_STEPS		64

/* Senders that an overflow flow gets quanta for at most; fq_codel_flow.share is below 8. */
#define FQ_CODEL_SENDERS_MAX	128U

/* The number of senders is the mean of about as many samples, a power of two */
#define FQ_CODEL_SAMPLES_SHIFT	4

/**
 * struct fq_codel_crowd - the senders that share an overflow flow
 * @hash: of a packet that arrived, the sample
 * @arrivals: packets since then, with the sample
 * @senders: number of senders, in 1/2^FQ_CODEL_SAMPLES_SHIFT
 */
struct fq_codel_crowd {
	u32 hash;
	u32 arrivals;
	u32 senders;
};

/**
 * struct fq_codel_table - the flow table
 * @drr: all flows and their schedule
 * @buckets: first flow by hash, FQ_CODEL_NONE if there is none; @count of them
 * @hashes: of each flow, its owner; valid if the flow is FQ_CODEL_HASHED
 * @bucket_next: of each flow, the next flow in its bucket; FQ_CODEL_NONE if it is the last
 * @records: counters of each flow; NULL until a reader asks for classes
 * @count: flows that hashes can own
 * @salt: odd; hash * @salt selects the bucket
 * @overflow: index of the first overflow flow: @count, but with 65536 flows, the last are
 *	overflow flows, and a single flow is shared by all hashes
 * @overflow_mask: bits of hash * @salt that select the overflow flow
 * @shared: arrivals of packets that shared an overflow flow, ns: each hash has two of them,
 *	which are not before its last packet
 * @crowds: of each overflow flow
 * @guests: hashes that became owners in this round while packets waited in their overflow flow
 * @guests_until: turn that ends this round
 * @collisions: packets that had to share a flow
 */
struct fq_codel_table {
	struct fq_codel_drr drr;
	u16 *buckets;
	u32 *hashes;
	u16 *bucket_next;
	struct fq_codel_record *records;
	u32 count;
	u32 salt;
	u32 overflow;
	u32 overflow_mask;
	u64 *shared;
	struct fq_codel_crowd crowds[FQ_CODEL_OVERFLOW_MAX];
	u32 guests;
	u32 guests_until;
	u64 collisions;
};

static inline struct fq_codel_flow *fq_codel_table_flow(const struct fq_codel_table *t, u32 i)
{
	return &t->drr.lists.flows[i];
}

static inline u32 fq_codel_table_index(const struct fq_codel_table *t,
				       const struct fq_codel_flow *flow)
{
	return fq_codel_index(&t->drr.lists, flow);
}

static inline u32 fq_codel_table_active(const struct fq_codel_table *t)
{
	return t->drr.new_flows.len + t->drr.old_flows.len;
}

/* All flows, with overflow flows */
static inline u32 fq_codel_table_size(const struct fq_codel_table *t)
{
	return max(t->count, t->overflow + t->overflow_mask + 1);
}

/* ---- hashes ---- */

static inline u16 *fq_codel_bucket(const struct fq_codel_table *t, u32 hash)
{
	return &t->buckets[reciprocal_scale(hash * t->salt, t->count)];
}

static inline void fq_codel_hash_add(struct fq_codel_table *t,
				     struct fq_codel_flow *flow, u32 hash)
{
	u16 *bucket = fq_codel_bucket(t, hash);
	u32 i = fq_codel_table_index(t, flow);

	flow->flags |= FQ_CODEL_HASHED;
	t->hashes[i] = hash;
	t->bucket_next[i] = *bucket;
	*bucket = i;
}

static inline void fq_codel_hash_del(struct fq_codel_table *t, struct fq_codel_flow *flow)
{
	u32 i = fq_codel_table_index(t, flow);
	u16 *link = fq_codel_bucket(t, t->hashes[i]);

	flow->flags &= ~FQ_CODEL_HASHED;
	while (*link != i)
		link = &t->bucket_next[*link];
	*link = t->bucket_next[i];
}

/* ---- idle flows ---- */

/*
 * A flow without packets has left new_flows or old_flows: its CoDel finds an empty queue. The
 * first time, the flow becomes recurring; it moves to that home list the second time.
 */
static __always_inline void fq_codel_table_go_idle(struct fq_codel_table *t,
						   struct fq_codel_flow *flow)
{
	u8 home = fq_codel_home(flow);

	codel_empty(&flow->queue.vars);
	flow->flags &= ~(FQ_CODEL_ACTIVE | FQ_CODEL_WAITING);
	if (home == FQ_CODEL_LIST_ONCE)
		flow->flags |= FQ_CODEL_RECURRING;
	if (flow->list != home)
		fq_codel_list_move(&t->drr.lists, flow, home);
}

/* End the turn of the first flow of a list if the flow has no packet. */
static inline bool fq_codel_table_reclaim_first(struct fq_codel_table *t,
						struct fq_codel_turns *turns)
{
	struct fq_codel_flow *flow = turns->first;

	if (!flow || flow->queue.tail)
		return false;
	if (fq_codel_drr_take_turn(&t->drr, turns, flow) == FQ_CODEL_TURN_LEFT)
		fq_codel_table_go_idle(t, flow);
	return true;
}

/*
 * The first flows may have sent their last packet, and no dequeue has looked at them since.
 * Old flows may be behind new flows with packets: the turn of a flow without packets can
 * come before, as it sends nothing. Return: false if there is no such flow.
 */
static inline bool fq_codel_table_reclaim(struct fq_codel_table *t)
{
	return fq_codel_table_reclaim_first(t, &t->drr.new_flows) ||
	       fq_codel_table_reclaim_first(t, &t->drr.old_flows);
}

/*
 * Pass over the first flow of a home list: an active flow, or one that may stay for another
 * turn of the list. Each time that a flow becomes active costs at most two such steps.
 */
static inline void fq_codel_table_pass_over(struct fq_codel_table *t,
					    struct fq_codel_flow *flow)
{
	struct fq_codel_lists *lists = &t->drr.lists;

	flow->flags &= ~FQ_CODEL_RECENT;
	if (fq_codel_is_idle(flow))
		fq_codel_list_rotate(lists, flow->list);
	else
		fq_codel_rank(lists, flow);
}

/*
 * The first flow of a home list that has none of the flags @excluded, NULL if its round is not
 * over, or if there is none after @steps others. After these, only active flows are excluded.
 */
static inline struct fq_codel_flow *fq_codel_table_idle_on(struct fq_codel_table *t, u8 list,
							   u8 excluded, u32 *steps)
{
	struct fq_codel_flow *flow;

	while (t->drr.lists.used & BIT(list)) {
		flow = fq_codel_table_flow(t, t->drr.lists.first[list]);
		if (!*steps)
			excluded = FQ_CODEL_ACTIVE;
		if (!(flow->flags & excluded))
			return fq_codel_drr_is_due(&t->drr, flow) ? flow : NULL;
		if (!*steps)
			break;
		--*steps;
		fq_codel_table_pass_over(t, flow);
	}
	return NULL;
}

/* The idle flow for another hash, the first of its list; NULL if there is none */
static inline struct fq_codel_flow *fq_codel_table_idle(struct fq_codel_table *t, u32 *steps)
{
	u32 active = fq_codel_table_active(t);
	struct fq_codel_flow *flow;

	flow = fq_codel_table_idle_on(t, FQ_CODEL_LIST_ONCE, FQ_CODEL_ACTIVE, steps);
	if (flow || (active && active + (t->count >> FQ_CODEL_PROTECTED_SHIFT) >= t->count))
		return flow;
	return fq_codel_table_idle_on(t, FQ_CODEL_LIST_RECURRING,
				      FQ_CODEL_ACTIVE | FQ_CODEL_RECENT, steps);
}

/*
 * Make a hash the owner of an idle flow, which is the first of its list and becomes the last.
 * CoDel starts anew, except in a single flow.
 */
static inline struct fq_codel_flow *fq_codel_table_own(struct fq_codel_table *t,
						       struct fq_codel_flow *flow, u32 hash)
{
	u32 i = fq_codel_table_index(t, flow);

	if (flow->flags & FQ_CODEL_HASHED)
		fq_codel_hash_del(t, flow);
	if (likely(t->count > 1))
		flow->queue.vars = (struct codel_vars) {};
	flow->deficit = 0;
	flow->flags = 0;
	if (likely(flow->list == FQ_CODEL_LIST_ONCE))
		fq_codel_list_rotate(&t->drr.lists, FQ_CODEL_LIST_ONCE);
	else
		fq_codel_list_move(&t->drr.lists, flow, FQ_CODEL_LIST_ONCE);
	fq_codel_hash_add(t, flow, hash);
	if (t->records)
		fq_codel_record_clear(&t->records[i]);
	return flow;
}

/* Find the idle flow for another hash, after the turns of flows without packets if necessary. */
static inline struct fq_codel_flow *fq_codel_table_find_idle(struct fq_codel_table *t)
{
	u32 steps = FQ_CODEL_STEPS, turns = FQ_CODEL_RECLAIMED;
	struct fq_codel_flow *idle;

	do
		idle = fq_codel_table_idle(t, &steps);
	while (!idle && turns-- && fq_codel_table_reclaim(t));
	return idle;
}

static inline u64 *fq_codel_shared(const struct fq_codel_table *t, u32 salted, bool second)
{
	return &t->shared[(second ? salted >> 16 : salted) % FQ_CODEL_SHARED_TIMES];
}

/* Packets of a hash have waited in an overflow flow until this time at the latest, ns. */
static inline u64 fq_codel_shared_until(const struct fq_codel_table *t, u32 salted)
{
	return min(*fq_codel_shared(t, salted, false), *fq_codel_shared(t, salted, true));
}

/* A packet that arrived at this time shares an overflow flow. */
static inline void fq_codel_shared_now(struct fq_codel_table *t, u32 salted, u64 time)
{
	u64 *first = fq_codel_shared(t, salted, false), *second = fq_codel_shared(t, salted, true);

	*first = max(*first, time);
	*second = max(*second, time);
}

/* Return whether one more hash of an overflow flow may own a flow in this round. */
static inline bool fq_codel_table_admits(struct fq_codel_table *t,
					 const struct fq_codel_flow *overflow)
{
	if (fq_codel_drr_is_over(&t->drr, t->guests_until)) {
		t->guests = 0;
		t->guests_until = t->drr.turn + t->drr.old_flows.len;
	}
	return t->guests < t->overflow_mask << overflow->share;
}

/*
 * A packet joins an overflow flow. Among n senders, the next packet of the same sender is the n-th
 * in the mean, if packets are sampled, whatever the rates of the senders. So the flow gets about
 * n quanta. A sample that does not come back in time counts as a single sender: a flood of
 * hashes gets one quantum.
 */
static inline void fq_codel_table_join(struct fq_codel_table *t, struct fq_codel_flow *overflow,
				       u32 hash)
{
	struct fq_codel_crowd *crowd = &t->crowds[fq_codel_table_index(t, overflow) - t->overflow];
	u32 most = min(t->count / (t->overflow_mask + 1), FQ_CODEL_SENDERS_MAX), senders;

	if (!crowd->arrivals++) {
		crowd->hash = hash;
		return;
	}
	senders = crowd->arrivals - 1;
	if (crowd->hash != hash && senders <= 2 * most)
		return;
	if (crowd->hash != hash)
		senders = 1;
	if (!crowd->senders)
		crowd->senders = senders << FQ_CODEL_SAMPLES_SHIFT;
	crowd->senders += senders - (crowd->senders >> FQ_CODEL_SAMPLES_SHIFT);
	senders = clamp(crowd->senders >> FQ_CODEL_SAMPLES_SHIFT, 1U, most);
	overflow->share = fls(senders + senders / 3) - 1;
	crowd->arrivals = 0;
}

/* Find a flow for the packet of a hash that owns none: an idle flow, or else an overflow flow. */
static inline struct fq_codel_flow *
fq_codel_table_assign(struct fq_codel_table *t, u32 hash, const struct sk_buff *skb)
{
	u32 salted = hash * t->salt;
	struct fq_codel_flow *overflow, *idle = NULL;
	const struct sk_buff *tail;

	overflow = fq_codel_table_flow(t, t->overflow + (salted & t->overflow_mask));
	tail = overflow->queue.tail;
	if (!tail || (fq_codel_shared_until(t, salted) < codel_skb_cb(tail->next)->enqueue_time &&
		      fq_codel_table_admits(t, overflow)))
		idle = fq_codel_table_find_idle(t);
	if (idle) {
		t->guests += !!tail;
		return fq_codel_table_own(t, idle, hash);
	}
	fq_codel_shared_now(t, salted, codel_skb_cb(skb)->enqueue_time);
	fq_codel_table_join(t, overflow, hash);
	t->collisions++;
	return overflow;
}

/* ---- the flow of a packet ---- */

/**
 * fq_codel_table_lookup() - find the flow of a hash
 * @t: the flow table
 * @hash: of a packet that is about to be queued
 * @skb: the packet, with the time of its arrival
 *
 * Return: the flow, which may be idle.
 */
static inline struct fq_codel_flow *
fq_codel_table_lookup(struct fq_codel_table *t, u32 hash, const struct sk_buff *skb)
{
	u32 i = *fq_codel_bucket(t, hash);

	for (; i != FQ_CODEL_NONE; i = t->bucket_next[i])
		if (likely(t->hashes[i] == hash))
			return fq_codel_table_flow(t, i);
	return fq_codel_table_assign(t, hash, skb);
}

/* ---- the table ---- */

/*
 * Make all flows idle and unowned. The caller has freed their packets. Hashes get the flows with
 * the highest numbers first: filters name the lowest ones.
 */
static inline void fq_codel_table_clear(struct fq_codel_table *t)
{
	struct fq_codel_drr *drr = &t->drr;
	u32 i = t->count ? fq_codel_table_size(t) : 0;

	drr->lists.used = 0;
	drr->new_flows = (struct fq_codel_turns) {};
	drr->old_flows = (struct fq_codel_turns) {};
	drr->waiting = 0;
	while (i--) {
		struct fq_codel_flow *flow = fq_codel_table_flow(t, i);
		bool overflow = i >= t->overflow && t->count > 1;

		*flow = (struct fq_codel_flow) {
			.refill_turn = drr->turn,
			.flags = overflow ? FQ_CODEL_OVERFLOW : 0,
		};
		fq_codel_list_add(&drr->lists, flow,
				  overflow ? FQ_CODEL_LIST_OVERFLOW : FQ_CODEL_LIST_ONCE);
	}
	for (i = 0; i < t->count; i++)
		t->buckets[i] = FQ_CODEL_NONE;
	if (!t->count)
		return;
	memset(t->shared, 0, FQ_CODEL_SHARED_TIMES * sizeof(*t->shared));
	memset(t->crowds, 0, sizeof(t->crowds));
	fq_codel_records_clear(t->records, fq_codel_table_size(t));
}

/* Free what a table has allocated. */
static inline void fq_codel_table_release(struct fq_codel_table *t)
{
	kvfree(t->records);
	kvfree(t->shared);
	kvfree(t->bucket_next);
	kvfree(t->hashes);
	kvfree(t->buckets);
	vfree(t->drr.lists.flows);
}

static inline u32 fq_codel_table_overflows(u32 count)
{
	return rounddown_pow_of_two(clamp(count >> FQ_CODEL_OVERFLOW_SHIFT, 1U,
					  FQ_CODEL_OVERFLOW_MAX + 0U));
}

/**
 * fq_codel_table_init() - allocate a flow table
 * @t: all zero; the caller releases it in any case
 * @count: flows, 1 to FQ_CODEL_FLOWS_MAX
 *
 * Return: false if out of memory.
 */
static inline bool fq_codel_table_init(struct fq_codel_table *t, u32 count)
{
	u32 overflows = fq_codel_table_overflows(count), size;

	t->overflow = count == 1 ? 0 : min(count, FQ_CODEL_FLOWS_MAX - overflows);
	t->overflow_mask = overflows - 1;
	t->salt = get_random_u32() | 1;
	size = max(count, t->overflow + overflows);
	/* kvmalloc() would take a power of two: twice as much for 1,024 flows and 8 more */
	t->drr.lists.flows = vmalloc_array(size, sizeof(*t->drr.lists.flows));
	t->buckets = kvmalloc_array(count, sizeof(*t->buckets), GFP_KERNEL);
	t->hashes = kvmalloc_array(count, sizeof(*t->hashes), GFP_KERNEL);
	t->bucket_next = kvmalloc_array(count, sizeof(*t->bucket_next), GFP_KERNEL);
	t->shared = kvmalloc_array(FQ_CODEL_SHARED_TIMES, sizeof(*t->shared), GFP_KERNEL);
	if (!t->drr.lists.flows || !t->buckets || !t->hashes || !t->bucket_next || !t->shared)
		return false;
	t->count = count;
	fq_codel_table_clear(t);
	return true;
}

#endif /* FQ_CODEL_TABLE_H */
