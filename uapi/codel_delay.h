/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * The buckets of the histogram of sojourn times: eight to each power of two of
 * nanoseconds. The modules count in them; tc and codelstat read them.
 *
 * Up to 1,024 ns they are 64 ns wide. From 512 ns on, the width of a bucket is at most
 * 12.5% of its lower bound. The last bucket begins at 128.8 s and has no upper bound.
 */
#ifndef CODEL_DELAY_H
#define CODEL_DELAY_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/bitops.h>
#if BITS_PER_LONG == 64
#define codel_delay_log2(x)	__fls(x)
#else
#define codel_delay_log2(x)	(fls64(x) - 1UL)
#endif
#else
#define codel_delay_log2(x)	(63UL - (unsigned long)__builtin_clzll(x))
#endif

#define CODEL_DELAY_BUCKETS	232
#define CODEL_DELAY_SUB_SHIFT	3	/* buckets to a power of two: */
#define CODEL_DELAY_SUB		8U
#define CODEL_DELAY_MIN_SHIFT	9	/* narrower ones only from 512 ns on */
#define CODEL_DELAY_MAX_SHIFT	37

/**
 * codel_delay_bucket() - the bucket of a sojourn time
 * @ns: sojourn time
 *
 * The first four bits of a time between 2^k and 2^(k+1) are 8 to 15; add eight for each k.
 *
 * Return: number of the bucket, below CODEL_DELAY_BUCKETS.
 */
static inline unsigned long codel_delay_bucket(__u64 ns)
{
	unsigned long k;

	/* two comparisons: the first one needs no constant of 64 bits */
	if (__builtin_expect(ns > 0x7fffffff && ns >> CODEL_DELAY_MAX_SHIFT, 0))
		return CODEL_DELAY_BUCKETS - 1;
	k = codel_delay_log2(ns | (__u64)1 << CODEL_DELAY_MIN_SHIFT);
	/* k is below 64; the mask costs nothing and satisfies UBSAN */
	return (unsigned long)(ns << CODEL_DELAY_SUB_SHIFT >> (k & 63)) +
	       k * CODEL_DELAY_SUB - CODEL_DELAY_MIN_SHIFT * CODEL_DELAY_SUB;
}

/**
 * codel_delay_bound() - the lower bound of a bucket
 * @bucket: number of the bucket; CODEL_DELAY_BUCKETS returns 2^37 ns
 *
 * Return: the shortest sojourn time that it counts, ns.
 */
static inline __u64 codel_delay_bound(unsigned int bucket)
{
	unsigned int octave = bucket / CODEL_DELAY_SUB;

	octave -= octave > 0;
	return (__u64)(bucket - octave * CODEL_DELAY_SUB) <<
	       (octave + CODEL_DELAY_MIN_SHIFT - CODEL_DELAY_SUB_SHIFT);
}

#endif /* CODEL_DELAY_H */
