/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* As much of the kernel, and of codel_queue.h, as the pool of flows needs. */
#ifndef POOL_SHIM_H
#define POOL_SHIM_H

#include <linux/types.h>
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef __u16 u16;
typedef __s32 s32;
typedef __s64 s64;

#define U32_MAX			UINT32_MAX
#define S32_MIN			INT32_MIN
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define clamp(x, lo, hi)	min(max(x, lo), hi)
#define GFP_KERNEL		0
#define __aligned(n)		__attribute__((aligned(n)))

#include "codel.h"

struct sk_buff {
	struct sk_buff *next;
	u64 enqueue_time;
	u32 len;
	u32 source;
	u64 number;
};

struct codel_queue {
	struct sk_buff *tail;
	u64 backlog;
	struct codel_vars vars;
};

static u64 skbs_looked_at;

static inline struct sk_buff *codel_skb_cb(struct sk_buff *skb)
{
	skbs_looked_at++;
	return skb;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned int __fls(unsigned long x)
{
	return 63 - __builtin_clzl(x);
}

static inline unsigned int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
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

static inline u32 get_random_u32(void)
{
	return 0x2545f491;
}

static inline void *kvmalloc_array(size_t n, size_t size, int flags)
{
	(void)flags;
	return malloc(n * size);
}

static inline void *kzalloc(size_t size, int flags)
{
	(void)flags;
	return calloc(1, size);
}

static inline void kvfree(void *p)
{
	free(p);
}

static inline void kfree(void *p)
{
	free(p);
}

#endif /* POOL_SHIM_H */
