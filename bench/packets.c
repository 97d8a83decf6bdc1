// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The packets: made before the figure begins, given back by whatever way they
 * leave the qdisc.
 *
 * Usually this module keeps a reference to each. Then a qdisc that frees a packet
 * inside the figure only decrements its count, by which this module finds the packet.
 * A qdisc that marks only packets without other references gets the only reference: a
 * packet that it frees is made again outside of the figure.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/mm.h>
#include <linux/udp.h>
#include <linux/vmalloc.h>

#include "bench.h"

#define BENCH_SOURCES	0x0a000000	/* 10.0.0.0 */
#define BENCH_SINKS	0x0b000000	/* 11.0.0.0 */
#define BENCH_SPARE	4		/* chunks that may be lost between two recyclings */

/* Mixes the bits of a number, one to one. */
static u32 bench_mix(u32 x)
{
	x = (x ^ (x >> 16)) * 0x85ebca6b;
	x = (x ^ (x >> 13)) * 0xc2b2ae35;
	return x ^ (x >> 16);
}

static int bench_flows_make(struct bench_run *run)
{
	u32 i;

	run->flows = kvcalloc(run->config.flows, sizeof(*run->flows),
			      GFP_KERNEL);
	if (!run->flows)
		return -ENOMEM;
	for (i = 0; i < run->config.flows; i++) {
		run->flows[i].saddr = htonl(BENCH_SOURCES + i);
		run->flows[i].daddr = htonl(BENCH_SINKS + i);
		run->flows[i].hash = run->config.hash ? bench_mix(i + 1) : 0;
		run->flows[i].len = i & 1 && run->config.short_size ?
				    run->config.short_size : run->config.size;
	}
	return 0;
}

/* A packet whose only reference was the qdisc's has been freed. */
static void bench_packet_freed(struct sk_buff *skb)
{
	struct sk_buff **slot = skb_shinfo(skb)->destructor_arg;

	*slot = NULL;
}

static void bench_packet_headers(struct sk_buff *skb, u32 size)
{
	struct iphdr *ip = (struct iphdr *)(skb->data + ETH_HLEN);
	struct udphdr *udp = (struct udphdr *)(ip + 1);

	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(*ip));
	eth_hdr(skb)->h_proto = htons(ETH_P_IP);
	ip->version = IPVERSION;
	ip->ihl = sizeof(*ip) / 4;
	ip->ttl = IPDEFTTL;
	ip->protocol = IPPROTO_UDP;
	ip->tot_len = htons(size - ETH_HLEN);
	udp->source = htons(1024);
	udp->dest = htons(9);
	udp->len = htons(size - ETH_HLEN - sizeof(*ip));
}

static int bench_packet_make(struct bench_run *run, u32 at)
{
	u32 size = run->config.size;
	struct sk_buff *skb;

	skb = alloc_skb(size, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	skb_put_zero(skb, size);
	skb->protocol = htons(ETH_P_IP);
	bench_packet_headers(skb, size);
	if (run->config.shared) {
		skb_get(skb);
	} else {
		skb_shinfo(skb)->destructor_arg = &run->packets.all[at];
		skb->destructor = bench_packet_freed;
	}
	run->packets.all[at] = skb;
	run->packets.free[run->packets.nfree++] = skb;
	return 0;
}

/**
 * bench_packets_make() - the packets and flows of a run
 * @run: with its configuration
 *
 * Return: 0 or -ENOMEM, then bench_packets_destroy() is due all the same.
 */
int bench_packets_make(struct bench_run *run)
{
	const struct bench_config *config = &run->config;
	struct bench_packets *packets = &run->packets;
	u32 i;

	packets->count = config->fill + config->burst + 1 +
			 BENCH_SPARE * config->chunk;
	packets->all = kvcalloc(packets->count, sizeof(*packets->all),
				GFP_KERNEL);
	packets->free = kvcalloc(packets->count, sizeof(*packets->free),
				 GFP_KERNEL);
	if (!packets->all || !packets->free)
		return -ENOMEM;
	for (i = 0; i < packets->count; i++)
		if (bench_packet_make(run, i))
			return -ENOMEM;
	return bench_flows_make(run);
}

/* Find the packets that the qdisc has freed, without telling. */
int bench_packets_recycle(struct bench_run *run)
{
	struct bench_packets *packets = &run->packets;
	u32 i;

	for (i = 0; i < packets->count; i++) {
		struct sk_buff *skb = packets->all[i];

		if (!skb) {
			if (bench_packet_make(run, i))
				return -ENOMEM;
		} else if (run->config.shared && !skb_shared(skb)) {
			packets->free[packets->nfree++] = skb_get(skb);
		}
	}
	return 0;
}

/* Put the reference that a qdisc would have of a packet; it has none of these. */
void bench_packets_put_free(struct bench_run *run)
{
	while (run->packets.nfree)
		kfree_skb(run->packets.free[--run->packets.nfree]);
}

/* Free everything; the qdisc and the core have let go of all packets. */
void bench_packets_destroy(struct bench_run *run)
{
	u32 i;

	for (i = 0; run->packets.all && i < run->packets.count; i++)
		kfree_skb(run->packets.all[i]);
	kvfree(run->packets.all);
	kvfree(run->packets.free);
	kvfree(run->flows);
}
