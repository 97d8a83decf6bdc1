// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * codel_signal() with any state, any parameters and any arguments in range. The parameters may
 * be others than in the call before: the operator changes them at any time.
 */
#include "state.h"

static void prove_schedule(const struct codel_vars *old, const struct codel_vars *vars,
			   const struct codel_params *params, u64 now)
{
	if (!old->dropping) {
		prove(vars->drop_next > now && vars->drop_next <= now + params->interval,
		      "the first step begins now");
		prove(vars->count && vars->count == vars->lastcount, "count begins at 1 or more");
		return;
	}
	prove(old->next_pending ? vars->drop_next > old->drop_next :
				  vars->drop_next == old->drop_next,
	      "the schedule moves on after each signal, and not otherwise");
	prove(vars->drop_next <= old->drop_next + params->interval, "by an interval at most");
	prove(vars->count == old->count || vars->count - old->count == 1, "signals are counted");
	prove(!vars->next_pending || vars->drop_next <= now, "no signal comes before its time");
	prove(vars->next_pending || vars->drop_next > now, "each signal is given when it is due");
}

static void prove_verdict(enum codel_verdict verdict, const struct codel_vars *old,
			  const struct codel_vars *vars, const struct codel_params *params,
			  enum codel_waiting waiting)
{
	bool much = waiting == CODEL_MUCH && params->ceiling != CODEL_CEILING_OFF;

	prove(verdict == CODEL_PASS || verdict == CODEL_SIGNAL || verdict == CODEL_OVER,
	      "the verdict is one of the enumeration");
	prove(vars->dropping || verdict == CODEL_PASS, "signals are given in the dropping state");
	prove(verdict != CODEL_OVER || (much && old->dropping), "the ceiling needs CODEL_MUCH");
	prove(!draws || (much && old->dropping), "numbers are drawn for the ceiling only");
	prove(!vars->dropping || much || !vars->chance, "there is no chance without a ceiling");
}

void prove_signal(void)
{
	u64 last = nondet_u64();
	struct codel_vars vars = any_vars(last), old = vars;
	struct codel_params params = any_params();
	enum codel_waiting waiting = any_waiting();
	u64 now = any_now(last), sojourn = nondet_u64(), held = nondet_u64();
	enum codel_verdict verdict;

	suppose(sojourn <= now && held <= sojourn);
	verdict = codel_signal(&vars, &params, now, sojourn, held, waiting, any_random);
	prove(vars_are_right(&vars, now), "codel_signal: the state stays right");
	prove_verdict(verdict, &old, &vars, &params, waiting);
	if (vars.dropping)
		prove_schedule(&old, &vars, &params, now);
	prove(sojourn >= params.target || !vars.dropping, "a short delay ends the dropping state");
	prove(waiting != CODEL_LITTLE || !vars.dropping, "a short queue ends the dropping state");
	reached();
}
