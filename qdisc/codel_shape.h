/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A shaper as part of a qdisc: when a packet may leave, and what it costs. The arithmetic is in
 * codel_shaper.h. A qdisc without an option of the shaper calls nothing of this.
 */
#ifndef CODEL_SHAPE_H
#define CODEL_SHAPE_H

#include <linux/sctp.h>
#include <linux/sizes.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/pkt_sched.h>

#include "codel_far_state.h"
#include "codel_queue.h"

/* A size table can make a packet any length, but none costs more than this many bytes. */
#define CODEL_SHAPE_LEN_MAX	SZ_1M

static inline void codel_shape_start(struct codel_clock *clock)
{
	*clock = (struct codel_clock) {};
}

/*
 * Put the times in force that suit the rate and the MTU of the device. A ceiling that the target
 * of a slow link reaches gives way to the default, which follows target and interval.
 */
static inline void codel_shape_set_times(struct codel_config *config,
					 const struct net_device *dev)
{
	const struct codel_shape *shape = &config->shape;
	struct codel_params *params = &config->params;
	u32 packet = codel_device_mtu(dev);
	struct codel_pace pace;

	config->mtu = packet;
	if (shape->has_overhead)
		packet -= min_t(u32, packet, dev->hard_header_len);
	config->packet = codel_wire_length(&shape->framing, packet);
	params->target = config->target;
	params->interval = config->interval;
	if (shape->rate) {
		codel_pace_set(&pace, shape->rate);
		codel_slow_target(params, &pace, config->packet);
	}
	params->ceiling = config->ceiling > params->target ? config->ceiling :
			  codel_default_ceiling(params);
	/* a dump has 32 bits, and a change accepts every value of a dump */
	if (params->ceiling > U32_MAX * CODEL_NSEC_PER_USEC)
		params->ceiling = CODEL_CEILING_OFF;
}

/* Prepare the watchdog, before anything of init can fail. */
static inline void codel_shape_init(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	qdisc_watchdog_init(&c->watchdog, sch);
	codel_shape_start(&c->clock);
}

/* Forget what the link is sending. */
static inline void codel_shape_reset(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	qdisc_watchdog_cancel(&c->watchdog);
	codel_shape_start(&c->clock);
}

/* Bytes before the network layer header, which a framing with an overhead does not count */
static inline u32 codel_shape_offset(const struct sk_buff *skb)
{
	u32 offset = skb_network_offset(skb);

	return offset <= skb->len ? offset : 0;
}

/* Bytes of the headers that each segment of a super-packet has */
static inline u32 codel_shape_headers(const struct sk_buff *skb)
{
	bool inner = skb->encapsulation;
	u32 type = skb_shinfo(skb)->gso_type;
	const struct tcphdr *tcp;
	struct tcphdr header;
	u32 len;

	if (!inner && !skb_transport_header_was_set(skb))
		return 0;
	len = inner ? skb_inner_transport_offset(skb) : skb_transport_offset(skb);
	if (type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) {
		tcp = skb_header_pointer(skb, len, sizeof(header), &header);
		len += tcp ? __tcp_hdrlen(tcp) : 0;
	} else if (type & SKB_GSO_UDP_L4) {
		len += sizeof(struct udphdr);
	} else if (type & SKB_GSO_SCTP) {
		len += sizeof(struct sctphdr);
	}
	return len < skb->len ? len : 0;
}

/* The segments of SCTP are the fragments, of any length. */
static inline u64 codel_shape_wire_frags(const struct codel_shape *shape,
					 const struct sk_buff *skb, u32 headers)
{
	const struct sk_buff *frag;
	u64 wire = 0;

	skb_walk_frags(skb, frag)
		wire += codel_wire_length(&shape->framing, headers + frag->len);
	return wire;
}

/* The length of a super-packet on the wire: of all its segments. The last one may be shorter. */
static noinline u32 codel_shape_wire_gso(const struct codel_shape *shape,
					 const struct sk_buff *skb)
{
	u32 offset = shape->has_overhead ? codel_shape_offset(skb) : 0;
	u32 headers = codel_shape_headers(skb);
	u32 size = skb_shinfo(skb)->gso_size;
	u32 full = (skb->len - headers - 1) / size;
	u32 last = skb->len - full * size;
	u64 wire;

	if (size == GSO_BY_FRAGS)
		wire = codel_shape_wire_frags(shape, skb, headers - offset);
	else
		wire = (u64)full * codel_wire_length(&shape->framing, size + headers - offset) +
		       codel_wire_length(&shape->framing, last - offset);
	return min_t(u64, wire, CODEL_WIRE_MAX);
}

/**
 * codel_shape_wire() - the length of a packet on the wire
 * @shape: the options
 * @skb: the packet
 *
 * Without an overhead, a packet has the length that the core counts, with its link layer header
 * and the size table.
 *
 * Return: bytes.
 */
static inline u32 codel_shape_wire(const struct codel_shape *shape, const struct sk_buff *skb)
{
	u32 len;

	if (unlikely(codel_compat_segs(skb) != 1) && skb_is_gso(skb))
		return codel_shape_wire_gso(shape, skb);
	len = min_t(u32, qdisc_pkt_len(skb), CODEL_SHAPE_LEN_MAX);
	if (likely(!shape->framed))
		return len;
	if (shape->has_overhead)
		len = skb->len - codel_shape_offset(skb);
	return codel_wire_length(&shape->framing, len);
}

/* A packet waits for the link, and CoDel's times follow the MTU that the device has now. */
static inline void codel_shape_follow_mtu(struct Qdisc *sch)
{
	struct codel_config *config = &codel_qdisc(sch)->config;

	if (unlikely(config->mtu != codel_device_mtu(qdisc_dev(sch))))
		codel_shape_set_times(config, qdisc_dev(sch));
}

/**
 * codel_shape_is_due() - may a packet leave?
 * @sch: the qdisc
 * @now: of this dequeue, ns
 *
 * Return: true if so. Otherwise, if a packet waits, the qdisc is asked again when it may.
 */
static inline bool codel_shape_is_due(struct Qdisc *sch, u64 now)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	if (likely(codel_clock_is_due(&c->clock, now)))
		return true;
	if (sch->q.qlen) {
		codel_shape_follow_mtu(sch);
		codel_clock_wait(&c->clock, true);
		qdisc_qstats_overlimit(sch);
		qdisc_watchdog_schedule_ns(&c->watchdog, c->clock.next);
	}
	return false;
}

/* A packet of @wire bytes has been taken from its queue to be sent. */
static inline void codel_shape_sent(struct Qdisc *sch, u32 wire)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	codel_clock_send(&c->clock, &c->pace, wire, !sch->q.qlen);
	c->stats.wire_bytes += wire;
}

static noinline void codel_shape_crossed(struct Qdisc *sch, const struct sk_buff *skb, bool signal)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	u32 wire = codel_shape_wire(&c->config.shape, skb);

	codel_clock_drop(&c->clock, &c->pace, signal ? wire : wire / 2);
}

/*
 * A packet is dropped, which may have crossed the link. CoDel's @signal slows its sender down. Of
 * packets that the ceiling or a limit drops, a half counts: with all of it, senders that do not
 * slow down and send a tenth too much would take half of the rate.
 */
static inline void codel_shape_dropped(struct Qdisc *sch, const struct sk_buff *skb, bool signal)
{
	if (unlikely(codel_qdisc(sch)->config.shape.ingress))
		codel_shape_crossed(sch, skb, signal);
}

/**
 * codel_shape_share() - CoDel's times for a flow among others, with ingress
 * @sch: the qdisc; its queues take turns
 * @params: for a flow alone; out: for each of the flows that send as much as they can
 *
 * A packet that is dropped has crossed the link in vain, so a flow should lose none that it needs.
 * A share of the link is a slow link: see codel_slow_target().
 */
static inline void codel_shape_share(struct Qdisc *sch, struct codel_params *params)
{
	const struct codel_qdisc *c = codel_qdisc(sch);
	u64 round = (u64)*c->bulk_flows * c->config.packet;

	codel_slow_target(params, &c->pace, min_t(u64, round, CODEL_WIRE_MAX / 3 * 2));
	if (c->config.ceiling <= params->target)
		params->ceiling = codel_default_ceiling(params);
}

/* Nothing waits, whether the last packet was sent or dropped. */
static inline void codel_shape_idle(struct Qdisc *sch)
{
	codel_clock_wait(&codel_qdisc(sch)->clock, false);
}

/* Return whether packets leave by the clock, or their length on the wire counts. */
static inline bool codel_shape_is_on(struct Qdisc *sch)
{
	const struct codel_shape *shape = &codel_qdisc(sch)->config.shape;

	return shape->rate || shape->framed;
}

/* Return whether the core may send a packet past the empty qdisc. */
static inline bool codel_shape_may_bypass(struct Qdisc *sch)
{
	const struct codel_shape *shape = &codel_qdisc(sch)->config.shape;

	return sch->limit && !shape->rate && !shape->split && !codel_qdisc(sch)->far;
}

/**
 * codel_shape_apply() - put the options of the shaper in force, under the root lock
 * @sch: the qdisc
 * @from: rate until now, bytes/s; 0 if it was off
 *
 * The packet that is on the link goes on at the new rate.
 */
static inline void codel_shape_apply(struct Qdisc *sch, u64 from)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	const struct codel_shape *shape = &c->config.shape;
	u64 now = ktime_get_ns();

	codel_far_apply(sch);
	c->pace = (struct codel_pace) {};
	if (shape->rate)
		codel_pace_set(&c->pace, shape->rate);
	if (from == shape->rate)
		return;
	if (from && shape->rate)
		codel_clock_change(&c->clock, now, from, shape->rate);
	else
		codel_shape_start(&c->clock);
	/* the watchdog may wait for the former rate */
	if (sch->q.qlen)
		qdisc_watchdog_schedule_ns(&c->watchdog, now);
}

#endif /* CODEL_SHAPE_H */
