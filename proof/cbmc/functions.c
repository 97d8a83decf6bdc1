// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The public functions of codel.h beside codel_signal(), with any state and any arguments in
 * range: each keeps the invariants of state.h. CBMC adds its own checks of overflow, conversion,
 * shifts, division and memory.
 */
#include "state.h"

void prove_fresh(void)
{
	struct codel_vars vars = {};
	struct codel_link link = {};

	prove(vars_are_right(&vars, 0), "all zero is a right state of a queue");
	prove(link_is_right(&link, 0), "all zero is a right state of a link");
	reached();
}

/* The driver replaces codel_rsqrt() here. */
void prove_step(void)
{
	u64 interval = nondet_u64();
	u32 count = nondet_u32();
	u64 step;

	suppose(interval >= 1 && interval <= INTERVAL_MAX);
	suppose(count);
	step = codel_step(interval, count);
	prove(step >= 1, "a step is never 0");
	prove(step <= interval, "a step is not longer than the interval");
	reached();
}

void prove_rsqrt(void)
{
	u32 m = nondet_u32();

	suppose(m >= 1U << 30);
	codel_rsqrt(m);
	reached();
}

void prove_default_ceiling(void)
{
	struct codel_params params = any_params();
	u64 ceiling = codel_default_ceiling(&params);

	prove(ceiling >= CODEL_NSEC_PER_USEC, "the default ceiling is 1 us at least");
	prove(ceiling >= params.interval / 2 && ceiling >= 4 * params.target,
	      "the default ceiling is half of an interval and four targets at least");
	reached();
}

void prove_next_signal(void)
{
	u64 last = nondet_u64();
	struct codel_vars vars = any_vars(last);
	struct codel_params params = any_params();
	u64 next = codel_next_signal(&vars, &params);

	prove(next >= vars.drop_next, "the next signal is not before the last one");
	prove(next <= last + 2 * INTERVAL_MAX, "the next signal is two intervals ahead at most");
	reached();
}

void prove_departure(void)
{
	u64 last = nondet_u64();
	struct codel_link link = any_link(last);
	struct codel_params params = any_params();
	u64 now = any_now(last), sojourn = nondet_u64(), held;

	suppose(sojourn <= now);
	codel_departure(&link, &params, now, sojourn);
	prove(link_is_right(&link, now), "codel_departure: the state of the link stays right");
	held = codel_held(&link, now, sojourn);
	prove(held <= sojourn, "a packet is not held for longer than it has waited");
	reached();
}

void prove_held(void)
{
	u64 last = nondet_u64();
	struct codel_link link = any_link(last);
	u64 now = any_now(last), sojourn = nondet_u64();

	suppose(sojourn <= now);
	prove(codel_held(&link, now, sojourn) <= sojourn,
	      "a packet is not held for longer than it has waited, without a late one before");
	reached();
}

void prove_empty(void)
{
	u64 last = nondet_u64();
	struct codel_vars vars = any_vars(last), old = vars;

	codel_empty(&vars);
	prove(vars_are_right(&vars, any_now(last)), "codel_empty: the state stays right");
	prove(!vars.dropping, "an empty queue is not in the dropping state");
	prove(!vars.chance, "an empty queue gives no chance");
	prove(vars.stands == old.stands, "a queue that stands may be empty now and then");
	reached();
}

void prove_overflow(void)
{
	u64 last = nondet_u64();
	struct codel_vars vars = any_vars(last);
	u32 count = vars.count, dropped = nondet_u32();

	codel_overflow(&vars, dropped);
	prove(vars_are_right(&vars, any_now(last)), "codel_overflow: the state stays right");
	prove(vars.count >= count, "count stops at its end");
	prove(vars.count == ~0U || vars.count - count == dropped, "count grows by the drops");
	reached();
}

void prove_recent(void)
{
	u64 last = nondet_u64();
	struct codel_vars vars = any_vars(last);
	struct codel_params params = any_params();

	codel_signal_is_recent(&vars, &params, any_now(last));
	reached();
}
