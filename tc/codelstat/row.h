/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* A qdisc and its figures: the common part of all lists. */
#ifndef CODELSTAT_ROW_H
#define CODELSTAT_ROW_H

#include <stdio.h>

#include "far.h"
#include "snapshot.h"
#include "term.h"

/**
 * struct cs_row - a qdisc in one refresh
 * @q: as it is now
 * @since: it was there before: @delta is of an interval, and not of all times
 * @delta: its counts in the interval
 * @delays: how long its packets waited
 * @far: how long they waited in the queue elsewhere that it follows
 * @backlog_ms: see cs_backlog_ms()
 * @flows: the active ones, as far as known; @n_flows of them
 */
struct cs_row {
	const struct cs_qdisc *q;
	bool since;
	struct cs_delta delta;
	struct cs_delays delays;
	struct cs_far_delays far;
	double backlog_ms;
	const struct cs_flow *flows;
	size_t n_flows;
};

/* Of qdisc number @i in @now; @before may be NULL */
void cs_row_fill(struct cs_row *row, const struct cs_snapshot *before,
		 const struct cs_snapshot *now, size_t i);

/**
 * struct cs_total - the sum of all qdiscs of a device, or of those that share a rate
 * @queues: how many
 * @one: the first of them
 * @drops: of all times
 * @q: sums of the members bytes, packets, backlog, qlen and link; its kind is "8 queues". cs_link_fill() has more
 * @row: of @q. An interval has a queue that was not there before: without @since. Delays are
 *	known only if all qdiscs have histograms
 */
struct cs_total {
	size_t queues;
	const struct cs_qdisc *one;
	uint64_t drops;
	struct cs_qdisc q;
	struct cs_row row;
};

/* total.c: number of qdiscs of the device whose first one is qdisc number @first in @now */
size_t cs_total_queues(const struct cs_snapshot *now, size_t first);

/* Of this device; @before may be NULL. @link: only of those that share a rate, of this kind; CS_OTHER: of all */
void cs_total_fill(struct cs_total *total, const struct cs_snapshot *before,
		   const struct cs_snapshot *now, size_t first, enum cs_kind link);

/* The module that serves a qdisc: "out-of-tree" or "in-tree" */
const char *cs_module_word(const struct cs_qdisc *qdisc);

/* Whether its kind, "codel" or "fq_codel", does not already show the module */
bool cs_is_plain(const struct cs_qdisc *qdisc);

/* Fast output without printf() and locks, which would be most of the cost of a list of a
 * thousand qdiscs.
 */
void cs_put(FILE *out, const char *text);
void cs_put_uint(FILE *out, uint64_t value);
void cs_put_seconds(FILE *out, uint64_t ns);
void cs_put_real(FILE *out, double value, int digits);

/* Of JSON: version 1, of releases before 1.0, had other names */
#define CS_JSON_VERSION	2

/* Each writes one refresh: qdisc_json.c, csv.c, table.c. */
void cs_json(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now);
void cs_csv_header(FILE *out);
void cs_csv(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now);

/* For @term: if it is live and not all qdiscs fit, those that are not idle come first. */
void cs_table(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now,
	      const struct cs_term *term);

#endif /* CODELSTAT_ROW_H */
