// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The statistics of the queue in another device: struct codel_far_stats and the histogram that
 * follows it.
 */
#include <string.h>

#include "codel_ext_stats.h"
#include "codel_histogram.h"
#include "codel_json.h"

const char *const codel_far_states[CODEL_FAR_STATES] = {
	[CODEL_FAR_WORKS] = "works",
	[CODEL_FAR_DEAF] = "deaf",
	[CODEL_FAR_UNHEARD] = "unheard",
	[CODEL_FAR_UNANSWERED] = "unanswered",
	[CODEL_FAR_SILENT] = "silent",
	[CODEL_FAR_UNCLEAR] = "unclear",
	[CODEL_FAR_FOREIGN] = "foreign",
};

const char *const codel_far_reasons[CODEL_FAR_STATES] = {
	[CODEL_FAR_DEAF] = "the device of the answers is gone",
	[CODEL_FAR_UNHEARD] = "no TCP segment has passed the device of the answers",
	[CODEL_FAR_UNANSWERED] = "no answer to a packet that left",
	[CODEL_FAR_SILENT] = "answers have stopped",
	[CODEL_FAR_UNCLEAR] = "both directions are busy, and answers have no time stamps",
	[CODEL_FAR_FOREIGN] = "packets of others fill the queue",
};

/* Return false if the statistics are incomplete or have a layout unknown to this file. */
static bool codel_far_read(struct codel_far_stats *stats, struct codel_histogram *h,
			   const struct rtattr *xstats, size_t offset)
{
	__u32 counts[CODEL_FAR_DELAYS];
	unsigned int i;

	if (!codel_copy_stats(stats, xstats, offset, sizeof(*stats)) ||
	    stats->delay_first < CODEL_FAR_DELAY_FIRST ||
	    stats->delay_first + stats->delay_count > CODEL_FAR_DELAY_FIRST + CODEL_FAR_DELAYS ||
	    !codel_copy_stats(counts, xstats, offset + sizeof(*stats),
			      stats->delay_count * sizeof(*counts)))
		return false;
	memset(h, 0, sizeof(*h));
	h->first = stats->delay_first;
	h->end = h->first + stats->delay_count;
	h->buckets = CODEL_DELAY_BUCKETS;
	h->bound = codel_delay_bound;
	h->max = CODEL_NO_END;
	for (i = 0; i < stats->delay_count; i++)
		h->packets[h->first + i] = counts[i];
	return true;
}

static void codel_far_json(const struct codel_far_stats *stats, const struct codel_histogram *h)
{
	open_json_object("far");
	codel_json_string("state", stats->state < CODEL_FAR_STATES ?
			  codel_far_states[stats->state] : "unknown");
	codel_json_u64("rtt_ns", stats->rtt);
	codel_json_u64("path_ns", stats->path);
	codel_json_u64("delay_ns", stats->delay);
	codel_json_u64("rate", stats->rate);
	codel_json_u64("window", stats->window);
	codel_json_u64("beyond", stats->beyond);
	if (stats->news_age == CODEL_NO_END)
		codel_json_null("news_age_ns");
	else
		codel_json_u64("news_age_ns", stats->news_age);
	codel_json_u64("answers", stats->answers);
	codel_json_u64("released", stats->released);
	open_json_object("delay");
	codel_json_histogram(h);
	close_json_object();
	close_json_object();
}

static void codel_far_text(FILE *f, const struct codel_far_stats *stats,
			   const struct codel_histogram *h)
{
	const double ms = 1e6;

	print_nl();
	fprintf(f, "  far rtt %.1fms path %.1fms delay %.1fms rate %lluKbit window %llu beyond %llu",
		(double)stats->rtt / ms, (double)stats->path / ms, (double)stats->delay / ms,
		(unsigned long long)stats->rate / 125, (unsigned long long)stats->window,
		(unsigned long long)stats->beyond);
	fprintf(f, " answers %llu released %llu", (unsigned long long)stats->answers,
		(unsigned long long)stats->released);
	if (stats->news_age != CODEL_NO_END)
		fprintf(f, " news %.1fms ago", (double)stats->news_age / ms);
	if (stats->state && stats->state < CODEL_FAR_STATES)
		fprintf(f, " (nothing done: %s)", codel_far_reasons[stats->state]);
	if (!h->packets[h->first])
		return;
	print_nl();
	fprintf(f, "  in the far queue");
	codel_print_percentiles(f, h);
}

void codel_print_far(FILE *f, const struct rtattr *xstats, size_t offset)
{
	struct codel_far_stats stats;
	struct codel_histogram h;

	if (!codel_far_read(&stats, &h, xstats, offset))
		return;
	if (is_json_context())
		codel_far_json(&stats, &h);
	else
		codel_far_text(f, &stats, &h);
}
