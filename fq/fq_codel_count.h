/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the record of a flow is told: packets that were sent, dropped or marked, and the
 * addresses and ports that name the flow, which one of its packets says.
 */
#ifndef FQ_CODEL_COUNT_H
#define FQ_CODEL_COUNT_H

#include <linux/skbuff.h>
#include <net/flow_dissector.h>

#include "fq_codel_table.h"

/**
 * fq_codel_tuple_read() - look at a packet
 * @tuple: written; the protocol of Ethernet alone, if that is all that is known
 * @skb: at the qdisc
 */
static inline void fq_codel_tuple_read(struct codel_tuple *tuple,
				       const struct sk_buff *skb)
{
	struct flow_keys keys;

	memset(tuple, 0, sizeof(*tuple));
	tuple->protocol = skb_protocol(skb, true);
	if (!skb_flow_dissect_flow_keys(skb, &keys, 0))
		return;
	tuple->ip_proto = keys.basic.ip_proto;
	tuple->sport = keys.ports.src;
	tuple->dport = keys.ports.dst;
	switch (keys.control.addr_type) {
	case FLOW_DISSECTOR_KEY_IPV4_ADDRS:
		tuple->protocol = htons(ETH_P_IP);
		memcpy(tuple->src, &keys.addrs.v4addrs.src, sizeof(__be32));
		memcpy(tuple->dst, &keys.addrs.v4addrs.dst, sizeof(__be32));
		break;
	case FLOW_DISSECTOR_KEY_IPV6_ADDRS:
		tuple->protocol = htons(ETH_P_IPV6);
		memcpy(tuple->src, &keys.addrs.v6addrs.src, sizeof(tuple->src));
		memcpy(tuple->dst, &keys.addrs.v6addrs.dst, sizeof(tuple->dst));
		break;
	}
}

/* Count drops and marks in the record of a flow. */
static noinline void fq_codel_count(struct fq_codel_table *t,
				    const struct fq_codel_flow *flow, u32 drops, u32 marks)
{
	struct codel_flow_stats *stats;

	if (!t->records)
		return;
	stats = &t->records[fq_codel_table_index(t, flow)].stats;
	stats->drops += drops;
	stats->marks += marks;
}

/* Read the addresses and ports of a packet into the record of its flow. */
static noinline void fq_codel_sample(struct fq_codel_record *record,
				     const struct sk_buff *skb)
{
	fq_codel_tuple_read(&record->stats.tuple, skb);
	record->until_sample = FQ_CODEL_SAMPLE_EVERY;
}

/* A packet of a flow is on its way out. */
static __always_inline void fq_codel_sent(struct fq_codel_table *t,
					  const struct fq_codel_flow *flow,
					  const struct sk_buff *skb)
{
	struct fq_codel_record *record;

	if (likely(!t->records))
		return;
	record = &t->records[fq_codel_table_index(t, flow)];
	if (unlikely(fq_codel_record_sent(record, qdisc_pkt_len(skb), flow->queue.ldelay)))
		fq_codel_sample(record, skb);
}

#endif /* FQ_CODEL_COUNT_H */
