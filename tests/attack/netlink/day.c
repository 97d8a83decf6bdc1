// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Minutes of a day: bursts on d0, d1 and d2, and each minute a change of the options of one of
 * their qdiscs, which stays.
 */
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

#define MINUTE		60	/* seconds */
#define PAUSE_MAX	1000000	/* us between bursts */

/* Return: the kernel's answer. */
static int change_options(const struct place *at)
{
	const struct nlattr *kind;
	struct state state;
	struct message m;

	if (!state_read(at, &state))
		return ANSWER_NONE;
	kind = attribute(state.bytes, state.len, TCA_KIND);
	place_begin(&m, at, RTM_NEWQDISC, 0)->tcm_handle = HANDLE;
	message_string(&m, TCA_KIND, (const char *)(kind + 1));
	options_put(&m, (const char *)(kind + 1));
	return talk(&m);
}

/* Return: 0 if the changes were answered, and the traffic went on. */
int day(uint64_t seed, unsigned long minutes)
{
	unsigned long changed = 0, refused = 0;
	bool unanswered = false;
	pid_t child;
	int answer;

	if (!places_find())
		return 2;
	random_seed(seed);
	talk_open();
	child = traffic_start(seed, 3, PAUSE_MAX);
	while (minutes-- && !unanswered) {
		answer = change_options(place_random());
		changed += !answer;
		refused += !!answer;
		unanswered = answer >= ANSWER_NONE;
		sleep(MINUTE);
	}
	printf("changes;0;%lu\nchanges;refused;%lu\n", changed, refused);
	return !traffic_stop(child) || unanswered;
}
