/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The flows of an fq_codel in an interval. The kernel dumps a flow only while the flow is
 * active, and counts from the time at which a hash got the flow. So each flow is compared
 * with its last dump, which may be several intervals ago.
 */
#ifndef CODELSTAT_FLOWS_H
#define CODELSTAT_FLOWS_H

#include "snapshot.h"

#define FLOWS_MAX	65536

/* What flows can be sorted by, the largest first */
enum flows_key {
	FLOWS_SHARE,
	FLOWS_RATE,
	FLOWS_BACKLOG,
	FLOWS_P99,
	FLOWS_DROPS,
	FLOWS_KEYS
};

/**
 * struct flow_seen - a flow as it was when it was seen last
 * @at: when, ns; 0: never
 * @stats: its flow record then
 */
struct flow_seen {
	uint64_t at;
	struct codel_flow_stats stats;
};

/**
 * struct flow_row - a flow, and its counts in an interval
 * @flow: as it is now
 * @known: the members below are valid; false for in-tree fq_codel, and for a new flow
 *	that may have counted before the interval
 * @seconds: since it was seen last, or the interval; 0: all of its time
 * @bytes: sent in them
 * @packets: the same
 * @drops: packets
 * @marks: packets
 * @delay: packets sent by sojourn time, see CODEL_FLOW_DELAYS
 * @rate: bytes per second, 0 if @seconds is
 * @share: of the bytes that the qdisc sent, 0 to 1
 * @key: see flows_sort()
 */
struct flow_row {
	const struct cs_flow *flow;
	bool known;
	double seconds;
	uint64_t bytes;
	uint64_t packets;
	uint32_t drops;
	uint32_t marks;
	uint32_t delay[CODEL_FLOW_DELAYS];
	double rate;
	double share;
	double key;
};

/* Make a note of flows: @seen has FLOWS_MAX entries, by the minor number of the class */
void flows_note(struct flow_seen *seen, uint64_t now, const struct cs_flow *flows, size_t n);

/*
 * Fill @rows with the counts of each flow since its last dump (@seen NULL: since its hash
 * got the flow), largest share first, then largest backlog. @delta is that of the qdisc.
 */
void flows_compare(struct flow_row *rows, const struct flow_seen *seen, uint64_t now,
		   const struct cs_flow *flows, size_t n, const struct cs_delta *delta);

/* Sort by @key; flows that are equal in it stay in the order of flows_compare(). @longest: see
 * flows_percentile()
 */
void flows_sort(struct flow_row *rows, size_t n, enum flows_key key, double longest);

/* In ns: the end of the bucket, or @max if that is less; 0 without packets */
double flows_percentile(const struct flow_row *row, unsigned int percent, double max);

#endif /* CODELSTAT_FLOWS_H */
