// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The target and the interval of slow links. */
#include "cases.h"
#include "exact.h"
#include "ktap.h"
#include "rng.h"

#define LARGEST	(1ULL << 43)

struct by_hand {
	u64 rate;	/* bytes/s */
	u32 packet;
	u64 target;
	u64 interval;
	u64 slow_target;
	u64 slow_interval;
};

static const struct by_hand by_hand[] = {
	/* 1514 + 757 = 2271 bytes at 1 Mbit/s: 18.168 ms */
	{ 125000, 1514, 5 * MS, 100 * MS, 18168 * US, 113168 * US },
	/* 1515 + 757 = 2272 bytes: half a byte is left out */
	{ 125000, 1515, 5 * MS, 100 * MS, 18176 * US, 113176 * US },
	/* 64 kbit/s: 2271 / 8000 s */
	{ 8000, 1514, 5 * MS, 100 * MS, 283875 * US, 378875 * US },
	/* fast enough: 5 ms are 2271 bytes at 454200 bytes/s */
	{ 454200, 1514, 5 * MS, 100 * MS, 5 * MS, 100 * MS },
	{ 454201, 1514, 5 * MS, 100 * MS, 5 * MS, 100 * MS },
	/* a byte/s less: 5000011.008 ns */
	{ 454199, 1514, 5 * MS, 100 * MS, 5000011, 100000011 },
	{ 125000000, 1514, 5 * MS, 100 * MS, 5 * MS, 100 * MS },
	{ CODEL_RATE_MAX, 1514, 5 * MS, 100 * MS, 5 * MS, 100 * MS },
	/* the operator's target is long enough, or 0 */
	{ 125000, 1514, 18168 * US, 100 * MS, 18168 * US, 100 * MS },
	{ 125000, 1514, 18168 * US - 1, 100 * MS, 18168 * US, 100 * MS + 1 },
	{ 125000, 1514, 0, 100 * MS, 18168 * US, 118168 * US },
	{ CODEL_RATE_MAX, 0, 0, US, 0, US },
	/* 8 bit/s: a target of 2271 s */
	{ 1, 1514, 5 * MS, 100 * MS, 2271 * SEC, 2271 * SEC + 95 * MS },
	/* a target of 1572864 s is more than half of the longest interval, 2^43 ns */
	{ 1, 1 << 20, 5 * MS, 100 * MS, LARGEST / 2, LARGEST / 2 + 95 * MS },
	{ 1, 1 << 20, 0, LARGEST, LARGEST / 2, LARGEST },
	{ 1, 1 << 20, LARGEST / 2 - 5, LARGEST - 6, LARGEST / 2, LARGEST - 1 },
	{ 1, 1 << 20, LARGEST / 2 - 5, LARGEST - 4, LARGEST / 2, LARGEST },
	{ 1, 1 << 20, LARGEST / 2, LARGEST - 9, LARGEST / 2, LARGEST - 9 },
	{ 1, 1 << 20, LARGEST - 1, LARGEST, LARGEST - 1, LARGEST },
	/* the longest packet of which 1.5 are no more than CODEL_WIRE_MAX */
	{ 1, 22369621, 5 * MS, 100 * MS, LARGEST / 2, LARGEST / 2 + 95 * MS },
	{ CODEL_RATE_MAX, 22369621, 1, US, 268435, 269434 },
};

static bool is_target(const struct by_hand *hand)
{
	struct codel_params params = {
		.target = hand->target, .interval = hand->interval, .ceiling = 7
	};
	struct codel_pace pace;

	codel_pace_set(&pace, hand->rate);
	codel_slow_target(&params, &pace, hand->packet);
	if (params.target == hand->slow_target && params.interval == hand->slow_interval &&
	    params.ceiling == 7)
		return true;
	ktap_note("%u bytes at %llu bytes/s: target %llu interval %llu, not %llu and %llu",
		  hand->packet, (unsigned long long)hand->rate, (unsigned long long)params.target,
		  (unsigned long long)params.interval, (unsigned long long)hand->slow_target,
		  (unsigned long long)hand->slow_interval);
	return false;
}

static bool target_by_hand(uint64_t seed)
{
	bool good = true;
	unsigned int i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(by_hand); i++)
		good &= is_target(&by_hand[i]);
	return good;
}

/* Return whether @value is @right, or less by what the arithmetic cuts. */
static bool is_cut(u64 value, exact right)
{
	return value <= right && right - value <= right * 3 / 100000000 + 2;
}

static bool is_consistent(u64 rate, u32 packet, const struct codel_params *set)
{
	exact right = exact_time((exact)packet * 3 / 2, rate) / 256;
	struct codel_params params = *set;
	struct codel_pace pace;

	codel_pace_set(&pace, rate);
	codel_slow_target(&params, &pace, packet);
	if (params.target == set->target)
		return params.interval == set->interval &&
		       (is_cut(set->target, right) || set->target >= right ||
			set->target >= LARGEST / 2);
	if (params.target < set->target || params.interval < set->interval ||
	    !is_cut(params.target, right < LARGEST / 2 ? right : LARGEST / 2))
		return false;
	if (params.interval == LARGEST)
		return params.target - set->target >= LARGEST - set->interval;
	return params.interval < LARGEST &&
	       params.interval - set->interval == params.target - set->target;
}

static bool target_random(uint64_t seed)
{
	unsigned int i, longer = 0;
	struct rng rng;

	rng_seed(&rng, seed);
	for (i = 0; i < 100000; i++) {
		u64 interval = rng_pick(&rng, (struct range) { US, LARGEST });
		struct codel_params params = {
			.target = rng_pick(&rng, (struct range) { 0, interval }), .interval = interval
		};
		u64 rate = rng_pick(&rng, (struct range) { CODEL_RATE_MIN, CODEL_RATE_MAX });
		u32 packet = rng_pick(&rng, (struct range) { 0, 1 << 20 });

		if (!is_consistent(rate, packet, &params)) {
			ktap_note("%u bytes at %llu bytes/s, target %llu", packet,
				  (unsigned long long)rate, (unsigned long long)params.target);
			return false;
		}
		longer += exact_time(packet, rate) / 256 > params.target;
	}
	ktap_note("%u of %u targets were shorter than a packet", longer, i);
	return longer > i / 10 && longer < i - i / 10;
}

static const struct test_case cases[] = {
	{ "target: as computed by hand", target_by_hand },
	{ "target: 1.5 packets, at random rates and targets", target_random },
};

const struct group target_group = { cases, ARRAY_SIZE(cases) };
