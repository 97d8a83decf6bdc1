/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * ECN (RFC 3168): find the IP header of a packet at the qdisc, and mark it.
 *
 * A header in a fragment is moved to the linear part, and a header that is shared with a
 * clone is copied before it is marked, so that the clone keeps what it had. Both allocate
 * memory (GFP_ATOMIC), up to the length of the linear part, and are rare. A packet counts as
 * not ECN-capable, and CoDel drops it, only if there is no memory, or if the packet itself
 * is shared, as pktgen's clone_skb does.
 */
#ifndef CODEL_MARK_H
#define CODEL_MARK_H

#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/inet_ecn.h>

#define CODEL_MARK_MAX_TAGS	4	/* VLAN tags looked through */

/* Have the first @len bytes of a packet in its linear part. */
static inline bool codel_mark_linear(struct sk_buff *skb, int len)
{
	return len <= skb_headlen(skb) ||
	       (!skb_shared(skb) && pskb_may_pull(skb, len));
}

/*
 * Offset of the network header from skb->data, and its protocol, looking through
 * VLAN tags that are part of the packet. Behind tags skb_network_offset() cannot
 * be relied on: depending on who built the frame it points to the first tag or
 * to what follows the last.
 */
static inline int codel_mark_offset(struct sk_buff *skb, __be16 *proto)
{
	int offset = skb_network_offset(skb);
	int tags = 0;

	*proto = skb->protocol;
	if (!eth_type_vlan(*proto))
		return offset;
	if (skb->dev->type != ARPHRD_ETHER)
		return -1;
	for (offset = ETH_HLEN; eth_type_vlan(*proto); offset += VLAN_HLEN) {
		const struct vlan_hdr *tag;

		if (++tags > CODEL_MARK_MAX_TAGS ||
		    !codel_mark_linear(skb, offset + VLAN_HLEN))
			return -1;
		tag = (const struct vlan_hdr *)(skb->data + offset);
		*proto = tag->h_vlan_encapsulated_proto;
	}
	return offset;
}

/* The IPv4 or IPv6 header of a packet, NULL if it has none. @proto is its protocol. */
static inline void *codel_mark_header(struct sk_buff *skb, __be16 *proto)
{
	int offset = codel_mark_offset(skb, proto);
	int len = *proto == htons(ETH_P_IP) ? sizeof(struct iphdr) :
		  *proto == htons(ETH_P_IPV6) ? sizeof(struct ipv6hdr) : 0;

	if (!len || offset < 0 || !codel_mark_linear(skb, offset + len))
		return NULL;
	return skb->data + offset;
}

static inline u8 codel_mark_dsfield(const void *header, __be16 proto)
{
	return proto == htons(ETH_P_IP) ? ipv4_get_dsfield(header) :
					  ipv6_get_dsfield(header);
}

/**
 * codel_mark_matches() - does the packet's DS field match a selector?
 * @skb: packet at the qdisc
 * @selector: value that the masked DS field must have
 * @mask: bits that matter; 0 matches every packet
 *
 * Return: true if so; a packet that is not IP matches only a mask of 0.
 */
static inline bool codel_mark_matches(struct sk_buff *skb, u8 selector, u8 mask)
{
	__be16 proto;
	void *header;

	if (!mask)
		return true;
	header = codel_mark_header(skb, &proto);
	return header && (codel_mark_dsfield(header, proto) & mask) == selector;
}

/**
 * codel_mark() - set Congestion Experienced
 * @skb: packet at the qdisc
 *
 * Return: true if the packet leaves with CE set, false if it cannot carry it.
 */
static inline bool codel_mark(struct sk_buff *skb)
{
	__be16 proto;
	u8 *header = codel_mark_header(skb, &proto);
	int offset;

	if (!header || INET_ECN_is_not_ect(codel_mark_dsfield(header, proto)))
		return false;
	offset = header - skb->data;
	/* the bytes that a mark changes are among the first 20, in IPv6 too */
	if (skb_shared(skb) ||
	    skb_ensure_writable(skb, offset + sizeof(struct iphdr)))
		return false;
	header = skb->data + offset;
	if (proto == htons(ETH_P_IP))
		return IP_ECN_set_ce((struct iphdr *)header);
	return IP6_ECN_set_ce(skb, (struct ipv6hdr *)header);
}

#endif /* CODEL_MARK_H */
