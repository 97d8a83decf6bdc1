// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Packets that are dropped after they have crossed the link. */
#include "cases.h"
#include "exact.h"
#include "ktap.h"
#include "rng.h"

#define RATE	1250000	/* 800 ns for a byte */
#define BYTE	800ULL
#define NOW	(100 * MS)

static struct codel_clock sent(struct codel_pace *pace, u32 wire)
{
	struct codel_clock clock = { .next = NOW };

	codel_pace_set(pace, RATE);
	codel_clock_send(&clock, pace, wire, false);
	return clock;
}

/* The packets that follow pay exactly for what was dropped. */
static bool drops_count(uint64_t seed)
{
	struct codel_pace pace;
	struct codel_clock clock = sent(&pace, 1500);

	(void)seed;
	codel_clock_drop(&clock, &pace, 100);
	codel_clock_drop(&clock, &pace, 2400);
	if (clock.next != NOW + 1500 * BYTE)
		return false;
	codel_clock_send(&clock, &pace, 1500, false);
	if (clock.next != NOW + 4500 * BYTE)
		return false;
	codel_clock_send(&clock, &pace, 1500, false);
	if (clock.next != NOW + 7000 * BYTE)
		return false;
	codel_clock_send(&clock, &pace, 1500, false);
	return clock.next == NOW + 8500 * BYTE;
}

/* However many are dropped, each packet takes twice its time at most. */
static bool drops_of_a_flood(uint64_t seed)
{
	struct codel_pace pace;
	struct codel_clock clock = sent(&pace, 1000);
	struct rng rng;
	u32 i, wire;
	u64 now;

	rng_seed(&rng, seed);
	for (i = 0; i < 1000; i++) {
		while (rng_next(&rng) % 50)
			codel_clock_drop(&clock, &pace, rng_pick(&rng, (struct range) { 64, 1500 }));
		now = clock.next;
		wire = rng_pick(&rng, (struct range) { 64, 1500 });
		codel_clock_send(&clock, &pace, wire, false);
		if (clock.next > now + 2 * wire * BYTE) {
			ktap_note("%u bytes: %llu ns", wire,
				  (unsigned long long)(clock.next - now));
			return false;
		}
	}
	return true;
}

/* When a flood ends, what is owed is paid in 100 ms of the link's time. */
static bool drops_end(uint64_t seed)
{
	struct codel_pace pace;
	struct codel_clock clock = sent(&pace, 1500);
	u64 begin, sent_bytes = 0;
	u32 i;

	(void)seed;
	for (i = 0; i < 100000; i++)
		codel_clock_drop(&clock, &pace, 1500);
	begin = clock.next;
	for (i = 0; i < 1000; i++) {
		codel_clock_send(&clock, &pace, 1500, false);
		sent_bytes += 1500;
	}
	return clock.next - begin == sent_bytes * BYTE + 100 * MS;
}

/* An idle time pays for what was dropped, and so does a standstill, but for the 10 ms that are regained. */
static bool drops_forgiven(uint64_t seed)
{
	struct codel_pace pace;
	struct codel_clock clock = sent(&pace, 1500);
	u64 now = clock.next;
	u32 i;

	(void)seed;
	for (i = 0; i < 100; i++)
		codel_clock_drop(&clock, &pace, 1500);
	if (!codel_clock_is_due(&clock, now + 9 * MS) || codel_clock_owed(&clock) != 100 * MS || clock.next != now)
		return false;
	if (!codel_clock_is_due(&clock, now + 30 * MS) || codel_clock_owed(&clock) != 80 * MS)
		return false;
	codel_clock_wait(&clock, false);
	now = clock.next;
	return codel_clock_is_due(&clock, now + 50 * MS) && codel_clock_owed(&clock) == 30 * MS &&
	       codel_clock_is_due(&clock, now + 200 * MS) && !codel_clock_owed(&clock) && clock.next == now + 200 * MS;
}

static const struct test_case cases[] = {
	{ "drops: the next packets pay for them", drops_count },
	{ "drops: a flood leaves half of the rate", drops_of_a_flood },
	{ "drops: the end of a flood", drops_end },
	{ "drops: an idle link forgives", drops_forgiven },
};

const struct group drops_group = { cases, ARRAY_SIZE(cases) };
