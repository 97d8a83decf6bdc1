/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The arithmetic for a queue in another device: how long packets wait there, and what to do about
 * it. As codel.h, it has no packets and no clock.
 *
 * A packet that leaves is marked; an answer to it comes back a round trip later. The round trip
 * is that of the path and the delay in the far queue. The far queue is a FIFO: an answer to a
 * packet shows that all packets before it have left, too.
 *
 * Downstream, the far queue is behind this device. A window bounds the bytes beyond the device.
 * It follows the delay: of a window w in whose round trip the delay was d, the link needed w *
 * path / (path + d), and a queue of the target is w * (path + target) / (path + d). (The law
 * without its smoothing is that of FAST TCP: Wei, Jin, Low, Hegde, IEEE/ACM Transactions on
 * Networking 14(6), 2006.) No answer, no packet: so a link that stands still gets none.
 *
 * A round trip also has the queue of the other direction. Time stamps tell the two apart: the time
 * from one host to the other has one of them alone.
 *
 * Upstream, the far queue is ahead of this device. CoDel takes the delay there for a sojourn time.
 *
 * Times are ns, and 64 bits do not wrap. Round trips and windows are bounded, so that no product
 * overflows.
 */
#ifndef CODEL_FAR_H
#define CODEL_FAR_H

#include "codel_far_clock.h"

#define CODEL_FAR_MSEC		(1000 * CODEL_NSEC_PER_USEC)

/*
 * The delay that downstream leaves in the far queue, beside the time of a packet there: without a
 * queue a link whose rate rises would be idle. 10, 15, 20 and 25 ms were tried on the courses of
 * the laboratory.
 */
#define CODEL_FAR_TARGET	(15 * CODEL_FAR_MSEC)

/* The window is 2 packets at least: one is sent while the answer to the other comes back. */
#define CODEL_FAR_PACKETS_MIN	2

/* The window at the first answer, packets: an initial window of TCP (RFC 6928) */
#define CODEL_FAR_PACKETS_FIRST	10

/*
 * In a round trip, the window grows by this factor at most: on a path much shorter than the
 * target, the law's factor is large, and the delay of what was sent is not yet known.
 */
#define CODEL_FAR_GROWTH	4

/*
 * Packets leave in bursts of this time. Otherwise a window leaves at once when its answers come
 * together, because packets of the other direction were between them, and that again and again:
 * the link is idle for half of the time, and the delay is that of the burst.
 */
#define CODEL_FAR_BURST		(2 * CODEL_FAR_MSEC)

/* The window is this at most, bytes */
#define CODEL_FAR_WINDOW_MAX	(1024ULL * 1024 * 1024)

/* The longest packet, bytes */
#define CODEL_FAR_PACKET_MAX	(1024U * 1024)

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

/* A flow is young for this long after its first sample. */
#define CODEL_FAR_PATH_YOUNG	(1000 * CODEL_FAR_MSEC)

/*
 * The window is reduced so often for a round trip, to show the path: less than
 * CODEL_FAR_PATH_WINDOW
 */
#define CODEL_FAR_DIP_EVERY	(10000 * CODEL_FAR_MSEC)

/* Round trips, and the time, for which an excess lasts until it is taken for a new path */
#define CODEL_FAR_STUCK		8
#define CODEL_FAR_STUCK_MIN	(1000 * CODEL_FAR_MSEC)

/* Bounds of the time without an answer after which one packet is released */
#define CODEL_FAR_PATIENCE_MIN	(50 * CODEL_FAR_MSEC)
#define CODEL_FAR_PATIENCE_MAX	(1000 * CODEL_FAR_MSEC)

/* No answer for this long ends the window, until an answer comes. */
#define CODEL_FAR_BLIND		(4000 * CODEL_FAR_MSEC)

/* A minimum that has grown by this much since the window before is doubted */
#define CODEL_FAR_DOUBT		CODEL_FAR_MSEC

/* Delivered rates upstream are those of periods of this length and two round trips at least. */
#define CODEL_FAR_UP_PERIOD	(250 * CODEL_FAR_MSEC)

/* Periods with a delay that is too long until the delivered rate tells a path from a queue */
#define CODEL_FAR_UP_STUCK	4

/* The delay that upstream leaves in the far queue, and CoDel's interval there */
#define CODEL_FAR_UP_TARGET	(16 * CODEL_FAR_MSEC)
#define CODEL_FAR_UP_INTERVAL	(100 * CODEL_FAR_MSEC)

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

/* The time from @then to @now; 0 if @then is later: clocks of two processors may differ */
static inline u64 codel_far_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
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
 * struct codel_far_window - the bytes beyond the device
 * @sent: bytes that have left the qdisc
 * @done: of these, bytes that have left the far queue
 * @asked: @sent at the latest mark
 * @window: bytes beyond the device that are allowed; 0 before the first answer: no bound
 * @packet: of a full packet, bytes, CODEL_FAR_PACKET_MAX at most
 * @pace: time of a byte, ns / 256
 * @next: when the next packet may leave, ns
 * @news: the latest answer, or, if none was expected then, the mark after it, ns
 * @limited: when a packet was held back last, ns
 * @released: when a packet was released without an answer, ns
 * @dip: the begin of the latest reduction of the window, ns
 * @rtt: of the latest answer, ns
 * @path: of its flow, ns
 * @beside: of @rtt, what neither @path nor @delay have: packets wait on the way back, ns
 * @delay: in the far queue, ns
 * @bytes: beyond the device when the packet of the latest answer had left, it included
 * @stuck: since when round trips have been too long, ns
 * @stuck_above: an excess that is too long, ns
 * @epoch: paths of an older one are void
 * @excess: of the flows
 */
struct codel_far_window {
	u64 sent;
	u64 done;
	u64 asked;
	u64 window;
	u64 packet;
	u64 pace;
	u64 next;
	u64 news;
	u64 limited;
	u64 released;
	u64 dip;
	u64 rtt;
	u64 path;
	u64 beside;
	u64 delay;
	u64 bytes;
	u64 stuck;
	u64 stuck_above;
	u32 epoch;
	struct codel_far_excess excess;
};

/**
 * struct codel_far_mark - what is kept of a packet that has left
 * @at: when, ns
 * @sent: of struct codel_far_window, the packet included
 * @beyond: bytes beyond the device, the packet included; CODEL_FAR_WINDOW_MAX at most. Without
 *	answers, there may be any number
 * @window: in force
 */
struct codel_far_mark {
	u64 at;
	u64 sent;
	u64 beyond;
	u64 window;
};

/* Start anew, with a full packet of @packet bytes. */
static inline void codel_far_window_start(struct codel_far_window *w, u32 packet)
{
	*w = (struct codel_far_window) {
		.packet = codel_far_clamp(packet, 1, CODEL_FAR_PACKET_MAX),
	};
}

static inline u64 codel_far_beyond(const struct codel_far_window *w)
{
	return w->sent - w->done;
}

/* Is there a mark without an answer? */
static inline bool codel_far_expects(const struct codel_far_window *w)
{
	return w->asked > w->done;
}

static inline u64 codel_far_floor(const struct codel_far_window *w)
{
	return CODEL_FAR_PACKETS_MIN * w->packet;
}

/* The time of a full packet at the delivered rate, ns; CODEL_FAR_RTT_MAX at most */
static inline u64 codel_far_packet_time(const struct codel_far_window *w)
{
	return div64_u64(w->rtt * codel_far_min(w->packet, w->bytes), w->bytes ? w->bytes : 1);
}

/**
 * codel_far_rate() - the rate at which the far queue was emptied in the round trip of the latest
 * answer
 * @w: the window
 *
 * Return: bytes/s, 0 before the first answer.
 */
static inline u64 codel_far_rate(const struct codel_far_window *w)
{
	return w->rtt ? div64_u64(w->bytes * 1000 * CODEL_FAR_MSEC, w->rtt) : 0;
}

/* The round trip without the far queue, ns */
static inline u64 codel_far_unqueued(const struct codel_far_window *w)
{
	return w->path + w->beside;
}

static inline u64 codel_far_target(const struct codel_far_window *w)
{
	return CODEL_FAR_TARGET + codel_far_packet_time(w);
}

/*
 * In a dip the window lets the far queue drain: it is three quarters of the share that the path
 * has.
 */
static inline bool codel_far_dips(const struct codel_far_window *w, u64 now)
{
	return codel_far_since(now, w->dip) < codel_far_unqueued(w) + CODEL_FAR_TARGET;
}

static inline u64 codel_far_allowed(const struct codel_far_window *w, u64 now)
{
	u64 dip, unqueued = codel_far_unqueued(w);

	if (!codel_far_dips(w, now))
		return w->window;
	dip = div64_u64(w->window * unqueued, unqueued + codel_far_target(w));
	return codel_far_max(dip - dip / 4, codel_far_floor(w));
}

/*
 * Spread the window over the round trip with the target that it is for. A quarter faster: the link
 * may have become faster, and then the window has to grow.
 */
static inline void codel_far_set_pace(struct codel_far_window *w)
{
	u64 time = codel_far_unqueued(w) + codel_far_target(w);

	w->pace = div64_u64((time << 8) - (time << 8) / 5, w->window);
}

/**
 * codel_far_sent() - a packet leaves
 * @w: the window
 * @now: monotonic time, ns
 * @bytes: of the packet, CODEL_FAR_PACKET_MAX at most
 */
static inline void codel_far_sent(struct codel_far_window *w, u64 now, u32 bytes)
{
	w->sent += bytes;
	w->next = codel_far_max(w->next, codel_far_since(now, CODEL_FAR_BURST)) +
		  (bytes * w->pace >> 8);
}

/**
 * codel_far_ask() - mark the packet that has just left
 * @w: the window
 * @mark: written
 * @now: monotonic time, ns
 */
static inline void codel_far_ask(struct codel_far_window *w, struct codel_far_mark *mark, u64 now)
{
	if (!codel_far_expects(w))
		w->news = now;
	w->asked = w->sent;
	mark->at = now;
	mark->sent = w->sent;
	mark->beyond = codel_far_min(codel_far_beyond(w), CODEL_FAR_WINDOW_MAX);
	mark->window = codel_far_allowed(w, now);
}

/*
 * The time without an answer after which a packet is released: what an answer takes, and some
 * packets
 */
static inline u64 codel_far_patience(const struct codel_far_window *w)
{
	u64 time = codel_far_unqueued(w) + 2 * codel_far_target(w) + 4 * codel_far_packet_time(w);

	return codel_far_clamp(time, CODEL_FAR_PATIENCE_MIN, CODEL_FAR_PATIENCE_MAX);
}

/* Does the window hold packets back at all? */
static inline bool codel_far_is_blind(const struct codel_far_window *w, u64 now)
{
	return !w->window || !codel_far_expects(w) ||
	       codel_far_since(now, w->news) >= CODEL_FAR_BLIND;
}

/* When is a packet released if no answer comes? ns */
static inline u64 codel_far_release(const struct codel_far_window *w)
{
	return codel_far_max(w->news, w->released) + codel_far_patience(w);
}

/* Has the window room for a packet? */
static inline bool codel_far_has_room(const struct codel_far_window *w, u64 now)
{
	return codel_far_beyond(w) + w->packet <= codel_far_allowed(w, now);
}

/* When may a packet leave if no answer comes? ns */
static inline u64 codel_far_ask_again(const struct codel_far_window *w, u64 now)
{
	u64 release = codel_far_release(w);

	if (!codel_far_has_room(w, now))
		return release;
	return codel_far_min(w->next + CODEL_FAR_BURST, release);
}

/**
 * codel_far_may_send() - may a packet leave?
 * @w: the window
 * @now: monotonic time, ns
 *
 * If not, ask again at codel_far_ask_again(), and after an answer if it has made room.
 *
 * Return: true if so.
 */
static inline bool codel_far_may_send(struct codel_far_window *w, u64 now)
{
	if ((codel_far_has_room(w, now) && now >= w->next) || codel_far_is_blind(w, now))
		return true;
	w->limited = now;
	if (now < codel_far_release(w))
		return false;
	w->released = now;
	return true;
}

/**
 * codel_far_may_send_sparse() - may a packet of a sparse flow leave, where codel_far_may_send()
 * says no?
 * @w: the window
 *
 * Sparse flows together get as much again as the window: otherwise a flood of them would be no
 * flood for it.
 *
 * Return: true if so.
 */
static inline bool codel_far_may_send_sparse(const struct codel_far_window *w)
{
	return codel_far_beyond(w) <= 2 * w->window + CODEL_FAR_PACKETS_FIRST * w->packet;
}

/* From now on, an excess is too long if it is more than an eighth above the target. */
static inline void codel_far_watch_start(struct codel_far_window *w, u64 now)
{
	w->stuck = now;
	w->stuck_above = 9 * codel_far_target(w) / 8;
}

/*
 * The window has been reduced for long, and a queue would be shorter now: the excess is that of a
 * new path. The target is that of the delivered rate before: a window that is too small for the
 * path delivers less.
 */
static inline void codel_far_watch_path(struct codel_far_window *w, u64 now, u64 excess)
{
	if (excess > w->stuck_above) {
		if (codel_far_since(now, w->stuck) <=
		    codel_far_max(CODEL_FAR_STUCK_MIN, CODEL_FAR_STUCK * w->rtt))
			return;
		w->epoch++;
		w->excess = (struct codel_far_excess) {};
	}
	codel_far_watch_start(w, now);
}

/* @bytes had @delay: how many have the target? */
static inline u64 codel_far_aim(const struct codel_far_window *w, u64 bytes, u64 target)
{
	u64 unqueued = codel_far_unqueued(w);

	return div64_u64(bytes * (unqueued + target), unqueued + w->delay + 1);
}

/*
 * The target while the window grows. On a long path, the usual one is a small part of the round
 * trip. Without half of it in the far queue, the window grows by a quarter in a round trip.
 */
static inline u64 codel_far_target_growing(const struct codel_far_window *w)
{
	u64 target = codel_far_target(w);

	return w->delay < target / 2 ? codel_far_max(target, codel_far_unqueued(w) / 4) : target;
}

/*
 * Follow the delay. The window grows only if it has held packets back since the marked packet
 * left, for its pace or for its size: otherwise the senders are slower than the link. Then it
 * does not follow from the bytes beyond the device either. In a round trip, it falls to a half at
 * most: the delay may be that of a standstill, which has ended when the answer comes.
 */
static inline void codel_far_follow(struct codel_far_window *w, const struct codel_far_mark *mark)
{
	u64 aim, target = codel_far_target(w);

	if (w->delay > target) {
		aim = codel_far_aim(w, codel_far_max(mark->beyond, mark->window), target);
		aim = codel_far_max(aim, mark->window / 2);
		w->window = codel_far_min(w->window, aim);
	} else if (w->limited >= mark->at) {
		aim = codel_far_aim(w, mark->beyond, codel_far_target_growing(w));
		aim = codel_far_min(aim, CODEL_FAR_GROWTH * mark->window);
		w->window = codel_far_max(w->window, aim);
	}
	w->window = codel_far_clamp(w->window, codel_far_floor(w), CODEL_FAR_WINDOW_MAX);
}

static inline void codel_far_first(struct codel_far_window *w, const struct codel_far_mark *mark,
				   u64 now)
{
	w->window = codel_far_max(CODEL_FAR_PACKETS_FIRST * w->packet, mark->beyond);
	w->dip = now;
	codel_far_watch_start(w, now);
}

/**
 * struct codel_far_answer - an answer to a mark
 * @now: monotonic time, ns
 * @path: of the flow, all zero before its first sample
 * @flow: number of the flow
 * @timed: the round trip is that of the mark. Otherwise the packet was sent again (Karn),
 *	and the answer shows only that it has left the far queue
 * @single: it acknowledges a single packet, so that it may be late
 * @stamped: @stamp is that of the host that answers
 * @stamp: when the answer left it
 */
struct codel_far_answer {
	u64 now;
	struct codel_far_path *path;
	u32 flow;
	u32 stamp;
	bool timed;
	bool single;
	bool stamped;
};

/* The other host's time of the stamp */
static inline u64 codel_far_answer_time(const struct codel_far_answer *answer)
{
	struct codel_far_path *path = answer->path;
	bool reset = false;
	u64 time;

	time = codel_far_clock_read(&path->clock, answer->now, answer->stamp, &reset);
	if (reset)
		path->way.begin = 0;
	return time;
}

/* Return what the far queue has of the round trip. */
static inline u64 codel_far_sample(struct codel_far_window *w, const struct codel_far_mark *mark,
				   const struct codel_far_answer *answer, u64 rtt)
{
	u64 others = codel_far_excess_others(&w->excess, answer->now, answer->flow);
	struct codel_far_path *path = answer->path;
	u64 excess, late;

	if (!path->first || path->epoch != w->epoch)
		codel_far_path_start(path, answer->now, rtt);
	path->epoch = w->epoch;
	late = answer->single ? codel_far_late(path, answer->now) : 0;
	excess = codel_far_path_sample(path, answer->now, rtt, others, CODEL_FAR_PATH_WINDOW);
	if (answer->stamped)
		excess = codel_far_path_way(path, answer->now, CODEL_FAR_CLOCK_ORIGIN +
					    codel_far_answer_time(answer) - mark->at,
					    others, CODEL_FAR_PATH_WINDOW, excess);
	return excess - codel_far_min(late, excess);
}

/* The answer is the latest news of the far queue. */
static inline void codel_far_learn(struct codel_far_window *w, const struct codel_far_mark *mark,
				   const struct codel_far_answer *answer, u64 rtt, u64 excess)
{
	u64 now = answer->now;

	w->path = codel_far_path_rtt(answer->path);
	w->beside = answer->path->beside;
	w->rtt = rtt;
	w->bytes = mark->beyond;
	w->delay = codel_far_excess_sample(&w->excess, now, answer->flow, rtt, excess);
	if (!w->window)
		codel_far_first(w, mark, now);
	codel_far_watch_path(w, now, w->delay);
	codel_far_follow(w, mark);
	codel_far_set_pace(w);
	if (codel_far_since(now, w->dip) >= CODEL_FAR_DIP_EVERY)
		w->dip = now;
}

/**
 * codel_far_answered() - an answer comes
 * @w: the window
 * @mark: of codel_far_ask()
 * @answer: to it
 *
 * An answer that others have overtaken, such as the acknowledgment of a flow with a longer path,
 * is older than what is known, and changes nothing but the path of its flow.
 */
static inline void codel_far_answered(struct codel_far_window *w, const struct codel_far_mark *mark,
				      const struct codel_far_answer *answer)
{
	u64 rtt = codel_far_min(codel_far_since(answer->now, mark->at), CODEL_FAR_RTT_MAX);
	bool fresh = mark->sent > w->done;
	u64 excess;

	if (answer->timed) {
		excess = codel_far_sample(w, mark, answer, rtt);
		if (fresh)
			codel_far_learn(w, mark, answer, rtt, excess);
	}
	if (!fresh)
		return;
	w->done = mark->sent;
	w->news = answer->now;
}

/**
 * struct codel_far_up - CoDel for a queue upstream
 * @vars: of CoDel
 * @excess: of the flows
 * @rtt: of the latest answer, ns
 * @path: of its flow, ns
 * @delay: in the far queue, ns
 * @news: the latest answer, ns
 * @bytes: that have arrived
 * @dip: when each flow was asked to slow down last, ns
 * @dips: how often
 * @period: begin of the period in which a delivered rate is measured, ns
 * @period_bytes: @bytes then
 * @rate: delivered in the latest period, bytes/s
 * @stuck: periods for which the delay has been too long
 * @stuck_rate: in the first of them, bytes/s
 * @epoch: paths of an older one are void
 */
struct codel_far_up {
	struct codel_vars vars;
	struct codel_far_excess excess;
	u64 rtt;
	u64 path;
	u64 delay;
	u64 news;
	u64 bytes;
	u64 dip;
	u64 period;
	u64 period_bytes;
	u64 rate;
	u64 stuck_rate;
	u32 stuck;
	u32 dips;
	u32 epoch;
};

/* The first windows are short: a flow may have begun in a queue that has just been filled. */
static inline u64 codel_far_up_window(const struct codel_far_path *path, u64 now)
{
	return codel_far_since(now, path->first) < CODEL_FAR_PATH_WINDOW ?
	       CODEL_FAR_PATH_WINDOW / 4 :
	       CODEL_FAR_PATH_WINDOW;
}

/*
 * A minimum that has grown may be that of a queue which has not been empty for a whole window.
 * Then each flow is asked once to slow down, and the minimum holds a little longer.
 */
static inline void codel_far_up_doubt(struct codel_far_up *up, struct codel_far_path *path, u64 now)
{
	bool alone = !codel_far_excess_is_recent(&up->excess, now, up->excess.other_at);

	if (codel_far_since(now, path->rtt.begin) < codel_far_up_window(path, now) ||
	    path->doubted || (alone && path->rtt.least < path->rtt.before + CODEL_FAR_DOUBT))
		return;
	path->doubted = true;
	path->rtt.begin += CODEL_FAR_PATH_YOUNG + 8 * up->rtt;
	if (codel_far_since(now, up->dip) > 8 * up->rtt) {
		up->dip = now;
		up->dips++;
	}
}

/* Does this flow slow down, to show its path? */
static inline bool codel_far_up_dips(struct codel_far_up *up, struct codel_far_path *path, u64 now)
{
	if (path->dips == up->dips)
		return false;
	path->dips = up->dips;
	return codel_far_since(now, up->dip) < 4 * up->rtt;
}

/*
 * A delay that stays while the senders slow down is not that of a queue, but of a new path: a
 * queue would keep its delivered rate.
 */
static inline void codel_far_up_watch_path(struct codel_far_up *up, u64 target)
{
	if (up->delay <= target + target / 8) {
		up->stuck = 0;
	} else if (!up->stuck++) {
		up->stuck_rate = up->rate;
	} else if (up->stuck > CODEL_FAR_UP_STUCK && up->rate < up->stuck_rate / 4) {
		up->stuck = 0;
		up->epoch++;
		up->excess = (struct codel_far_excess) {};
	}
}

static inline void codel_far_up_period(struct codel_far_up *up, u64 now, u64 target)
{
	u64 time = codel_far_since(now, up->period);

	if (time < CODEL_FAR_UP_PERIOD || time < 2 * up->rtt)
		return;
	up->rate = div64_u64((up->bytes - up->period_bytes) * 1000,
			     div64_u64(time, CODEL_FAR_MSEC));
	up->period = now;
	up->period_bytes = up->bytes;
	codel_far_up_watch_path(up, target);
}

/**
 * codel_far_up_answered() - the first packet that answers a mark
 * @up: of the link
 * @target: acceptable delay in the far queue, ns
 * @answer: its packet; @timed and @single are not read
 * @rtt: since the mark, ns
 *
 * Return: true if this flow is to slow down, whatever the delay.
 */
static inline bool codel_far_up_answered(struct codel_far_up *up, u64 target,
					 const struct codel_far_answer *answer, u64 rtt)
{
	u64 now = answer->now, others = codel_far_excess_others(&up->excess, now, answer->flow);
	struct codel_far_path *path = answer->path;
	u64 excess, window;

	rtt = codel_far_min(rtt, CODEL_FAR_RTT_MAX);
	up->rtt = rtt;
	up->news = now;
	if (!path->first || path->epoch != up->epoch) {
		codel_far_path_start(path, now, rtt);
		path->epoch = up->epoch;
		path->dips = up->dips;
	}
	codel_far_up_doubt(up, path, now);
	window = codel_far_up_window(path, now);
	excess = codel_far_path_sample(path, now, rtt, others, window);
	if (answer->stamped)
		excess = codel_far_path_way(path, now, CODEL_FAR_CLOCK_ORIGIN + now -
					    codel_far_answer_time(answer), others, window, excess);
	up->path = codel_far_path_rtt(path);
	up->delay = codel_far_excess_sample(&up->excess, now, answer->flow, rtt, excess);
	codel_far_up_period(up, now, target);
	return codel_far_up_dips(up, path, now);
}

/**
 * codel_far_up_signal() - decide on a packet that has come through the far queue
 * @up: of the link
 * @params: target and interval of the far queue; no ceiling
 * @now: monotonic time, ns
 * @bytes: of the packet
 *
 * Call it for every packet of a flow that has a path, in order.
 *
 * Return: enum codel_verdict.
 */
static inline enum codel_verdict codel_far_up_signal(struct codel_far_up *up,
						     const struct codel_params *params, u64 now,
						     u32 bytes)
{
	struct codel_head head = { .waiting = CODEL_STANDING, .shared = true };

	up->bytes += bytes;
	if (codel_far_since(now, up->news) > CODEL_FAR_RECENT + up->rtt)
		up->delay = 0;
	head.sojourn = up->delay;
	return codel_signal(&up->vars, params, now, &head, NULL);
}

#endif /* CODEL_FAR_H */
