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
 *		struct codel_head head = { .sojourn = now - pkt->enqueued, ... };
 *
 *		verdict = codel_signal(vars, params, now, &head, random);
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

/* A backlog grows or drains if it changes by one in this many of its bytes in an interval */
#define CODEL_CHANGE_PART	8

/* CODEL_MUCH is a backlog of more than this many MTUs */
#define CODEL_MUCH_MTUS		4

/* A ceiling that no sojourn time reaches: RFC 8289 alone */
#define CODEL_CEILING_OFF	(~0ULL)

/**
 * struct codel_params - what the operator sets
 * @target: acceptable standing queue delay, ns; 0 accepts none
 * @interval: time over which the delay must have stayed above @target, ns,
 *	in the order of a worst case round trip; 1 us at least, 2^43 at most
 * @ceiling: sojourn time at which every packet of a queue that stands is dropped, ns;
 *	1 us at least, 2^43 at most, or CODEL_CEILING_OFF. See codel_watch()
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
 * enum codel_waiting - the backlog of the link behind a packet
 * @CODEL_LITTLE: one MTU or less. A slower sender could not shorten such a queue
 *	(RFC 8289, section 4.2)
 * @CODEL_STANDING: more than one MTU
 * @CODEL_MUCH: more than CODEL_MUCH_MTUS, with a packet of the same queue among
 *	them. The link stays busy, and the flow is served, if the ceiling drops the packet
 */
enum codel_waiting {
	CODEL_LITTLE,
	CODEL_STANDING,
	CODEL_MUCH,
};

/**
 * struct codel_head - the packet at the head of a queue
 * @sojourn: time that the packet spent in the queue, ns
 * @held: the part of @sojourn that does not count for the ceiling, ns; see codel_held()
 * @backlog: bytes behind the packet in its queue
 * @waiting: the backlog of the link behind the packet
 * @shared: the queue is that of all flows. Otherwise it takes turns with other queues
 */
struct codel_head {
	u64 sojourn;
	u64 held;
	u32 backlog;
	enum codel_waiting waiting;
	bool shared;
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
 *	interval, ns; 0 while it is not above. With a ceiling: since when the dropping state
 *	is watched, or the last late packet of a queue that stands
 * @drop_next: when the next signal is due, ns; 0 before the first
 * @count: signals since the dropping state was entered, or the count that
 *	was resumed with plus those since; stops at 2^32-1
 * @lastcount: @count as it was on entry
 * @dropping: in the dropping state
 * @next_pending: a signal was given for @drop_next, which has not moved on since:
 *	it does so only if the next packet shows that the queue still stands
 * @answered: in the dropping state, an interval has passed since its first signal
 * @stands: the queue stands, see codel_watch()
 * @chance: probability that the ceiling drops the next packet, in 1/CODEL_CERTAIN
 * @backlog: bytes of the queue at @first_above_time, while the dropping state is watched
 */
struct codel_vars {
	u64 first_above_time;
	u64 drop_next;
	u32 count;
	u32 lastcount;
	u8 dropping : 1;
	u8 next_pending : 1;
	u8 answered : 1;
	u8 stands : 1;
	u8 chance;
	u32 backlog;
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
 * A shorter interval, once it is set, also ends a wait that has begun. A queue that
 * is known to stand has waited already.
 */
static inline bool codel_above_for_interval(struct codel_vars *vars,
					    const struct codel_params *params,
					    u64 now, const struct codel_head *head)
{
	bool above = head->sojourn >= params->target && head->waiting != CODEL_LITTLE;

	if (vars->stands)
		return above;
	if (!above) {
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
 * took beyond those it had started with (RFC 8289, section 5.6).
 */
static inline void codel_enter_dropping(struct codel_vars *vars,
					const struct codel_params *params, u64 now)
{
	u32 delta = vars->count - vars->lastcount;

	vars->count = delta > 1 && codel_signal_is_recent(vars, params, now) ? delta : 1;
	vars->lastcount = vars->count;
	vars->drop_next = now + codel_step(params->interval, vars->count);
	vars->dropping = true;
	vars->next_pending = false;
	vars->answered = false;
	if (params->ceiling != CODEL_CEILING_OFF && !vars->stands)
		vars->first_above_time = now;
}

/* The sojourn time that is too long although the queue is not known to stand */
static inline u64 codel_first_ceiling(const struct codel_params *params)
{
	u64 first = params->interval + params->interval / 4;

	return params->ceiling > first ? params->ceiling : first;
}

/* The part of the sojourn time that senders, and not the link, are responsible for, ns */
static inline u64 codel_blamed(const struct codel_head *head)
{
	return head->sojourn - head->held;
}

static inline void codel_stand(struct codel_vars *vars, u64 now)
{
	vars->stands = true;
	vars->first_above_time = now;
}

/*
 * Find out in the dropping state whether the queue stands. Senders have an interval to answer
 * CoDel's first signal. Then the queue stands if all packets are above the ceiling for an interval
 * in which the backlog grows by one CODEL_CHANGE_PART, or, with packets as old as an interval,
 * does not shrink by more. A burst drains, and so does the queue of senders that slow down.
 */
static inline void codel_watch(struct codel_vars *vars, const struct codel_params *params,
			       u64 now, const struct codel_head *head)
{
	bool over = head->waiting == CODEL_MUCH && codel_blamed(head) > params->ceiling;
	bool early = now - vars->first_above_time < params->interval;
	bool old = codel_blamed(head) >= params->interval;
	u64 part = vars->backlog / CODEL_CHANGE_PART;

	if (early && (over || !vars->answered))
		return;
	if (over && vars->answered &&
	    head->backlog >= (old ? vars->backlog - part : vars->backlog + part)) {
		codel_stand(vars, now);
		return;
	}
	vars->answered = true;
	vars->first_above_time = now;
	vars->backlog = head->backlog;
}

/* The packets of a queue with too few turns to be watched are older than CoDel's first signal. */
static inline bool codel_turns_are_rare(const struct codel_vars *vars,
					const struct codel_params *params,
					const struct codel_head *head)
{
	return !head->shared && !vars->dropping && head->waiting == CODEL_MUCH &&
	       codel_blamed(head) >= codel_first_ceiling(params);
}

/*
 * The chance of a drop rises from half of the ceiling to certainty at the ceiling. It is that of
 * the next packet: a packet between two packets of a flood waits longer than these by a part of
 * their spacing, and would be dropped more often with the chance of its own sojourn time.
 */
static inline u8 codel_chance(u64 ceiling, u64 sojourn)
{
	u64 begins = ceiling / 2;

	if (sojourn <= begins)
		return 0;
	if (sojourn >= ceiling)
		return CODEL_CERTAIN;
	return div64_u64((sojourn - begins) * CODEL_CERTAIN, ceiling - begins);
}

/**
 * codel_empty() - the queue was found empty: a standing queue has drained
 * @vars: state of the queue; the count of signals is kept for a later resume
 */
static inline void codel_empty(struct codel_vars *vars)
{
	if (!vars->stands)
		vars->first_above_time = 0;
	vars->dropping = false;
	vars->chance = 0;
}

/*
 * Return the chance of this packet, and store that of the next one: 0 unless the queue stands and
 * CODEL_MUCH waits. It stands until no packet has had a chance for two intervals. The dropping
 * state goes on then: another wait for an interval would add to the longest delay.
 */
static inline u8 codel_take_chance(struct codel_vars *vars, const struct codel_params *params,
				   u64 now, const struct codel_head *head)
{
	bool much = head->waiting == CODEL_MUCH;
	u8 chance = vars->chance;

	if (!vars->stands)
		return 0;
	vars->chance = much ? codel_chance(params->ceiling, codel_blamed(head)) : 0;
	if (vars->chance) {
		vars->first_above_time = now;
	} else if (now - vars->first_above_time >= 2 * params->interval ||
		   params->ceiling == CODEL_CEILING_OFF) {
		vars->stands = false;
		if (!vars->dropping)
			vars->first_above_time = 0;
	}
	if (!much || !vars->stands)
		return 0;
	return vars->chance == CODEL_CERTAIN ? CODEL_CERTAIN : chance;
}

/*
 * Return whether the schedule wants a signal. It gives none to a packet with a chance: periodic
 * signals would hit all or none of the packets of a sender with the same period. Nor is that
 * counted: count would grow for as long as a flood of marked packets lasts.
 */
static inline bool codel_scheduled(struct codel_vars *vars, const struct codel_params *params,
				   u64 now, u8 chance)
{
	if (vars->next_pending) {
		vars->drop_next = codel_next_signal(vars, params);
		vars->next_pending = false;
	}
	if (now < vars->drop_next)
		return false;
	vars->next_pending = true;
	if (!chance && vars->count != ~0U)
		vars->count++;
	return !chance;
}

static inline bool codel_draw(u8 chance, codel_random_fn random)
{
	return chance && (u64)random() * CODEL_CERTAIN >> 32 < chance;
}

/* Return the verdict while the delay persists. */
static inline enum codel_verdict
codel_should_signal(struct codel_vars *vars, const struct codel_params *params, u64 now,
		    const struct codel_head *head, u8 chance, codel_random_fn random)
{
	bool signal;

	if (!vars->dropping) {
		codel_enter_dropping(vars, params, now);
		return CODEL_SIGNAL;
	}
	if (!vars->stands && params->ceiling != CODEL_CEILING_OFF)
		codel_watch(vars, params, now, head);
	signal = codel_scheduled(vars, params, now, chance);
	if (codel_draw(chance, random))
		return CODEL_OVER;
	if (head->shared && head->waiting == CODEL_MUCH &&
	    codel_blamed(head) >= codel_first_ceiling(params))
		return CODEL_OVER;
	return signal ? CODEL_SIGNAL : CODEL_PASS;
}

/**
 * codel_signal() - decide on the packet at the head of a queue
 * @vars: state of the queue
 * @params: target, interval and ceiling
 * @now: monotonic time of this dequeue, ns, above 0
 * @head: the packet
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
	     const struct codel_head *head, codel_random_fn random)
{
	u8 chance;

	if (!vars->stands && codel_turns_are_rare(vars, params, head))
		codel_stand(vars, now);
	chance = codel_take_chance(vars, params, now, head);
	if (codel_above_for_interval(vars, params, now, head))
		return codel_should_signal(vars, params, now, head, chance, random);
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
 * codel_overflow() - packets were dropped because the queue was too long
 * @vars: state of the queue
 * @dropped: how many
 *
 * Each was a signal to its sender, so the schedule goes on from there. To codel_watch(), a queue
 * that overflows grows.
 */
static inline void codel_overflow(struct codel_vars *vars, u32 dropped)
{
	vars->count = dropped < ~vars->count ? vars->count + dropped : ~0U;
	vars->backlog = 0;
}

#endif /* CODEL_H */
