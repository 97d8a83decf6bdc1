// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The longest sojourn time of a packet that is delivered, as an inductive invariant.
 *
 * The queue is that of codel, shared by all flows. One packet x is tagged; all others are
 * arbitrary. A step is the examination of the packet at the head, by codel_signal() with the
 * caller's loop, or an empty queue. The work ahead of x is counted as time on the link: each
 * packet takes full at most. If the work behind the packet at the head, up to x, is more than
 * that of four MTUs, the packet is CODEL_MUCH.
 *
 * Hypotheses: constant parameters with a ceiling, target > 0, target + full <= interval / 2; the
 * link, when it is free and packets wait, takes the next one; no dequeue has reached its bound of
 * drops. Senders, lengths, random numbers and the history of signals are arbitrary.
 */
#include "any.h"

#define LATEST	(1ULL << 62)	/* of all times, ns */
#define SPAN	(1ULL << 50)	/* of the work ahead of x, ns: 13 days */

struct line {
	struct codel_vars vars;
	struct codel_link link;
	struct codel_params params;
	u64 full;	/* the longest time of a packet on the link, ns */
	u64 last;	/* the last examination */
	u64 free;	/* the link is free from then on */
	u64 arrived;	/* no packet that is examined from now on has arrived before */
	bool waits;	/* x is in the queue */
	u64 x_arrived;
	u64 x_takes;	/* x, on the link */
	u64 ahead;	/* packets before x in the queue, on the link */
};

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* The sojourn time of which a packet is dropped for sure in the dropping state */
static u64 highest(const struct line *l)
{
	return larger(l->params.ceiling, l->params.interval + l->params.interval / 4);
}

/* The longest time that x waits behind a packet with CODEL_MUCH that is delivered */
static u64 controlled(const struct line *l)
{
	return l->params.target + larger(l->params.interval + 2 * l->full, highest(l) + l->full);
}

static u64 bound(const struct line *l)
{
	return controlled(l) + 6 * l->full - l->x_takes;
}

static bool behind_much(const struct line *l)
{
	return l->ahead + l->x_takes > CODEL_MUCH_MTUS * l->full;
}

static bool may_be(const struct line *l)
{
	return l->params.target && l->params.ceiling != CODEL_CEILING_OFF &&
	       l->params.target <= l->params.interval / 2 &&
	       l->full && l->full <= l->params.interval / 2 - l->params.target &&
	       l->last <= LATEST && l->arrived <= l->last &&
	       l->last <= l->free && l->free - l->last <= l->full &&
	       l->ahead <= SPAN && l->x_arrived <= LATEST && l->x_takes <= l->full;
}

/* Of the state of CoDel and of the link alone */
static bool state_is_right(const struct line *l)
{
	const struct codel_vars *vars = &l->vars;

	if (l->link.last > l->last || l->link.still > l->link.last || l->link.moved > l->link.last)
		return false;
	if (l->link.last < l->last && l->last - l->arrived > l->params.target)
		return false;
	if (vars->dropping && !vars->count)
		return false;
	if (vars->dropping || vars->stands)
		return vars->first_above_time && vars->first_above_time <= l->last;
	return (!vars->first_above_time || vars->first_above_time > l->last) &&
	       vars->first_above_time <= l->last + l->params.interval;
}

/* How long x has waited, while more than four MTUs are in the queue up to x */
static bool wait_is_right(const struct line *l)
{
	u64 late = l->params.target + l->full, above = l->vars.first_above_time;

	if (l->free > l->x_arrived + controlled(l) + l->full)
		return false;
	if (l->link.moved > l->x_arrived + late)
		return false;
	if (l->link.last < l->last && l->last > l->x_arrived + l->params.target)
		return false;
	if (l->vars.dropping)
		return true;
	if (l->vars.stands || !above)
		return l->last <= l->x_arrived + l->params.target;
	return above <= l->x_arrived + late + l->params.interval;
}

static bool line_is_right(const struct line *l)
{
	if (!state_is_right(l))
		return false;
	if (!l->waits)
		return true;
	if (l->x_arrived < l->arrived || l->x_arrived > l->last)
		return false;
	if (behind_much(l))
		return wait_is_right(l);
	return l->free + l->ahead <= l->x_arrived + bound(l);
}

static struct line any_line(void)
{
	struct line l = {
		.params = any_params(), .full = nondet_u64(), .last = nondet_u64(),
		.free = nondet_u64(), .arrived = nondet_u64(), .waits = nondet_bool(),
		.x_arrived = nondet_u64(), .x_takes = nondet_u64(), .ahead = nondet_u64(),
		.link = { nondet_u64(), nondet_u64(), nondet_u64() },
		.vars = {
			.first_above_time = nondet_u64(), .drop_next = nondet_u64(),
			.count = nondet_u32(), .lastcount = nondet_u32(),
			.dropping = nondet_bool(), .next_pending = nondet_bool(),
			.answered = nondet_bool(), .stands = nondet_bool(),
			.chance = nondet_u8(), .backlog = nondet_u32(),
		},
	};

	suppose(may_be(&l));
	/* functions.c and signal.c prove this invariant */
	suppose(l.vars.drop_next <= NOW_MAX);
	suppose(!l.vars.next_pending || l.vars.count);
	return l;
}

/* The packet at the head: its arrival, its time on the link, and the backlog behind it */
struct packet {
	u64 arrived;
	u64 takes;
	bool is_x;
	enum codel_waiting waiting;
};

/* x arrives, or has arrived, and is the packet at the head or behind it. */
static struct packet take_head(struct line *l, u64 now)
{
	struct packet p = { nondet_u64(), nondet_u64(), false, any_waiting() };
	bool came = !l->waits && nondet_bool();

	suppose(p.arrived >= l->arrived && p.arrived <= now);
	suppose(p.takes && p.takes <= l->full);
	if (l->waits) {
		suppose(now <= l->free && p.arrived <= l->x_arrived);
		p.is_x = !l->ahead;
		if (p.is_x)
			suppose(p.arrived == l->x_arrived && p.takes == l->x_takes);
		else
			suppose(p.takes <= l->ahead);
		l->ahead -= p.is_x ? 0 : p.takes;
		return p;
	}
	suppose(now <= larger(l->free, p.arrived));
	if (!came)
		return p;
	l->waits = true;
	l->x_arrived = nondet_u64();
	l->x_takes = nondet_u64();
	l->ahead = nondet_u64();
	suppose(l->x_arrived >= larger(p.arrived, l->last) && l->x_arrived <= now);
	suppose(l->x_takes && l->x_takes <= l->full && l->ahead <= SPAN);
	p.is_x = nondet_bool();
	if (p.is_x)
		suppose(!l->ahead && p.arrived == l->x_arrived && p.takes == l->x_takes);
	return p;
}

static bool delivered(struct line *l, const struct packet *p, u64 now)
{
	struct codel_head head = {
		.sojourn = now - p->arrived, .backlog = nondet_u32(),
		.waiting = p->waiting, .shared = true,
	};
	enum codel_verdict verdict;

	if (head.sojourn >= l->params.target)
		codel_departure(&l->link, &l->params, now, head.sojourn);
	head.held = codel_held(&l->link, now, head.sojourn);
	verdict = codel_signal(&l->vars, &l->params, now, &head, any_random);
	return verdict == CODEL_PASS || (verdict == CODEL_SIGNAL && nondet_bool());
}

/* The link is busy with what is delivered; a drop takes no time. */
static void depart(struct line *l, const struct packet *p, u64 now, bool sent)
{
	u64 takes = nondet_u64();

	suppose(takes <= p->takes);
	l->last = now;
	l->arrived = p->arrived;
	l->free = sent ? now + takes : now;
	if (!p->is_x)
		return;
	prove(!sent || now - l->x_arrived <= bound(l), "x has waited for the bound at most");
	l->waits = false;
}

static void examine(struct line *l)
{
	u64 now = nondet_u64();
	struct packet p;

	suppose(line_is_right(l));
	suppose(now >= 1 && now >= l->last && now <= LATEST);
	p = take_head(l, now);
	if (l->waits && !p.is_x && behind_much(l))
		suppose(p.waiting == CODEL_MUCH);
	depart(l, &p, now, delivered(l, &p, now));
	prove(line_is_right(l), "the invariant holds after a packet");
	reached();
}

void prove_ceiling_before(void)
{
	struct line l = any_line();

	suppose(!l.waits);
	examine(&l);
}

void prove_ceiling_above(void)
{
	struct line l = any_line();

	suppose(l.waits && !l.vars.dropping);
	examine(&l);
}

void prove_ceiling_dropping(void)
{
	struct line l = any_line();

	suppose(l.waits && l.vars.dropping);
	examine(&l);
}

void prove_ceiling_empty(void)
{
	struct line l = any_line();
	u64 now = nondet_u64();

	suppose(line_is_right(&l) && !l.waits);
	suppose(now >= l.free && now <= LATEST);
	codel_empty(&l.vars);
	l.last = now;
	l.free = now;
	l.arrived = now;
	prove(line_is_right(&l), "the invariant holds after an empty queue");
	reached();
}

void prove_ceiling_begin(void)
{
	struct line l = any_line();

	suppose(!l.waits && !l.last && !l.free && !l.arrived);
	l.vars = (struct codel_vars) {};
	l.link = (struct codel_link) {};
	prove(line_is_right(&l), "the invariant holds at first");
	reached();
}
