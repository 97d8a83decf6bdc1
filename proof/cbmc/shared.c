// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * codel_shared.h, with any state of a queue and of the link, while another processor changes the
 * link: each compare-and-exchange fails once or not, and finds any other value then.
 */
#include "any.h"
#include "codel_shared.h"

/* Times of queues, and slices: years, and the time of CODEL_WIRE_MAX at CODEL_RATE_MIN */
#define TIME_MAX	(1ULL << 60)
#define SLICE_MAX	((u64)CODEL_WIRE_MAX * CODEL_NSEC_PER_SEC)

/* ---- contracts ---- */

u64 contract_divide(u64 a, u64 b)
{
	u64 quotient = nondet_u64();

	prove(b > 1, "div64_u64: by several flows");
	suppose(quotient <= a);
	return quotient;
}

static struct codel_shared shared;
static unsigned int attempts;
static s64 found;	/* what the last one that has succeeded found */

static s64 any_time(void)
{
	u64 time = nondet_u64();

	suppose(time <= TIME_MAX);
	return (s64)time;
}

bool contract_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	if (!attempts++ && nondet_bool()) {
		v->counter = any_time();
		*old = v->counter;
		return false;
	}
	attempts = 0;
	if (v == &shared.next)
		found = *old;
	v->counter = new;
	return true;
}

void contract_add(s64 i, atomic64_t *v)
{
	v->counter += i;
}

s64 contract_read(const atomic64_t *v)
{
	return v->counter;
}

int contract_read_queues(const atomic_t *v)
{
	return v->counter;
}

void contract_add_queues(int i, atomic_t *v)
{
	v->counter += i;
}

/* ---- any state ---- */

static struct codel_slice any_slice(const struct codel_clock *clock)
{
	struct codel_slice slice = {
		.begin = any_time(), .end = any_time(), .level = any_time(),
		.full = nondet_u64(), .flows = nondet_u32(),
		.active = nondet_bool(), .waits = nondet_bool(), .holds = nondet_bool(),
	};

	suppose(slice.full && slice.full <= SLICE_MAX);
	suppose(slice.begin <= slice.end && slice.begin <= clock->next);
	suppose(slice.active || (slice.begin == slice.end && !slice.waits && !slice.holds));
	/* a slice that is used up by a packet at most */
	suppose(slice.begin == slice.end || clock->next <= slice.end + SLICE_MAX);
	return slice;
}

static struct codel_clock any_clock(void)
{
	struct codel_clock clock = { .next = any_time(), .settled = any_time() };

	return clock;
}

static void any_link(const struct codel_slice *slice)
{
	int queues = (int)(nondet_u32() & 0xffffff) + slice->waits +
		     slice->holds * CODEL_SHARED_HOLDER;

	shared.next.counter = any_time();
	shared.level.counter = any_time();
	shared.queues.counter = queues;
	attempts = 0;
	found = -1;
}

/* A queue with packets sends, or waits until later, and its part is never longer than it asked for. */
void prove_shared_turn(void)
{
	struct codel_clock clock = any_clock();
	struct codel_slice slice = any_slice(&clock), old = slice;
	u64 now = any_time(), time = nondet_u64(), next;
	u32 flows = nondet_u32();
	bool due;

	any_link(&slice);
	next = (u64)shared.next.counter;
	suppose(time && time <= slice.full && flows);
	due = codel_slice_turn(&slice, &clock, &shared, now, time, flows);
	prove(due == (now >= clock.next && clock.next < slice.end),
	      "a packet leaves in a slice that has begun");
	prove(due || clock.next > now, "a queue that waits asks again later");
	prove(slice.active || !(old.active || clock.next >= slice.end),
	      "a queue with packets is not idle");
	prove(slice.level >= old.level, "the level of a queue does not fall");
	prove(slice.end - slice.begin <= (old.end - old.begin > time ? old.end - old.begin : time),
	      "a slice is no longer than the time that was asked for");
	prove(found < 0 || slice.end == slice.begin + time, "a new slice has that time");
	prove(found < 0 || clock.next + CODEL_SHAPER_LATE_MAX >= now,
	      "a slice begins 10 ms ago at the earliest");
	prove(found < 0 || slice.begin >= (u64)found, "and after what was reserved before");
	prove(found < 0 || (u64)shared.next.counter == slice.end, "the link is reserved until its end");
	prove(found >= 0 || attempts || (u64)shared.next.counter >= next,
	      "without a new slice, the link does not get time back");
	reached();
}

/* An empty queue gives back what it has not used, and is counted no longer. */
void prove_shared_idle(void)
{
	struct codel_clock clock = any_clock();
	struct codel_slice slice = any_slice(&clock), old = slice;
	s64 next, over;
	int queues;

	any_link(&slice);
	next = shared.next.counter;
	queues = shared.queues.counter;
	over = old.begin == old.end ? 0 : (s64)clock.next - (s64)old.end;
	codel_slice_idle(&slice, &clock, &shared);
	prove(shared.next.counter == next + over, "the link gets what is left, or what was too much");
	prove(slice.begin == slice.end && !slice.active && !slice.waits && !slice.holds,
	      "nothing of the queue is left");
	prove(shared.queues.counter == queues - old.waits - old.holds * CODEL_SHARED_HOLDER,
	      "the queue is counted no longer");
	prove(slice.level >= old.level, "its level does not fall");
	reached();
}
