// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See chart.h. Row 0 is at the bottom; each is the same part of a power of ten. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "chart.h"
#include "text.h"

#define CHART_LABEL	7	/* columns */
#define CHART_PERCENT	5
#define CHART_ROWS_MAX	1000

#define CHART_BELOW		50	/* times below target: counts as 0 */
#define CHART_NS_LOWEST		3	/* 10^3 ns; shorter delays are in the first row */
#define CHART_NS_HIGHEST	12
#define CHART_DECADES		2	/* at least */

struct chart_scale {
	double lowest;	/* log10 of ns */
	double decades;
	unsigned int rows;
};

/* The signs of a chart in an encoding */
struct chart_signs {
	const char *level[CHART_LEVELS];
	const char *target;
	const char *left, *tick, *cross, *corner, *right, *foot, *line;
	const char *part[8];	/* of a bar's last character, in eighths */
};

static const struct chart_signs chart_utf8 = {
	.level = { "█", "▓", "▒", "░" },
	.target = "╌",
	.left = "│", .tick = "┤", .cross = "╪",
	.corner = "└", .right = "│", .foot = "┴", .line = "─",
	.part = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" },
};

static const struct chart_signs chart_ascii = {
	.level = { "#", "+", ":", "." },
	.target = "-",
	.left = "|", .tick = "+", .cross = ">",
	.corner = "+", .right = "|", .foot = "+", .line = "-",
	.part = { "", "", "", "", "#", "#", "#", "#" },
};

static const enum cs_colour chart_colours[CHART_LEVELS] = {
	CS_BLUE, CS_CYAN, CS_YELLOW, CS_RED,
};

static const char * const chart_names[CHART_LEVELS] = { "p50", "p90", "p99", "max" };

static const struct chart_signs *chart_signs(const struct chart *chart)
{
	return chart->term->utf8 ? &chart_utf8 : &chart_ascii;
}

static unsigned int chart_bars(unsigned int columns)
{
	return columns / 4;
}

unsigned int chart_room(unsigned int columns)
{
	return columns - CHART_LABEL - 2 - chart_bars(columns);
}

/* Those that are shown */
static const struct chart_sample *chart_shown(const struct chart *chart, size_t *n)
{
	size_t room = chart_room(chart->columns);

	*n = chart->n < room ? chart->n : room;
	return chart->samples + (chart->n - *n);
}

/* Whole powers of ten, so that the scale rests while the delay moves */
static struct chart_scale chart_fit(const struct chart *chart)
{
	double low = chart->target, high = chart->target;
	const struct chart_sample *sample;
	struct chart_scale scale;
	size_t i, n;

	sample = chart_shown(chart, &n);
	for (i = 0; i < n; i++, sample++) {
		if (!sample->ns[CHART_MAX])
			continue;
		low = fmin(low, sample->ns[CHART_P50]);
		high = fmax(high, sample->ns[CHART_MAX]);
	}
	low = fmax(low, chart->target / CHART_BELOW);
	low = fmax(floor(log10(fmax(low, 1))), CHART_NS_LOWEST);
	high = fmin(ceil(log10(fmax(high, 1))), CHART_NS_HIGHEST);
	low = fmin(low, CHART_NS_HIGHEST - CHART_DECADES);
	scale.lowest = low;
	scale.decades = fmax(high - low, CHART_DECADES);
	scale.rows = chart->rows < CHART_ROWS_MAX ? chart->rows : CHART_ROWS_MAX;
	return scale;
}

/* Position of a delay in rows; a delay beyond the scale is at its end */
static double chart_height(const struct chart_scale *scale, double ns)
{
	double height = (log10(fmax(ns, 1)) - scale->lowest) / scale->decades * scale->rows;

	return fmin(fmax(height, 0), scale->rows);
}

static unsigned int chart_row(const struct chart_scale *scale, double ns)
{
	unsigned int row = (unsigned int)chart_height(scale, ns);

	return row < scale->rows ? row : scale->rows - 1;
}

/* The packets of each row: a bucket that is in several is spread over them evenly */
static void chart_spread(const struct chart *chart, const struct chart_scale *scale,
			 double packets[CHART_ROWS_MAX])
{
	double from, to, top;
	unsigned int i, row;

	memset(packets, 0, CHART_ROWS_MAX * sizeof(*packets));
	for (i = 0; i < CODEL_DELAY_BUCKETS; i++) {
		if (!chart->delay[i])
			continue;
		from = chart_height(scale, (double)codel_delay_bound(i));
		to = chart_height(scale, (double)codel_delay_bound(i + 1));
		row = chart_row(scale, (double)codel_delay_bound(i));
		if (to <= from) {
			packets[row] += (double)chart->delay[i];
			continue;
		}
		for (; row < to && row < scale->rows; row++) {
			top = fmin(to, row + 1);
			packets[row] += (double)chart->delay[i] *
					(top - fmax(from, row)) / (to - from);
		}
	}
}

/* The rounded delay that a row has for a label: false if it has none */
static bool chart_tick(const struct chart_scale *scale, unsigned int row, double *ns)
{
	static const unsigned int steps[] = { 1, 2, 5 };
	bool dense = scale->rows >= 6 * scale->decades;
	int decade = (int)scale->lowest, end = decade + (int)scale->decades;
	unsigned int i;

	for (; decade < end; decade++) {
		for (i = 0; i < (dense ? 3 : 1); i++) {
			*ns = steps[i] * pow(10, decade);
			if (chart_row(scale, *ns) == row)
				return true;
		}
	}
	return false;
}

static void chart_label(FILE *out, const struct chart *chart,
			const struct chart_scale *scale, unsigned int row)
{
	const struct chart_signs *signs = chart_signs(chart);
	bool target = row == chart_row(scale, chart->target);
	const char *sign = target ? signs->cross : signs->tick;
	double ns = chart->target;
	char text[CS_TEXT];

	if (target || chart_tick(scale, row, &ns))
		fprintf(out, "%s%*s%s%s",
			target ? cs_term_colour(chart->term, CS_MAGENTA) : "",
			CHART_LABEL, cs_text_time(text, ns), sign,
			target ? cs_term_colour(chart->term, CS_PLAIN) : "");
	else
		fprintf(out, "%*s%s", CHART_LABEL, "", signs->left);
}

/* A sign @n times, in a colour */
static void chart_repeat(FILE *out, const struct chart *chart, const char *sign,
			 size_t n, enum cs_colour colour)
{
	const bool coloured = n && colour != CS_PLAIN;

	fputs(coloured ? cs_term_colour(chart->term, colour) : "", out);
	while (n--)
		fputs(sign, out);
	fputs(coloured ? cs_term_colour(chart->term, CS_PLAIN) : "", out);
}

/* Where there is nothing, the target's line is seen */
static void chart_gap(FILE *out, const struct chart *chart,
		      const struct chart_scale *scale, unsigned int row, size_t n)
{
	if (row == chart_row(scale, chart->target))
		chart_repeat(out, chart, chart_signs(chart)->target, n, CS_MAGENTA);
	else
		chart_repeat(out, chart, " ", n, CS_PLAIN);
}

/* The level of a sample in a row; CHART_LEVELS: none */
static enum chart_level chart_level(const struct chart_sample *sample,
				    const struct chart_scale *scale, unsigned int row)
{
	enum chart_level level;

	if (!sample->ns[CHART_MAX])
		return CHART_LEVELS;
	for (level = CHART_P50; level < CHART_LEVELS; level++)
		if (row <= chart_row(scale, sample->ns[level]))
			break;
	return level;
}

static void chart_strip(FILE *out, const struct chart *chart,
			const struct chart_scale *scale, unsigned int row)
{
	const struct chart_sample *sample;
	enum chart_level level;
	size_t i, n;

	sample = chart_shown(chart, &n);
	chart_gap(out, chart, scale, row, chart_room(chart->columns) - n);
	for (i = 0; i < n; i++, sample++) {
		level = chart_level(sample, scale, row);
		if (level == CHART_LEVELS)
			chart_gap(out, chart, scale, row, 1);
		else
			chart_repeat(out, chart, chart_signs(chart)->level[level], 1,
				     chart_colours[level]);
	}
}

static void chart_percent(FILE *out, double share)
{
	if (share >= 0.005)
		fprintf(out, "%*.0f%%", CHART_PERCENT - 1, share * 100);
	else if (share > 0)
		fprintf(out, "%*s", CHART_PERCENT, "<1%");
}

/* A row of the histogram: @share of the packets; @most is that of the fullest row */
static void chart_bar(FILE *out, const struct chart *chart,
		      const struct chart_scale *scale, unsigned int row, double share,
		      double most)
{
	unsigned int width = chart_bars(chart->columns) - CHART_PERCENT;
	unsigned int eighths = most > 0 ? (unsigned int)(share / most * width * 8) : 0;
	const struct chart_signs *signs = chart_signs(chart);
	const char *part;

	if (share > 0 && eighths < 4)	/* that there is something can be seen */
		eighths = chart->term->utf8 && eighths ? eighths : 4;
	part = signs->part[eighths % 8];
	chart_repeat(out, chart, signs->level[CHART_P50], eighths / 8, CS_GREEN);
	chart_repeat(out, chart, part, *part ? 1 : 0, CS_GREEN);
	if (!(share > 0) && row != chart_row(scale, chart->target))
		return;		/* no blanks at the end of a line */
	chart_gap(out, chart, scale, row, width - eighths / 8 - (*part ? 1 : 0));
	chart_percent(out, share);
}

static void chart_time(FILE *out, const struct chart *chart)
{
	const struct chart_signs *signs = chart_signs(chart);
	unsigned int room = chart_room(chart->columns);
	char text[CS_TEXT];
	int used;

	cs_text_time(text, room * chart->seconds * 1e9);
	fprintf(out, "%*s%s", CHART_LABEL, "", signs->corner);
	used = fprintf(out, " %s ago ", text);
	chart_repeat(out, chart, signs->line, room - (unsigned int)used - strlen(" now "),
		     CS_PLAIN);
	fprintf(out, " now %s last interval\n", signs->foot);
}

static void chart_legend(FILE *out, const struct chart *chart)
{
	const struct chart_signs *signs = chart_signs(chart);
	enum chart_level level;
	char text[CS_TEXT];

	fprintf(out, "%*s", CHART_LABEL + 1, "");
	for (level = CHART_P50; level < CHART_LEVELS; level++) {
		chart_repeat(out, chart, signs->level[level], 1, chart_colours[level]);
		fprintf(out, " %s  ", chart_names[level]);
	}
	chart_repeat(out, chart, signs->target, 1, CS_MAGENTA);
	fprintf(out, " target %s\n", cs_text_time(text, chart->target));
}

void chart_print(FILE *out, const struct chart *chart)
{
	struct chart_scale scale = chart_fit(chart);
	double packets[CHART_ROWS_MAX], sum = 0, most = 0;
	unsigned int row;

	chart_spread(chart, &scale, packets);
	for (row = 0; row < scale.rows; row++) {
		sum += packets[row];
		most = fmax(most, packets[row]);
	}
	for (row = scale.rows; row--; ) {
		double share = sum > 0 ? packets[row] / sum : 0;

		chart_label(out, chart, &scale, row);
		chart_strip(out, chart, &scale, row);
		fputs(chart_signs(chart)->right, out);
		chart_bar(out, chart, &scale, row, share, sum > 0 ? most / sum : 0);
		fputc('\n', out);
	}
	chart_time(out, chart);
	chart_legend(out, chart);
}
