/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* One flow of an FQ-CoDel. */
#ifndef FQ_CODEL_FLOW_H
#define FQ_CODEL_FLOW_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "codel_queue.h"

#define FQ_CODEL_HASHED		BIT(0)	/* @hash is valid, and in the buckets */
#define FQ_CODEL_ACTIVE		BIT(1)	/* in a line */
#define FQ_CODEL_OLD		BIT(2)	/* the line is that of the old flows */
#define FQ_CODEL_SHARED		BIT(3)	/* may hold packets of several hashes */
#define FQ_CODEL_CLASS		BIT(4)	/* filters use it: hashes may not */
#define FQ_CODEL_CAME		BIT(5)	/* was active before, for the same hash */
#define FQ_CODEL_DROPPING	BIT(6)	/* idle, and was in the dropping state */
#define FQ_CODEL_SPARED		BIT(7)	/* idle, and had bytes left as an old flow */
#define FQ_CODEL_LINGERS	BIT(7)	/* active: old, and had no packet when its turn ended */

/* What an idle flow leaves for its next packet */
#define FQ_CODEL_LEFT		(FQ_CODEL_CAME | FQ_CODEL_DROPPING | FQ_CODEL_SPARED)

#define fq_codel_ring		queue.vars.user[0]
#define fq_codel_flags		queue.vars.user[1]

/* While idle: the round in which it was last active. Otherwise, as codel_queue.h says. */
#define fq_codel_idle_round	queue.vars.user_time

/**
 * struct fq_codel_flow - a queue of the pool
 * @queue: packets and CoDel state, and in bytes that would be padding the ring
 *	(@fq_codel_ring) and flags (@fq_codel_flags)
 * @hash: whose queue it is
 * @deficit: bytes that it may still send in this turn
 * @turn_next: behind it in its line
 * @bucket_next: behind it in its bucket, itself if it is the last
 * @ring_prev: before it in its ring
 * @ring_next: behind it in its ring
 */
struct fq_codel_flow {
	struct codel_queue queue;
	u32 hash;
	s32 deficit;
	u16 turn_next;
	u16 bucket_next;
	u16 ring_prev;
	u16 ring_next;
} __aligned(8);		/* i386 aligns 64-bit members to 4 bytes */

static_assert(sizeof(struct fq_codel_flow) == 64);

#endif /* FQ_CODEL_FLOW_H */
