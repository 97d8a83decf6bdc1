/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The parts of the kernel and of codel_queue.h that the flow table and its scheduler need. */
#ifndef FLOWS_SHIM_H
#define FLOWS_SHIM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif

#include "../kernel.h"

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
