/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * One rate over several queues: the arithmetic of a link that queues with locks of their own share.
 * As codel_shaper.h, it has no packets and no timer.
 *
 * The link has a virtual clock, the time at which it has sent all that was reserved. A queue
 * reserves a slice of link time by one compare-and-exchange, and runs its own clock from the begin
 * of the slice to its end. What the queue does not use of the slice, it gives back; what its last
 * packet takes beyond the slice, it adds. So a queue without packets has no part of the link, and
 * a sparse queue reserves only what its packets take. A single packet on an idle link needs no
 * slice.
 *
 * The level of a queue is the link time that each of its flows has had. The link has a level, too,
 * that of the queue which was last in need of a free link. A queue above the level of the link
 * waits until the link is free, and then raises the level to its own. A queue that is not above it
 * reserves at once. So a queue without packets comes back at the level of the link, the levels of
 * queues with packets differ by a slice of a single flow, and a flow's share of the link does not
 * depend on its queue.
 *
 * With N queues, slices of up to a slice, and a packet more:
 * - In any time, the queues send no more than the link in that time, N slices, and what timers are
 *   late by, which is CODEL_SHAPER_LATE_MAX at most.
 * - A queue waits for the slices of others, one of each, and then for those of queues that are
 *   below its level. While the others are idle, it waits for N - 1 slices at most.
 * - The link is never idle for longer while a queue has packets.
 */
#ifndef CODEL_SHARED_H
#define CODEL_SHARED_H

#include "codel_shaper.h"

#ifdef __KERNEL__
#include <linux/atomic.h>
#else
typedef struct { s64 counter; } atomic64_t;
typedef struct { int counter; } atomic_t;

static inline s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic64_add(s64 i, atomic64_t *v)
{
	__atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static inline int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic_add(int i, atomic_t *v)
{
	__atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}
#endif

/* A slice is as long as this, ns, and at least a full packet */
#define CODEL_SLICE_TIME	(100 * CODEL_NSEC_PER_USEC)

/**
 * struct codel_shared - a link that queues share; all zero at first
 * @next: when the link has sent what is reserved, ns
 * @level: link time of a flow, ns: queues above it leave the link to others
 * @queues: those that have had to wait since they were empty, and CODEL_SHARED_HOLDER times those
 *	that have not used up their slice. While one waits, the time by which timers are late is
 *	not lost
 */
struct codel_shared {
	atomic64_t next;
	atomic64_t level;
	atomic_t queues;
};

#define CODEL_SHARED_HOLDER	0x10000
#define CODEL_SHARED_QUEUES	(CODEL_SHARED_HOLDER / 4)	/* at most */

/**
 * struct codel_slice - the part of a queue in a shared link; all zero at first
 * @begin: of the queue's latest slice, ns; the queue's clock has gone on from there
 * @end: of the slice; equal to @begin if there is none
 * @level: link time that each flow of the queue has had until @begin, ns
 * @full: the longest slice, ns
 * @bytes: the same as bytes on the wire
 * @flows: active flows of the queue when it reserved the slice
 * @active: the queue has asked for a slice since it was empty
 * @waits: the queue is one of those that wait
 * @holds: the queue is one of those that have not used up their slice
 */
struct codel_slice {
	u64 begin;
	u64 end;
	u64 level;
	u64 full;
	u32 bytes;
	u32 flows;
	bool active;
	bool waits;
	bool holds;
};

/**
 * codel_slice_set() - the longest slice at a rate
 * @slice: of a queue
 * @pace: rate of the link
 * @rate: the same, bytes/s
 * @packet: bytes of a full packet on the wire
 */
static inline void codel_slice_set(struct codel_slice *slice, const struct codel_pace *pace,
				   u64 rate, u32 packet)
{
	u32 bytes = div64_u64(rate, CODEL_NSEC_PER_SEC / CODEL_SLICE_TIME);

	slice->bytes = bytes > packet ? bytes : packet;
	slice->full = codel_pace_time(pace, slice->bytes) >> 8;
	if (!slice->full)
		slice->full = 1;
}

/**
 * codel_slice_time() - the time to reserve for packets
 * @slice: of their queue
 * @pace: rate of the link
 * @bytes: of the packets
 *
 * Return: ns, 1 to @slice->full.
 */
static inline u64 codel_slice_time(const struct codel_slice *slice, const struct codel_pace *pace,
				   u32 bytes)
{
	u64 time;

	if (bytes >= slice->bytes)
		return slice->full;
	time = codel_pace_time(pace, bytes) >> 8;
	return time ? time : 1;
}

/*
 * The slice is used up, or given back: its flows have had what was used of it. Another slice
 * follows, or none. Return: what was used beyond the end; less than 0 for what is left.
 */
static inline s64 codel_slice_close(struct codel_slice *slice, const struct codel_clock *clock)
{
	u64 used = clock->next - slice->begin;
	s64 over = (s64)clock->next - (s64)slice->end;

	if (slice->begin == slice->end)
		return 0;
	slice->level += slice->flows > 1 ? div64_u64(used, slice->flows) : used;
	return over;
}

/*
 * A queue misses nothing while it has no packets, or could not send for longer than a timer is
 * late, because its device stopped it.
 */
static inline void codel_slice_catch_up(struct codel_slice *slice, const struct codel_clock *clock,
					u64 now, u64 level)
{
	bool missed = slice->active && now <= clock->next + CODEL_SHAPER_LATE_MAX;

	if (!missed && slice->level < level)
		slice->level = level;
}

/* The clock of a queue goes on at another time. Packets that were dropped are still to be paid. */
static inline void codel_slice_start(struct codel_slice *slice, struct codel_clock *clock,
				     u64 begin, u64 time)
{
	u64 owed = slice->active ? codel_clock_owed(clock) : 0;

	slice->begin = begin;
	slice->end = begin + time;
	clock->next = begin;
	if (owed)
		clock->settled = begin + owed;
}

/**
 * codel_shared_take() - the link sends something else first
 * @link: the link
 * @now: monotonic time, ns
 * @time: ns
 */
static inline void codel_shared_take(struct codel_shared *link, u64 now, u64 time)
{
	s64 next = atomic64_read(&link->next), begin;

	do
		begin = next > (s64)now ? next : (s64)now;
	while (!atomic64_try_cmpxchg(&link->next, &next, begin + time));
}

/* Count the queue among those that wait, and those that hold a slice, or no longer. */
static inline void codel_slice_count(struct codel_slice *slice, struct codel_shared *link,
				     bool waits, bool holds)
{
	int change = waits - slice->waits + (holds - slice->holds) * CODEL_SHARED_HOLDER;

	if (!change)
		return;
	slice->waits = waits;
	slice->holds = holds;
	atomic_add(change, &link->queues);
}

static inline void codel_shared_raise(struct codel_shared *link, s64 level)
{
	s64 old = atomic64_read(&link->level);

	while (old < level && !atomic64_try_cmpxchg(&link->level, &old, level))
		;
}

/*
 * When a queue above the level of the link may ask again. One that holds a slice until @free may
 * be late with its last packets: it goes first, if it does so within the time of a slice.
 */
static inline u64 codel_slice_retry(const struct codel_slice *slice,
				    const struct codel_shared *link, u64 now, u64 free)
{
	if (free > now)
		return free;
	if (atomic_read(&link->queues) < CODEL_SHARED_HOLDER || free + slice->full <= now)
		return now;
	return now + slice->full / 4 + 1;
}

/**
 * codel_slice_reserve() - ask for link time
 * @slice: of the queue, which has packets, and holds no slice
 * @clock: of the queue; @clock->next: begin of the slice, or when the queue may ask again
 * @link: the link
 * @now: monotonic time, ns
 * @over: what the queue has used beyond its last slice, ns
 * @time: ns
 *
 * Return: true if the queue has a slice.
 */
static inline bool codel_slice_reserve(struct codel_slice *slice, struct codel_clock *clock,
				       struct codel_shared *link, u64 now, s64 over, u64 time)
{
	bool busy = slice->active || atomic_read(&link->queues);
	s64 least = (s64)now - (busy ? (s64)CODEL_SHAPER_LATE_MAX : 0);
	s64 level = atomic64_read(&link->level);
	s64 next = atomic64_read(&link->next);
	u64 begin, retry;

	codel_slice_catch_up(slice, clock, now, level);
	do {
		begin = next + over;
		retry = codel_slice_retry(slice, link, now, begin);
		if (retry > now && slice->level > (u64)level) {
			if (over)
				atomic64_add(over, &link->next);
			codel_slice_start(slice, clock, retry, 0);
			return false;
		}
		if ((s64)begin < least)
			begin = least;
	} while (!atomic64_try_cmpxchg(&link->next, &next, begin + time));
	codel_shared_raise(link, slice->level);
	codel_slice_start(slice, clock, begin, time);
	return true;
}

/* Return whether a queue that has no slice, or has used it up, is to ask for one. */
static inline bool codel_slice_may_ask(const struct codel_slice *slice,
				       const struct codel_clock *clock, u64 now)
{
	return !slice->active || slice->begin != slice->end || now >= clock->next;
}

/* A slice that lasts, and the time of a packet in it has come */
static inline bool codel_slice_is_due(const struct codel_slice *slice,
				      const struct codel_clock *clock, u64 now)
{
	return now >= clock->next && clock->next < slice->end;
}

/* The queue has used up its slice, or has none. */
static inline void codel_slice_ask(struct codel_slice *slice, struct codel_clock *clock,
				   struct codel_shared *link, u64 now, u64 time, u32 flows)
{
	s64 over = codel_slice_close(slice, clock);
	bool waits = slice->active;

	codel_slice_count(slice, link, waits, false);
	if (codel_slice_reserve(slice, clock, link, now, over, time)) {
		codel_slice_count(slice, link, waits, true);
		slice->flows = flows;
	}
	slice->active = true;
}

/**
 * codel_slice_turn() - may a packet leave, if the queue has to ask for that?
 * @slice: of the queue, which has packets
 * @clock: of the queue
 * @link: the link
 * @now: monotonic time, ns
 * @time: that the packets of the queue take, @slice->full at most, ns
 * @flows: active flows of the queue
 *
 * Return: true if so. Otherwise the queue is to call this again at @clock->next.
 */
static inline bool codel_slice_turn(struct codel_slice *slice, struct codel_clock *clock,
				    struct codel_shared *link, u64 now, u64 time, u32 flows)
{
	if (clock->next >= slice->end && codel_slice_may_ask(slice, clock, now))
		codel_slice_ask(slice, clock, link, now, time, flows);
	if (codel_slice_is_due(slice, clock, now))
		return true;
	codel_slice_count(slice, link, true, slice->holds);
	return false;
}

/**
 * codel_slice_idle() - the queue is empty, or leaves the link
 * @slice: of the queue
 * @clock: of the queue
 * @link: the link, which gets back what is left of the slice
 */
static inline void codel_slice_idle(struct codel_slice *slice, struct codel_clock *clock,
				    struct codel_shared *link)
{
	s64 over = codel_slice_close(slice, clock);

	if (over)
		atomic64_add(over, &link->next);
	slice->begin = 0;
	slice->end = 0;
	slice->active = false;
	codel_slice_count(slice, link, false, false);
}

/**
 * codel_slice_is_free() - may a packet leave without a slice?
 * @slice: of the queue, which has a single packet
 * @clock: of the queue
 * @link: the link
 * @now: monotonic time, ns
 *
 * The link is idle, no queue waits, and nothing is owed. Several queues may find it so at once,
 * and each is ahead by a packet then.
 *
 * Return: true if so; codel_slice_send_free() follows.
 */
static inline bool codel_slice_is_free(const struct codel_slice *slice,
				       const struct codel_clock *clock,
				       const struct codel_shared *link, u64 now)
{
	return !slice->active && !atomic_read(&link->queues) &&
	       (u64)atomic64_read(&link->next) <= now && clock->settled <= now;
}

/**
 * codel_slice_send_free() - the packet leaves
 * @clock: of the queue
 * @pace: rate of the link
 * @link: the link
 * @now: as for codel_slice_is_free()
 * @wire: bytes of the packet on the wire
 *
 * It does not count in the level, as no queue had to wait.
 */
static inline void codel_slice_send_free(struct codel_clock *clock, const struct codel_pace *pace,
					 struct codel_shared *link, u64 now, u32 wire)
{
	u64 fine = codel_pace_time(pace, wire) + clock->fraction;

	clock->fraction = fine;
	codel_shared_take(link, now, fine >> 8);
}

#endif /* CODEL_SHARED_H */
