// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * What became of the packets of a qdisc, and how long they waited: struct
 * codel_sight, and the histogram that follows it.
 */
#include <string.h>

#include "codel_histogram.h"
#include "codel_json.h"
#include "../uapi/codel_uapi.h"

static const char *const codel_drop_causes[] = {
	CODEL_DROP_CAUSE_LIST(CODEL_CAUSE_WORD)
};

static const char *const codel_mark_causes[] = {
	CODEL_MARK_CAUSE_LIST(CODEL_CAUSE_WORD)
};

_Static_assert(sizeof(codel_drop_causes) / sizeof(*codel_drop_causes) ==
	       CODEL_DROP_CAUSES, "a name for every cause of drops");
_Static_assert(sizeof(codel_mark_causes) / sizeof(*codel_mark_causes) ==
	       CODEL_MARK_CAUSES, "a name for every cause of marks");

/* False if they are not whole, or not as this file knows them */
static bool codel_read_delays(struct codel_histogram *h,
			      const struct codel_sight *sight,
			      const struct rtattr *xstats, size_t offset)
{
	const unsigned int end = sight->delay_first + sight->delay_count;

	memset(h, 0, sizeof(*h));
	h->first = sight->delay_first;
	h->end = end;
	h->buckets = CODEL_DELAY_BUCKETS;
	h->bound = codel_delay_bound;
	h->max = sight->delay_max;
	return end <= CODEL_DELAY_BUCKETS &&
	       sight->delay_offset >= sizeof(*sight) &&
	       codel_copy_stats(h->packets + h->first, xstats,
				offset + sight->delay_offset,
				sight->delay_count * sizeof(*h->packets));
}

static void codel_json_count(const char *name, const struct codel_count *count)
{
	open_json_object(name);
	codel_json_u64("packets", count->packets);
	codel_json_u64("bytes", count->bytes);
	close_json_object();
}

static void codel_json_causes(const char *name, const char *const *causes,
			      const struct codel_count *counts, unsigned int n)
{
	unsigned int i;

	open_json_object(name);
	for (i = 0; i < n; i++)
		codel_json_count(causes[i], &counts[i]);
	close_json_object();
}

static void codel_json_sight(const struct codel_sight *sight,
			     const struct codel_histogram *delays)
{
	codel_json_count("received", &sight->received);
	codel_json_count("sent", &sight->sent);
	codel_json_count("queued", &sight->queued);
	codel_json_count("bypassed", &sight->bypassed);
	codel_json_causes("dropped", codel_drop_causes, sight->drop,
			  CODEL_DROP_CAUSES);
	codel_json_causes("marked", codel_mark_causes, sight->mark,
			  CODEL_MARK_CAUSES);
	if (!delays)
		return;
	open_json_object("delay");
	codel_json_u64("sum_ns", sight->delay_sum);
	codel_json_u64("max_ns", sight->delay_max);
	codel_json_histogram(delays);
	close_json_object();
}

/* The causes that have happened; marks have their words in the kernel's statistics */
static void codel_print_drops(FILE *f, const struct codel_sight *sight)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < CODEL_DROP_CAUSES; i++) {
		if (!sight->drop[i].packets)
			continue;
		if (!any) {
			print_nl();
			fprintf(f, "  drops");
		}
		any = true;
		fprintf(f, " %s %llu", codel_drop_causes[i],
			(unsigned long long)sight->drop[i].packets);
	}
}

static void codel_print_ledger(FILE *f, const struct codel_sight *sight)
{
	if (sight->received.packets || sight->bypassed.packets) {
		print_nl();
		fprintf(f, "  received %llu",
			(unsigned long long)sight->received.packets);
	}
	if (sight->bypassed.packets)
		fprintf(f, " bypassed %llu",
			(unsigned long long)sight->bypassed.packets);
	codel_print_drops(f, sight);
}

void codel_print_sight(FILE *f, const struct rtattr *xstats, size_t offset)
{
	struct codel_histogram delays;
	struct codel_sight sight;
	bool known;

	if (!codel_copy_stats(&sight, xstats, offset, sizeof(sight)))
		return;
	known = codel_read_delays(&delays, &sight, xstats, offset);
	if (is_json_context()) {
		codel_json_sight(&sight, known ? &delays : NULL);
		return;
	}
	if (known)
		codel_print_percentiles(f, &delays);
	codel_print_ledger(f, &sight);
}
