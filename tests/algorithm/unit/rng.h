/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Random numbers that are the same everywhere (xorshift64*). */
#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* both ends included */
struct range {
	uint64_t lo;
	uint64_t hi;
};

static inline uint64_t rng_next(struct rng *rng)
{
	rng->state ^= rng->state >> 12;
	rng->state ^= rng->state << 25;
	rng->state ^= rng->state >> 27;
	return rng->state * 0x2545f4914f6cdd1dULL;
}

static inline void rng_seed(struct rng *rng, uint64_t seed)
{
	rng->state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	rng_next(rng);
}

static inline uint32_t rng_u32(struct rng *rng)
{
	return rng_next(rng) >> 32;
}

/* evenly from @lo to @hi */
static inline uint64_t rng_even(struct rng *rng, uint64_t lo, uint64_t hi)
{
	return hi > lo ? lo + rng_next(rng) % (hi - lo + 1) : lo;
}

static inline bool rng_percent(struct rng *rng, unsigned int percent)
{
	return rng_next(rng) % 100 < percent;
}

/* each order of magnitude as likely as the others */
static inline uint64_t rng_pick(struct rng *rng, struct range range)
{
	int lo = 63 - __builtin_clzll(range.lo | 1);
	int hi = 63 - __builtin_clzll(range.hi | 1);
	uint64_t bit = 1ULL << rng_even(rng, lo, hi);
	uint64_t from = bit == 1 ? 0 : bit;
	uint64_t to = bit * 2 - 1;

	return rng_even(rng, from > range.lo ? from : range.lo,
			to < range.hi ? to : range.hi);
}

#endif /* RNG_H */
