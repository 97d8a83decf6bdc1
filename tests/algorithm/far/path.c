// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <string.h>

#include "cases.h"
#include "far/codel_far_path.h"
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

/* The clocks of hosts, ns per tick: read within a tick once it has been measured, which takes half a second */
static bool test_clocks(uint64_t seed)
{
	static const u64 ticks[] = { 1000, 1000000, 4000000, 10000000 };
	struct rng rng;
	u32 i, n;

	rng_seed(&rng, seed);
	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		u64 origin = (u64)rng_even(&rng, 0, 1u << 31) * ticks[i], now = SEC, time;
		struct codel_far_clock clock = {};
		u32 resets = 0;

		for (n = 0; n < 20000; n++) {
			bool reset = false;

			now += rng_pick(&rng, (struct range) { 1000, 20 * MS });
			time = codel_far_clock_read(&clock, now, (origin + now) / ticks[i], 40 * MS, &reset);
			resets += reset;
			if (n && clock.tick && now < SEC + CODEL_FAR_CLOCK_CHECK)
				return differs("known too early", now, clock.tick, 0);
			if (now > 2 * SEC && (time + ticks[i] < now || time > now + ticks[i]))
				return differs("a clock", now, time, now);
		}
		if (resets != 1)
			return differs("resets", now, resets, 1);
	}
	return true;
}

/* A host that has 10 ms in place of 1 ms from now on; and one whose ticks are none of those known */
static bool test_other_clocks(uint64_t seed)
{
	struct codel_far_clock clock = {};
	u32 i, resets = 0;
	u64 now = SEC;

	(void)seed;
	for (i = 0; i < 400; i++, now += 20 * MS) {
		bool reset = false;
		u32 stamp = i < 200 ? now / MS : 5000 + (now - 5 * SEC) / (10 * MS);

		codel_far_clock_read(&clock, now, stamp, 40 * MS, &reset);
		resets += reset;
	}
	if (clock.tick != 10 * MS || resets != 2)
		return differs("another tick", now, clock.tick, 10 * MS);
	clock = (struct codel_far_clock) {};
	for (i = 0; i < 400; i++, now += 20 * MS) {
		bool reset = false;

		codel_far_clock_read(&clock, now, now / (100 * MS), 40 * MS, &reset);
		if (clock.tick || reset != !i)
			return differs("no known tick", now, clock.tick, 0);
	}
	return true;
}

/*
 * A queue fills and empties while the tick is measured: stamps come at a quarter of their rate, and then at four times. The
 * round trip tells it from a clock of another tick, and a tick that is known does not change.
 */
static bool test_clock_in_a_queue(uint64_t seed)
{
	static const u64 ticks[] = { 1000, 1000000, 4000000, 10000000 };
	u32 i, n;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		u64 now = 10 * SEC, queue = 0, origin = 1234567 * ticks[i];
		struct codel_far_clock clock = {};
		bool known = false;

		for (n = 0; n < 2000; n++) {
			bool reset = false;

			now += 2 * MS;
			queue = n % 1000 < 800 ? queue + 3 * MS / 2 : queue - codel_far_min(queue, 6 * MS);
			codel_far_clock_read(&clock, now, (origin + now - queue) / ticks[i], 40 * MS + queue, &reset);
			known |= clock.tick == ticks[i];
			if (clock.tick && clock.tick != ticks[i] && (known || clock.tick != CODEL_FAR_CLOCK_USUAL))
				return differs("a tick in a queue", now, clock.tick, ticks[i]);
		}
		if (clock.tick != ticks[i])
			return differs("the tick after it", now, clock.tick, ticks[i]);
	}
	return true;
}

/* The queue there is 10 ms, the one on the way back 0 to 60 ms. A clock that lies changes nothing for the worse. */
static bool test_way(uint64_t seed)
{
	struct codel_far_path path = {}, lies = {};
	u64 now = SEC, excess, back;
	struct rng rng;
	u32 i;

	rng_seed(&rng, seed);
	codel_far_path_start(&path, now, 40 * MS);
	codel_far_path_start(&lies, now, 40 * MS);
	path.clock.tick = lies.clock.tick = MS;
	for (i = 0; i < 20000; i++) {
		u64 queue = i % 100 ? 10 * MS : 0, rtt;

		now += rng_pick(&rng, (struct range) { 1000, 4 * MS });
		back = i % 100 ? rng_even(&rng, 0, 60 * MS) : 0;
		rtt = 40 * MS + queue + back;
		excess = codel_far_path_sample(&path, now, rtt, 0, WINDOW);
		excess = codel_far_path_way(&path, now, CODEL_FAR_CLOCK_ORIGIN + queue, 0, WINDOW, excess);
		if (excess != queue || path.beside != back)
			return differs("the far queue", now, excess, queue);
		excess = codel_far_path_sample(&lies, now, rtt, 0, WINDOW);
		if (codel_far_path_way(&lies, now, (u64)rng_even(&rng, 0, 1u << 31) << 33, 0, WINDOW, excess) > excess)
			return differs("a lie", now, excess, queue + back);
	}
	return true;
}

/* A time far below the first one is that of a tick that is not known yet: the round trip counts. */
static bool test_unlikely_way(uint64_t seed)
{
	struct codel_far_path path = {};
	u64 now = SEC, excess;

	(void)seed;
	codel_far_path_start(&path, now, 40 * MS);
	codel_far_path_way(&path, now, CODEL_FAR_CLOCK_ORIGIN, 0, WINDOW, 0);
	excess = codel_far_path_way(&path, now, CODEL_FAR_CLOCK_ORIGIN - 3 * MS, 0, WINDOW, 20 * MS);
	if (excess || path.beside != 20 * MS)
		return differs("a tick earlier", now, excess, 0);
	excess = codel_far_path_way(&path, now, CODEL_FAR_CLOCK_ORIGIN - 5 * MS, 0, WINDOW, 20 * MS);
	return excess == 20 * MS || differs("far earlier", now, excess, 20 * MS);
}

static const struct test_case cases[] = {
	{ "the path is a windowed minimum of round trips", test_minimum },
	{ "a flow that begins in a queue does not take it for its path", test_begins_in_a_queue },
	{ "others with a delay above the round trip leave a path of 0", test_others_larger_than_the_round_trip },
	{ "the delay is the least excess of two flows", test_least_excess },
	{ "a single packet's answer may be late", test_late_answers },
	{ "the ticks of other hosts are measured", test_clocks },
	{ "a tick that changes, and one that is not known", test_other_clocks },
	{ "a tick that is measured in a queue", test_clock_in_a_queue },
	{ "packets that wait on the way back are not the far queue", test_way },
	{ "a time far below the first one does not count", test_unlikely_way },
};

const struct group path_group = { cases, ARRAY_SIZE(cases) };
