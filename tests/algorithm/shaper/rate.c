// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The time of a packet, and of many.
 *
 * A packet's time is cut, never rounded up: the link is as fast as its rate, or faster. The
 * byte's time is cut by less than 2^-32 ns, which at 10^12 bit/s is 3 in 10^8, and the packet's
 * by less than 1/256 ns.
 */
#include "cases.h"
#include "exact.h"
#include "ktap.h"
#include "rng.h"

#define PACKETS	1000000

/* Return whether this is @packets' time but for what is cut. */
static bool is_cut(exact got, exact bytes, u64 rate, u32 packets)
{
	exact right = exact_time(bytes, rate);

	return got <= right && right - got <= right * 3 / 100000000 + packets;
}

static bool is_time(u32 wire, u64 rate)
{
	struct codel_pace pace;
	u64 got;

	codel_pace_set(&pace, rate);
	got = codel_pace_time(&pace, wire);
	if (is_cut(got, wire, rate, 1))
		return true;
	ktap_note("%u bytes at %llu bytes/s: %llu/256 ns, not %llu", wire,
		  (unsigned long long)rate, (unsigned long long)got,
		  (unsigned long long)exact_time(wire, rate));
	return false;
}

static bool rate_of_packet(uint64_t seed)
{
	static const u32 wires[] = { 0, 1, 2, 64, 1514, 65536, 1 << 20, CODEL_WIRE_MAX };
	static const u64 rates[] = {
		CODEL_RATE_MIN, 2, 3, 7, 999, 8000, 1000000, 1ULL << 32, CODEL_RATE_MAX - 1, CODEL_RATE_MAX,
	};
	struct rng rng;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		for (k = 0; k < ARRAY_SIZE(wires); k++)
			if (!is_time(wires[k], rates[i]))
				return false;
	rng_seed(&rng, seed);
	for (i = 0; i < 200000; i++)
		if (!is_time(rng_pick(&rng, (struct range) { 0, CODEL_WIRE_MAX }),
			     rng_pick(&rng, (struct range) { CODEL_RATE_MIN, CODEL_RATE_MAX })))
			return false;
	return true;
}

/* 256 * 10^9, times a power of two, is a multiple of these rates: only the packet's time is cut. */
static bool rate_without_rest(uint64_t seed)
{
	static const u64 rates[] = { 1, 8000, 125000, 2500000, 125000000, 1000000000 };
	struct codel_pace pace;
	unsigned int i;
	u32 wire;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		codel_pace_set(&pace, rates[i]);
		for (wire = 0; wire < 70000; wire++) {
			if (codel_pace_time(&pace, wire) == exact_time(wire, rates[i]))
				continue;
			ktap_note("%u bytes at %llu bytes/s", wire, (unsigned long long)rates[i]);
			return false;
		}
	}
	return true;
}

/* bit/s, and the bytes of each packet, 0 for mixed ones */
struct load {
	const char *name;
	u64 rate;
	u32 len;
};

static const struct load mixed[] = {
	{ "8 bit/s", 8, 0 },
	{ "64 kbit/s", 64000, 0 },
	{ "1 Mbit/s", 1000000, 0 },
	{ "20 Mbit/s", 20000000, 0 },
	{ "1 Gbit/s", 1000000000, 0 },
	{ "10 Gbit/s", 10000000000, 0 },
	{ "100 Gbit/s", 100000000000, 0 },
	{ "1 Tbit/s", 1000000000000, 0 },
};

static const struct load small[] = {
	{ "10 Gbit/s, 64 bytes", 10000000000, 64 },
	{ "100 Gbit/s, 64 bytes", 100000000000, 64 },
	{ "1 Tbit/s, 64 bytes", 1000000000000, 64 },
};

static u32 mixed_length(struct rng *rng)
{
	if (rng_percent(rng, 40))
		return rng_even(rng, 64, 100);
	return rng_percent(rng, 80) ? 1514 : rng_even(rng, 64, 1514);
}

/* PACKETS without a pause: the clock's time is the exact one, within 0.1%. */
static bool is_rate(const struct load *load, uint64_t seed)
{
	struct codel_clock clock = {};
	exact bytes = 0, right, took;
	struct codel_pace pace;
	struct rng rng;
	u32 i;

	rng_seed(&rng, seed);
	codel_pace_set(&pace, load->rate / 8);
	for (i = 0; i < PACKETS; i++) {
		u32 len = load->len ? load->len : mixed_length(&rng);

		codel_clock_send(&clock, &pace, len, i == PACKETS - 1);
		bytes += len;
	}
	took = exact_now(&clock);
	right = exact_time(bytes, load->rate / 8);
	ktap_note("%s: short of the exact time by %.2g of it", load->name,
		  (double)(right - took) / right);
	return is_cut(took, bytes, load->rate / 8, PACKETS) && (right - took) * 1000 <= right;
}

static bool rate_mixed(uint64_t seed)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mixed); i++)
		good &= is_rate(&mixed[i], seed);
	return good;
}

static bool rate_small(uint64_t seed)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(small); i++)
		good &= is_rate(&small[i], seed);
	return good;
}

/* A packet that takes 5.12 ns leaves 5 or 6 ns after the last one: the fraction is kept. */
static bool rate_spacing(uint64_t seed)
{
	struct codel_clock clock = {};
	u64 last = 0, longer = 0;
	struct codel_pace pace;
	u32 i;

	(void)seed;
	codel_pace_set(&pace, 12500000000ULL);
	for (i = 0; i < 100000; i++) {
		codel_clock_send(&clock, &pace, 64, false);
		if (clock.next - last != 5 && clock.next - last != 6)
			return false;
		longer += clock.next - last == 6;
		last = clock.next;
	}
	ktap_note("%llu of %u packets take 6 ns", (unsigned long long)longer, i);
	return longer > 11500 && longer < 12500;
}

static const struct test_case cases[] = {
	{ "rate: a packet's time, at random rates and lengths", rate_of_packet },
	{ "rate: a packet's time, cut to 1/256 ns and no more", rate_without_rest },
	{ "rate: 10^6 mixed packets, 8 bit/s to 1 Tbit/s, within 0.1%", rate_mixed },
	{ "rate: 10^6 packets of 64 bytes, 10 Gbit/s to 1 Tbit/s, within 0.1%", rate_small },
	{ "rate: nanoseconds between packets of 64 bytes at 100 Gbit/s", rate_spacing },
};

const struct group rate_group = { cases, ARRAY_SIZE(cases) };
