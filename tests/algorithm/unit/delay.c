// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The buckets of codel_delay.h, as documented in codel_uapi.h and the manual. */
#include "uapi/codel_delay.h"
#include "ktap.h"
#include "rng.h"
#include "groups.h"

#define US	1000ULL
#define SEC	(1000000 * US)
#define LAST	(CODEL_DELAY_BUCKETS - 1)

typedef unsigned long long u64;

static bool delay_edges(void)
{
	unsigned int i;

	for (i = 0; i < CODEL_DELAY_BUCKETS; i++) {
		u64 from = codel_delay_bound(i), to = codel_delay_bound(i + 1);

		if (to > from && codel_delay_bucket(from) == i &&
		    codel_delay_bucket(to - 1) == i)
			continue;
		ktap_note("bucket %u, from %llu to %llu ns", i, from, to);
		return false;
	}
	return codel_delay_bound(0) == 0;
}

static bool delay_width(void)
{
	unsigned int i;

	for (i = 0; i < LAST; i++) {
		u64 from = codel_delay_bound(i), to = codel_delay_bound(i + 1);

		if (to <= US || (to - from) * 8 <= from)
			continue;
		ktap_note("bucket %u is wider than 12.5%%, from %llu to %llu ns",
			  i, from, to);
		return false;
	}
	return true;
}

static bool delay_range(void)
{
	return codel_delay_bound(LAST) > 100 * SEC &&
	       codel_delay_bucket(~0ULL) == LAST &&
	       codel_delay_bucket(codel_delay_bound(LAST)) == LAST &&
	       codel_delay_bucket(codel_delay_bound(LAST) - 1) == LAST - 1;
}

/* of any length: a bucket says nothing but what its bounds say */
static bool delay_any(uint64_t seed)
{
	struct rng rng;
	int n;

	rng_seed(&rng, seed);
	for (n = 0; n < 1000000; n++) {
		u64 ns = rng_next(&rng) >> rng_even(&rng, 0, 63);
		unsigned long bucket = codel_delay_bucket(ns);

		if (bucket < CODEL_DELAY_BUCKETS && ns >= codel_delay_bound(bucket) &&
		    (bucket == LAST || ns < codel_delay_bound(bucket + 1)))
			continue;
		ktap_note("%llu ns are in bucket %lu", ns, bucket);
		return false;
	}
	return true;
}

int delay_cases(void)
{
	return 4;
}

void delay_run(const struct group_options *options)
{
	ktap_result(delay_edges(), "delay: every bucket has the times between its bounds");
	ktap_result(delay_width(), "delay: from 1 us on none is wider than 12.5%");
	ktap_result(delay_range(), "delay: the last begins beyond 100 s and takes the rest");
	ktap_result(delay_any(options->seed), "delay: any time is in the bucket of its bounds");
}
