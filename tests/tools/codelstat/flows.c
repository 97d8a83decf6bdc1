// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* codelstat top: flows that are added, removed, and taken over by another hash. Prints KTAP. */
#include <stdio.h>
#include <string.h>

#include "../../algorithm/unit/ktap.h"
#include "flows.h"

#define SECOND 1000000000ULL

static struct flow_seen seen[FLOWS_MAX];

static struct cs_flow flow(uint32_t minor, uint64_t packets, uint32_t drops)
{
	struct cs_flow made = { .classid = 0x100000 | minor, .known = true };

	made.stats.packets = packets;
	made.stats.bytes = packets * 1000;
	made.stats.drops = drops;
	made.stats.delay[3] = (uint32_t)packets;
	return made;
}

/* A flow compared with its last dump @ago seconds ago, in an interval of a second */
static struct flow_row compare(const struct cs_flow *then, unsigned int ago,
			       const struct cs_flow *now, uint64_t qdisc_bytes)
{
	const struct cs_delta delta = { .seconds = 1, .bytes = qdisc_bytes };
	struct flow_row row;

	memset(seen, 0, sizeof(seen));
	if (then)
		flows_note(seen, (100 - ago) * SECOND, then, 1);
	flows_compare(&row, seen, 100 * SECOND, now, 1, &delta);
	return row;
}

static void intervals(void)
{
	const struct cs_flow before = flow(7, 100, 3), after = flow(7, 160, 5);
	struct flow_row row = compare(&before, 1, &after, 120000);

	ktap_result(row.known && row.bytes == 60000 && row.packets == 60 && row.drops == 2 &&
		    row.delay[3] == 60 && row.rate == 60000 && row.share == 0.5,
		    "the difference to when it was seen last");
	row = compare(&before, 4, &after, 120000);
	ktap_result(row.known && row.bytes == 60000 && row.rate == 15000 && row.share == 0.125,
		    "seen four seconds ago: a rate over these");
}

static void owners(void)
{
	const struct cs_flow before = flow(7, 100, 3), other = flow(7, 20, 0);
	struct flow_row row = compare(&before, 1, &other, 40000);
	struct cs_flow small = flow(7, 200, 3);

	ktap_result(row.known && row.bytes == 20000 && row.drops == 0 && row.share == 0.5,
		    "counters that went back are another's, from the beginning");
	small.stats.bytes = 12800;
	row = compare(&before, 1, &small, 40000);
	ktap_result(row.known && row.packets == 200 && row.bytes == 12800,
		    "also if only one of them did");
	row = compare(NULL, 0, &other, 40000);
	ktap_result(row.known && row.bytes == 20000 && row.seconds == 1,
		    "a new flow did in the interval all that it has counted");
	row = compare(NULL, 0, &other, 19000);
	ktap_result(!row.known && row.share == 0,
		    "unless that is more than the whole qdisc did");
	row = compare(&before, 1, &before, 0);
	ktap_result(row.known && row.share == 0,
		    "an idle qdisc has no shares");
}

static void order(void)
{
	const struct cs_delta delta = { .seconds = 1, .bytes = 100000 };
	struct cs_flow flows[] = { flow(1, 10, 0), flow(2, 50, 0), flow(3, 10, 0), flow(4, 0, 0) };
	struct flow_row rows[4];

	flows[2].backlog = 3000;
	flows[3].known = false;
	flows[3].backlog = 9000;
	memset(seen, 0, sizeof(seen));
	flows_compare(rows, seen, SECOND, flows, 4, &delta);
	ktap_result(rows[0].flow == &flows[1] && rows[1].flow == &flows[2] &&
		    rows[2].flow == &flows[0] && rows[3].flow == &flows[3] && !rows[3].known,
		    "largest share first, then the largest backlog; unknown flows last");
}

/* Three flows, each of which is the first by another key */
static void sorts(void)
{
	static const struct {
		const char *name;
		enum flows_key key;
		int first[3];
	} table[] = {
		{ "by share", FLOWS_SHARE, { 1, 0, 2 } },
		{ "by rate", FLOWS_RATE, { 2, 1, 0 } },
		{ "by backlog", FLOWS_BACKLOG, { 0, 1, 2 } },
		{ "by p99", FLOWS_P99, { 2, 1, 0 } },
		{ "by drops, then by share", FLOWS_DROPS, { 0, 1, 2 } },
	};
	struct cs_flow flows[] = { flow(1, 0, 0), flow(2, 0, 0), flow(3, 0, 0) };
	struct flow_row rows[3], made[3] = {
		{ .flow = &flows[0], .share = 0.2, .rate = 10, .drops = 9, .delay = { 100 } },
		{ .flow = &flows[1], .share = 0.5, .rate = 20, .delay = { 98, 2 } },
		{ .flow = &flows[2], .share = 0.1, .rate = 30, .delay = { 98, 0, 2 } },
	};

	flows[0].backlog = 500;
	flows[1].backlog = 50;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		bool right = true;

		memcpy(rows, made, sizeof(rows));
		flows_sort(rows, 3, table[i].key, 5e9);
		for (int n = 0; n < 3; n++)
			right &= rows[n].flow == &flows[table[i].first[n]];
		ktap_result(right, table[i].name);
	}
}

static void percentiles(void)
{
	struct flow_row row = { .packets = 100 };

	row.delay[0] = 50;
	row.delay[4] = 49;
	row.delay[CODEL_FLOW_DELAYS - 1] = 1;
	ktap_result(flows_percentile(&row, 50, 5e9) == 1 << 20 &&
		    flows_percentile(&row, 51, 5e9) == 1 << 24 &&
		    flows_percentile(&row, 99, 5e9) == 1 << 24,
		    "a percentile is the end of its bucket");
	ktap_result(flows_percentile(&row, 100, 5e9) == 5e9 &&
		    flows_percentile(&row, 99, 9e6) == 9e6,
		    "and no more than the longest delay of all");
	memset(row.delay, 0, sizeof(row.delay));
	ktap_result(flows_percentile(&row, 50, 5e9) == 0,
		    "there is none without packets");
}

int main(void)
{
	ktap_plan(16, false);
	intervals();
	owners();
	order();
	sorts();
	percentiles();
	return ktap_status();
}
