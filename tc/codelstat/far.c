// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See far.h */
#include <string.h>

#include "../codel_ext_stats.h"
#include "far.h"

/* Beside the histograms, for which there is as much room as all messages take: the parts of one do not overlap */
static const struct codel_far_stats *cs_far_keep(struct cs_snapshot *snapshot,
						 const unsigned char *far, size_t bytes)
{
	uint64_t words[(sizeof(struct codel_far_stats) + CODEL_FAR_DELAYS * sizeof(uint32_t)) / 8];

	memcpy(words, far, bytes);
	return (const void *)cs_snapshot_add_delay(snapshot, words,
						   (bytes + sizeof(*words) - 1) / sizeof(*words));
}

void cs_far_read(struct cs_snapshot *snapshot, struct cs_qdisc *q, const void *ext, size_t len)
{
	const struct codel_ext_stats *stats = &q->ext_stats;
	const size_t offset = stats->far_offset;
	const unsigned char *at = (const unsigned char *)ext + offset;
	struct codel_far_stats far;
	size_t bytes;

	if (!offset || !codel_ext_stats_has_wire(stats) || len < sizeof(far) || offset > len - sizeof(far) ||
	    offset < stats->delay_offset + stats->delay_count * sizeof(*q->delay))
		return;
	memcpy(&far, at, sizeof(far));
	bytes = sizeof(far) + far.delay_count * sizeof(uint32_t);
	if (far.state >= CODEL_FAR_STATES || far.delay_first < CODEL_FAR_DELAY_FIRST ||
	    far.delay_first + far.delay_count > CODEL_FAR_DELAY_FIRST + CODEL_FAR_DELAYS ||
	    bytes > len - offset)
		return;
	q->far = cs_far_keep(snapshot, at, bytes);
}

uint64_t cs_far_in(const struct cs_qdisc *q, unsigned int bucket)
{
	const uint32_t *counts = (const uint32_t *)(q->far + 1);
	const unsigned int at = bucket - q->far->delay_first;

	return at < q->far->delay_count ? counts[at] : 0;
}

/* Counters of 32 bits wrap; so does their difference. */
static uint64_t cs_far_since(const struct cs_qdisc *before, const struct cs_qdisc *now,
			     unsigned int bucket)
{
	const uint64_t then = before && before->far ? cs_far_in(before, bucket) : 0;

	return (uint32_t)(cs_far_in(now, bucket) - then);
}

static void cs_far_percentiles(struct cs_far_delays *delays, const struct cs_qdisc *before,
			       const struct cs_qdisc *now)
{
	uint64_t delay[CODEL_DELAY_BUCKETS] = {}, sum = 0, passed = 0;
	unsigned int i;

	for (i = CODEL_FAR_DELAY_FIRST; i < CODEL_FAR_DELAY_FIRST + CODEL_FAR_DELAYS; i++) {
		delay[i] = cs_far_since(before, now, i);
		sum += delay[i];
	}
	if (!sum)
		return;
	delays->known = true;
	i = cs_reach(delay, sum, 50, CODEL_FAR_DELAY_FIRST, &passed);
	delays->p50 = (double)codel_delay_bound(i + 1);
	i = cs_reach(delay, sum, 90, i, &passed);
	delays->p90 = (double)codel_delay_bound(i + 1);
}

/* Most qdiscs follow no queue: they cost nothing */
void cs_far_delays(struct cs_far_delays *delays, const struct cs_qdisc *before,
		   const struct cs_qdisc *now)
{
	memset(delays, 0, sizeof(*delays));
	if (now->far)
		cs_far_percentiles(delays, before, now);
}
