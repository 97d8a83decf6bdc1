/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The parts of the kernel and of codel_queue.h that the flow table and its scheduler need. */
#ifndef FLOWS_SHIM_H
#define FLOWS_SHIM_H

#include <linux/types.h>
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __u16 u16;
typedef __s32 s32;
typedef __s64 s64;

#define U32_MAX			UINT32_MAX
#define S32_MIN			INT32_MIN
#define BIT(n)			(1UL << (n))
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#define noinline
#define likely(x)		(x)
#define unlikely(x)		(x)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define U16_MAX			UINT16_MAX
#define U64_MAX			UINT64_MAX
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define clamp(x, lo, hi)	min(max(x, lo), hi)
#define GFP_KERNEL		0

#include "codel.h"

struct sk_buff {
	struct sk_buff *next;
	u64 enqueue_time;
	u32 len;
	u32 source;
	u64 number;
};

static inline struct sk_buff *codel_skb_cb(const struct sk_buff *skb)
{
	return (struct sk_buff *)skb;
}

static u64 ktime_get_ns(void);

struct codel_queue {
	struct sk_buff *tail;
	u32 backlog;
	u32 ldelay;
	struct codel_vars vars;
};

static inline u32 qdisc_pkt_len(const struct sk_buff *skb)
{
	return skb->len;
}

static inline bool codel_queue_append(struct codel_queue *queue, struct sk_buff *skb)
{
	bool empty = !queue->tail;

	skb->next = queue->tail ? queue->tail->next : skb;
	if (queue->tail)
		queue->tail->next = skb;
	queue->tail = skb;
	return empty;
}

static inline struct sk_buff *codel_queue_pop(struct codel_queue *queue)
{
	struct sk_buff *skb = queue->tail->next;

	if (skb == queue->tail)
		queue->tail = NULL;
	else
		queue->tail->next = skb->next;
	return skb;
}

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

static inline u32 get_random_u32(void)
{
	return 0x2545f491;
}

static inline void *kvmalloc_array(size_t n, size_t size, int flags)
{
	(void)flags;
	return malloc(n * size);
}

static inline void *vmalloc_array(size_t n, size_t size)
{
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

static inline void vfree(void *p)
{
	free(p);
}

static inline void kfree(void *p)
{
	free(p);
}

#endif /* FLOWS_SHIM_H */
