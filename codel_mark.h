/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * ECN (RFC 3168): find the IP header of a packet at the qdisc, and mark it.
 *
 * A packet can be marked where that needs no memory and is seen by nobody else:
 * the header lies in the linear part and is not shared with a clone. Any other
 * packet counts as not ECN-capable, and CoDel drops it instead.
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

/*
 * Offset of the network header from skb->data, and its protocol, looking through
 * VLAN tags that are part of the packet. Behind tags skb_network_offset() cannot
 * be relied on: depending on who built the frame it points to the first tag or
 * to what follows the last.
 */
static inline int codel_mark_offset(const struct sk_buff *skb, __be16 *proto)
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
		    offset + VLAN_HLEN > skb_headlen(skb))
			return -1;
		tag = (const struct vlan_hdr *)(skb->data + offset);
		*proto = tag->h_vlan_encapsulated_proto;
	}
	return offset;
}

/*
 * The linear IPv4 or IPv6 header of a packet, NULL if it has none. @proto is
 * its protocol.
 */
static inline void *codel_mark_header(const struct sk_buff *skb, __be16 *proto)
{
	int offset = codel_mark_offset(skb, proto);
	int len = *proto == htons(ETH_P_IP) ? sizeof(struct iphdr) :
		  *proto == htons(ETH_P_IPV6) ? sizeof(struct ipv6hdr) : 0;

	if (!len || offset < 0 || offset + len > skb_headlen(skb))
		return NULL;
	return skb->data + offset;
}

/**
 * codel_mark_matches() - does the packet's DS field match a selector?
 * @skb: packet at the qdisc
 * @selector: value that the masked DS field must have
 * @mask: bits that matter; 0 matches every packet
 *
 * Return: true if so; a packet that is not IP matches only a mask of 0.
 */
static inline bool codel_mark_matches(const struct sk_buff *skb, u8 selector,
				      u8 mask)
{
	__be16 proto;
	void *header;

	if (!mask)
		return true;
	header = codel_mark_header(skb, &proto);
	if (!header)
		return false;
	if (proto == htons(ETH_P_IP))
		return (ipv4_get_dsfield(header) & mask) == selector;
	return (ipv6_get_dsfield(header) & mask) == selector;
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
	void *header = codel_mark_header(skb, &proto);

	if (!header || skb_shared(skb) || skb_header_cloned(skb))
		return false;
	if (proto == htons(ETH_P_IP))
		return IP_ECN_set_ce(header);
	return IP6_ECN_set_ce(skb, header);
}

#endif /* CODEL_MARK_H */
