/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The numbers in a TCP segment that mark it, or that answer a mark: sequence numbers and time
 * stamps. IPv4 and IPv6, in VLANs and in PPPoE. Fragments and packets with IPv6 extension headers
 * are not read.
 */
#ifndef CODEL_FAR_PARSE_H
#define CODEL_FAR_PARSE_H

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/ppp_defs.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "codel_far_marks.h"

/* Bytes of a PPPoE header (RFC 2516), and with the PPP protocol that follows it */
#define CODEL_FAR_PPPOE		6
#define CODEL_FAR_PPPOE_PPP	8

/**
 * struct codel_far_segment - a TCP segment
 * @key: hash of addresses and ports, the same for both directions
 * @end: number after its data, and after its SYN
 * @edge: highest number that it acknowledges, alone or with all before it
 * @len: bytes of data
 * @stamp: its time stamp
 * @echo: the time stamp that it echoes
 * @syn: it begins a connection, or its answer
 * @acks: @edge is valid
 * @sacks: it acknowledges data after a hole
 * @stamped: @stamp and @echo are valid
 */
struct codel_far_segment {
	u32 key;
	u32 end;
	u32 edge;
	u32 len;
	u32 stamp;
	u32 echo;
	bool syn;
	bool acks;
	bool sacks;
	bool stamped;
};

/* Does it take sequence numbers, which are acknowledged? */
static inline bool codel_far_has_data(const struct codel_far_segment *seg)
{
	return seg->len || seg->syn;
}

/**
 * struct codel_far_network - where the TCP header is
 * @offset: of the TCP header, bytes
 * @end: of the packet at the network layer, bytes
 * @from: folded source address
 * @to: folded destination address
 */
struct codel_far_network {
	u32 offset;
	u32 end;
	u32 from;
	u32 to;
};

static inline u32 codel_far_be32(const u8 *p)
{
	return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static inline u32 codel_far_fold(const struct in6_addr *a)
{
	return (__force u32)(a->s6_addr32[0] ^ a->s6_addr32[1] ^ a->s6_addr32[2] ^ a->s6_addr32[3]);
}

static inline bool codel_far_parse_ipv4(const struct sk_buff *skb, u32 offset,
					struct codel_far_network *net)
{
	const struct iphdr *ip;
	struct iphdr copy;

	ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	if (!ip || ip->version != 4 || ip->ihl < 5 || ip->protocol != IPPROTO_TCP ||
	    ip_is_fragment(ip))
		return false;
	net->offset = offset + ip->ihl * 4;
	/* a super-packet of BIG TCP has no length */
	net->end = ip->tot_len ? offset + ntohs(ip->tot_len) : skb->len;
	net->from = (__force u32)ip->saddr;
	net->to = (__force u32)ip->daddr;
	return true;
}

static inline bool codel_far_parse_ipv6(const struct sk_buff *skb, u32 offset,
					struct codel_far_network *net)
{
	const struct ipv6hdr *ip;
	struct ipv6hdr copy;

	ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	if (!ip || ip->version != 6 || ip->nexthdr != IPPROTO_TCP)
		return false;
	net->offset = offset + sizeof(*ip);
	net->end = ip->payload_len ? net->offset + ntohs(ip->payload_len) : skb->len;
	net->from = codel_far_fold(&ip->saddr);
	net->to = codel_far_fold(&ip->daddr);
	return true;
}

/* Step into PPPoE. Return the Ethernet type of what is inside; 0 if it is not IP. */
static inline __be16 codel_far_parse_pppoe(const struct sk_buff *skb, u32 *offset)
{
	const __be16 *proto;
	__be16 copy;

	proto = skb_header_pointer(skb, *offset + CODEL_FAR_PPPOE, sizeof(copy), &copy);
	*offset += CODEL_FAR_PPPOE_PPP;
	if (!proto)
		return 0;
	switch (ntohs(*proto)) {
	case PPP_IP:
		return htons(ETH_P_IP);
	case PPP_IPV6:
		return htons(ETH_P_IPV6);
	}
	return 0;
}

/* The network header of a packet that comes in is behind one VLAN tag, and before a second one. */
static inline __be16 codel_far_parse_vlan(const struct sk_buff *skb, u32 *offset)
{
	const struct vlan_hdr *vlan;
	struct vlan_hdr copy;

	vlan = skb_header_pointer(skb, *offset, sizeof(copy), &copy);
	*offset += VLAN_HLEN;
	return vlan ? vlan->h_vlan_encapsulated_proto : 0;
}

static inline bool codel_far_parse_network(const struct sk_buff *skb, bool incoming,
					   struct codel_far_network *net)
{
	__be16 proto = incoming ? skb->protocol : skb_protocol(skb, true);
	u32 offset = skb_network_offset(skb);

	if (incoming && eth_type_vlan(proto))
		proto = codel_far_parse_vlan(skb, &offset);
	if (proto == htons(ETH_P_PPP_SES))
		proto = codel_far_parse_pppoe(skb, &offset);
	if (proto == htons(ETH_P_IP))
		return codel_far_parse_ipv4(skb, offset, net);
	if (proto == htons(ETH_P_IPV6))
		return codel_far_parse_ipv6(skb, offset, net);
	return false;
}

/* @block: pairs of numbers. @seg acknowledges the latest right edge. */
static inline void codel_far_parse_sack(struct codel_far_segment *seg, const u8 *block, u32 len)
{
	u32 i, right;

	for (i = 0; i + TCPOLEN_SACK_PERBLOCK <= len; i += TCPOLEN_SACK_PERBLOCK) {
		right = codel_far_be32(block + i + 4);
		seg->sacks = true;
		if (codel_far_is_after(right, seg->edge))
			seg->edge = right;
	}
}

static inline void codel_far_parse_option(struct codel_far_segment *seg, const u8 *opt, u32 size)
{
	if (*opt == TCPOPT_TIMESTAMP && size == TCPOLEN_TIMESTAMP) {
		seg->stamp = codel_far_be32(opt + 2);
		seg->echo = codel_far_be32(opt + 6);
		seg->stamped = true;
	} else if (*opt == TCPOPT_SACK && seg->acks) {
		codel_far_parse_sack(seg, opt + TCPOLEN_SACK_BASE, size - TCPOLEN_SACK_BASE);
	}
}

static inline void codel_far_parse_options(struct codel_far_segment *seg, const u8 *opt, u32 len)
{
	u32 size;

	for (; len > 1 && *opt != TCPOPT_EOL; opt += size, len -= size) {
		size = *opt == TCPOPT_NOP ? 1 : opt[1];
		if (size > len || (*opt != TCPOPT_NOP && size < 2))
			return;
		codel_far_parse_option(seg, opt, size);
	}
}

/**
 * codel_far_parse() - read a segment
 * @skb: a packet
 * @incoming: it comes in; otherwise it leaves
 * @answers: its key is that of the packets which it answers
 * @seed: of the hash
 * @seg: written
 *
 * Return: true if it is one, and all of its header is there.
 */
static inline bool codel_far_parse(const struct sk_buff *skb, bool incoming, bool answers, u32 seed,
				   struct codel_far_segment *seg)
{
	struct codel_far_network net;
	const struct tcphdr *tcp;
	u8 copy[60];
	u32 size;

	if (!codel_far_parse_network(skb, incoming, &net))
		return false;
	tcp = skb_header_pointer(skb, net.offset, sizeof(*tcp), copy);
	if (!tcp)
		return false;
	size = tcp->doff * 4;
	if (size < sizeof(*tcp) || net.offset + size > net.end)
		return false;
	seg->len = net.end - net.offset - size;
	seg->syn = tcp->syn;
	seg->end = ntohl(tcp->seq) + seg->syn + seg->len;
	seg->edge = ntohl(tcp->ack_seq);
	seg->acks = tcp->ack && !tcp->rst;
	seg->sacks = false;
	seg->stamped = false;
	if (answers)
		seg->key = jhash_3words(net.to, net.from, (__force u32)tcp->dest << 16 |
					(__force u32)tcp->source, seed);
	else
		seg->key = jhash_3words(net.from, net.to, (__force u32)tcp->source << 16 |
					(__force u32)tcp->dest, seed);
	if (size == sizeof(*tcp))
		return true;
	tcp = skb_header_pointer(skb, net.offset, size, copy);
	if (!tcp)
		return false;
	codel_far_parse_options(seg, (const u8 *)(tcp + 1), size - sizeof(*tcp));
	return true;
}

#endif /* CODEL_FAR_PARSE_H */
