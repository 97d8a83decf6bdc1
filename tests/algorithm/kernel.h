/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The types, macros and bit operations of the kernel that fq/ needs in user space. */
#ifndef ALGORITHM_KERNEL_H
#define ALGORITHM_KERNEL_H

#include <linux/types.h>
#include <assert.h>
#include <stdint.h>

#include "codel.h"

typedef __u16 u16;
typedef __s32 s32;
typedef __s64 s64;

#define U16_MAX			UINT16_MAX
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX
#define S32_MIN			INT32_MIN
#define BIT(n)			(1UL << (n))
#define noinline
#define likely(x)		(x)
#define unlikely(x)		(x)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define clamp(x, lo, hi)	min(max(x, lo), hi)
#define GFP_KERNEL		0

static inline unsigned int __fls(unsigned long x)
{
	return 63 - __builtin_clzl(x);
}

static inline unsigned int rounddown_pow_of_two(unsigned int n)
{
	return 1U << (31 - __builtin_clz(n));
}

static inline unsigned int roundup_pow_of_two(unsigned int n)
{
	return n == 1 ? 1 : 2U << (31 - __builtin_clz(n - 1));
}

static inline u32 reciprocal_scale(u32 value, u32 range)
{
	return (u64)value * range >> 32;
}

#endif /* ALGORITHM_KERNEL_H */
