// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * codel_signal() with any state, any parameters and any arguments in range. The parameters may
 * be others than in the call before: the operator changes them at any time.
 */
#include "state.h"

/* One call of codel_signal() */
struct call {
	struct codel_vars old;
	struct codel_vars vars;
	struct codel_params params;
	struct codel_head head;
	u64 now;
	enum codel_verdict verdict;
};

static bool is_much(const struct call *c)
{
	return c->head.waiting == CODEL_MUCH;
}

static bool is_off(const struct call *c)
{
	return c->params.ceiling == CODEL_CEILING_OFF;
}

/* The rule of doc/ceiling.md, in the place of the functions of codel.h that compute it */
static u64 waited(const struct call *c)
{
	return c->head.sojourn - c->head.held;
}

static bool is_late_for_all(const struct call *c)
{
	u64 late = c->params.interval + c->params.interval / 4;

	return is_much(c) && !is_off(c) && waited(c) >= late && waited(c) >= c->params.ceiling;
}

static void prove_schedule(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;

	if (!old->dropping) {
		prove(vars->drop_next > c->now && vars->drop_next <= c->now + c->params.interval,
		      "the first step begins now");
		prove(vars->count && vars->count == vars->lastcount, "count begins at 1 or more");
		return;
	}
	prove(old->next_pending ? vars->drop_next > old->drop_next :
				  vars->drop_next == old->drop_next,
	      "the schedule moves on after each signal, and not otherwise");
	prove(vars->drop_next <= old->drop_next + c->params.interval, "by an interval at most");
	prove(vars->count == old->count || vars->count - old->count == 1, "signals are counted");
	prove(!vars->next_pending || vars->drop_next <= c->now, "no signal comes before its time");
	prove(vars->next_pending || vars->drop_next > c->now, "each signal is given when it is due");
}

static void prove_verdict(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;
	bool watched = old->dropping && vars->dropping;

	prove(c->verdict == CODEL_PASS || c->verdict == CODEL_SIGNAL || c->verdict == CODEL_OVER,
	      "the verdict is one of the enumeration");
	prove(vars->dropping || c->verdict == CODEL_PASS, "signals are given in the dropping state");
	prove(c->verdict != CODEL_OVER || (is_much(c) && !is_off(c) && watched),
	      "the ceiling needs CODEL_MUCH and the dropping state");
	prove(c->verdict != CODEL_OVER || (c->head.shared && is_late_for_all(c)) ||
	      (old->stands && vars->stands && draws),
	      "the ceiling drops late packets of a shared queue, or what stands, at random");
	prove(!watched || !c->head.shared || !is_late_for_all(c) || c->verdict == CODEL_OVER,
	      "the ceiling drops each late packet of a shared queue");
	prove(!watched || !old->stands || !is_much(c) || waited(c) < c->params.ceiling ||
	      c->verdict == CODEL_OVER,
	      "a queue that stands loses each packet above the ceiling");
	prove(!draws || (is_much(c) && !is_off(c) && watched && old->stands && vars->stands),
	      "numbers are drawn for queues that stand only");
	prove(!vars->chance || (is_much(c) && waited(c) > c->params.ceiling / 2),
	      "a chance needs CODEL_MUCH, and more than half of the ceiling");
}

/* The schedule pauses for a packet that the ceiling may drop. */
static void prove_paused(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;
	bool certain = vars->chance == CODEL_CERTAIN;

	prove(!draws || old->chance || certain, "a sojourn time gives the chance of the next packet");
	if (!is_much(c) || !old->stands || !vars->stands || !(old->chance || certain))
		return;
	prove(c->verdict != CODEL_SIGNAL && vars->count == old->count,
	      "a packet that may be dropped gets no signal, and none is counted");
}

/* A queue begins to stand. */
static void prove_begins(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;

	prove(!is_off(c) && is_much(c) && vars->first_above_time == c->now,
	      "a queue begins to stand below a ceiling only, with CODEL_MUCH");
	if (!old->dropping) {
		prove(!c->head.shared && is_late_for_all(c),
		      "outside the dropping state, only a flow whose turn is rare begins to stand");
		return;
	}
	prove(waited(c) > c->params.ceiling, "a queue that begins to stand is above the ceiling");
	prove(old->answered && c->now - old->first_above_time >= c->params.interval,
	      "a queue is watched for an interval before it stands");
	prove(c->head.backlog >= old->backlog - old->backlog / 8,
	      "a queue that has lost an eighth of its backlog does not begin to stand");
	prove(waited(c) >= c->params.interval ||
	      c->head.backlog >= old->backlog + (u64)(old->backlog / 8),
	      "nor does a queue of younger packets that has not grown by an eighth");
}

/* The dropping state, in which a queue does not stand */
static void prove_watched(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;
	bool kept = vars->first_above_time == old->first_above_time &&
		    vars->backlog == old->backlog && vars->answered == old->answered;
	bool anew = vars->first_above_time == c->now && vars->backlog == c->head.backlog &&
		    vars->answered;

	if (!old->dropping) {
		prove(vars->first_above_time == c->now && !vars->answered,
		      "the dropping state is watched from its first signal on");
		return;
	}
	prove(kept || anew, "an interval is watched as a whole, from the backlog at its begin");
	prove(!old->answered || anew || (is_much(c) && waited(c) > c->params.ceiling),
	      "each packet below the ceiling begins another interval");
	prove(old->answered || kept || c->now - old->first_above_time >= c->params.interval,
	      "senders have an interval to answer");
}

static void prove_stands(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;

	if (!old->stands && vars->stands)
		prove_begins(c);
	if (!is_off(c) && !old->stands && !vars->stands && vars->dropping)
		prove_watched(c);
	if (!old->stands)
		return;
	prove(vars->first_above_time == c->now || !vars->chance, "the last chance is noted");
	prove(!vars->stands || vars->chance || vars->first_above_time == old->first_above_time,
	      "nothing but a chance makes a queue stand for longer");
	prove(!vars->stands || vars->chance ||
	      c->now - old->first_above_time < 2 * c->params.interval,
	      "a queue stands for two intervals without a chance at most");
	prove(vars->stands || is_off(c) ||
	      c->now - old->first_above_time >= 2 * c->params.interval,
	      "and no shorter");
}

/* RFC 8289 alone */
static void prove_off(const struct call *c)
{
	const struct codel_vars *old = &c->old, *vars = &c->vars;

	prove(!vars->stands && !vars->chance && c->verdict != CODEL_OVER && !draws,
	      "without a ceiling nothing stands");
	prove(vars->backlog == old->backlog && (old->answered || !vars->answered),
	      "without a ceiling nothing is watched");
}

static struct call any_call(void)
{
	u64 last = nondet_u64();
	struct call c = { .old = any_vars(last), .params = any_params(), .now = any_now(last) };

	c.vars = c.old;
	c.head = any_head(c.now);
	c.verdict = codel_signal(&c.vars, &c.params, c.now, &c.head, any_random);
	return c;
}

void prove_signal(void)
{
	struct call c = any_call();

	prove(vars_are_right(&c.vars, c.now), "codel_signal: the state stays right");
	if (c.vars.dropping)
		prove_schedule(&c);
	prove(c.head.sojourn >= c.params.target || !c.vars.dropping,
	      "a short delay ends the dropping state");
	prove(c.head.waiting != CODEL_LITTLE || !c.vars.dropping,
	      "a short queue ends the dropping state");
	reached();
}

void prove_signal_verdict(void)
{
	struct call c = any_call();

	prove_verdict(&c);
	if (c.old.dropping && c.vars.dropping)
		prove_paused(&c);
	reached();
}

void prove_signal_stands(void)
{
	struct call c = any_call();

	prove_stands(&c);
	if (is_off(&c))
		prove_off(&c);
	reached();
}
