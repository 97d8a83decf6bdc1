// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Numbers that follow from a seed */
#include "../../algorithm/unit/rng.h"
#include "attack.h"

static struct rng rng;

void random_seed(uint64_t seed)
{
	rng_seed(&rng, seed);
}

uint32_t random_u32(void)
{
	return rng_u32(&rng);
}

/* From 0 to @end - 1 */
uint32_t random_below(uint32_t end)
{
	return (uint64_t)random_u32() * end >> 32;
}

bool one_in(uint32_t n)
{
	return !random_below(n);
}
