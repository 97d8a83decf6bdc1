/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The calls of sch_fq_codel.c to the flow table, without CoDel, netlink and parents. */
#ifndef FLOWS_QDISC_H
#define FLOWS_QDISC_H

#include <stdio.h>

#include "fq_codel_table.h"
#include "rng.h"

#define SOURCES		65536
#define CLASSES		12	/* sources from SOURCES on select a flow by its number */
#define FILTERED	8	/* of these by a filter, the others by their priority */
#define QUANTUM		1514
#define INTERVAL	100	/* ns: as many random steps that queue a packet */

static struct fq_codel_table the_table, *const table = &the_table;
static struct rng rng;
static u64 now = 1, queued;
static u64 sent[SOURCES + CLASSES], seen[SOURCES + CLASSES], lost[SOURCES + CLASSES];
static u32 quantum = QUANTUM;
static u32 limit;	/* packets; 0: none */
static u64 interval = INTERVAL;	/* of CoDel */
static u32 signals;	/* CoDel signals this percentage of the packets that leave */
static bool one_by_one;	/* skip no round */

#define must(condition) do {						\
	if (!(condition)) {						\
		printf("# %s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
		return false;						\
	}								\
} while (0)

static u64 ktime_get_ns(void)
{
	return now;
}

static u32 source_hash(u32 source)
{
	return (source + 1) * 0x9e3779b1u;
}

/* A priority that names no flow is ignored. */
static struct fq_codel_flow *select_flow(struct fq_codel_table *t, struct sk_buff *skb,
					 void *arg)
{
	u32 class = skb->source - SOURCES;

	(void)arg;
	if (skb->source >= SOURCES + FILTERED && class < t->count)
		return fq_codel_table_flow(t, class);
	return fq_codel_table_lookup(t, source_hash(skb->source), skb);
}

static bool is_crowded(void)
{
	return limit && queued > limit / 2;
}

static struct fq_codel_flow *push_bytes(u32 source, u32 len)
{
	struct sk_buff *skb = calloc(1, sizeof(*skb));
	const struct codel_params params = { .interval = interval };
	struct fq_codel_flow *flow;
	bool empty, new;

	skb->source = source;
	skb->number = ++sent[source];
	skb->enqueue_time = now;
	skb->len = len;
	if (source >= SOURCES && source < SOURCES + FILTERED && source - SOURCES < table->count)
		flow = fq_codel_table_flow(table, source - SOURCES);
	else
		flow = select_flow(table, skb, NULL);
	empty = codel_queue_append(&flow->queue, skb);
	new = empty && fq_codel_drr_arrival(&table->drr, flow, &params);
	flow->queue.backlog += len;
	queued++;
	if (is_crowded() ||
	    (!new && (fq_codel_is_ranked(flow) || flow->queue.backlog > quantum)))
		fq_codel_rank(&table->drr.lists, flow);
	return flow;
}

static struct sk_buff *take_head(struct fq_codel_flow *flow)
{
	struct sk_buff *skb = codel_queue_pop(&flow->queue);

	flow->queue.backlog -= skb->len;
	queued--;
	fq_codel_shrunk(&table->drr.lists, flow);
	return skb;
}

/* Return whether no later packet of the source was dequeued before. */
static bool in_order(const struct sk_buff *skb)
{
	bool right = skb->number > seen[skb->source];

	seen[skb->source] = max(skb->number, seen[skb->source]);
	return right;
}

static struct fq_codel_flow *next_flow(void)
{
	struct fq_codel_flow *flow;
	enum fq_codel_turn turn;

	while (one_by_one) {
		struct fq_codel_turns *turns = table->drr.new_flows.first ?
			&table->drr.new_flows : &table->drr.old_flows;

		if (!turns->first || turns->first->deficit > 0)
			break;
		fq_codel_drr_rotate(&table->drr, turns, turns->first);
	}
	while ((turn = fq_codel_drr_next(&table->drr, &flow)) == FQ_CODEL_TURN_LEFT)
		fq_codel_table_go_idle(table, flow);
	return turn == FQ_CODEL_TURN_SEND ? flow : NULL;
}

/* Dequeue a packet, which the caller frees; NULL if none waits. */
static struct sk_buff *dequeue(void)
{
	struct fq_codel_flow *flow = next_flow();
	struct sk_buff *skb;

	if (!flow)
		return NULL;
	skb = take_head(flow);
	flow->deficit -= skb->len;
	if (signals && rng_percent(&rng, signals))
		flow->queue.vars.drop_next = now;
	return skb;
}

static bool dequeue_one(void)
{
	struct sk_buff *skb = dequeue();

	must(skb ? in_order(skb) : !queued);
	free(skb);
	return true;
}

/* Drop half of the bytes of a flow, @batch packets at most. */
static bool drop_from(struct fq_codel_flow *flow, u32 batch)
{
	u32 until = fq_codel_drop_until(flow, quantum), n = 0;

	do {
		struct sk_buff *skb = take_head(flow);

		lost[skb->source]++;
		must(in_order(skb));
		free(skb);
	} while (++n < batch && flow->queue.tail &&
		 flow->queue.backlog > until);
	return true;
}

/* Drop from the largest ranked flow, or from @own, which may be NULL, if that is as large. */
static bool drop_largest(struct fq_codel_flow *own, u32 batch)
{
	struct fq_codel_flow *flow = fq_codel_largest(&table->drr.lists);
	u32 i, largest = 0;

	must(!flow == !queued);
	if (!flow)
		return true;
	for (i = 0; i < fq_codel_table_size(table); i++)
		if (fq_codel_is_ranked(fq_codel_table_flow(table, i)))
			largest = max(largest, fq_codel_size(fq_codel_table_flow(table, i)));
	must(flow->queue.tail && (fq_codel_size(flow) >= largest / 2 ||
				  largest < BIT(FQ_CODEL_CLASS_SHIFT)));
	return drop_from(own ? fq_codel_drop_victim(&table->drr.lists, own) : flow, batch);
}

static bool drained(void)
{
	while (queued)
		must(dequeue_one());
	return true;
}

/* An empty table without any history */
static bool fresh(u32 count)
{
	must(drained());
	fq_codel_table_release(table);
	memset(sent, 0, sizeof(sent));
	memset(seen, 0, sizeof(seen));
	memset(lost, 0, sizeof(lost));
	*table = (struct fq_codel_table) { .drr.quantum = quantum };
	must(fq_codel_table_init(table, count));
	return true;
}

#endif /* FLOWS_QDISC_H */
