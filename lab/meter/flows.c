// SPDX-License-Identifier: GPL-2.0
/*
 * Whose packet it is: each flow gets a number when its first packet comes.
 */
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/icmp.h>
#include <linux/ip.h>
#include <linux/vmalloc.h>
#include <net/ip.h>

#include "meter.h"

#define METER_FLOWS	65536
#define METER_SLOT_BITS	17	/* half of them are free */

static struct meter_flow *meter_flows;	/* by number */
static unsigned int meter_flows_used = 1;
static u32 *meter_slots;		/* by hash: a number; 0 is none */

static void *meter_header(const struct sk_buff *skb, int offset, int len)
{
	return offset + len <= (int)skb_headlen(skb) ? skb->data + offset : NULL;
}

static void meter_flow_ports(const struct sk_buff *skb, int offset, struct meter_flow *flow)
{
	const struct icmphdr *icmp;
	const __be16 *ports;

	switch (flow->proto) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		ports = meter_header(skb, offset, 2 * sizeof(*ports));
		if (ports) {
			flow->sport = ports[0];
			flow->dport = ports[1];
		}
		break;
	case IPPROTO_ICMP:
		icmp = meter_header(skb, offset, sizeof(*icmp));
		if (icmp && (icmp->type == ICMP_ECHO || icmp->type == ICMP_ECHOREPLY))
			flow->sport = icmp->un.echo.id;
		break;
	}
}

/**
 * meter_flow_read() - whose packet it is that goes to a device
 * @skb: its network header is known
 * @flow: is set; all zero unless the packet is IPv4
 */
void meter_flow_read(const struct sk_buff *skb, struct meter_flow *flow)
{
	int offset = skb_network_offset(skb);
	const struct iphdr *ip;

	memset(flow, 0, sizeof(*flow));
	if (skb->protocol != htons(ETH_P_IP) || offset < 0)
		return;
	ip = meter_header(skb, offset, sizeof(*ip));
	if (!ip)
		return;
	flow->saddr = ip->saddr;
	flow->daddr = ip->daddr;
	flow->proto = ip->protocol;
	if (!ip_is_fragment(ip))
		meter_flow_ports(skb, offset + ip->ihl * 4, flow);
}

/* A flow as two words */
struct meter_key {
	u64 addresses;
	u64 rest;
};

static const struct meter_key *meter_key(const struct meter_flow *flow)
{
	BUILD_BUG_ON(sizeof(struct meter_key) != sizeof(*flow));
	return (const struct meter_key *)flow;
}

static u32 meter_slot(const struct meter_key *key)
{
	return hash_64(key->addresses + key->rest * GOLDEN_RATIO_64, METER_SLOT_BITS);
}

static bool meter_same(const struct meter_key *a, const struct meter_key *b)
{
	return a->addresses == b->addresses && a->rest == b->rest;
}

/**
 * meter_flow_number() - the number of a flow, of a new one the next
 * @flow: what meter_flow_read() has found
 *
 * Return: 0 if there are too many.
 */
u32 meter_flow_number(const struct meter_flow *flow)
{
	const struct meter_key *key = meter_key(flow);
	u32 number, slot;

	if (!key->addresses && !key->rest)
		return 0;
	for (slot = meter_slot(key); (number = meter_slots[slot]) != 0;
	     slot = (slot + 1) % (1 << METER_SLOT_BITS))
		if (meter_same(meter_key(&meter_flows[number]), key))
			return number;
	if (meter_flows_used == METER_FLOWS)
		return 0;
	number = meter_flows_used++;
	meter_flows[number] = *flow;
	meter_slots[slot] = number;
	return number;
}

unsigned int meter_flows_count(void)
{
	return READ_ONCE(meter_flows_used);
}

static ssize_t meter_flows_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(to, count, pos, meter_flows,
				       meter_flows_count() * sizeof(*meter_flows));
}

const struct file_operations meter_flows_file = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = meter_flows_read,
	.llseek = default_llseek,
};

int meter_flows_init(void)
{
	meter_flows = vzalloc(array_size(METER_FLOWS, sizeof(*meter_flows)));
	meter_slots = vzalloc(array_size(1 << METER_SLOT_BITS, sizeof(*meter_slots)));
	if (meter_flows && meter_slots)
		return 0;
	meter_flows_exit();
	return -ENOMEM;
}

void meter_flows_exit(void)
{
	vfree(meter_flows);
	vfree(meter_slots);
}
