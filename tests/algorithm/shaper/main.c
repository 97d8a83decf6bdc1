// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Tests of codel_shaper.h and codel_shared.h, in user space:
 *	wire	the length on the wire, by hand and byte by byte
 *	rate	the time of a packet, and of a million
 *	target	the target of slow links
 *	change	changes of the rate
 *	times	a clock that is young, that stands still, or that goes on by years
 *	drops	packets that are dropped after they have crossed the link
 *	link	a link with a queue and late timers, in simulated time
 *	shared	queues that share a link, by hand, in simulated time, and on several processors
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "ktap.h"

/* the quick ones first, as most mutants fail there */
static const struct group *const groups[] = {
	&target_group, &change_group, &times_group, &drops_group, &wire_group, &rate_group,
	&shared_group, &link_group,
};

static int usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [-x] [-s SEED]\n"
		"  -x  stop at the first bad one\n"
		"  -s  seed of the random inputs, default 1\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned int i, k;
	uint64_t seed = 1;
	bool bail = false;
	int cases = 0;
	int opt;

	while ((opt = getopt(argc, argv, "xs:")) != -1) {
		if (opt == 'x')
			bail = true;
		else if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return usage(argv[0]);
	}
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		cases += groups[i]->count;
	ktap_plan(cases, bail);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		for (k = 0; k < groups[i]->count; k++)
			ktap_result(groups[i]->cases[k].run(seed), groups[i]->cases[k].name);
	return ktap_status();
}
