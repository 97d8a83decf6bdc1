// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <string.h>

#include "cases.h"
#include "codel_far.h"
#include "ktap.h"
#include "rng.h"

#define WINDOW	CODEL_FAR_PATH_WINDOW
#define LOG	20000

static struct { u64 at, rtt; } history[LOG];

static bool differs(const char *what, u64 now, u64 got, u64 want)
{
	ktap_note("%s: at %llu ns %llu ns, not %llu", what, (unsigned long long)now,
		  (unsigned long long)got, (unsigned long long)want);
	return false;
}

/* The least round trip from @from on, of the first @count */
static u64 least_since(u32 count, u64 from)
{
	u64 least = ~0ULL;
	u32 i;

	for (i = 0; i < count; i++)
		if (history[i].at >= from && history[i].rtt < least)
			least = history[i].rtt;
	return least;
}

/* Alone in the world: never below the minimum of two windows, never above that of one. */
static bool test_minimum(uint64_t seed)
{
	struct codel_far_path path = {};
	u64 now = SEC, excess, rtt;
	struct rng rng;
	u32 i;

	rng_seed(&rng, seed);
	for (i = 0; i < LOG; i++) {
		now += rng_pick(&rng, (struct range) { 1000, 100 * MS });
		rtt = rng_even(&rng, 10 * MS, 30 * MS) + (i / 4000) * 5 * MS;
		history[i].at = now;
		history[i].rtt = rtt;
		if (!i)
			codel_far_path_start(&path, now, rtt);
		excess = codel_far_path_sample(&path, now, rtt, 0, WINDOW);
		if (now < 3 * SEC)
			continue;
		if (codel_far_path_rtt(&path) < least_since(i + 1, now > 2 * WINDOW + SEC ? now - 2 * WINDOW - SEC : 0))
			return differs("too old a minimum", now, codel_far_path_rtt(&path), 0);
		if (now > 2 * WINDOW && codel_far_path_rtt(&path) > least_since(i + 1, now - WINDOW))
			return differs("no minimum", now, codel_far_path_rtt(&path),
				       least_since(i + 1, now - WINDOW));
		if (excess != rtt - codel_far_path_rtt(&path))
			return differs("excess", now, excess, rtt - codel_far_path_rtt(&path));
	}
	return true;
}

/* A flow begins while a queue of 30 ms stands, which others show. */
static bool test_begins_in_a_queue(uint64_t seed)
{
	struct codel_far_path path = {};
	u64 now = 5 * SEC;

	(void)seed;
	codel_far_path_start(&path, now, 70 * MS);
	codel_far_path_sample(&path, now, 70 * MS, 30 * MS, WINDOW);
	if (codel_far_path_rtt(&path) != 40 * MS)
		return differs("new flow", now, codel_far_path_rtt(&path), 40 * MS);
	/* the queue is 50 ms now, which the others show a little later */
	now += 10 * MS;
	codel_far_path_sample(&path, now, 90 * MS, 45 * MS, WINDOW);
	if (codel_far_path_rtt(&path) != 45 * MS)
		return differs("too low at first", now, codel_far_path_rtt(&path), 45 * MS);
	now += CODEL_FAR_PATH_YOUNG;
	codel_far_path_sample(&path, now, 90 * MS, 30 * MS, WINDOW);
	if (codel_far_path_rtt(&path) != 45 * MS)
		return differs("no longer young", now, codel_far_path_rtt(&path), 45 * MS);
	codel_far_path_sample(&path, now, 39 * MS, 0, WINDOW);
	if (codel_far_path_rtt(&path) != 39 * MS)
		return differs("a lower round trip", now, codel_far_path_rtt(&path), 39 * MS);
	return true;
}

static bool test_others_larger_than_the_round_trip(uint64_t seed)
{
	struct codel_far_path path = {};

	(void)seed;
	codel_far_path_start(&path, SEC, 20 * MS);
	return codel_far_path_sample(&path, SEC, 20 * MS, 300 * MS, WINDOW) == 20 * MS &&
	       codel_far_path_rtt(&path) == 0;
}

/* The least excess of two flows; one alone if the other is old; and that of another flow */
static bool test_least_excess(uint64_t seed)
{
	struct codel_far_excess e = {};
	u64 now = SEC;

	(void)seed;
	if (codel_far_excess_sample(&e, now, 1, 40 * MS, 10 * MS) != 10 * MS ||
	    codel_far_excess_sample(&e, now + MS, 1, 40 * MS, 30 * MS) != 30 * MS)
		return differs("alone", now, e.now, 30 * MS);
	if (codel_far_excess_others(&e, now + MS, 1))
		return differs("no other flow", now, codel_far_excess_others(&e, now + MS, 1), 0);
	if (codel_far_excess_others(&e, now + MS, 2) != 30 * MS)
		return differs("other flow", now, codel_far_excess_others(&e, now + MS, 2), 30 * MS);
	if (codel_far_excess_sample(&e, now + 2 * MS, 2, 40 * MS, 500 * MS) != 30 * MS)
		return differs("a late flow beside another", now, e.now, 30 * MS);
	if (codel_far_excess_sample(&e, now + 3 * MS, 1, 40 * MS, 25 * MS) != 25 * MS)
		return differs("the other again", now, e.now, 25 * MS);
	if (codel_far_excess_others(&e, now + 4 * MS, 1) != 500 * MS)
		return differs("others", now, codel_far_excess_others(&e, now + 4 * MS, 1), 500 * MS);
	now += CODEL_FAR_RECENT + 100 * MS;
	if (codel_far_excess_sample(&e, now, 1, 40 * MS, 600 * MS) != 600 * MS)
		return differs("alone again", now, e.now, 600 * MS);
	if (codel_far_excess_others(&e, now + CODEL_FAR_RECENT + 40 * MS, 2))
		return differs("long ago", now, 1, 0);
	return true;
}

static bool test_late_answers(uint64_t seed)
{
	struct codel_far_path path = {};
	u64 now = SEC;

	(void)seed;
	codel_far_path_start(&path, now, 40 * MS);
	codel_far_path_sample(&path, now, 40 * MS, 0, WINDOW);
	if (codel_far_late(&path, now + 3 * MS) != 3 * MS || codel_far_late(&path, now + SEC) != CODEL_FAR_LATE)
		return differs("late", now, codel_far_late(&path, now + 3 * MS), 3 * MS);
	return true;
}

static const struct test_case cases[] = {
	{ "the path is a windowed minimum of round trips", test_minimum },
	{ "a flow that begins in a queue does not take it for its path", test_begins_in_a_queue },
	{ "others with a delay above the round trip leave a path of 0", test_others_larger_than_the_round_trip },
	{ "the delay is the least excess of two flows", test_least_excess },
	{ "a single packet's answer may be late", test_late_answers },
};

const struct group path_group = { cases, ARRAY_SIZE(cases) };
