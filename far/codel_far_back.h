/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The way back of answers without time stamps: if it is busy, the delay of an answer may be its.
 */
#ifndef CODEL_FAR_BACK_H
#define CODEL_FAR_BACK_H

#include "codel_far_path.h"

/*
 * A link is usually not slower on the way back. So it has a queue only if more comes in than half
 * of what the far queue has delivered at its best, and more than this; bytes/s
 */
#define CODEL_FAR_BUSY		8000

/* Of a period of this length, and a round trip, at least */
#define CODEL_FAR_BUSY_PERIOD	(100 * CODEL_FAR_MSEC)

/* The best rate of the last 10 to 20 s, kept as the time of 2^20 bytes */
#define CODEL_FAR_BEST_WINDOW	(10000 * CODEL_FAR_MSEC)
#define CODEL_FAR_BEST_SHIFT	20

/* A way back that was busy is left alone for this long. */
#define CODEL_FAR_BUSY_HOLD	(10000 * CODEL_FAR_MSEC)

/**
 * struct codel_far_back - the way back
 * @arrivals: the rate at which bytes come in
 * @best: the shortest time of 1 MiB in the far queue, ns
 * @busy: when a window met a busy way back last, ns; 0 if that is long ago
 */
struct codel_far_back {
	struct codel_far_meter arrivals;
	struct codel_far_least best;
	u64 busy;
};

/**
 * codel_far_back_is_busy() - an answer without a time stamp
 * @b: the way back
 * @answer: the answer
 * @rtt: since its packet left, ns, CODEL_FAR_RTT_MAX at most
 * @bytes: beyond the device when the packet had left
 *
 * Return: true if much comes in.
 */
static inline bool codel_far_back_is_busy(struct codel_far_back *b,
					  const struct codel_far_answer *answer, u64 rtt, u64 bytes)
{
	u64 now = answer->now, time = div64_u64(rtt << CODEL_FAR_BEST_SHIFT, bytes + 1), rate;

	if (!b->best.begin)
		codel_far_least_start(&b->best, now, time, 0);
	codel_far_least_sample(&b->best, now, time, CODEL_FAR_BEST_WINDOW);
	codel_far_meter_read(&b->arrivals, now, answer->arrived,
			     codel_far_max(CODEL_FAR_BUSY_PERIOD, rtt));
	rate = div64_u64(1000 * CODEL_FAR_MSEC << CODEL_FAR_BEST_SHIFT,
			 codel_far_least_get(&b->best) + 1);
	return b->arrivals.rate > codel_far_max(CODEL_FAR_BUSY, rate / 2);
}

/**
 * codel_far_back_is_unclear() - may the delay of an answer be that of the way back?
 * @b: the way back
 * @answer: the answer
 * @rtt: as for codel_far_back_is_busy()
 * @bytes: as for codel_far_back_is_busy()
 * @window: there is a window
 *
 * The senders of the way back slow down at times: a window for so long would cost those here what
 * they have. So once a window has met a busy way back, all is unclear for a while after it, too.
 *
 * Return: true if so.
 */
static inline bool codel_far_back_is_unclear(struct codel_far_back *b,
					     const struct codel_far_answer *answer, u64 rtt,
					     u64 bytes, bool window)
{
	bool busy;

	if (answer->stamped)
		return false;
	if (b->busy && codel_far_since(answer->now, b->busy) >= CODEL_FAR_BUSY_HOLD)
		b->busy = 0;
	busy = codel_far_back_is_busy(b, answer, rtt, bytes);
	if (busy && (window || b->busy))
		b->busy = answer->now;
	return busy || b->busy;
}

#endif /* CODEL_FAR_BACK_H */
