// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A burst of up to 1,000 packets meets an idle link of 10 Mbit/s, at the default parameters. All
 * signals are marks, and each random number is the largest: only a certain drop drops. So the
 * last packets wait for almost as long as the bound of cbmc/ceiling.c allows.
 */
#include <stdio.h>

#include "codel.h"

#define MS		1000000ULL
#define LENGTH		1514U
#define FULL		1211200ULL	/* LENGTH bytes at 10 Mbit/s, ns */
#define BEGIN		(10000 * MS)
#define PACKETS		1000

/* target + 5/4 interval + seven MTUs less the packet itself, see cbmc/ceiling.c */
#define BOUND		(130 * MS + 6 * FULL)

static const struct codel_params internet = { 5 * MS, 100 * MS, 50 * MS };

static u32 largest(void)
{
	return ~0U;
}

static enum codel_waiting waiting(unsigned int behind)
{
	if (behind <= 1)
		return CODEL_LITTLE;
	return behind <= CODEL_MUCH_MTUS ? CODEL_STANDING : CODEL_MUCH;
}

static u64 longest_of(unsigned int packets)
{
	struct codel_vars vars = {};
	struct codel_link link = {};
	u64 now = BEGIN, longest = 0;

	while (packets--) {
		struct codel_head head = {
			.sojourn = now - BEGIN, .backlog = packets * LENGTH,
			.waiting = waiting(packets), .shared = true,
		};

		if (head.sojourn >= internet.target)
			codel_departure(&link, &internet, now, head.sojourn);
		head.held = codel_held(&link, now, head.sojourn);
		if (codel_signal(&vars, &internet, now, &head, largest) == CODEL_OVER)
			continue;
		longest = head.sojourn > longest ? head.sojourn : longest;
		now += FULL;
	}
	return longest;
}

int main(void)
{
	unsigned int packets;
	u64 longest = 0;

	for (packets = 1; packets <= PACKETS; packets++) {
		u64 waited = longest_of(packets);

		longest = waited > longest ? waited : longest;
	}
	printf("the longest wait: %.2f ms, the bound: %.2f ms\n", longest / 1e6, BOUND / 1e6);
	printf("inputs: %d\n", PACKETS);
	printf("wrong, longer than the bound: %d\n", longest > BOUND);
	printf("wrong, shorter than 98%% of the bound: %d\n", longest < BOUND / 100 * 98);
	return 0;
}
