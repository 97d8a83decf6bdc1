/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CoDel a second time, after the pseudo-code of the paper and of RFC 8289,
 * section 5: a queue that drops as it is dequeued, with the clock as a signed
 * number and the square root as the mathematics library has it. It shares no
 * line with codel.h, so that an error would have to be made twice.
 *
 * The ceiling and the link are not in these documents. The model has them
 * after their descriptions in words, doc/ceiling.md.
 */
#ifndef MODEL_H
#define MODEL_H

#include "fifo.h"
#include "rng.h"

typedef long long model_ns;

/* the step that the model shall take where the exact one is not a whole ns */
typedef model_ns (*model_step_fn)(model_ns interval, unsigned long count);

/* common to the queues of one link */
struct model_link {
	model_ns last;		/* a packet left that was not below target */
	model_ns from;		/* packets were held from then */
	model_ns until;		/* until then */
};

/* of a dropping state, to see whether the queue stands */
struct model_watch {
	model_ns from;		/* of the interval to answer, or of the one after it */
	bool on;		/* it is the one after it */
	uint64_t bytes;		/* of the queue at @from */
};

/* for reports, and to see that every path was taken; figures_add() adds each member */
struct figures {
	unsigned long long patterns;
	unsigned long long steps;	/* arrivals, dequeues, changes */
	unsigned long long packets;
	unsigned long long delivered;	/* without a mark */
	unsigned long long drops;
	unsigned long long marks;
	unsigned long long overflows;
	unsigned long long early;	/* times that codel.h left earlier, see pair.c */
	unsigned long long entries;
	unsigned long long resumes;
	unsigned long long exits;
	unsigned long long emptied;	/* exits because nothing was left */
	unsigned long long bounded;
	unsigned long long over;	/* losses by chance */
	unsigned long long survived;	/* packets that chance did not drop */
	unsigned long long silent;	/* signals that were due and not given */
	unsigned long long held;	/* packets that the link held */
	unsigned long long first;	/* losses of a shared queue that is not known to stand */
	unsigned long long stood;	/* queues that stood for an interval */
	unsigned long long drained;	/* queues that became shorter in that interval */
	unsigned long long restarted;	/* intervals with a packet that was not late */
	unsigned long long rare;	/* queues that stand as their turns are rare */
	unsigned long long calmed;	/* queues that stood, and then for two intervals not */
	unsigned long long stopped;	/* the same because the ceiling was set to off */
	unsigned long long remained;	/* queues that were empty and stand */
	unsigned long long at_once;	/* entries without an interval above target */
};

void figures_add(struct figures *sum, const struct figures *part);

struct model {
	struct fifo queue;
	struct fates fates;	/* of the last dequeue */

	model_ns target;
	model_ns interval;
	model_ns ceiling;	/* 0: none */
	uint64_t maxpacket;	/* bytes */
	uint64_t elsewhere;	/* bytes in queues that share the link */
	unsigned int bound;	/* drops in one dequeue, 0: any number */
	model_step_fn step;
	struct model_link *link;
	bool turns;		/* with other queues of the link */
	struct rng rng;

	model_ns first_above_time;
	model_ns drop_next;
	unsigned long long count;
	unsigned long long lastcount;
	bool dropping;
	bool interrupted;	/* in the loop of drops, by a mark or the bound */
	bool ended;		/* as the packet after the first signal has shown */
	unsigned int chance;	/* of the next packet to be lost, in 255ths */
	bool stands;
	model_ns late;		/* a packet of a queue that stands had a chance */
	struct model_watch watch;

	struct figures figures;
};

/* interval / sqrt(count) */
long double model_exact_step(model_ns interval, unsigned long count);

/* a model_step_fn: the exact step to the nearest ns, 1 at least */
model_ns model_round_step(model_ns interval, unsigned long count);

/* sojourn time that is too long although the queue is not known to stand */
model_ns model_first_ceiling(const struct model *model);

/* @dropped packets at the head are lost because the queue was too long */
void model_overflow(struct model *model, unsigned int dropped);

/* dequeue a packet, if there is one; model->fates records dropped and marked ones */
void model_dequeue(struct model *model, model_ns now);

#endif /* MODEL_H */
