/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The invariants of the flow table and its scheduler. */
#ifndef FLOWS_INVARIANTS_H
#define FLOWS_INVARIANTS_H

#include "qdisc.h"

/* Of each flow, how many times new_flows and old_flows contain it */
static u8 places[FQ_CODEL_FLOWS_MAX];

static bool turns_are_right(const struct fq_codel_turns *turns)
{
	struct fq_codel_flow *flow = turns->first, *last = NULL;
	u32 n;

	must(!flow == !turns->len && turns->len <= fq_codel_table_size(table));
	for (n = 0; n < turns->len; n++) {
		u32 i = fq_codel_table_index(table, flow);

		must(i < fq_codel_table_size(table));
		must(!places[i]++);
		must(!fq_codel_is_idle(flow));
		last = flow;
		flow = fq_codel_table_flow(table, flow->turn_next);
	}
	must(!last || turns->last == last);
	return true;
}

static bool list_is_right(u32 list, u32 *members)
{
	const struct fq_codel_lists *lists = &table->drr.lists;
	u32 first = lists->first[list], i = first;

	if (!(lists->used & BIT(list)))
		return true;
	do {
		must(i < fq_codel_table_size(table));
		must(++*members <= fq_codel_table_size(table));
		must(lists->flows[i].list == list);
		must(lists->flows[lists->flows[i].list_next].list_prev == i);
		i = lists->flows[i].list_next;
	} while (i != first);
	return true;
}

static bool bucket_is_right(u32 bucket, u32 *hashed)
{
	u32 i = table->buckets[bucket];

	while (i != FQ_CODEL_NONE) {
		must(i < fq_codel_table_size(table) && ++*hashed <= table->count);
		must(fq_codel_table_flow(table, i)->flags & FQ_CODEL_HASHED);
		must(fq_codel_bucket(table, table->hashes[i]) == &table->buckets[bucket]);
		i = table->bucket_next[i];
	}
	return true;
}

static bool is_overflow(u32 i)
{
	return i >= table->overflow && table->count > 1;
}

/* The hash of a packet owns its flow, or no hash does: the flow is an overflow flow. */
static bool packet_is_right(const struct sk_buff *skb, u32 i)
{
	const struct fq_codel_flow *flow = fq_codel_table_flow(table, i);

	if (skb->source >= SOURCES || table->count == 1 || is_overflow(i))
		return true;
	must(flow->flags & FQ_CODEL_HASHED);
	must(table->hashes[i] == source_hash(skb->source));
	return true;
}

static bool idle_is_right(const struct fq_codel_flow *flow)
{
	must(!flow->queue.tail && !flow->queue.backlog);
	must(!flow->queue.vars.dropping && !flow->queue.vars.first_above_time);
	must(!fq_codel_is_ranked(flow));
	must(!(flow->flags & FQ_CODEL_WAITING));
	return true;
}

/* A flow that became recurring gets to its home list when it is idle again. */
static bool list_of_is_right(const struct fq_codel_flow *flow)
{
	bool recurring = flow->flags & FQ_CODEL_RECURRING;

	must(!(recurring && flow->flags & FQ_CODEL_OVERFLOW));
	if (fq_codel_is_ranked(flow) && flow->queue.tail)
		must(flow->list == fq_codel_size_class(flow));
	if (!fq_codel_is_ranked(flow)) {
		must(flow->list == fq_codel_home(flow) ||
		     (recurring && flow->list == FQ_CODEL_LIST_ONCE));
		must(flow->queue.backlog <= quantum || flow->queue.tail->next == flow->queue.tail);
	}
	return true;
}

static bool flow_is_right(u32 i, u64 *packets)
{
	const struct fq_codel_flow *flow = fq_codel_table_flow(table, i);
	const struct sk_buff *skb = flow->queue.tail;
	u32 bytes = 0;

	must(places[i] == !fq_codel_is_idle(flow));
	must(!is_overflow(i) ||
	     fq_codel_home(flow) + (flow->flags & FQ_CODEL_HASHED) == FQ_CODEL_OVERFLOW);
	must(list_of_is_right(flow));
	must(flow->deficit <= (s32)(table->drr.quantum << (is_overflow(i) ? 7 : 0)));
	must(!flow->share || is_overflow(i));
	must(!(flow->flags & FQ_CODEL_WAITING) || (places[i] && !skb));
	if (fq_codel_is_idle(flow))
		return idle_is_right(flow);
	if (!skb)
		return true;
	do {
		skb = skb->next;
		bytes += skb->len;
		++*packets;
		must(packet_is_right(skb, i));
	} while (skb != flow->queue.tail);
	must(bytes == flow->queue.backlog);
	return true;
}

static bool table_is_right(void)
{
	u32 members = 0, hashed = 0, owned = 0, waiting = 0, i;
	u64 packets = 0;

	must(table->overflow_mask < FQ_CODEL_OVERFLOW_MAX);
	memset(places, 0, sizeof(places));
	must(turns_are_right(&table->drr.new_flows));
	must(turns_are_right(&table->drr.old_flows));
	for (i = 0; i < FQ_CODEL_LISTS; i++)
		must(list_is_right(i, &members));
	for (i = 0; i < table->count; i++)
		must(bucket_is_right(i, &hashed));
	for (i = 0; i < fq_codel_table_size(table); i++) {
		must(flow_is_right(i, &packets));
		owned += !!(fq_codel_table_flow(table, i)->flags & FQ_CODEL_HASHED);
		waiting += !!(fq_codel_table_flow(table, i)->flags & FQ_CODEL_WAITING);
	}
	must(members == fq_codel_table_size(table));
	must(owned == hashed);
	must(waiting == table->drr.waiting && waiting <= FQ_CODEL_WAITING_MAX);
	must(packets == queued);
	return true;
}

#endif /* FLOWS_INVARIANTS_H */
