/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Sojourn times of packets: percentiles for readers, every bucket as JSON.
 */
#ifndef CODEL_HISTOGRAM_H
#define CODEL_HISTOGRAM_H

#include "codel_common.h"
#include "../uapi/codel_delay.h"

#define CODEL_NO_END (~0ULL)	/* of times: longer than any that is known */

/**
 * struct codel_histogram - number of packets by sojourn time
 * @packets: in each bucket
 * @first: the first bucket that is not 0
 * @end: the first one after those that are not 0
 * @buckets: how many there are; the last has no upper end
 * @bound: returns the lower bound of a bucket, ns
 * @max: the longest time, ns; CODEL_NO_END if that is not known
 */
struct codel_histogram {
	__u64 packets[CODEL_DELAY_BUCKETS];
	unsigned int first;
	unsigned int end;
	unsigned int buckets;
	__u64 (*bound)(unsigned int bucket);
	__u64 max;
};

/* Of the CODEL_FLOW_DELAYS buckets of a flow */
void codel_flow_histogram(struct codel_histogram *h, const __u32 *delay);

/* The upper bound of the bucket that contains the percentile, at most the longest time; CODEL_NO_END
 * without packets
 */
__u64 codel_percentile(const struct codel_histogram *h, unsigned int permille);

/* A line of percentiles, and the maximum if it is known; none without packets */
void codel_print_percentiles(FILE *f, const struct codel_histogram *h);

/* The same, and the buckets, as members of the object that is open */
void codel_json_histogram(const struct codel_histogram *h);

#endif /* CODEL_HISTOGRAM_H */
