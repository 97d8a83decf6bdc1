/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * codel.h under test and the model, side by side: the same packets, the same
 * clock, and after each dequeue a comparison of every packet's fate and of the
 * state.
 */
#ifndef PAIR_H
#define PAIR_H

#include "codel.h"
#include "model.h"

struct subject {
	struct fifo queue;
	struct fates fates;	/* of the last dequeue */
	struct codel_params params;
	struct codel_vars vars;
	struct codel_link *link;
	bool turns;		/* with other queues of the link */
	struct rng rng;
};

struct pair_link {
	struct codel_link subject;
	struct model_link model;
};

/* of the caller's, not of the algorithm */
struct limits {
	u64 mtu;		/* bytes that may wait without a signal */
	u64 elsewhere;		/* bytes in queues that share the link */
	unsigned int bound;	/* drops in one dequeue, 0: any number */
};

struct pair {
	struct subject subject;
	struct model model;
	struct limits limits;
	struct pair_link own;	/* unless it is shared */
	u64 next_id;

	u64 dequeues;
};

/* false: out of memory */
bool pair_alloc(struct pair *pair);
void pair_free(struct pair *pair);

/* fresh state and empty queues; the figures are kept */
void pair_reset(struct pair *pair);
void pair_set(struct pair *pair, u64 target, u64 interval);

/* CODEL_CEILING_OFF, as it is at first, or ns */
void pair_set_ceiling(struct pair *pair, u64 ceiling);

/* the queue takes turns with all that have the same @link */
void pair_share(struct pair *pair, struct pair_link *link);

/* as if the last dropping state had ended with this count */
void pair_set_count(struct pair *pair, u32 count, u32 lastcount);

void pair_enqueue(struct pair *pair, u64 now, u32 len, bool markable);

/* the queue is too long: this many packets at its head are lost */
void pair_overflow(struct pair *pair, u32 dropped);

/* if the two differ, print notes and return false */
bool pair_dequeue(struct pair *pair, u64 now);

#endif /* PAIR_H */
