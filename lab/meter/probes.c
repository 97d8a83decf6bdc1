// SPDX-License-Identifier: GPL-2.0
/*
 * The packets that wait, and the tracepoints that tell when they come and how they end.
 *
 * A packet is known by the address of its skb. Clones, as sniffers get them, have others.
 */
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <net/inet_ecn.h>
#include <net/ipv6.h>
#include <net/sch_generic.h>

#include "meter.h"

#define METER_BUCKET_BITS	16

/*
 * A super-packet may be cut into segments in the queue. They are new packets, but inherit its
 * mark, so that has the time of arrival, and whether there was a CE mark.
 */
#define METER_CUT	BIT(31)
#define METER_CUT_CE	BIT(30)
#define METER_CUT_TIME	(METER_CUT_CE - 1)
#define METER_CUT_SHIFT	6	/* the unit is 64 ns, and all of it 68 s */

/**
 * struct meter_packet - one that waits; or a free entry
 * @node: in its bucket, or among the free
 * @skb: which it is; never looked into by this address
 * @arrival: CLOCK_MONOTONIC, ns
 * @flow: its number
 * @length: bytes
 * @queue: where it waits
 * @ce: it had a CE mark on arrival
 */
struct meter_packet {
	struct hlist_node node;
	const struct sk_buff *skb;
	u64 arrival;
	u32 flow;
	u32 length;
	u8 queue;
	bool ce;
};

static struct meter_packet *meter_packets;
static struct hlist_head *meter_buckets;
static struct hlist_head meter_free;

static int meter_queue_of(const struct net_device *dev)
{
	unsigned int i, queues;

	/* Pairs with that in meter_add() */
	queues = smp_load_acquire(&meter.queues);
	for (i = 0; i < queues; i++)
		if (READ_ONCE(meter.devices[i]) == dev)
			return i;
	return -ENOENT;
}

static bool meter_is_ce(const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);
	int room = (int)skb_headlen(skb) - offset;

	if (offset < 0)
		return false;
	if (skb->protocol == htons(ETH_P_IP) && room >= (int)sizeof(struct iphdr))
		return INET_ECN_is_ce(ip_hdr(skb)->tos);
	if (skb->protocol == htons(ETH_P_IPV6) && room >= (int)sizeof(struct ipv6hdr))
		return INET_ECN_is_ce(ipv6_get_dsfield(ipv6_hdr(skb)));
	return false;
}

/* ---- packets that wait ---- */

static struct hlist_head *meter_bucket(const struct sk_buff *skb)
{
	return &meter_buckets[hash_ptr(skb, METER_BUCKET_BITS)];
}

static struct meter_packet *meter_packet_find(const struct sk_buff *skb)
{
	struct meter_packet *packet;

	hlist_for_each_entry(packet, meter_bucket(skb), node)
		if (packet->skb == skb)
			return packet;
	return NULL;
}

/* NULL if all entries are in use */
static struct meter_packet *meter_packet_new(const struct sk_buff *skb)
{
	struct meter_packet *packet;

	packet = hlist_entry_safe(meter_free.first, struct meter_packet, node);
	if (!packet)
		return NULL;
	hlist_del(&packet->node);
	hlist_add_head(&packet->node, meter_bucket(skb));
	packet->skb = skb;
	meter.waiting++;
	return packet;
}

static void meter_packet_end(struct meter_packet *packet)
{
	hlist_del(&packet->node);
	hlist_add_head(&packet->node, &meter_free);
	meter.waiting--;
}

static void meter_packet_log(const struct meter_packet *packet, enum meter_fate fate)
{
	u64 now = ktime_get_ns();

	meter_log_add(now, now - packet->arrival, packet->flow, packet->queue, fate,
		      packet->length);
}

static void meter_packet_sent(const struct meter_packet *packet, const struct sk_buff *skb)
{
	bool marked = !packet->ce && meter_is_ce(skb);

	meter_packet_log(packet, marked ? METER_MARKED : METER_SENT);
}

/* ---- super-packets ---- */

static u32 meter_cut_time(u64 time)
{
	return (time >> METER_CUT_SHIFT) & METER_CUT_TIME;
}

static u32 meter_cut_mark(const struct meter_packet *packet)
{
	return METER_CUT | (packet->ce ? METER_CUT_CE : 0) | meter_cut_time(packet->arrival);
}

/* Whether it is a segment of a packet that came to a queue */
static bool meter_segment_read(const struct sk_buff *skb, int queue,
			       struct meter_packet *segment)
{
	u64 now = ktime_get_ns();
	struct meter_flow flow;
	u32 waited;

	if (!(skb->mark & METER_CUT))
		return false;
	waited = meter_cut_time(now) - (skb->mark & METER_CUT_TIME);
	meter_flow_read(skb, &flow);
	*segment = (struct meter_packet) {
		.arrival = now - ((u64)(waited & METER_CUT_TIME) << METER_CUT_SHIFT),
		.flow = meter_flow_number(&flow),
		.length = skb->len,
		.queue = queue,
		.ce = skb->mark & METER_CUT_CE,
	};
	return true;
}

/* Bytes that the packet will have on the wire: each of its segments has headers */
static u32 meter_length(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? qdisc_pkt_len(skb) : skb->len;
}

/* ---- tracepoints: called with more arguments than some of these take ---- */

/* net_dev_queue. An address that is known: nothing told of that packet's end. */
static void meter_came(void *data, struct sk_buff *skb)
{
	int queue = meter_queue_of(skb->dev);
	struct meter_packet *packet;
	struct meter_flow flow;
	unsigned long flags;

	if (queue < 0)
		return;
	meter_flow_read(skb, &flow);
	spin_lock_irqsave(&meter.lock, flags);
	packet = meter_packet_find(skb);
	if (packet)
		meter.strange++;
	else
		packet = meter_packet_new(skb);
	if (packet) {
		packet->flow = meter_flow_number(&flow);
		packet->length = meter_length(skb);
		packet->queue = queue;
		packet->ce = meter_is_ce(skb);
		packet->arrival = ktime_get_ns();
		if (skb_is_gso(skb))
			skb->mark = meter_cut_mark(packet);
	} else {
		meter.crowded++;
	}
	spin_unlock_irqrestore(&meter.lock, flags);
}

/* net_dev_start_xmit */
static void meter_left(void *data, const struct sk_buff *skb, const struct net_device *dev)
{
	int queue = meter_queue_of(dev);
	struct meter_packet *packet, segment;
	unsigned long flags;

	if (queue < 0)
		return;
	spin_lock_irqsave(&meter.lock, flags);
	packet = meter_packet_find(skb);
	if (packet && packet->queue == queue) {
		meter_packet_sent(packet, skb);
		meter_packet_end(packet);
	} else if (meter_segment_read(skb, queue, &segment)) {
		meter_packet_sent(&segment, skb);
	} else {
		meter.unknown++;
	}
	spin_unlock_irqrestore(&meter.lock, flags);
	/* The tracepoint's const is a promise that the device does not make */
	if (skb->mark & METER_CUT)
		((struct sk_buff *)skb)->mark = 0;
}

/* Of any packet of the machine, few of which wait. A segment is never consumed before it leaves,
 * but a sniffer's clone of it is.
 */
static void meter_ended(const struct sk_buff *skb, bool consumed)
{
	bool cut = !consumed && skb->mark & METER_CUT;
	struct meter_packet *packet, segment;
	unsigned long flags;
	int queue;

	if (hlist_empty(meter_bucket(skb)) && !cut)
		return;
	queue = cut ? meter_queue_of(skb->dev) : -ENOENT;
	spin_lock_irqsave(&meter.lock, flags);
	packet = meter_packet_find(skb);
	if (packet && consumed && skb_is_gso(skb))
		meter.segmented++;
	else if (packet)
		meter_packet_log(packet, METER_DROPPED);
	else if (queue >= 0 && meter_segment_read(skb, queue, &segment))
		meter_packet_log(&segment, METER_DROPPED);
	if (packet)
		meter_packet_end(packet);
	spin_unlock_irqrestore(&meter.lock, flags);
}

/* kfree_skb */
static void meter_freed(void *data, struct sk_buff *skb)
{
	meter_ended(skb, false);
}

/* consume_skb: an action took it, cake's filter of acknowledgements; or it is several now */
static void meter_consumed(void *data, struct sk_buff *skb)
{
	meter_ended(skb, true);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *point;
} meter_probes[] = {
	{ "net_dev_queue", meter_came },
	{ "net_dev_start_xmit", meter_left },
	{ "kfree_skb", meter_freed },
	{ "consume_skb", meter_consumed },
};

static void meter_probe_find(struct tracepoint *point, void *data)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(meter_probes); i++)
		if (!strcmp(point->name, meter_probes[i].name))
			meter_probes[i].point = point;
}

static unsigned int meter_probes_on;	/* how many of them, from the first */

/* When this returns, none of them runs */
void meter_probes_stop(void)
{
	for (; meter_probes_on; meter_probes_on--)
		tracepoint_probe_unregister(meter_probes[meter_probes_on - 1].point,
					    meter_probes[meter_probes_on - 1].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int meter_probe_start(struct tracepoint *point, void *probe)
{
	return point ? tracepoint_probe_register(point, probe, NULL) : -ENOENT;
}

static int meter_probes_start(void)
{
	int i, err;

	for_each_kernel_tracepoint(meter_probe_find, NULL);
	for (i = 0; i < ARRAY_SIZE(meter_probes); i++) {
		err = meter_probe_start(meter_probes[i].point, meter_probes[i].probe);
		if (err) {
			pr_err("lab_meter: no tracepoint %s\n", meter_probes[i].name);
			return err;
		}
		meter_probes_on++;
	}
	return 0;
}

int meter_probes_init(unsigned int packets)
{
	unsigned int i;
	int err = -ENOMEM;

	meter_packets = vzalloc(array_size(packets, sizeof(*meter_packets)));
	meter_buckets = vzalloc(array_size(1 << METER_BUCKET_BITS, sizeof(*meter_buckets)));
	if (meter_packets && meter_buckets) {
		for (i = packets; i--;)
			hlist_add_head(&meter_packets[i].node, &meter_free);
		err = meter_probes_start();
	}
	if (err)
		meter_probes_exit();
	return err;
}

void meter_probes_exit(void)
{
	meter_probes_stop();
	vfree(meter_packets);
	vfree(meter_buckets);
}
