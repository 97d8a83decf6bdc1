/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The arithmetic for a queue in another device: how long packets wait there. As codel.h, it has no
 * packets and no clock.
 *
 * A packet that leaves is marked; an answer to it comes back a round trip later. The round trip
 * is that of the path and the delay in the far queue. The excess above the path of one flow may be
 * its own: the delay of the far queue is what flows have in common.
 *
 * A round trip also has the queue of the other direction. Time stamps tell the two apart: the time
 * from one host to the other has one of them alone.
 *
 * What to do about the delay: codel_far_window.h if the far queue is downstream of this device,
 * codel_far_up.h if it is upstream. Times are ns, and 64 bits do not wrap. Round trips are
 * bounded, so that no product overflows.
 */
#ifndef CODEL_FAR_PATH_H
#define CODEL_FAR_PATH_H

#include "codel_far_clock.h"

#define CODEL_FAR_MSEC		(1000 * CODEL_NSEC_PER_USEC)

/* A round trip counts as this at most */
#define CODEL_FAR_RTT_MAX	(4000 * CODEL_FAR_MSEC)

/*
 * A receiver acknowledges every second packet at once, and a single one up to this much later
 * (RFC 5681 allows 500 ms).
 */
#define CODEL_FAR_LATE		(40 * CODEL_FAR_MSEC)

/* A time is no shorter than the first one by more than this unless the tick is another one. */
#define CODEL_FAR_UNLIKELY	(4 * CODEL_FAR_MSEC)

/* An excess is that of the far queue now for this long, and a round trip */
#define CODEL_FAR_RECENT	(50 * CODEL_FAR_MSEC)

/* A minimum of round trips is forgotten after one to two of these. */
#define CODEL_FAR_PATH_WINDOW	(20000 * CODEL_FAR_MSEC)

/* The times of a steady path differ by this at most. */
#define CODEL_FAR_STEADY	(9 * CODEL_FAR_MSEC)

/* A flow is young for this long after its first sample. */
#define CODEL_FAR_PATH_YOUNG	(1000 * CODEL_FAR_MSEC)

static inline u64 codel_far_min(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 codel_far_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

static inline u64 codel_far_clamp(u64 x, u64 least, u64 most)
{
	return codel_far_min(codel_far_max(x, least), most);
}

/**
 * struct codel_far_meter - the rate of a count of bytes
 * @begin: of the present period, ns
 * @bytes: the count then
 * @rate: in the period before, bytes/s
 */
struct codel_far_meter {
	u64 begin;
	u64 bytes;
	u64 rate;
};

/* The count is @bytes now. Return whether a period of @least ns, 1 ms or longer, has ended. */
static inline bool codel_far_meter_read(struct codel_far_meter *m, u64 now, u64 bytes, u64 least)
{
	u64 time = codel_far_since(now, m->begin);

	if (time < least)
		return false;
	m->rate = div64_u64((bytes - m->bytes) * 1000, div64_u64(time, CODEL_FAR_MSEC));
	m->begin = now;
	m->bytes = bytes;
	return true;
}

/**
 * struct codel_far_least - a windowed minimum of times
 * @begin: of the present window, ns; 0 before the first sample
 * @least: in the present window, ns
 * @before: least of the window before it; before the second window an assumption, ns
 */
struct codel_far_least {
	u64 begin;
	u64 least;
	u64 before;
};

/* Begin with @time, of which @excess is assumed to be that of a queue. */
static inline void codel_far_least_start(struct codel_far_least *l, u64 now, u64 time, u64 excess)
{
	l->begin = now;
	l->least = time;
	l->before = time - codel_far_min(excess, time);
}

static inline u64 codel_far_least_get(const struct codel_far_least *l)
{
	return codel_far_min(l->least, l->before);
}

static inline void codel_far_least_sample(struct codel_far_least *l, u64 now, u64 time, u64 window)
{
	if (codel_far_since(now, l->begin) >= window) {
		l->before = l->least;
		l->least = time;
		l->begin = now;
	} else if (time < l->least) {
		l->least = time;
	}
}

/*
 * A flow that begins while the far queue stands would take the queue for a part of its path, so it
 * assumes the delay that @others have. The queue also changes between two samples: an assumption
 * that was too low would last, and one that is too high is corrected by the minimum. So the
 * highest of the flow's first second holds.
 */
static inline void codel_far_least_assume(struct codel_far_least *l, u64 time, u64 others)
{
	u64 assumed = time - codel_far_min(others, time);

	if (assumed > l->before)
		l->before = assumed;
}

/**
 * struct codel_far_path - the times of a flow without a queue
 * @rtt: round trips
 * @way: times in the direction of the far queue alone, from one host to the other
 * @clock: of the other host
 * @latest: sample, ns
 * @first: the first sample, ns
 * @beside: of the latest round trip, what neither path nor far queue have, ns
 * @epoch: of struct codel_far_window or codel_far_up, at the latest sample
 * @slowed: upstream: when a flow that begins was asked to slow down, ns
 * @dips: of struct codel_far_up, when the flow was asked last
 * @doubted: the present window of @rtt has been made longer
 */
struct codel_far_path {
	struct codel_far_least rtt;
	struct codel_far_least way;
	struct codel_far_clock clock;
	u64 latest;
	u64 first;
	u64 beside;
	u64 slowed;
	u32 epoch;
	u32 dips;
	bool doubted;
};

/**
 * codel_far_path_rtt() - the estimate
 * @path: with a sample
 *
 * Return: ns.
 */
static inline u64 codel_far_path_rtt(const struct codel_far_path *path)
{
	return codel_far_least_get(&path->rtt);
}

static inline void codel_far_path_start(struct codel_far_path *path, u64 now, u64 rtt)
{
	*path = (struct codel_far_path) { .first = now };
	codel_far_least_start(&path->rtt, now, rtt, rtt);
}

static inline bool codel_far_path_is_young(const struct codel_far_path *path, u64 now)
{
	return codel_far_since(now, path->first) < CODEL_FAR_PATH_YOUNG;
}

/**
 * codel_far_late() - how much later than the packet came the answer may be
 * @path: of the flow, before this sample
 * @now: monotonic time, ns
 *
 * Only for an answer to a single packet. A receiver that held it back had answered the packet
 * before it, and got this one after that.
 *
 * Return: ns.
 */
static inline u64 codel_far_late(const struct codel_far_path *path, u64 now)
{
	return codel_far_min(codel_far_since(now, path->latest), CODEL_FAR_LATE);
}

/**
 * codel_far_path_sample() - a round trip
 * @path: of the flow
 * @now: monotonic time, ns
 * @rtt: ns, CODEL_FAR_RTT_MAX at most
 * @others: what other flows have above their paths at this time, ns
 * @window: length of the window, ns
 *
 * Return: its excess above the path, ns.
 */
static inline u64 codel_far_path_sample(struct codel_far_path *path, u64 now, u64 rtt, u64 others,
					u64 window)
{
	u64 begin = path->rtt.begin;

	codel_far_least_sample(&path->rtt, now, rtt, window);
	if (path->rtt.begin != begin)
		path->doubted = false;
	if (codel_far_path_is_young(path, now))
		codel_far_least_assume(&path->rtt, rtt, others);
	path->latest = now;
	path->beside = 0;
	return rtt - codel_far_path_rtt(path);
}

/**
 * codel_far_path_way() - the time in the direction of the far queue, after the round trip
 * @path: of the flow
 * @now: monotonic time, ns
 * @time: from one host to the other, ns, of clocks with two origins
 * @others: as for codel_far_path_sample()
 * @window: as for codel_far_path_sample()
 * @excess: of the round trip, ns
 *
 * Its excess is not that of the round trip if packets of the other direction wait, too, or if the
 * other host answers late. A clock that lies can make it shorter, but not longer. Until the tick
 * has been measured, only the first sample counts as one without a queue.
 *
 * Return: the excess that the far queue has, ns.
 */
static inline u64 codel_far_path_way(struct codel_far_path *path, u64 now, u64 time, u64 others,
				     u64 window, u64 excess)
{
	struct codel_far_least *way = &path->way;
	u64 base, least;

	if (!way->begin)
		codel_far_least_start(way, now, time, excess);
	if (path->clock.tick) {
		codel_far_least_sample(way, now, time, window);
		if (codel_far_path_is_young(path, now))
			codel_far_least_assume(way, time, others);
	}
	base = codel_far_least_get(way);
	if (time + CODEL_FAR_UNLIKELY < base)
		return excess;
	least = codel_far_min(codel_far_since(time, base), excess);
	path->beside = excess - least;
	return least;
}

/**
 * struct codel_far_excess - what the flows have in common
 * @flow: whose sample is the latest
 * @rtt: its round trip, ns
 * @now: its excess, ns
 * @at: its time, ns; 0 before the first
 * @other: the latest excess of another flow, ns
 * @other_at: its time, ns; 0 before the first
 */
struct codel_far_excess {
	u32 flow;
	u64 rtt;
	u64 now;
	u64 at;
	u64 other;
	u64 other_at;
};

static inline bool codel_far_excess_is_recent(const struct codel_far_excess *e, u64 now, u64 at)
{
	return at && codel_far_since(now, at) < CODEL_FAR_RECENT + e->rtt;
}

/*
 * The delay of the far queue: the lesser excess of two flows that have samples. One flow alone
 * may be late for itself.
 */
static inline u64 codel_far_excess_least(const struct codel_far_excess *e, u64 now)
{
	if (codel_far_excess_is_recent(e, now, e->other_at))
		return codel_far_min(e->now, e->other);
	return e->now;
}

/* The latest excess of a flow other than @flow; 0 if there is no recent one */
static inline u64 codel_far_excess_others(const struct codel_far_excess *e, u64 now, u32 flow)
{
	u64 at = e->flow != flow ? e->at : e->other_at;

	if (!codel_far_excess_is_recent(e, now, at))
		return 0;
	return e->flow != flow ? e->now : e->other;
}

/**
 * codel_far_excess_sample() - a flow has an excess
 * @e: of all flows
 * @now: monotonic time, ns
 * @flow: number of the flow
 * @rtt: ns
 * @excess: of @rtt, ns
 *
 * Return: the delay of the far queue, ns.
 */
static inline u64 codel_far_excess_sample(struct codel_far_excess *e, u64 now, u32 flow, u64 rtt,
					  u64 excess)
{
	if (e->at && e->flow != flow) {
		e->other = e->now;
		e->other_at = e->at;
	}
	e->flow = flow;
	e->rtt = rtt;
	e->now = excess;
	e->at = now;
	return codel_far_excess_least(e, now);
}

/**
 * struct codel_far_answer - an answer to a mark
 * @now: monotonic time, ns
 * @path: of the flow, all zero before its first sample
 * @arrived: downstream: bytes that have come in so far
 * @flow: number of the flow
 * @timed: the round trip is that of the mark. Otherwise the packet was sent again (Karn),
 *	and the answer shows only that it has left the far queue
 * @single: downstream: it acknowledges a single packet, so that it may be late
 * @late: upstream: how much later than the mark came it may have left, ns
 * @stamped: @stamp is that of the host that answers
 * @stamp: when the answer left it
 */
struct codel_far_answer {
	u64 now;
	struct codel_far_path *path;
	u64 late;
	u64 arrived;
	u32 flow;
	u32 stamp;
	bool timed;
	bool single;
	bool stamped;
};

/* The other host's time of the stamp, in a round trip of @rtt ns */
static inline u64 codel_far_answer_time(const struct codel_far_answer *answer, u64 rtt)
{
	struct codel_far_path *path = answer->path;
	bool reset = false;
	u64 time;

	time = codel_far_clock_read(&path->clock, answer->now, answer->stamp, rtt, &reset);
	if (reset)
		path->way.begin = 0;
	return time;
}

#endif /* CODEL_FAR_PATH_H */
