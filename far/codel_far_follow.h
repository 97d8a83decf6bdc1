/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The window of codel_far_window.h follows the delay that an answer shows: of a window w in whose
 * round trip the delay was d, the link needed w * path / (path + d), and a queue of the target is
 * w * (path + target) / (path + d). (The law without its smoothing is that of FAST TCP: Wei, Jin,
 * Low, Hegde, IEEE/ACM Transactions on Networking 14(6), 2006.)
 */
#ifndef CODEL_FAR_FOLLOW_H
#define CODEL_FAR_FOLLOW_H

#include "codel_far_window.h"

/*
 * The link stands still if an answer comes later than it could by this time and that of some
 * packets. 10 to 80 ms, and 0 to 16 packets, were tried on 82 minutes of measured links.
 */
#define CODEL_FAR_STILL		(20 * CODEL_FAR_MSEC)
#define CODEL_FAR_STILL_PACKETS	6

/*
 * In a round trip, the window grows by this factor at most: on a path much shorter than the
 * target, the law's factor is large, and the delay of what was sent is not yet known.
 */
#define CODEL_FAR_GROWTH	4

/*
 * The window is reduced so often for a round trip, to show the path: less than
 * CODEL_FAR_PATH_WINDOW
 */
#define CODEL_FAR_DIP_EVERY	(10000 * CODEL_FAR_MSEC)

/* A window that has held nothing back for this long is void: the link may be another one since. */
#define CODEL_FAR_VOID		CODEL_FAR_DIP_EVERY

/*
 * Without a window: round trips after a delay of others' packets, the factor for each further time,
 * and the longest time. Each attempt costs the senders a share of the link, and they are slow to
 * win it back.
 */
#define CODEL_FAR_ALONE		8
#define CODEL_FAR_ALONE_MORE	16
#define CODEL_FAR_ALONE_MAX	(300000 * CODEL_FAR_MSEC)

/* A delay an eighth above the target is too long: the target of the rate before it is reduced. */
static inline void codel_far_watch_again(struct codel_far_window *w, u64 now)
{
	codel_far_watch_start(&w->watch, now, 9 * codel_far_target(w) / 8);
}

/* There is no window until the far queue stands. */
static inline void codel_far_end(struct codel_far_window *w)
{
	w->window = 0;
	w->idle = 0;
	WRITE_ONCE(w->pace, 0);
}

/* Leave the far queue alone. */
static inline void codel_far_give_up(struct codel_far_window *w, u64 now)
{
	w->alone = codel_far_clamp(CODEL_FAR_ALONE_MORE * w->alone, CODEL_FAR_ALONE * w->rtt,
				   CODEL_FAR_ALONE_MAX);
	w->alone_until = now + w->alone;
	codel_far_end(w);
}

static inline void codel_far_new_path(struct codel_far_window *w, u64 now)
{
	w->epoch++;
	w->excess = (struct codel_far_excess) {};
	codel_far_watch_again(w, now);
}

/* A standstill is no queue, and would have been there without others' packets, too. */
static inline void codel_far_watch_delay(struct codel_far_window *w, u64 now)
{
	enum codel_far_cause cause;

	if (w->queued <= w->watch.above) {
		codel_far_watch_again(w, now);
		return;
	}
	cause = codel_far_watch(&w->watch, now, w->rtt, codel_far_rate(w));
	if (cause == CODEL_FAR_PATH)
		codel_far_new_path(w, now);
	else if (cause == CODEL_FAR_OTHERS)
		codel_far_give_up(w, now);
}

/* @bytes had @delay: how many have the target? */
static inline u64 codel_far_aim(const struct codel_far_window *w, u64 bytes, u64 target)
{
	u64 unqueued = codel_far_unqueued(w);

	return div64_u64(bytes * (unqueued + target), unqueued + w->queued + 1);
}

/*
 * What the window grows to: on a long path, the usual target is a small part of the round trip, and
 * in a window of few packets, the one that is held back is a large part. So without half of the
 * target in the far queue, the window grows by half a packet, and by a quarter in a round trip.
 */
static inline u64 codel_far_aim_above(const struct codel_far_window *w, u64 bytes)
{
	u64 target = codel_far_target(w);

	if (w->queued >= target / 2)
		return codel_far_aim(w, bytes, target);
	target = codel_far_max(target, codel_far_unqueued(w) / 4);
	return codel_far_aim(w, bytes + w->packet / 2, target);
}

/*
 * Follow the delay. The window grows only if it has held packets back since the marked packet
 * left, for its pace or for its size: otherwise the senders are slower than the link. Then it
 * does not follow from the bytes beyond the device either. In a round trip, it falls to a half at
 * most: the delay may be that of a standstill, which has ended when the answer comes. A packet that
 * left before there was a window had none, and no pace: its delay may be that of a burst.
 */
static inline void codel_far_follow(struct codel_far_window *w, const struct codel_far_mark *mark)
{
	u64 aim, target = codel_far_target(w);

	if (!mark->window)
		return;
	if (w->queued > target) {
		aim = codel_far_aim(w, codel_far_max(mark->beyond, mark->window), target);
		aim = codel_far_max(aim, mark->window / 2);
		w->window = codel_far_min(w->window, aim);
	} else if (w->limited >= mark->at) {
		aim = codel_far_aim_above(w, mark->beyond);
		aim = codel_far_min(aim, CODEL_FAR_GROWTH * mark->window);
		w->window = codel_far_max(w->window, aim);
	}
	w->window = codel_far_clamp(w->window, codel_far_floor(w), CODEL_FAR_WINDOW_MAX);
}

/* Reduce the window for a round trip. */
static inline void codel_far_dip(struct codel_far_window *w, const struct codel_far_answer *answer,
				 bool deep)
{
	w->deep = deep;
	w->dip = answer->now;
	w->dip_path = w->path;
	w->dip_flow = answer->flow;
}

/*
 * A path that a dip has made shorter by an eighth had a queue in it, and may have one still: then
 * the next one comes at once.
 */
static inline void codel_far_dip_again(struct codel_far_window *w,
				       const struct codel_far_answer *answer)
{
	u64 time = codel_far_since(answer->now, w->dip);
	bool shorter = answer->flow == w->dip_flow && w->path < w->dip_path - w->dip_path / 8;
	bool due = time >= CODEL_FAR_DIP_EVERY;

	if (due)
		w->alone /= 2;
	if (due || (shorter && time >= 2 * (w->dip_path + CODEL_FAR_TARGET)))
		codel_far_dip(w, answer, shorter);
}

/*
 * Begin with the window when the far queue has half of the target. Before, nothing is held back:
 * a window that grows more slowly than a sender in slow start would be taken for the link by the
 * CoDel of its queue here. The link was busy while the marked packet waited, with what left after
 * the latest answer without a queue: so its rate is known.
 */
static inline void codel_far_begin(struct codel_far_window *w, const struct codel_far_mark *mark,
				   const struct codel_far_answer *answer)
{
	u64 aim, bytes, time, target = codel_far_target(w), now = answer->now;

	if (now < w->alone_until)
		return;
	if (w->queued < target / 2) {
		w->idle = now;
		w->idle_done = mark->sent;
		return;
	}
	aim = codel_far_aim(w, mark->beyond, target);
	if (w->idle) {
		bytes = codel_far_min(mark->sent - w->idle_done, CODEL_FAR_WINDOW_MAX);
		time = codel_far_min(codel_far_since(now, w->idle) + 1, w->queued);
		bytes = div64_u64(bytes * (codel_far_unqueued(w) + target), time);
		aim = codel_far_max(aim, bytes);
	}
	w->window = codel_far_clamp(aim, codel_far_floor(w), CODEL_FAR_WINDOW_MAX);
	w->limited = now;
	codel_far_dip(w, answer, false);
	codel_far_watch_again(w, now);
	codel_far_watch_turn(&w->watch, now, codel_far_rate(w));
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
					    codel_far_answer_time(answer, rtt) - mark->at,
					    others, CODEL_FAR_PATH_WINDOW, excess);
	return excess - codel_far_min(late, excess);
}

/*
 * The time for which the marked packet waited while the link stood still: no smaller window would
 * have made it shorter, and the link needs the packets when it goes on. An answer had come since
 * the packet left, so the link had moved; the next one took much longer than the bytes between the
 * two. Only the latest standstill counts: so on a slow link, each of whose packets takes that long,
 * all of a queue but one of them counts.
 */
static inline u64 codel_far_stood_still(struct codel_far_window *w,
					const struct codel_far_mark *mark, u64 now, u64 path)
{
	u64 due = mark->at + path, begin = codel_far_max(w->news, due);
	u64 bytes = mark->sent - w->done + CODEL_FAR_STILL_PACKETS * w->packet;

	if (w->news > mark->at &&
	    codel_far_since(now, begin) >= CODEL_FAR_STILL + codel_far_time(w, bytes)) {
		w->still = begin;
		w->still_until = now;
	}
	return codel_far_since(w->still_until, codel_far_max(w->still, due));
}

/* The answer is the latest news of the far queue. */
static inline void codel_far_learn(struct codel_far_window *w, const struct codel_far_mark *mark,
				   const struct codel_far_answer *answer, u64 rtt, u64 excess)
{
	u64 path = codel_far_path_rtt(answer->path), now = answer->now;
	u64 still = codel_far_stood_still(w, mark, now, path + answer->path->beside);

	w->path = path;
	w->beside = answer->path->beside;
	w->rtt = rtt;
	w->bytes = mark->beyond;
	w->delay = codel_far_excess_sample(&w->excess, now, answer->flow, rtt, excess);
	w->queued = w->delay - codel_far_min(still, w->delay);
	if (w->window && codel_far_since(now, w->limited) >= CODEL_FAR_VOID)
		codel_far_end(w);
	if (!w->window) {
		codel_far_begin(w, mark, answer);
		return;
	}
	codel_far_watch_delay(w, now);
	if (!w->window)
		return;
	codel_far_follow(w, mark);
	codel_far_set_pace(w);
	codel_far_dip_again(w, answer);
}

/*
 * The delay may be that of the way back: nothing follows from it, and without other answers, the
 * window is not known to fit.
 */
static inline void codel_far_doubt(struct codel_far_window *w, u64 now)
{
	if (!codel_far_excess_is_recent(&w->excess, now, w->excess.at))
		codel_far_end(w);
}

/* An answer with a time */
static inline void codel_far_time_answer(struct codel_far_window *w,
					 const struct codel_far_mark *mark,
					 const struct codel_far_answer *answer, u64 rtt, bool fresh)
{
	u64 excess;

	w->unclear = codel_far_back_is_unclear(&w->back, answer, rtt, mark->beyond, w->window);
	if (w->unclear) {
		codel_far_doubt(w, answer->now);
		return;
	}
	excess = codel_far_sample(w, mark, answer, rtt);
	if (fresh)
		codel_far_learn(w, mark, answer, rtt, excess);
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

	if (answer->timed)
		codel_far_time_answer(w, mark, answer, rtt, fresh);
	if (!fresh)
		return;
	WRITE_ONCE(w->done, mark->sent);
	w->news = answer->now;
	codel_far_set_open(w, answer->now);
}

#endif /* CODEL_FAR_FOLLOW_H */
