/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* A snapshot as text for Prometheus */
#ifndef CODELSTAT_OPENMETRICS_H
#define CODELSTAT_OPENMETRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "snapshot.h"

#define METRICS_TYPE_OPEN	"application/openmetrics-text; version=1.0.0; charset=utf-8"
#define METRICS_TYPE_PLAIN	"text/plain; version=0.0.4; charset=utf-8"

/**
 * struct metrics - the format, and the metrics of the exporter itself
 * @open: OpenMetrics 1.0, else the older text format 0.0.4
 * @buckets: of the histogram, to each power of two: 1, 2, 4 or 8; 0: those that end at round
 *	numbers. The set of them is always whole: Prometheus subtracts buckets of different
 *	times, and one that appears later would seem to have counted nothing before
 * @states: codel_verdict, too
 * @seconds: that it took to read the snapshot
 * @errors: how often that has failed
 */
struct metrics {
	bool open;
	unsigned int buckets;
	bool states;
	double seconds;
	uint64_t errors;
};

/* @before: verdicts are of the time since then; NULL: since the counters began */
void metrics_print(FILE *out, const struct metrics *metrics, const struct cs_snapshot *before,
		   const struct cs_snapshot *snapshot);

#endif /* CODELSTAT_OPENMETRICS_H */
