/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A queue ahead of this device: CoDel takes the delay there for a sojourn time.
 */
#ifndef CODEL_FAR_UP_H
#define CODEL_FAR_UP_H

#include "codel_far_path.h"

/* A minimum that has grown by this much since the window before is doubted */
#define CODEL_FAR_DOUBT		CODEL_FAR_MSEC

/* Delivered rates upstream are those of periods of this length and two round trips at least. */
#define CODEL_FAR_UP_PERIOD	(250 * CODEL_FAR_MSEC)

/*
 * Periods without an acceptable delay until the delivered rate tells a path from a queue, and if
 * the delay is steady
 */
#define CODEL_FAR_UP_STUCK	4
#define CODEL_FAR_UP_STEADY	2

/* A round trip has this many marks at most: all flows together answer no faster. */
#define CODEL_FAR_UP_MARKS_SHIFT 7

/*
 * The delay that upstream leaves in the far queue, beside the time of a packet there, and CoDel's
 * interval
 */
#define CODEL_FAR_UP_TARGET	(16 * CODEL_FAR_MSEC)
#define CODEL_FAR_UP_INTERVAL	(100 * CODEL_FAR_MSEC)

/* A packet takes this at most: the delivered rate is low while little is sent, too. */
#define CODEL_FAR_UP_PACKET_MAX	(60 * CODEL_FAR_MSEC)

/* A flow begins for this long after its first sample. */
#define CODEL_FAR_UP_BEGIN	(2000 * CODEL_FAR_MSEC)

/**
 * struct codel_far_up - CoDel for a queue upstream
 * @vars: of CoDel
 * @params: of CoDel; the target follows the rate
 * @excess: of the flows
 * @rtt: of the latest answer, ns
 * @path: of its flow, ns
 * @delay: in the far queue, ns
 * @news: the latest answer, ns
 * @asked: the latest mark, ns
 * @bytes: that have arrived
 * @dip: when each flow was asked to slow down last, ns
 * @dips: how often
 * @delivered: rate of @bytes
 * @least: delay in the present period of @delivered, ns
 * @stuck: periods in which the delay was never acceptable
 * @stuck_rate: in the first of them, bytes/s
 * @stuck_least: the least @least after the first of them, ns
 * @stuck_most: the longest of these, ns
 * @epoch: paths of an older one are void
 * @packet: of a full packet, bytes
 */
struct codel_far_up {
	struct codel_vars vars;
	struct codel_params params;
	struct codel_far_excess excess;
	struct codel_far_meter delivered;
	u64 rtt;
	u64 path;
	u64 delay;
	u64 news;
	u64 asked;
	u64 bytes;
	u64 dip;
	u64 least;
	u64 stuck_rate;
	u64 stuck_least;
	u64 stuck_most;
	u32 stuck;
	u32 dips;
	u32 epoch;
	u32 packet;
};

/* Start anew, with a full packet of @packet bytes. */
static inline void codel_far_up_start(struct codel_far_up *up, u32 packet)
{
	*up = (struct codel_far_up) {
		.params = {
			.target = CODEL_FAR_UP_TARGET,
			.interval = CODEL_FAR_UP_INTERVAL,
			.ceiling = CODEL_CEILING_OFF,
		},
		.packet = packet,
	};
}

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
 * Does a flow that begins slow down? Its slow start would fill the far queue before CoDel signals,
 * so it ends when the delay is twice the target. In its first round trip, it may have no more to
 * send.
 */
static inline bool codel_far_up_begins(const struct codel_far_up *up, struct codel_far_path *path,
				       u64 now)
{
	u64 age = codel_far_since(now, path->first);

	if (up->delay <= 2 * up->params.target || age < up->rtt || age >= CODEL_FAR_UP_BEGIN ||
	    codel_far_since(now, path->slowed) < up->rtt)
		return false;
	path->slowed = now;
	return true;
}

/* The delivered rate has fallen to three quarters in a steady delay, or to one in any. */
static inline bool codel_far_up_is_path(const struct codel_far_up *up)
{
	u64 rate = up->delivered.rate, before = up->stuck_rate;

	if (up->stuck_most - up->stuck_least <= CODEL_FAR_STEADY)
		return up->stuck > CODEL_FAR_UP_STEADY && rate < before - before / 4;
	return up->stuck > CODEL_FAR_UP_STUCK && rate < before / 4;
}

/*
 * A delay that stays above the target while the senders slow down is not that of a queue, but of a
 * new path: a queue would keep its delivered rate. The least delay of a period counts: a single one
 * that is acceptable ends CoDel's dropping state, too.
 */
static inline void codel_far_up_watch_path(struct codel_far_up *up)
{
	if (up->least <= up->params.target) {
		up->stuck = 0;
		return;
	}
	if (!up->stuck++) {
		up->stuck_rate = up->delivered.rate;
		up->stuck_least = ~0ULL;
		up->stuck_most = 0;
		return;
	}
	up->stuck_least = codel_far_min(up->stuck_least, up->least);
	up->stuck_most = codel_far_max(up->stuck_most, up->least);
	if (codel_far_up_is_path(up)) {
		up->stuck = 0;
		up->epoch++;
		up->excess = (struct codel_far_excess) {};
	}
}

/* The time of a full packet at the delivered rate, ns */
static inline u64 codel_far_up_packet_time(const struct codel_far_up *up)
{
	u64 rate = up->delivered.rate;
	u64 time = rate ? div64_u64(up->packet * 1000 * CODEL_FAR_MSEC, rate) : 0;

	return codel_far_min(time, CODEL_FAR_UP_PACKET_MAX);
}

static inline void codel_far_up_period(struct codel_far_up *up, u64 now)
{
	u64 least = codel_far_max(CODEL_FAR_UP_PERIOD, 2 * up->rtt);

	if (!codel_far_meter_read(&up->delivered, now, up->bytes, least))
		return;
	codel_far_up_watch_path(up);
	up->params.target = CODEL_FAR_UP_TARGET + codel_far_up_packet_time(up);
	up->least = ~0ULL;
}

/**
 * codel_far_up_ask() - may a time stamp that goes to a sender be a mark?
 * @up: of the link
 * @now: monotonic time, ns
 *
 * Return: true if so; then it has to become one.
 */
static inline bool codel_far_up_ask(struct codel_far_up *up, u64 now)
{
	if (codel_far_since(now, up->asked) < up->rtt >> CODEL_FAR_UP_MARKS_SHIFT)
		return false;
	up->asked = now;
	return true;
}

/**
 * codel_far_up_answered() - the first packet that answers a mark
 * @up: of the link
 * @answer: its packet; @timed and @single are not read
 * @rtt: since the mark, ns
 *
 * Return: true if this flow is to slow down, whatever the delay.
 */
static inline bool codel_far_up_answered(struct codel_far_up *up,
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
					    codel_far_answer_time(answer, rtt),
					    others, window, excess);
	excess -= codel_far_min(answer->late, excess);
	up->path = codel_far_path_rtt(path);
	up->delay = codel_far_excess_sample(&up->excess, now, answer->flow, rtt, excess);
	up->least = codel_far_min(up->least, up->delay);
	codel_far_up_period(up, now);
	return codel_far_up_dips(up, path, now) || codel_far_up_begins(up, path, now);
}

/**
 * codel_far_up_signal() - decide on a packet that has come through the far queue
 * @up: of the link
 * @now: monotonic time, ns
 * @bytes: of the packet
 *
 * Call it for every packet of a flow that has a path, in order.
 *
 * Return: enum codel_verdict.
 */
static inline enum codel_verdict codel_far_up_signal(struct codel_far_up *up, u64 now, u32 bytes)
{
	struct codel_head head = { .waiting = CODEL_STANDING, .shared = true };

	up->bytes += bytes;
	if (codel_far_since(now, up->news) > CODEL_FAR_RECENT + up->rtt)
		up->delay = 0;
	head.sojourn = up->delay;
	return codel_signal(&up->vars, &up->params, now, &head, NULL);
}

#endif /* CODEL_FAR_UP_H */
