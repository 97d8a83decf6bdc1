// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Tests of far/ and qdisc/codel_far_marks.h, in user space:
 *	path	the round trip of a flow without a queue
 *	window	the law, against an independent model, and samples that lie
 *	watch	a delay that does not follow the window, or that may be another one
 *	hold	when packets are held back, and for how long at most
 *	marks	the table of marks, against a naive one
 *	up	CoDel at a distance
 *	link	senders, a modem and a link in simulated time
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "ktap.h"

/* the quick ones first, as most mutants fail there */
static const struct group *const groups[] = {
	&path_group, &hold_group, &up_group, &watch_group, &window_group, &marks_group, &link_group,
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
