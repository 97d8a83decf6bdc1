/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Which flow a packet is for: the one that its priority selects, or that of its hash. What
 * filters select is known by its class.
 */
#ifndef FQ_CODEL_SELECT_H
#define FQ_CODEL_SELECT_H

#include <linux/if_arp.h>
#include <linux/jhash.h>

#include "fq_codel_sched.h"

/*
 * The hash of a packet that has no hash of its ports yet. The flow dissector reads little of
 * packets that are not IP: their Ethernet addresses distinguish them.
 */
static noinline u32 fq_codel_hash_other(struct sk_buff *skb)
{
	u32 hash = skb_get_hash(skb);

	if (skb->l4_hash)
		return hash;
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
	case htons(ETH_P_IPV6):
		return hash;
	}
	if (!skb_mac_header_was_set(skb) || skb->dev->type != ARPHRD_ETHER ||
	    skb_mac_header(skb) + 2 * ETH_ALEN > skb_tail_pointer(skb))
		return hash;
	return jhash(skb_mac_header(skb), 2 * ETH_ALEN, hash);
}

static __always_inline struct fq_codel_flow *fq_codel_hash(struct fq_codel_table *t,
							   struct sk_buff *skb)
{
	u32 hash = likely(skb->l4_hash) ? skb_get_hash_raw(skb) : fq_codel_hash_other(skb);

	return fq_codel_table_lookup(t, hash, skb);
}

/* Return whether packets may select the class. Classes are the flows, counted from 1; overflow
 * flows are classes for statistics only.
 */
static inline bool fq_codel_is_class(const struct fq_codel_table *t, u32 class)
{
	return class && class <= t->count;
}

/*
 * Return the flow that a packet's priority selects, or NULL. The priority has to name the
 * qdisc: with handle 0, which every default qdisc has, the priorities of ordinary sockets,
 * 0 to 6, would be classes. A sender sets the priority of its own packets, so nothing is
 * reserved: a hash that owns the flow keeps it.
 */
static inline struct fq_codel_flow *
fq_codel_by_priority(struct Qdisc *sch, struct fq_codel_table *t, u32 priority)
{
	u32 class = TC_H_MIN(priority);

	if (!TC_H_MAJ(priority) || TC_H_MAJ(priority) != sch->handle ||
	    !fq_codel_is_class(t, class))
		return NULL;
	return fq_codel_table_flow(t, class - 1);
}

/*
 * Return whether more than its hash may select the flow of a packet, or it is to be split. The
 * packet has a priority that may name the qdisc, or @select is not 0.
 */
static __always_inline bool fq_codel_is_selected(const struct fq_codel_sched *q,
						 const struct sk_buff *skb)
{
	return TC_H_MAJ(skb->priority) || q->select & FQ_CODEL_SELECT_FILTERS || skb_is_gso(skb);
}

/* Select the flow of a packet that moves to another flow table, without filters. */
static inline struct fq_codel_flow *
fq_codel_select(struct fq_codel_table *t, struct sk_buff *skb, void *sch)
{
	return fq_codel_by_priority(sch, t, skb->priority) ? : fq_codel_hash(t, skb);
}

#endif /* FQ_CODEL_SELECT_H */
