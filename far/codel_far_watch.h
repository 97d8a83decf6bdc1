/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A delay that stays too long although the window has been reduced is not that of the window's
 * packets. A path that has become longer is steady. A queue that others fill is not, and then the
 * delivered rate falls with the window: a queue of these packets alone would keep it.
 */
#ifndef CODEL_FAR_WATCH_H
#define CODEL_FAR_WATCH_H

#include "codel_far_path.h"

/* Round trips, and the time, after which a delay is known not to follow the window */
#define CODEL_FAR_STUCK		8
#define CODEL_FAR_STUCK_MIN	(1000 * CODEL_FAR_MSEC)

/* What a delay that stays is */
enum codel_far_cause {
	CODEL_FAR_OURS,		/* that of the window's packets, as far as is known */
	CODEL_FAR_PATH,		/* that of a new path */
	CODEL_FAR_OTHERS,	/* that of packets which the window does not hold back */
};

/**
 * struct codel_far_watch - a delay that is too long
 * @since: the latest answer with a delay that was not, ns
 * @above: a delay that is too long, ns
 * @turn: begin of the present round trip, ns
 * @turns: round trips since @since
 * @rate: delivered in the first of them, bytes/s; of a window that begins, before it
 * @least: the shortest round trip after the first one, ns
 * @most: the longest of them, ns
 */
struct codel_far_watch {
	u64 since;
	u64 above;
	u64 turn;
	u64 rate;
	u64 least;
	u64 most;
	u32 turns;
};

/* From now on, a delay above @above is too long, ns. */
static inline void codel_far_watch_start(struct codel_far_watch *w, u64 now, u64 above)
{
	*w = (struct codel_far_watch) {
		.since = now,
		.above = above,
		.turn = now,
		.least = ~0ULL,
	};
}

/* What leaves from now on is compared with the delivered rate @rate. */
static inline void codel_far_watch_turn(struct codel_far_watch *w, u64 now, u64 rate)
{
	if (!w->turns++)
		w->rate = rate;
	w->turn = now;
}

/**
 * codel_far_watch() - an answer shows that the delay is still too long
 * @w: the delay
 * @now: monotonic time, ns
 * @rtt: of the answer, ns
 * @rate: delivered in this round trip, bytes/s
 *
 * The first round trip shows what the delay was before the window was reduced. A link that has
 * become slower has the same rate in the next ones, and a shorter delay.
 *
 * Return: whose delay it is.
 */
static inline enum codel_far_cause codel_far_watch(struct codel_far_watch *w, u64 now, u64 rtt,
						   u64 rate)
{
	bool lasts = codel_far_since(now, w->since) > CODEL_FAR_STUCK_MIN, others;

	if (codel_far_since(now, rtt) >= w->turn)
		codel_far_watch_turn(w, now, rate);
	if (w->turns < 2)
		return CODEL_FAR_OURS;
	w->least = codel_far_min(w->least, rtt);
	w->most = codel_far_max(w->most, rtt);
	if (w->most - w->least <= CODEL_FAR_STEADY)
		return lasts && w->turns > CODEL_FAR_STUCK ? CODEL_FAR_PATH : CODEL_FAR_OURS;
	others = lasts && (w->turns > CODEL_FAR_STUCK ||
			   (w->turns > CODEL_FAR_STUCK / 2 && rate <= w->rate - w->rate / 4));
	return others ? CODEL_FAR_OTHERS : CODEL_FAR_OURS;
}

#endif /* CODEL_FAR_WATCH_H */
