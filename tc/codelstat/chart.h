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
 * enum chart_level - what a sample has, in this order from the bottom to the top
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
 * @ns: its delays by enum chart_level; all 0 if nothing was sent in it
 */
struct chart_sample {
	double ns[CHART_LEVELS];
};

/**
 * struct chart - what is drawn
 * @term: how
 * @samples: @n of them, the oldest first; as many of the last as there is room for are shown
 * @delay: the last interval's histogram
 * @target: a line there, ns
 * @seconds: from one sample to the next
 * @rows: of characters, the axis of time aside
 * @columns: of characters, all in all
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

/* How many samples there is room for */
unsigned int chart_room(unsigned int columns);

/* @rows lines, a line with the time, and one that says what the shades are */
void chart_print(FILE *out, const struct chart *chart);

#endif /* CODELSTAT_CHART_H */
