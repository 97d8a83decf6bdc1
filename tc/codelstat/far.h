/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The queue in another device, which a qdisc with `bottleneck downstream` or `upstream` follows */
#ifndef CODELSTAT_FAR_H
#define CODELSTAT_FAR_H

#include "snapshot.h"

/* Read the queue that @q follows, which its extended statistics at @ext, of @len bytes, describe. As in tc, an
 * incomplete part is none.
 */
void cs_far_read(struct cs_snapshot *snapshot, struct cs_qdisc *q, const void *ext, size_t len);

/* Answers whose packets waited for a time of this bucket of codel_delay.h */
uint64_t cs_far_in(const struct cs_qdisc *q, unsigned int bucket);

/**
 * struct cs_far_delays - how long packets waited elsewhere, in an interval
 * @known: answers came
 * @p50, @p90: bounds of percentiles, ns
 */
struct cs_far_delays {
	bool known;
	double p50;
	double p90;
};

/* @before: the same qdisc, NULL for all times. Unknown if @now follows no queue */
void cs_far_delays(struct cs_far_delays *delays, const struct cs_qdisc *before,
		   const struct cs_qdisc *now);

/* Whether the queue is held short; otherwise codel_far_reasons says why not. */
static inline bool cs_far_works(const struct codel_far_stats *far)
{
	return far->state == CODEL_FAR_WORKS;
}

#endif /* CODELSTAT_FAR_H */
