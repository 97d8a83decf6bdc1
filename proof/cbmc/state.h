/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The invariants of struct codel_vars and struct codel_link after a call at the time @last. */
#ifndef PROOF_STATE_H
#define PROOF_STATE_H

#include "any.h"

static bool vars_are_right(const struct codel_vars *vars, u64 last)
{
	return vars->first_above_time <= last + INTERVAL_MAX &&
	       vars->drop_next <= last + INTERVAL_MAX &&
	       vars->lastcount <= vars->count &&
	       (!vars->dropping || vars->count) &&
	       (!(vars->dropping || vars->stands) ||
		(vars->first_above_time && vars->first_above_time <= last)) &&
	       (vars->stands || !vars->chance) &&
	       (!vars->next_pending || (vars->count && vars->drop_next <= last));
}

static bool link_is_right(const struct codel_link *link, u64 last)
{
	return link->last <= last && link->still <= link->last &&
	       link->moved <= last + INTERVAL_MAX / 2;
}

static struct codel_vars any_vars(u64 last)
{
	struct codel_vars vars = {
		.first_above_time = nondet_u64(), .drop_next = nondet_u64(),
		.count = nondet_u32(), .lastcount = nondet_u32(),
		.dropping = nondet_bool(), .next_pending = nondet_bool(),
		.answered = nondet_bool(), .stands = nondet_bool(),
		.chance = nondet_u8(), .backlog = nondet_u32(),
	};

	suppose(last <= NOW_MAX);
	suppose(vars_are_right(&vars, last));
	return vars;
}

static struct codel_link any_link(u64 last)
{
	struct codel_link link = {
		.last = nondet_u64(), .still = nondet_u64(), .moved = nondet_u64(),
	};

	suppose(last <= NOW_MAX);
	suppose(link_is_right(&link, last));
	return link;
}

#endif /* PROOF_STATE_H */
