// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A change of the rate while a packet is on the link. */
#include "cases.h"
#include "exact.h"
#include "ktap.h"
#include "rng.h"

#define NOW	(1000 * SEC)

struct by_hand {
	u64 from;	/* bytes/s */
	u64 to;
	u64 left;	/* ns until the link has sent what it was given */
	u64 left_then;
};

static const struct by_hand by_hand[] = {
	/* 8 bit/s to 8 Mbit/s: 1499 of 1500 bytes are left. And back */
	{ 1, 1000000, 1499 * SEC, 1499 * US },
	{ 1000000, 1, 1499 * US, 1499 * SEC },
	/* half a byte */
	{ 1, 1000000, SEC / 2, 500 },
	{ 1000000, 1, 500, SEC / 2 },
	/* 1514 bytes at 64 kbit/s to 20 Mbit/s, to 10 Gbit/s, and to 64.8 kbit/s */
	{ 8000, 2500000, 189250 * US, 605600 },
	{ 8000, 1250000000, 189250 * US, 1211 },
	{ 8000, 8100, 189250 * US, 186913580 },
	/* 64 bytes at 10 Gbit/s, of which 51 ns are left, to 1 Mbit/s: 63.75 bytes */
	{ 1250000000, 125000, 51, 510000 },
	/* from the slowest to the fastest: 2^20 bytes; and back, as 2^20 * 8 / 10^12 s */
	{ CODEL_RATE_MIN, CODEL_RATE_MAX, SEC << 20, 8388 },
	{ CODEL_RATE_MAX, CODEL_RATE_MIN, 8388, 1048500 * SEC },
	/* the same rate */
	{ 8000, 8000, 189250 * US, 189250 * US },
	/*
	 * A link that owes a second, or years, owes CODEL_WIRE_MAX, 2^25 bytes. They are
	 * 268435 ns at 10^12 bit/s, and those are 125 * 268435 bytes.
	 */
	{ CODEL_RATE_MAX, CODEL_RATE_MIN, SEC, 33554375 * SEC },
	{ 1250000, 125000, 100 * SEC, 268435456000 },
	{ CODEL_RATE_MAX, CODEL_RATE_MAX, 365 * 86400 * SEC, 268435 },
	{ CODEL_RATE_MIN, CODEL_RATE_MAX, 1ULL << 62, 268435 },
	/* 1 ns is the least */
	{ 8000, CODEL_RATE_MAX, 1, 0 },
};

/* Return whether @got is @right, but for the byte times that are cut, and a ns of each rate. */
static bool is_near(exact got, exact right, exact coarse)
{
	exact error = got > right ? got - right : right - got;

	return error <= right * 6 / 100000000 + coarse;
}

static u64 left_then(u64 from, u64 to, u64 left)
{
	struct codel_clock clock = { .next = NOW + left };

	codel_clock_change(&clock, NOW, from, to);
	return clock.next - NOW;
}

static bool change_by_hand(uint64_t seed)
{
	bool good = true;
	unsigned int i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(by_hand); i++) {
		const struct by_hand *hand = &by_hand[i];
		u64 got = left_then(hand->from, hand->to, hand->left);

		if (is_near(got, hand->left_then, 1))
			continue;
		ktap_note("from %llu to %llu bytes/s: %llu ns become %llu, not %llu",
			  (unsigned long long)hand->from, (unsigned long long)hand->to,
			  (unsigned long long)hand->left, (unsigned long long)got,
			  (unsigned long long)hand->left_then);
		good = false;
	}
	return good;
}

/* Any packet at any rate, anywhere on the link, to any other rate */
static bool change_random(uint64_t seed)
{
	const struct range rates = { CODEL_RATE_MIN, CODEL_RATE_MAX };
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed);
	for (i = 0; i < 100000; i++) {
		u64 from = rng_pick(&rng, rates), to = rng_pick(&rng, rates);
		u32 wire = rng_pick(&rng, (struct range) { 1, 1 << 24 });
		u64 left = rng_even(&rng, 0, exact_time(wire, from) / 256);
		u64 got = left_then(from, to, left);

		if (is_near(got, (exact)left * from / to, 1))
			continue;
		ktap_note("from %llu to %llu bytes/s: %llu ns become %llu",
			  (unsigned long long)from, (unsigned long long)to,
			  (unsigned long long)left, (unsigned long long)got);
		return false;
	}
	return true;
}

/* An idle link has nothing that could go on. */
static bool change_of_idle(uint64_t seed)
{
	struct codel_clock clock = {};

	(void)seed;
	codel_clock_change(&clock, NOW, CODEL_RATE_MAX, 1);
	if (clock.next || clock.late_max)
		return false;
	clock.next = NOW - SEC;
	codel_clock_change(&clock, NOW, CODEL_RATE_MAX, 1);
	if (clock.next != NOW - SEC)
		return false;
	clock.next = NOW;
	codel_clock_change(&clock, NOW, CODEL_RATE_MAX, 1);
	return clock.next == NOW && !clock.late_max;
}

/* Changes cost nothing and give nothing: a packet needs its bytes, whatever the rates. */
static bool change_often(uint64_t seed)
{
	struct codel_clock clock = { .next = NOW + 1500 * SEC / 8000 };
	u64 rate = 8000, left;
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed);
	for (i = 0; i <= 1000; i++) {
		u64 to = i == 1000 ? 8000 : rng_pick(&rng, (struct range) { 8000, 1250000 });

		codel_clock_change(&clock, NOW, rate, to);
		rate = to;
	}
	left = clock.next - NOW;
	ktap_note("after %u changes, %.4f of 1500 bytes are left", i, left * 8000.0 / SEC);
	return is_near(left * 8000 / US, 1500000000, 1400000);
}

/* A link that alternates between two rates 20 times a second sends at their mean. */
static bool change_under_load(uint64_t seed)
{
	static const u64 rates[] = { 8000, 9000 };
	struct codel_clock clock = { .next = NOW };
	struct codel_pace pace;
	exact bytes = 0, right;
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed);
	for (i = 0; i < 20000; i++) {
		u64 now = NOW + i * 50 * MS, until = now + 50 * MS;

		codel_pace_set(&pace, rates[i % 2]);
		if (i)
			codel_clock_change(&clock, now, rates[(i + 1) % 2], rates[i % 2]);
		while (clock.next < until) {
			u32 len = rng_even(&rng, 40, 1514);

			codel_clock_send(&clock, &pace, len, false);
			bytes += len;
		}
	}
	right = 8500 * 1000;
	ktap_note("%lld bytes in 1000 s, not %lld", (long long)bytes, (long long)right);
	return is_near(bytes, right, 1514);
}

static const struct test_case cases[] = {
	{ "change: as computed by hand", change_by_hand },
	{ "change: random rates, and what is left of a packet", change_random },
	{ "change: an idle link stays idle", change_of_idle },
	{ "change: 1000 changes at once keep what is left", change_often },
	{ "change: 20 changes in each second keep the rate", change_under_load },
};

const struct group change_group = { cases, ARRAY_SIZE(cases) };
