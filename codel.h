/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CoDel, the algorithm alone (Nichols and Jacobson, "Controlling Queue Delay",
 * ACM Queue 10(5), 2012; RFC 8289).
 *
 * The algorithm has no packets, no queues and no clock. The caller calls
 * codel_signal() for every packet that it takes from the head of a queue, and
 * codel_empty() when the queue is empty. The caller drops, marks and counts
 * packets, and bounds the work of one dequeue:
 *
 *	while ((pkt = take_head(queue))) {
 *		verdict = codel_signal(vars, params, now, now - pkt->enqueued,
 *				       0, backlog_behind(pkt), random);
 *		if (verdict == CODEL_PASS)
 *			return pkt;
 *		if (verdict == CODEL_SIGNAL && mark(pkt))
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

typedef __u64 u64;
typedef __u32 u32;
typedef __u8 u8;

static inline int fls(u32 x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
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
 * near the rate that worked (RFC 8289, section 5.6). For as long, a queue that
 * empties is still that of a bulk sender.
 */
#define CODEL_RESUME_INTERVALS	16

/* codel_vars.chance of a packet that is dropped for sure */
#define CODEL_CERTAIN		255

/*
 * Signals after which senders have had the time to respond: 3.6 intervals. A mark takes a
 * round trip to slow its sender down, and the queue takes another one to drain.
 */
#define CODEL_EARLY_SIGNALS	6

/* An overload begins, ends and is forgotten after this many intervals */
#define CODEL_OVERLOAD_INTERVALS	2

/* CODEL_MUCH is a backlog of more than this many MTUs */
#define CODEL_MUCH_MTUS		4

/* A ceiling that no sojourn time reaches: RFC 8289 alone */
#define CODEL_CEILING_OFF	(~0ULL)

/**
 * struct codel_params - what the operator sets
 * @target: acceptable standing queue delay, ns; 0 accepts none
 * @interval: time over which the delay must have stayed above @target, ns,
 *	in the order of a worst case round trip; 1 us at least, 2^43 at most
 * @ceiling: sojourn time at which every packet is dropped if senders do not slow down,
 *	ns; 1 us at least, 2^43 at most, or
 *	CODEL_CEILING_OFF. See codel_ceiling()
 */
struct codel_params {
	u64 target;
	u64 interval;
	u64 ceiling;
};

/**
 * codel_default_ceiling() - the ceiling unless the operator sets one
 * @params: target and interval
 *
 * The default is half of an interval. It is four targets if that is longer, because
 * a ceiling near target would drop packets whose delay is acceptable.
 *
 * Return: ns.
 */
static inline u64 codel_default_ceiling(const struct codel_params *params)
{
	u64 ceiling = params->interval / 2;

	if (ceiling < 4 * params->target)
		ceiling = 4 * params->target;
	return ceiling > CODEL_NSEC_PER_USEC ? ceiling : CODEL_NSEC_PER_USEC;
}

/**
 * enum codel_waiting - the backlog behind a packet
 * @CODEL_LITTLE: one MTU or less. A slower sender could not shorten such a queue
 *	(RFC 8289, section 4.2)
 * @CODEL_STANDING: more than one MTU
 * @CODEL_MUCH: more than CODEL_MUCH_MTUS, with a packet of the same queue among
 *	them. The link stays busy, and the flow is served, if the ceiling drops the
 *	packet. With a queue for each flow, a single burst is CODEL_STANDING
 */
enum codel_waiting {
	CODEL_LITTLE,
	CODEL_STANDING,
	CODEL_MUCH,
};

/**
 * enum codel_verdict - the fate of a packet
 * @CODEL_PASS: deliver the packet
 * @CODEL_SIGNAL: mark the packet if it is ECN-capable, or drop it
 * @CODEL_OVER: drop the packet, even if it is ECN-capable
 */
enum codel_verdict {
	CODEL_PASS,
	CODEL_SIGNAL,
	CODEL_OVER,
};

/* 32 random bits; get_random_u32() in the kernel */
typedef u32 (*codel_random_fn)(void);

/**
 * struct codel_vars - state of one queue; all zero is a fresh start
 * @first_above_time: when the delay will have been above target for an
 *	interval, ns; 0 while it is not above. In the dropping state, with a ceiling: the last
 *	departure of a packet that was as late as @overload says
 * @drop_next: when the next signal is due, ns; 0 before the first
 * @count: signals since the dropping state was entered, or the count that
 *	was resumed with plus those since; stops at 2^32-1
 * @lastcount: @count as it was on entry
 * @dropping: in the dropping state
 * @next_pending: a signal was given for @drop_next, which has not moved on since:
 *	it does so only if the next packet shows that the queue still stands
 * @overload: senders do not slow down, see codel_watch_overload()
 * @chance: probability that the ceiling drops the next packet, in 1/CODEL_CERTAIN
 */
struct codel_vars {
	u64 first_above_time;
	u64 drop_next;
	u32 count;
	u32 lastcount;
	u8 dropping : 1;
	u8 next_pending : 1;
	u8 overload : 1;
	u8 chance;
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

/**
 * codel_next_signal() - time of CoDel's next signal
 * @vars: state of the queue, in the dropping state
 * @params: interval
 *
 * Return: ns.
 */
static inline u64 codel_next_signal(const struct codel_vars *vars,
				    const struct codel_params *params)
{
	if (!vars->next_pending)
		return vars->drop_next;
	return vars->drop_next + codel_step(params->interval, vars->count);
}

/*
 * Has the delay been above target for a whole interval? It does not count as
 * above while no more than one MTU waits behind the packet: then there is no
 * standing queue that a slower sender could shorten (RFC 8289, section 4.2).
 * A shorter interval, once it is set, also ends a wait that has begun.
 */
static inline bool codel_above_for_interval(struct codel_vars *vars,
					    const struct codel_params *params,
					    u64 now, u64 sojourn, enum codel_waiting waiting)
{
	if (sojourn < params->target || waiting == CODEL_LITTLE) {
		vars->first_above_time = 0;
		return false;
	}
	if (!vars->first_above_time || vars->first_above_time > now + params->interval) {
		vars->first_above_time = now + params->interval;
		return false;
	}
	return now >= vars->first_above_time;
}

/**
 * codel_signal_is_recent() - whether the queue has stood a short while ago
 * @vars: state of the queue
 * @params: interval
 * @now: monotonic time, ns
 *
 * Its sender may still be a bulk sender, although the queue empties now and then.
 *
 * Return: true if the latest signal of the schedule is at most about
 * CODEL_RESUME_INTERVALS old.
 */
static inline bool codel_signal_is_recent(const struct codel_vars *vars,
					  const struct codel_params *params, u64 now)
{
	return vars->drop_next &&
	       now < vars->drop_next + CODEL_RESUME_INTERVALS * params->interval;
}

/*
 * Enter the dropping state; the packet at hand is the first signal. When the
 * last one ended a short while ago, go on with the number of signals that it
 * took beyond those it had started with (RFC 8289, section 5.6). Its overload goes on until
 * CODEL_OVERLOAD_INTERVALS after the next signal was due: arrivals at random empty the queue of
 * a flood now and then.
 */
static inline void codel_enter_dropping(struct codel_vars *vars,
					const struct codel_params *params, u64 now)
{
	u32 delta = vars->count - vars->lastcount;
	u64 forgotten = vars->drop_next + CODEL_OVERLOAD_INTERVALS * params->interval;

	vars->overload = vars->overload && now < forgotten;
	vars->count = delta > 1 && codel_signal_is_recent(vars, params, now) ? delta : 1;
	vars->lastcount = vars->count;
	vars->drop_next = now + codel_step(params->interval, vars->count);
	vars->dropping = true;
	vars->next_pending = false;
	if (params->ceiling != CODEL_CEILING_OFF)
		vars->first_above_time = now;
}

/*
 * Return the sojourn time at which every packet is dropped. CoDel's signals are too
 * rare for senders that do not slow down, and without a ceiling the delay grows for
 * seconds. The ceiling is higher until an overload is certain: the rate of a radio link
 * falls for a part of an interval, and the queue then drains without the loss of packets.
 */
static inline u64 codel_ceiling(const struct codel_vars *vars,
				const struct codel_params *params)
{
	u64 first = params->interval + params->interval / 4;

	return vars->overload || params->ceiling > first ? params->ceiling : first;
}

/* The square of a part, both in 1/CODEL_CERTAIN */
static inline u8 codel_square(u8 part)
{
	return part * part / CODEL_CERTAIN;
}

/**
 * codel_chance_begins() - below this sojourn time, the ceiling drops no packet
 * @ceiling: the ceiling that is in force or a lower one, ns
 *
 * Return: ns.
 */
static inline u64 codel_chance_begins(u64 ceiling)
{
	return ceiling / 8 * 3;
}

/*
 * The chance of a drop rises from there to certainty at the ceiling. Before an overload it
 * rises with the square of the excess: a queue that has just become long loses a packet now and
 * then. A sojourn time gives the chance of the next packet, not of its own packet: a packet
 * between two packets of a flood waits longer than these by a part of their spacing, and would
 * be dropped more often with its own chance.
 */
static inline u8 codel_chance(u64 ceiling, u64 sojourn, bool overload)
{
	u64 begins = codel_chance_begins(ceiling);
	u8 excess;

	if (sojourn <= begins)
		return 0;
	if (sojourn >= ceiling)
		return CODEL_CERTAIN;
	excess = div64_u64((sojourn - begins) * CODEL_CERTAIN, ceiling - begins);
	return overload ? excess : codel_square(excess);
}

static inline bool codel_early(const struct codel_vars *vars)
{
	return vars->count <= CODEL_EARLY_SIGNALS;
}

/*
 * A packet is late if it gives a chance. An overload begins when all packets have been late for
 * two intervals, and senders have had the time to respond to signals. It ends when none has
 * been late for two intervals, or with a dropping state that is not resumed soon.
 */
static inline void codel_watch_overload(struct codel_vars *vars,
					const struct codel_params *params, u64 now)
{
	bool late = vars->chance;

	if (late != vars->overload) {
		if (now - vars->first_above_time < CODEL_OVERLOAD_INTERVALS * params->interval ||
		    (late && codel_early(vars)))
			return;
		vars->overload = late;
	}
	vars->first_above_time = now;
}

/*
 * Return the chance of this packet, and store that of the next packet. The ceiling drops no
 * packet without CODEL_MUCH behind it.
 */
static inline u8 codel_take_chance(struct codel_vars *vars,
				   const struct codel_params *params, u64 now,
				   u64 sojourn, enum codel_waiting waiting)
{
	bool much = waiting == CODEL_MUCH && params->ceiling != CODEL_CEILING_OFF;
	u8 chance = vars->chance;

	vars->chance = 0;
	if (much)
		vars->chance = codel_chance(codel_ceiling(vars, params), sojourn, vars->overload);
	if (params->ceiling != CODEL_CEILING_OFF)
		codel_watch_overload(vars, params, now);
	if (!much)
		return 0;
	return vars->chance == CODEL_CERTAIN ? CODEL_CERTAIN : chance;
}

static inline bool codel_draw(u8 chance, codel_random_fn random)
{
	return chance && (u64)random() * CODEL_CERTAIN >> 32 < chance;
}

/*
 * Return the verdict on a packet that chance has selected. Before an overload, it is marked
 * below the ceiling if it is ECN-capable: its sender may still respond.
 */
static inline enum codel_verdict codel_over(const struct codel_vars *vars)
{
	return vars->overload || vars->chance == CODEL_CERTAIN ? CODEL_OVER : CODEL_SIGNAL;
}

/*
 * Return the verdict on a packet while the delay persists. During an overload, drops at random
 * times replace the periodic signals, which would hit all or none of the packets of a sender
 * with the same period. They are not counted: count would grow for as long as a flood of
 * marked packets lasts, and packets that are not ECN-capable would suffer.
 */
static inline enum codel_verdict
codel_should_signal(struct codel_vars *vars, const struct codel_params *params, u64 now,
		    u64 sojourn, u64 held, enum codel_waiting waiting, codel_random_fn random)
{
	bool due, replaced;
	u8 chance;

	if (!vars->dropping) {
		codel_enter_dropping(vars, params, now);
		codel_take_chance(vars, params, now, sojourn - held, waiting);
		return CODEL_SIGNAL;
	}
	chance = codel_take_chance(vars, params, now, sojourn - held, waiting);
	replaced = chance && vars->overload;
	if (vars->next_pending) {
		vars->drop_next = codel_next_signal(vars, params);
		vars->next_pending = false;
	}
	due = now >= vars->drop_next;
	if (due) {
		vars->next_pending = true;
		if (!replaced && vars->count != ~0U)
			vars->count++;
	}
	if (codel_draw(chance, random))
		return codel_over(vars);
	return due && !replaced ? CODEL_SIGNAL : CODEL_PASS;
}

/**
 * codel_signal() - decide on the packet at the head of a queue
 * @vars: state of the queue
 * @params: target, interval and ceiling
 * @now: monotonic time of this dequeue, ns, above 0
 * @sojourn: time that the packet spent in the queue, ns
 * @held: the part of @sojourn that does not count for the ceiling, ns; see codel_held()
 * @waiting: the backlog behind the packet
 * @random: returns 32 bits that senders cannot predict; called only for packets that
 *	the ceiling may drop
 *
 * Call it once for every packet, in the order in which the packets leave. To bound
 * the work of one dequeue, the caller may deliver a packet without calling it. The
 * next call catches up with the schedule.
 *
 * Return: enum codel_verdict.
 */
static inline enum codel_verdict
codel_signal(struct codel_vars *vars, const struct codel_params *params, u64 now,
	     u64 sojourn, u64 held, enum codel_waiting waiting,
	     codel_random_fn random)
{
	if (codel_above_for_interval(vars, params, now, sojourn, waiting))
		return codel_should_signal(vars, params, now, sojourn, held, waiting,
					   random);
	vars->dropping = false;
	return CODEL_PASS;
}

/**
 * struct codel_link - the last time that a link stood still
 * @last: last departure of a packet that had waited for target, ns; 0 before the first
 * @still: departure after which the link stood still, ns
 * @moved: end of the time for which it held packets, ns
 */
struct codel_link {
	u64 last;
	u64 still;
	u64 moved;
};

/**
 * codel_departure() - a packet that has waited for target or longer leaves its queue
 * @link: shared by all queues of the link
 * @params: interval
 * @now: as for codel_signal(), which is called next
 * @sojourn: as for codel_signal()
 *
 * A link stands still if no such packet leaves for more than half of an interval. If the
 * first packet that leaves then is that late, too, the link holds packets for half of an
 * interval more, in which it sends the packets that arrived meanwhile. An idle link also
 * stands still, but its packets have arrived a target before the first departure at most.
 */
static inline void codel_departure(struct codel_link *link, const struct codel_params *params,
				   u64 now, u64 sojourn)
{
	u64 half = params->interval / 2;

	if (now - link->last > half) {
		link->still = link->last;
		link->moved = sojourn > half ? now + half : now;
	}
	link->last = now;
}

/**
 * codel_held() - the part of a sojourn time for which the link has held the packet
 * @link: as for codel_departure()
 * @now: as for codel_signal()
 * @sojourn: as for codel_signal()
 *
 * Only the last time that the link stood still counts. A slow link stands still for each
 * packet, and its packets become late all the same.
 *
 * Return: ns.
 */
static inline u64 codel_held(const struct codel_link *link, u64 now, u64 sojourn)
{
	u64 arrival = now - sojourn;
	u64 begin = arrival > link->still ? arrival : link->still;
	u64 end = now < link->moved ? now : link->moved;

	return begin < end ? end - begin : 0;
}

/**
 * codel_persists() - detect a delay that persists in a queue that takes turns with others
 * @vars: state of the packet's queue
 * @params: target, interval and ceiling
 * @now: as for codel_signal(), which is called next
 * @sojourn: as for codel_signal()
 * @held: as for codel_signal()
 *
 * A queue whose turn comes once an interval has too few departures to show that its
 * delay persists. A packet that has waited for an interval shows it, unless the link has
 * held the packet. Call it for packets with CODEL_MUCH behind them. A queue whose only
 * packet is late does not stand, however many such queues there are.
 */
static inline void codel_persists(struct codel_vars *vars, const struct codel_params *params,
				  u64 now, u64 sojourn, u64 held)
{
	if (sojourn - held >= params->interval && !vars->dropping &&
	    params->ceiling != CODEL_CEILING_OFF)
		vars->first_above_time = now;
}

/**
 * codel_empty() - the queue was found empty: a standing queue has drained
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
