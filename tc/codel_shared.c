// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The statistics of a rate that several qdiscs share: struct codel_shared_stats.
 */
#include "codel_ext_stats.h"
#include "codel_histogram.h"
#include "codel_json.h"

static void codel_shared_json(const struct codel_shared_stats *stats)
{
	open_json_object("link");
	codel_json_u64("queues", stats->queues);
	codel_json_u64("flows", stats->flows);
	codel_json_u64("wire_bytes", stats->link_bytes);
	codel_json_u64("slices", stats->slices);
	codel_json_u64("waits", stats->waits);
	codel_json_u64("wait_ns", stats->wait_sum);
	close_json_object();
}

static void codel_shared_text(FILE *f, const struct codel_shared_stats *stats, __u64 wire_bytes)
{
	const double us = 1e3;

	print_nl();
	fprintf(f, "  link of %u queues", stats->queues);
	if (stats->link_bytes)
		fprintf(f, " share %.1f%%", 100.0 * (double)wire_bytes / (double)stats->link_bytes);
	fprintf(f, " flows %u slices %llu waits %llu", stats->flows,
		(unsigned long long)stats->slices, (unsigned long long)stats->waits);
	if (stats->waits)
		fprintf(f, " for %.0fus each", (double)stats->wait_sum / us / (double)stats->waits);
}

void codel_print_shared(FILE *f, const struct codel_ext_stats *ext, const struct rtattr *xstats,
			size_t offset)
{
	struct codel_shared_stats stats;

	if (!codel_copy_stats(&stats, xstats, offset, sizeof(stats)))
		return;
	if (is_json_context())
		codel_shared_json(&stats);
	else
		codel_shared_text(f, &stats, ext->wire_bytes);
}
