// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The extended statistics of a qdisc: packet accounting and sojourn times, which
 * are struct codel_ext_stats and the histogram that follows it.
 */
#include <string.h>

#include "codel_ext_stats.h"
#include "codel_histogram.h"
#include "codel_json.h"

#define CODEL_CAUSE_WORD(constant, word) [constant] = word,
#define CODEL_CAUSE_ONE(constant, word) + 1

_Static_assert(CODEL_DROP_CAUSE_LIST(CODEL_CAUSE_ONE) == CODEL_DROP_CAUSES, "a cause has no word");
_Static_assert(CODEL_MARK_CAUSE_LIST(CODEL_CAUSE_ONE) == CODEL_MARK_CAUSES, "a cause has no word");

const char *const codel_drop_causes[CODEL_DROP_CAUSES] = {
	CODEL_DROP_CAUSE_LIST(CODEL_CAUSE_WORD)
};

const char *const codel_mark_causes[CODEL_MARK_CAUSES] = {
	CODEL_MARK_CAUSE_LIST(CODEL_CAUSE_WORD)
};

/* Return false if the histogram is incomplete or has a layout unknown to this file. */
static bool codel_read_delays(struct codel_histogram *h,
			      const struct codel_ext_stats *stats,
			      const struct rtattr *xstats, size_t offset)
{
	const unsigned int end = stats->delay_first + stats->delay_count;

	memset(h, 0, sizeof(*h));
	h->first = stats->delay_first;
	h->end = end;
	h->buckets = CODEL_DELAY_BUCKETS;
	h->bound = codel_delay_bound;
	h->max = stats->delay_max;
	return end <= CODEL_DELAY_BUCKETS &&
	       stats->delay_offset >= CODEL_EXT_STATS_MIN &&
	       codel_copy_stats(h->packets + h->first, xstats,
				offset + stats->delay_offset,
				stats->delay_count * sizeof(*h->packets));
}

static void codel_json_count(const char *name, const struct codel_count *count)
{
	open_json_object(name);
	codel_json_u64("packets", count->packets);
	codel_json_u64("bytes", count->bytes);
	close_json_object();
}

static void codel_json_members(const char *const *causes, const struct codel_count *counts,
			       unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		codel_json_count(causes[i], &counts[i]);
}

void codel_json_causes(const char *name, const char *const *causes,
		       const struct codel_count *counts, unsigned int n)
{
	open_json_object(name);
	codel_json_members(causes, counts, n);
	close_json_object();
}

void codel_json_accounts(const struct codel_ext_stats *stats)
{
	codel_json_count("received", &stats->received);
	codel_json_count("sent", &stats->sent);
	codel_json_count("queued", &stats->queued);
	codel_json_count("bypassed", &stats->bypassed);
}

/* Packets and bytes of drops for causes that newer modules have */
static struct codel_count codel_other_drops(const struct codel_ext_stats *stats)
{
	struct codel_count sum = { 0 };
	unsigned int i;

	for (i = 0; stats->delay_offset >= CODEL_EXT_STATS_SHARED && i < CODEL_DROPS_MORE; i++) {
		sum.packets += stats->drop_more[i].packets;
		sum.bytes += stats->drop_more[i].bytes;
	}
	return sum;
}

/* @wire: wire_bytes is known */
static void codel_json_ext_stats(const struct codel_ext_stats *stats, bool wire,
				 const struct codel_histogram *delays)
{
	const struct codel_count other = codel_other_drops(stats);

	codel_json_accounts(stats);
	if (wire)
		codel_json_u64("wire_bytes", stats->wire_bytes);
	open_json_object("dropped");
	codel_json_members(codel_drop_causes, stats->drop, CODEL_DROP_CAUSES);
	if (other.packets)
		codel_json_count("other", &other);
	close_json_object();
	codel_json_causes("marked", codel_mark_causes, stats->mark,
			  CODEL_MARK_CAUSES);
	if (!delays)
		return;
	open_json_object("delay");
	codel_json_u64("sum_ns", stats->delay_sum);
	codel_json_u64("max_ns", stats->delay_max);
	codel_json_histogram(delays);
	close_json_object();
}

/* Print the causes that are not 0. The in-tree statistics already contain the marks. */
static void codel_print_drops(FILE *f, const struct codel_ext_stats *stats)
{
	const __u64 other = codel_other_drops(stats).packets;
	bool any = false;
	unsigned int i;

	for (i = 0; i <= CODEL_DROP_CAUSES; i++) {
		const bool known = i < CODEL_DROP_CAUSES;
		const __u64 packets = known ? stats->drop[i].packets : other;

		if (!packets)
			continue;
		if (!any) {
			print_nl();
			fprintf(f, "  drops");
		}
		any = true;
		fprintf(f, " %s %llu", known ? codel_drop_causes[i] : "other",
			(unsigned long long)packets);
	}
}

static void codel_print_accounting(FILE *f, const struct codel_ext_stats *stats)
{
	if (stats->received.packets || stats->bypassed.packets) {
		print_nl();
		fprintf(f, "  received %llu",
			(unsigned long long)stats->received.packets);
	}
	if (stats->bypassed.packets)
		fprintf(f, " bypassed %llu",
			(unsigned long long)stats->bypassed.packets);
	codel_print_drops(f, stats);
}

static void codel_print_wire(FILE *f, const struct codel_ext_stats *stats)
{
	print_nl();
	fprintf(f, "  on the wire %llu bytes",
		(unsigned long long)stats->wire_bytes);
}

/* Statistics that only some qdiscs have */
static void codel_print_parts(FILE *f, const struct codel_ext_stats *stats, bool wire,
			      const struct rtattr *xstats, size_t offset)
{
	if (stats->delay_offset > CODEL_EXT_STATS_SHARED && stats->shared_offset)
		codel_print_shared(f, stats, xstats, offset + stats->shared_offset);
	if (wire && stats->far_offset)
		codel_print_far(f, xstats, offset + stats->far_offset);
}

void codel_print_ext_stats(FILE *f, const struct rtattr *xstats, size_t offset)
{
	struct codel_histogram delays;
	struct codel_ext_stats stats;
	bool known, wire;

	if (RTA_PAYLOAD(xstats) < offset + CODEL_EXT_STATS_MIN)
		return;
	codel_copy_stats(&stats, xstats, offset, sizeof(stats));
	wire = RTA_PAYLOAD(xstats) >= offset + CODEL_EXT_STATS_MIN + sizeof(stats.wire_bytes) &&
	       codel_ext_stats_has_wire(&stats);
	known = codel_read_delays(&delays, &stats, xstats, offset);
	if (is_json_context()) {
		codel_json_ext_stats(&stats, wire, known ? &delays : NULL);
		codel_print_parts(f, &stats, wire, xstats, offset);
		return;
	}
	if (known)
		codel_print_percentiles(f, &delays);
	codel_print_accounting(f, &stats);
	if (wire && stats.wire_bytes)
		codel_print_wire(f, &stats);
	codel_print_parts(f, &stats, wire, xstats, offset);
}
