// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Tests of codel.h and codel_delay.h, in user space:
 *	sequence	tables of input and expectation
 *	delay		the buckets of sojourn times
 *	law		the drop schedule against the square root
 *	traffic		side by side with a model after the pseudo-code
 *	turns		the same for queues that take turns at one link
 *	ceiling		properties of the ceiling, in simulated floods
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ktap.h"
#include "groups.h"

static int usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [-x] [-s SEED] [-e EPISODES] [-d COUNTS]\n"
		"  -x  stop at the first bad one\n"
		"  -s  seed of the traffic, default 1\n"
		"  -e  fresh starts of each traffic pattern, default 48\n"
		"  -d  tries the counts of signals up to this one by one, default 2^20\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	struct group_options options = {
		.seed = 1, .episodes = 48, .dense = 1 << 20
	};
	int cases = law_cases() + sequence_cases() + traffic_cases() +
		    turns_cases() + ceiling_cases() + delay_cases();
	bool bail = false;
	int opt;

	while ((opt = getopt(argc, argv, "xs:e:d:")) != -1) {
		if (opt == 'x')
			bail = true;
		else if (opt == 's')
			options.seed = strtoull(optarg, NULL, 0);
		else if (opt == 'e')
			options.episodes = strtoul(optarg, NULL, 0);
		else if (opt == 'd')
			options.dense = strtoull(optarg, NULL, 0);
		else
			return usage(argv[0]);
	}
	ktap_plan(cases, bail);
	/* the quick ones first, as most mutants fail there */
	sequence_run();
	delay_run(&options);
	law_run(&options);
	traffic_run(&options);
	turns_run(&options);
	ceiling_run();
	return ktap_status();
}
