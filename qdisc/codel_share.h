/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A qdisc that shares a link with others of its device: when a packet may leave. The arithmetic is
 * in codel_shared.h, and codel_shared_link.h has the links. A qdisc with a rate of its own calls
 * nothing of this in the path of a packet.
 */
#ifndef CODEL_SHARE_H
#define CODEL_SHARE_H

#include <linux/cache.h>
#include <net/pkt_sched.h>

#include "codel_queue.h"
#include "codel_shape.h"

/**
 * struct codel_shared_link - the link of a device
 * @shared: changed without a lock
 * @list: the links of this kind; under RTNL, as all that follows
 * @members: the qdiscs that are in the link
 * @dev: their device
 * @rate: bytes/s
 * @users: @members, and qdiscs that are about to be
 */
struct codel_shared_link {
	struct codel_shared shared ____cacheline_aligned_in_smp;
	struct list_head list ____cacheline_aligned_in_smp;
	struct list_head members;
	const struct net_device *dev;
	u64 rate;
	u32 users;
};

/* Active flows, by which queues share the link */
static inline u32 codel_share_flows(const struct codel_qdisc *c)
{
	return c->share.new_flows ? *c->share.new_flows + *c->bulk_flows : 1;
}

static inline void codel_share_set_slice(struct codel_qdisc *c)
{
	struct codel_pace pace;

	codel_pace_set(&pace, c->config.shape.rate);
	codel_slice_set(&c->share.slice, &pace, c->config.shape.rate, c->config.packet);
}

static inline void codel_share_follow_mtu(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	u32 packet = c->config.packet;

	codel_shape_follow_mtu(sch);
	if (unlikely(c->config.packet != packet))
		codel_share_set_slice(c);
}

static inline void codel_share_count(struct codel_qdisc *c)
{
	u64 begin = c->share.slice.begin;

	c->stats.slices++;
	if (begin <= c->share.asked)
		return;
	c->stats.waits++;
	c->stats.wait_sum += begin - c->share.asked;
}

/* Return whether a packet may leave, after asking for a slice if there is none. */
static inline bool codel_share_ask(struct Qdisc *sch, u64 now)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_slice *slice = &c->share.slice;
	u64 end = slice->end;
	bool due;

	if (c->clock.next >= end && (!slice->active || slice->begin != end))
		c->share.asked = max(now, c->clock.next);
	due = codel_slice_turn(slice, &c->clock, &c->share.link->shared, now,
			       codel_slice_time(slice, &c->pace, sch->qstats.backlog),
			       codel_share_flows(c));
	if (slice->end != end && slice->begin != slice->end)
		codel_share_count(c);
	return due;
}

/* The time of the next packet has not come, or the slice is used up. */
static noinline bool codel_share_turn(struct Qdisc *sch, u64 now)
{
	/* the next packet to arrive asks for a slice */
	if (!sch->q.qlen)
		return true;
	if (codel_share_ask(sch, now))
		return true;
	codel_share_follow_mtu(sch);
	qdisc_qstats_overlimit(sch);
	qdisc_watchdog_schedule_ns(&codel_qdisc(sch)->watchdog, codel_qdisc(sch)->clock.next);
	return false;
}

/* May a packet leave? As codel_shape_is_due() */
static inline bool codel_share_is_due(struct Qdisc *sch, u64 now)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_share *share = &c->share;

	return codel_slice_is_due(&share->slice, &c->clock, now) ||
	       (sch->q.qlen == 1 &&
		codel_slice_is_free(&share->slice, &c->clock, &share->link->shared, now)) ||
	       codel_share_turn(sch, now);
}

/* Nothing waits: give back what is left of the slice. */
static inline void codel_share_idle(struct Qdisc *sch)
{
	struct codel_share *share = &codel_qdisc(sch)->share;

	if (share->slice.active)
		codel_slice_idle(&share->slice, &codel_qdisc(sch)->clock, &share->link->shared);
}

/* A packet of @wire bytes has been taken from its queue to be sent, in a slice or without one. */
static inline void codel_share_sent(struct Qdisc *sch, u32 wire, u64 now)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	if (!c->share.slice.active) {
		codel_slice_send_free(&c->clock, &c->pace, &c->share.link->shared, now, wire);
		c->stats.wire_bytes += wire;
		return;
	}
	codel_shape_sent(sch, wire);
	if (!sch->q.qlen)
		codel_share_idle(sch);
}

/* The link of the qdisc alone becomes a part of the shared one, with what it is sending. */
static inline void codel_share_bring(struct codel_qdisc *c, struct codel_shared_link *link, u64 now,
				     u64 from)
{
	if (from)
		codel_clock_change(&c->clock, now, from, link->rate);
	if (c->clock.next > now)
		codel_shared_take(&link->shared, now, c->clock.next - now);
}

/**
 * codel_share_apply() - put a change of the link in force, before the options of the shaper
 * @sch: the qdisc, under the root lock
 * @from: rate until now, bytes/s; 0 if it was off
 *
 * What the former shared link is sending goes on there.
 */
static inline void codel_share_apply(struct Qdisc *sch, u64 from)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct codel_share *share = &c->share;
	u64 now = ktime_get_ns();

	if (share->next)
		codel_share_set_slice(c);
	if (share->next == share->link)
		return;
	codel_share_idle(sch);
	if (!share->link)
		codel_share_bring(c, share->next, now, from);
	swap(share->link, share->next);
	c->clock.next = now;
	share->slice.level = 0;
	if (sch->q.qlen)
		qdisc_watchdog_schedule_ns(&c->watchdog, now);
}

#endif /* CODEL_SHARE_H */
