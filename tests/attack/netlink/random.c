// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Numbers that follow from a seed: splitmix64 */
#include "attack.h"

static uint64_t state;

void random_seed(uint64_t seed)
{
	state = seed;
}

uint32_t random_u32(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z >> 32;
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
