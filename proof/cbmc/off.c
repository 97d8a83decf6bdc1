// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Without a ceiling, codel_signal() is RFC 8289. The pseudocode of its section 5 takes packets in a
 * loop; here it is written for one packet, which is dropped or not. A step from any equal
 * state gives the same verdict and an equal state, so all verdicts are the same.
 *
 * Hypotheses: constant parameters, count below its end. codel_overflow() was not called before
 * the first signal.
 */
#include "state.h"

typedef __s64 s64;

/* The control law is a function, whatever it is: both sides call it. */
u64 __CPROVER_uninterpreted_law(u64 interval, u32 count);

u64 contract_law(u64 interval, u32 count)
{
	u64 step = __CPROVER_uninterpreted_law(interval, count);

	suppose(step >= 1 && step <= interval);
	return step;
}

struct rfc {
	u64 first_above_time;
	u64 drop_next;
	u32 count;
	u32 lastcount;
	bool dropping;
	bool in_loop;	/* the packet before was dropped in the loop of the dropping state */
};

static bool rfc_ok_to_drop(struct rfc *rfc, const struct codel_params *params, u64 now,
			   const struct codel_head *head)
{
	if (head->sojourn < params->target || head->waiting == CODEL_LITTLE)
		rfc->first_above_time = 0;
	else if (!rfc->first_above_time)
		rfc->first_above_time = now + params->interval;
	else
		return now >= rfc->first_above_time;
	return false;
}

static void rfc_enter(struct rfc *rfc, const struct codel_params *params, u64 now)
{
	u32 delta = rfc->count - rfc->lastcount;
	bool recent = (s64)(now - rfc->drop_next) < (s64)(16 * params->interval);

	rfc->dropping = true;
	rfc->count = delta > 1 && recent ? delta : 1;
	rfc->drop_next = now + codel_step(params->interval, rfc->count);
	rfc->lastcount = rfc->count;
	rfc->in_loop = false;
}

static bool rfc_drops(struct rfc *rfc, const struct codel_params *params, u64 now,
		      const struct codel_head *head)
{
	bool ok = rfc_ok_to_drop(rfc, params, now, head);

	if (!ok) {
		rfc->dropping = false;
		return false;
	}
	if (!rfc->dropping) {
		rfc_enter(rfc, params, now);
		return true;
	}
	if (rfc->in_loop)
		rfc->drop_next += codel_step(params->interval, rfc->count);
	rfc->in_loop = now >= rfc->drop_next;
	rfc->count += rfc->in_loop;
	return rfc->in_loop;
}

static bool are_equal(const struct rfc *rfc, const struct codel_vars *vars)
{
	return rfc->first_above_time == vars->first_above_time &&
	       rfc->drop_next == vars->drop_next && rfc->count == vars->count &&
	       rfc->lastcount == vars->lastcount && rfc->dropping == vars->dropping &&
	       rfc->in_loop == vars->next_pending;
}

/* signal.c proves that nothing stands, has a chance, or is drawn. */
void prove_off(void)
{
	u64 last = nondet_u64(), now = any_now(last);
	struct codel_params params = any_params();
	struct codel_vars vars = any_vars(last);
	struct codel_head head = any_head(now);
	struct rfc rfc = {
		.first_above_time = vars.first_above_time, .drop_next = vars.drop_next,
		.count = vars.count, .lastcount = vars.lastcount,
		.dropping = vars.dropping, .in_loop = vars.next_pending,
	};
	enum codel_verdict verdict;

	suppose(params.ceiling == CODEL_CEILING_OFF && !vars.stands);
	suppose(vars.first_above_time <= last + params.interval);
	suppose(vars.count != ~0U && (vars.drop_next || vars.count == vars.lastcount));
	verdict = codel_signal(&vars, &params, now, &head, any_random);
	prove(verdict == (rfc_drops(&rfc, &params, now, &head) ? CODEL_SIGNAL : CODEL_PASS),
	      "the verdict is that of RFC 8289");
	prove(are_equal(&rfc, &vars), "the state is that of RFC 8289");
	reached();
}
