// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * codel_step() with every count, and with the shortest, the default and the longest interval.
 *
 * A step s is right if |256 * s - 256 * interval / sqrt(count)| is 131 at most, which is half of
 * a ns and the last bits, beside 2^-27 of the square of the exact step for the error of the root.
 * Squared and times count, both sides are integers of 128 bits.
 */
#include <stdio.h>

#include "codel.h"

#define END	(1ULL << 32)
#define BLOCK	(1ULL << 22)
#define ROUND	131

/* From this count on, two counts differ by less than the error of the root */
#define FALLS	(1U << 26)

static const u64 intervals[] = { 1000, 100000000, 1ULL << 43 };

struct found {
	u64 inputs;
	u64 outside;	/* farther from the exact step */
	u64 range;	/* 0, or longer than the interval */
	u64 rises;	/* longer than the step of the count before */
	u64 early;	/* that, below FALLS */
	u64 highest;	/* rise */
};

static bool within(u64 interval, u64 count, u64 step)
{
	unsigned __int128 exact = (unsigned __int128)(interval * 256) * (interval * 256);
	u64 low = step * 256 - ROUND, high = step * 256 + ROUND;

	if ((unsigned __int128)high * high * count < exact - (exact >> 27))
		return false;
	return step == 1 || (unsigned __int128)low * low * count <= exact + (exact >> 27);
}

static void try(struct found *found, u64 interval, u64 first)
{
	u64 before = first > 1 ? codel_step(interval, first - 1) : ~0ULL, count;

	for (count = first; count < END && (count == first || count % BLOCK); count++) {
		u64 step = codel_step(interval, count);

		found->inputs++;
		found->outside += !step || !within(interval, count, step);
		found->range += !step || step > interval;
		found->rises += step > before;
		found->early += step > before && count < FALLS;
		if (step > before && step - before > found->highest)
			found->highest = step - before;
		before = step;
	}
}

static void show(u64 interval, const struct found *found)
{
	printf("rises, interval %llu ns: %llu, by %llu ns at most\n", (unsigned long long)interval,
	       (unsigned long long)found->rises, (unsigned long long)found->highest);
	printf("inputs: %llu\n", (unsigned long long)found->inputs);
	printf("wrong, not within 0.1%% or half of a ns: %llu\n",
	       (unsigned long long)found->outside);
	printf("wrong, 0 or longer than the interval: %llu\n", (unsigned long long)found->range);
	printf("wrong, rises below count 2^26: %llu\n", (unsigned long long)found->early);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
		u64 inputs = 0, outside = 0, range = 0, rises = 0, early = 0, highest = 0, n;

#pragma omp parallel for reduction(+:inputs, outside, range, rises, early) \
	reduction(max:highest)
		for (n = 0; n < END / BLOCK; n++) {
			struct found found = {};

			try(&found, intervals[i], n ? n * BLOCK : 1);
			inputs += found.inputs;
			outside += found.outside;
			range += found.range;
			rises += found.rises;
			early += found.early;
			highest = found.highest > highest ? found.highest : highest;
		}
		show(intervals[i], &(struct found) { inputs, outside, range, rises, early, highest });
	}
	return 0;
}
