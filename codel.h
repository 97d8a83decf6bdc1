/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CoDel, the algorithm alone (Nichols and Jacobson, "Controlling Queue Delay",
 * ACM Queue 10(5), 2012; RFC 8289).
 *
 * It knows no packets, no queues and no clock. For every packet taken from the
 * head of a queue the caller asks codel_signal() whether that packet has to
 * tell its sender to slow down, and then drops, marks or delivers it; when it
 * finds the queue empty it calls codel_empty(). Dropping, marking, accounting
 * and a bound on the work of one dequeue are the caller's:
 *
 *	while ((pkt = take_head(queue))) {
 *		if (!codel_signal(vars, params, now, now - pkt->enqueued,
 *				  bytes_left(queue) > mtu))
 *			return pkt;
 *		if (mark(pkt))
 *			return pkt;
 *		drop(pkt);
 *	}
 *	codel_empty(vars);
 *
 * All times are nanoseconds in 64 bits: nothing wraps for 584 years.
 */
#ifndef CODEL_H
#define CODEL_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/math64.h>
#else
#include <stdbool.h>

#define noinline

typedef __u64 u64;
typedef __u32 u32;
typedef __u8 u8;

static inline int fls(u32 x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((__uint128_t)a * mul) >> shift);
}
#endif

#define CODEL_NSEC_PER_USEC	1000ULL

/* RFC 8289, section 4.3 and 4.4: values for the open Internet, in us */
#define CODEL_TARGET_US		5000
#define CODEL_INTERVAL_US	100000

/*
 * A dropping state that is entered again within this many intervals resumes
 * near the rate that worked (RFC 8289, section 5.6).
 */
#define CODEL_RESUME_INTERVALS	16

/**
 * struct codel_params - what the operator sets
 * @target: acceptable standing queue delay, ns; 0 accepts none
 * @interval: time over which the delay must have stayed above @target, ns,
 *	in the order of a worst case round trip; 1 us at least, 2^43 at most
 */
struct codel_params {
	u64 target;
	u64 interval;
};

/**
 * struct codel_vars - state of one queue; all zero is a fresh start
 * @first_above_time: when the delay will have been above target for an
 *	interval, ns; 0 while it is not above
 * @drop_next: when the next signal is due, ns; 0 before the first
 * @count: signals since the dropping state was entered, or the count that
 *	was resumed with plus those since; stops at 2^32-1
 * @lastcount: @count as it was on entry
 * @dropping: in the dropping state
 * @owed: a signal was given for @drop_next, which has not moved on since:
 *	it does so only if the next packet shows that the queue still stands
 * @user: not used here: the caller may keep there what would cost bytes elsewhere
 * @user_time: the same
 */
struct codel_vars {
	u64 first_above_time;
	u64 drop_next;
	u32 count;
	u32 lastcount;
	bool dropping;
	bool owed;
	u8 user[2];
	u32 user_time;
};

/*
 * 1/sqrt(m) for m from 1 to 4, given with 30 fractional bits, returned with 31.
 *
 * Newton's iteration y' = y * (3 - m * y^2) / 2 from a straight line that is
 * within 11% of the curve: the error becomes 2%, 0.06%, 4e-7 and then that of
 * the last bit. It has no memory, so no history of counts can make it wrong, and
 * no division.
 */
static inline u32 codel_rsqrt(u32 m)
{
	u64 y = 2330000000ULL - m / 3;
	int i;

	for (i = 0; i < 4; i++) {
		u64 my2 = m * (y * y >> 32);

		y = y * (((3ULL << 60) - my2) >> 30) >> 31;
	}
	return y;
}

/**
 * codel_step() - the control law: interval / sqrt(count)
 * @interval: ns, 2^43 at most
 * @count: signals so far, 1 or more
 *
 * The step is right to 0.1% or, where that is coarser, to the nearest
 * nanosecond; it is never 0, so that the schedule always moves.
 *
 * With count = m * 4^k and m from 1 to 4, the step is interval/sqrt(m) / 2^k:
 * the root of a number in a small range and a shift.
 *
 * Return: time from one signal to the next, ns.
 */
static inline u64 codel_step(u64 interval, u32 count)
{
	unsigned int k = (fls(count) - 1) / 2;
	u32 rsqrt = codel_rsqrt(count << (30 - 2 * k));
	u64 fine = mul_u64_u32_shr(interval, rsqrt, 31 - 8); /* 1/256 ns */
	u64 step = (fine + (128ULL << k)) >> (k + 8);

	return step ? step : 1;
}

/*
 * Has the delay been above target for a whole interval? It does not count as
 * above while no more than one MTU waits behind the packet: then there is no
 * standing queue that a slower sender could shorten (RFC 8289, section 4.2).
 */
static inline bool codel_persists(struct codel_vars *vars,
				  const struct codel_params *params,
				  u64 now, u64 sojourn, bool standing)
{
	if (sojourn < params->target || !standing) {
		vars->first_above_time = 0;
		return false;
	}
	if (!vars->first_above_time) {
		vars->first_above_time = now + params->interval;
		return false;
	}
	return now >= vars->first_above_time;
}

/*
 * Enter the dropping state; the packet at hand is the first signal. When the
 * last one ended a short while ago, go on with the number of signals that it
 * took beyond those it had started with (RFC 8289, section 5.6).
 */
static inline void codel_enter(struct codel_vars *vars,
			       const struct codel_params *params, u64 now)
{
	u64 recent = vars->drop_next ? vars->drop_next +
		     CODEL_RESUME_INTERVALS * params->interval : 0;
	u32 delta = vars->count - vars->lastcount;

	vars->count = delta > 1 && now < recent ? delta : 1;
	vars->lastcount = vars->count;
	vars->drop_next = now + codel_step(params->interval, vars->count);
	vars->dropping = true;
	vars->owed = false;
}

/*
 * Does a packet that came while the delay persists have to signal? Kept out of line,
 * as most packets do not come here.
 */
static noinline bool codel_due(struct codel_vars *vars,
			       const struct codel_params *params, u64 now)
{
	if (!vars->dropping) {
		codel_enter(vars, params, now);
		return true;
	}
	if (vars->owed) {
		vars->drop_next += codel_step(params->interval, vars->count);
		vars->owed = false;
	}
	if (now < vars->drop_next)
		return false;
	if (vars->count != ~0U)
		vars->count++;
	vars->owed = true;
	return true;
}

/**
 * codel_signal() - must this packet signal congestion?
 * @vars: state of the queue
 * @params: target and interval
 * @now: monotonic time of this dequeue, ns, above 0
 * @sojourn: time that the packet spent in the queue, ns
 * @standing: more than one MTU of bytes waits behind the packet
 *
 * To be asked once for every packet, in the order in which they leave. The
 * caller may deliver a packet without asking to bound the work of one dequeue:
 * a schedule that lags behind catches up at the next.
 *
 * Return: true if the packet is to be marked or dropped.
 */
static inline bool codel_signal(struct codel_vars *vars,
				const struct codel_params *params,
				u64 now, u64 sojourn, bool standing)
{
	if (codel_persists(vars, params, now, sojourn, standing))
		return codel_due(vars, params, now);
	vars->dropping = false;
	return false;
}

/**
 * codel_empty() - the queue was found empty: what stood in it has drained
 * @vars: state of the queue; the count of signals is kept for a later resume
 */
static inline void codel_empty(struct codel_vars *vars)
{
	vars->first_above_time = 0;
	vars->dropping = false;
}

/**
 * codel_overflow() - packets were dropped because the queue was too long
 * @vars: state of the queue
 * @dropped: how many
 *
 * Each was a signal to its sender, so the schedule goes on from there.
 */
static inline void codel_overflow(struct codel_vars *vars, u32 dropped)
{
	vars->count = dropped < ~vars->count ? vars->count + dropped : ~0U;
}

#endif /* CODEL_H */
