/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The name of a flow: what one of its packets says.
 */
#ifndef FQ_CODEL_TUPLE_H
#define FQ_CODEL_TUPLE_H

#include <linux/skbuff.h>
#include <net/flow_dissector.h>

#include "../uapi/codel_uapi.h"

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

#endif /* FQ_CODEL_TUPLE_H */
