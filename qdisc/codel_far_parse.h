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
#include <linux/ppp_defs.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "codel_far_marks.h"

/* Bytes of a PPPoE header (RFC 2516), and with the PPP protocol that follows it */
#define CODEL_FAR_PPPOE		6
#define CODEL_FAR_PPPOE_PPP	8

/* Bytes of the longest headers: a VLAN tag, PPPoE, IPv4 and TCP with all options */
#define CODEL_FAR_HEADERS	(VLAN_HLEN + CODEL_FAR_PPPOE_PPP + 60 + 60)

/* What is ahead of a time stamp that is the only option (RFC 7323, appendix A) */
#define CODEL_FAR_STAMP_ALONE	(TCPOPT_NOP << 24 | TCPOPT_NOP << 16 | TCPOPT_TIMESTAMP << 8 | \
				 TCPOLEN_TIMESTAMP)

/**
 * struct codel_far_seed - random numbers of a qdisc, for the keys of its flows
 * @from: for the source address
 * @to: for the destination address
 * @ports: for both ports
 */
struct codel_far_seed {
	u64 from;
	u64 to;
	u64 ports;
};

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
 * struct codel_far_headers - the begin of a packet, from its network header on
 * @data: the bytes
 * @size: how many of them may be read
 * @len: of the packet, bytes
 * @proto: Ethernet type of what is at @data
 * @tagged: a VLAN tag may follow
 * @missing: bytes were to be read that are not there
 */
struct codel_far_headers {
	const u8 *data;
	u32 size;
	u32 len;
	__be16 proto;
	bool tagged;
	bool missing;
};

/**
 * struct codel_far_network - what a network header states
 * @size: its bytes
 * @len: bytes of the packet at the network layer
 * @from: folded source address
 * @to: folded destination address
 */
struct codel_far_network {
	u32 size;
	u32 len;
	u32 from;
	u32 to;
};

/*
 * Return @size bytes at @offset; NULL if they are not there. Whatever a packet states, each of the
 * two is 60 at most: the sum does not wrap.
 */
static inline const void *codel_far_at(struct codel_far_headers *h, u32 offset, u32 size)
{
	if (likely(offset + size <= h->size))
		return h->data + offset;
	h->missing = true;
	return NULL;
}

/* Step over a header of @size bytes, which have been read. */
static inline void codel_far_step(struct codel_far_headers *h, u32 size, __be16 proto)
{
	h->data += size;
	h->size -= size;
	h->len -= size;
	h->proto = proto;
}

static inline u32 codel_far_be32(const u8 *p)
{
	return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/*
 * The upper half of a sum of products with random numbers of 64 bits: two flows, chosen without
 * knowledge of these numbers, have the same key with a probability of 2^-31 at most. The last line
 * keeps that, and spreads the places of flows with consecutive ports.
 */
static inline u32 codel_far_key(const struct codel_far_seed *seed, u32 from, u32 to, u32 ports)
{
	u32 key = (seed->from * from + seed->to * to + seed->ports * ports) >> 32;

	return (key ^ key >> 16) * 0x9e3779b1U;
}

static inline u32 codel_far_fold(const struct in6_addr *a)
{
	return (__force u32)(a->s6_addr32[0] ^ a->s6_addr32[1] ^ a->s6_addr32[2] ^ a->s6_addr32[3]);
}

static inline bool codel_far_parse_ipv4(struct codel_far_headers *h, struct codel_far_network *net)
{
	const struct iphdr *ip = codel_far_at(h, 0, sizeof(*ip));

	if (!ip || ip->version != 4 || ip->ihl < 5 || ip->protocol != IPPROTO_TCP ||
	    ip_is_fragment(ip))
		return false;
	net->size = ip->ihl * 4;
	/* a super-packet of BIG TCP has no length */
	net->len = ip->tot_len ? ntohs(ip->tot_len) : h->len;
	net->from = (__force u32)ip->saddr;
	net->to = (__force u32)ip->daddr;
	return true;
}

static inline bool codel_far_parse_ipv6(struct codel_far_headers *h, struct codel_far_network *net)
{
	const struct ipv6hdr *ip = codel_far_at(h, 0, sizeof(*ip));

	if (!ip || ip->version != 6 || ip->nexthdr != IPPROTO_TCP)
		return false;
	net->size = sizeof(*ip);
	net->len = ip->payload_len ? net->size + ntohs(ip->payload_len) : h->len;
	net->from = codel_far_fold(&ip->saddr);
	net->to = codel_far_fold(&ip->daddr);
	return true;
}

/* The network header of a packet that comes in is behind one VLAN tag, and before a second one. */
static inline void codel_far_step_vlan(struct codel_far_headers *h)
{
	const struct vlan_hdr *vlan = codel_far_at(h, 0, sizeof(*vlan));

	if (vlan)
		codel_far_step(h, VLAN_HLEN, vlan->h_vlan_encapsulated_proto);
}

static inline void codel_far_step_pppoe(struct codel_far_headers *h)
{
	const __be16 *proto = codel_far_at(h, CODEL_FAR_PPPOE, sizeof(*proto));

	if (!proto)
		return;
	if (*proto == htons(PPP_IP))
		codel_far_step(h, CODEL_FAR_PPPOE_PPP, htons(ETH_P_IP));
	else if (*proto == htons(PPP_IPV6))
		codel_far_step(h, CODEL_FAR_PPPOE_PPP, htons(ETH_P_IPV6));
}

/* Step into VLAN and PPPoE. */
static inline void codel_far_step_inside(struct codel_far_headers *h)
{
	if (h->tagged && eth_type_vlan(h->proto))
		codel_far_step_vlan(h);
	if (h->proto == htons(ETH_P_PPP_SES))
		codel_far_step_pppoe(h);
}

static inline bool codel_far_is_ip(const struct codel_far_headers *h)
{
	return h->proto == htons(ETH_P_IP) || h->proto == htons(ETH_P_IPV6);
}

static __always_inline bool codel_far_parse_network(struct codel_far_headers *h,
						    struct codel_far_network *net)
{
	if (h->proto == htons(ETH_P_IP))
		return codel_far_parse_ipv4(h, net);
	return h->proto == htons(ETH_P_IPV6) && codel_far_parse_ipv6(h, net);
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

static __always_inline void codel_far_parse_stamp(struct codel_far_segment *seg, const u8 *stamps)
{
	seg->stamp = codel_far_be32(stamps);
	seg->echo = codel_far_be32(stamps + 4);
	seg->stamped = true;
}

static inline void codel_far_parse_option(struct codel_far_segment *seg, const u8 *opt, u32 size)
{
	if (*opt == TCPOPT_TIMESTAMP && size == TCPOLEN_TIMESTAMP)
		codel_far_parse_stamp(seg, opt + 2);
	else if (*opt == TCPOPT_SACK && seg->acks)
		codel_far_parse_sack(seg, opt + TCPOLEN_SACK_BASE, size - TCPOLEN_SACK_BASE);
}

static noinline void codel_far_parse_options(struct codel_far_segment *seg, const u8 *opt, u32 len)
{
	u32 size;

	for (; len > 1 && *opt != TCPOPT_EOL; opt += size, len -= size) {
		size = *opt == TCPOPT_NOP ? 1 : opt[1];
		if (size > len || (*opt != TCPOPT_NOP && size < 2))
			return;
		codel_far_parse_option(seg, opt, size);
	}
}

static __always_inline bool codel_far_parse_headers(struct codel_far_headers *h, bool answers,
						    const struct codel_far_seed *seed,
						    struct codel_far_segment *seg)
{
	struct codel_far_network net;
	const struct tcphdr *tcp;
	const u8 *options;
	u32 size;

	if (!codel_far_parse_network(h, &net))
		return false;
	tcp = codel_far_at(h, net.size, sizeof(*tcp));
	if (!tcp)
		return false;
	size = tcp->doff * 4;
	if (size < sizeof(*tcp) || net.size + size > net.len || !codel_far_at(h, net.size, size))
		return false;
	seg->len = net.len - net.size - size;
	seg->syn = tcp->syn;
	seg->end = ntohl(tcp->seq) + seg->syn + seg->len;
	seg->edge = ntohl(tcp->ack_seq);
	seg->acks = tcp->ack && !tcp->rst;
	seg->sacks = false;
	seg->stamped = false;
	if (answers)
		seg->key = codel_far_key(seed, net.to, net.from, (__force u32)tcp->dest << 16 |
					 (__force u32)tcp->source);
	else
		seg->key = codel_far_key(seed, net.from, net.to, (__force u32)tcp->source << 16 |
					 (__force u32)tcp->dest);
	options = (const u8 *)(tcp + 1);
	size -= sizeof(*tcp);
	if (likely(size == TCPOLEN_TSTAMP_ALIGNED &&
		   codel_far_be32(options) == CODEL_FAR_STAMP_ALONE))
		codel_far_parse_stamp(seg, options + 4);
	else
		codel_far_parse_options(seg, options, size);
	return true;
}

static inline struct codel_far_headers codel_far_headers(const struct sk_buff *skb, bool incoming)
{
	int offset = skb_network_offset(skb);

	return (struct codel_far_headers) {
		.data = skb->data + offset,
		.size = max_t(int, skb_headlen(skb) - offset, 0),
		.len = skb->len - offset,
		.proto = incoming ? skb->protocol : skb_protocol(skb, true),
		.tagged = incoming,
	};
}

/*
 * Read a segment in a VLAN or in PPPoE, or whose headers are not in one piece. Debian's kernels
 * clear @copy (CONFIG_INIT_STACK_ALL_ZERO): in codel_far_parse(), each packet would pay for that.
 */
static noinline bool codel_far_parse_unusual(const struct sk_buff *skb, bool incoming, bool answers,
					     const struct codel_far_seed *seed,
					     struct codel_far_segment *seg)
{
	struct codel_far_headers h = codel_far_headers(skb, incoming);
	u8 copy[CODEL_FAR_HEADERS] __aligned(4);

	if (skb_is_nonlinear(skb)) {
		h.size = min_t(u32, h.len, sizeof(copy));
		h.data = copy;
		if (skb_copy_bits(skb, skb_network_offset(skb), copy, h.size))
			return false;
	}
	codel_far_step_inside(&h);
	return codel_far_parse_headers(&h, answers, seed, seg);
}

/**
 * codel_far_parse() - read a segment
 * @skb: a packet
 * @incoming: it comes in; otherwise it leaves
 * @answers: its key is that of the packets which it answers
 * @seed: of the keys
 * @seg: written
 *
 * Return: true if it is one, and all of its header is there.
 */
static __always_inline bool codel_far_parse(const struct sk_buff *skb, bool incoming, bool answers,
					    const struct codel_far_seed *seed,
					    struct codel_far_segment *seg)
{
	struct codel_far_headers h = codel_far_headers(skb, incoming);

	if (likely(codel_far_is_ip(&h))) {
		if (likely(codel_far_parse_headers(&h, answers, seed, seg)))
			return true;
		if (!h.missing || !skb_is_nonlinear(skb))
			return false;
	}
	return codel_far_parse_unusual(skb, incoming, answers, seed, seg);
}

#endif /* CODEL_FAR_PARSE_H */
