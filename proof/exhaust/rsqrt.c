// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * codel_rsqrt() with every input that codel_step() can give it: m from 2^30 to 2^32 - 1. This is
 * the whole range, because every count is normalised into it; this program also tests that.
 *
 * The exact root is R = 2^31 / sqrt(m / 2^30) = sqrt(2^92 / m). So y is within WITHIN of R if
 * and only if (y - WITHIN)^2 * m <= 2^92 <= (y + WITHIN)^2 * m, in integers of 128 bits.
 */
#include <stdio.h>

#include "codel.h"

#define FIRST	(1ULL << 30)
#define END	(1ULL << 32)
#define BLOCK	(1ULL << 22)

/* Units of the last bit, 2^-31: the root is 2^30 at least, so 3 are 3 * 10^-9 of it */
#define WITHIN	3
#define RISE	3

struct found {
	u64 inputs;
	u64 outside;	/* not within WITHIN of the exact root */
	u64 range;	/* below 2^30 - 1, above 2^31 - 1 */
	u64 rises;	/* larger than the root of m - 1 */
	u64 beyond;	/* by more than RISE */
};

static bool within(u64 m, u64 y)
{
	unsigned __int128 one = (unsigned __int128)1 << 92;
	u64 low = y - WITHIN, high = y + WITHIN;

	return (unsigned __int128)(low * low) * m <= one &&
	       one <= (unsigned __int128)(high * high) * m;
}

static struct found block(u64 first)
{
	u32 before = codel_rsqrt(first > FIRST ? first - 1 : first);
	struct found found = {};
	u64 m;

	for (m = first; m < first + BLOCK; m++) {
		u32 y = codel_rsqrt(m);

		found.inputs++;
		found.outside += y <= WITHIN || !within(m, y);
		found.range += y < FIRST - 1 || y > (1U << 31) - 1;
		found.rises += y > before;
		found.beyond += y > before && y - before > RISE;
		before = y;
	}
	return found;
}

/* Of each power of two, the first and the last count, as codel_step() normalises them */
static u64 not_normalised(void)
{
	u64 wrong = 0;
	int bit;

	for (bit = 0; bit < 32; bit++) {
		u32 first = 1U << bit, last = first + (first - 1);
		u32 k = (fls(first) - 1) / 2;

		wrong += (u64)first << (30 - 2 * k) < FIRST || (u64)last << (30 - 2 * k) >= END;
	}
	return wrong;
}

int main(void)
{
	u64 inputs = 0, outside = 0, range = 0, rises = 0, beyond = 0, n;

#pragma omp parallel for reduction(+:inputs, outside, range, rises, beyond)
	for (n = 0; n < (END - FIRST) / BLOCK; n++) {
		struct found found = block(FIRST + n * BLOCK);

		inputs += found.inputs;
		outside += found.outside;
		range += found.range;
		rises += found.rises;
		beyond += found.beyond;
	}
	printf("rises: %llu\n", (unsigned long long)rises);
	printf("inputs: %llu\n", (unsigned long long)inputs);
	printf("wrong, not normalised: %llu\n", (unsigned long long)not_normalised());
	printf("wrong, not within %d * 2^-31: %llu\n", WITHIN, (unsigned long long)outside);
	printf("wrong, not from 2^30 - 1 to 2^31 - 1: %llu\n", (unsigned long long)range);
	printf("wrong, more than %d above the root of m - 1: %llu\n", RISE,
	       (unsigned long long)beyond);
	return 0;
}
