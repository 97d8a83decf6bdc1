/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A strip chart of delay over time and, on the same logarithmic axis, the histogram of
 * the last interval, in characters.
 */
#ifndef CODELSTAT_CHART_H
#define CODELSTAT_CHART_H

#include <stdint.h>
#include <stdio.h>

#include "snapshot.h"
#include "term.h"

#define CHART_MIN_ROWS		4
#define CHART_MIN_COLUMNS	60

/**
 * enum chart_level - values of a sample, from the bottom to the top
 */
enum chart_level {
	CHART_P50,
	CHART_P90,
	CHART_P99,
	CHART_MAX,
	CHART_LEVELS
};

/**
 * struct chart_sample - an interval
 * @ns: delays by enum chart_level; all 0 if no packet was sent
 */
struct chart_sample {
	double ns[CHART_LEVELS];
};

/**
 * struct chart - contents and size of a chart
 * @term: colours and character set
 * @samples: @n samples, the oldest first; the last ones that fit are drawn
 * @delay: the last interval's histogram
 * @target: drawn as a line, ns
 * @seconds: from one sample to the next
 * @rows: height in characters, without the axis of time
 * @columns: width in characters
 */
struct chart {
	const struct cs_term *term;
	const struct chart_sample *samples;
	size_t n;
	const uint64_t *delay;
	double target;
	double seconds;
	unsigned int rows;
	unsigned int columns;
};

/* Number of samples that fit */
unsigned int chart_room(unsigned int columns);

/* Print @rows lines, a line with the time, and a line with the legend. */
void chart_print(FILE *out, const struct chart *chart);

#endif /* CODELSTAT_CHART_H */
