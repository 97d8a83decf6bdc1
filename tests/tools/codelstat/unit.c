// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Numbers and verdicts of codelstat, as tables of input and expectation. Prints KTAP.
 */
#include <stdio.h>
#include <string.h>

#include "../../algorithm/unit/ktap.h"
#include "link.h"
#include "text.h"

#define MS	1000000.0
#define N(array) (sizeof(array) / sizeof(*(array)))

static int failures;

static void differs(const char *what, const char *is, const char *expected)
{
	ktap_note("%s: '%s' is not '%s'", what, is, expected);
	failures++;
}

static void same_number(const char *what, double is, double expected)
{
	char a[64], b[64];

	if (is >= expected * 0.999999 && is <= expected * 1.000001)
		return;
	snprintf(a, sizeof(a), "%.9g", is);
	snprintf(b, sizeof(b), "%.9g", expected);
	differs(what, a, b);
}

static void texts(void)
{
	static const struct {
		double value;
		const char *number;
		const char *time;
	} table[] = {
		{ 0, "0", "0" },		{ 0.5, "0.5", "1ns" },
		{ 1, "1", "1ns" },		{ 9.99, "9.99", "10ns" },
		{ 9.996, "10", "10ns" },	{ 99.96, "100", "100ns" },
		{ 999.4, "999", "999ns" },	{ 999.6, "1k", "1us" },
		{ 1500, "1.5k", "1.5us" },	{ 9960, "9.96k", "10us" },
		{ 34800, "34.8k", "35us" },	{ 5e6, "5M", "5ms" },
		{ 4.12e6, "4.12M", "4.1ms" },	{ 123456789, "123M", "123ms" },
		{ 1.204e9, "1.2G", "1.2s" },	{ 9.999e11, "1T", "1000s" },
	};
	char text[CS_TEXT];
	size_t i;

	for (i = 0; i < N(table); i++) {
		if (strcmp(cs_text_number(text, table[i].value), table[i].number))
			differs("number", text, table[i].number);
		if (strcmp(cs_text_time(text, table[i].value), table[i].time))
			differs("time", text, table[i].time);
	}
}

static void handles(void)
{
	static const struct {
		uint32_t handle;
		const char *text;
	} table[] = {
		{ 0x00100000, "10:" },	{ 0x80010000, "8001:" },
		{ 0x00010001, "1:1" },	{ 0x000103e8, "1:3e8" },
		{ 0, "0:" },		{ 0xffffffff, "root" },
	};
	char text[CS_TEXT];
	size_t i;

	for (i = 0; i < N(table); i++)
		if (strcmp(cs_text_handle(text, table[i].handle), table[i].text))
			differs("handle", text, table[i].text);
}

static void columns(void)
{
	char text[9] = "";
	const char *end = text + 8;

	cs_text_column(text, end, "ab", 4);
	if (strcmp(text, "  ab"))
		differs("right", text, "  ab");
	cs_text_column(text, end, "ab", -4);
	if (strcmp(text, "ab  "))
		differs("left", text, "ab  ");
	cs_text_column(cs_text_add(text, end, "123456"), end, "abcd", -9);
	if (strcmp(text, "123456ab"))
		differs("cut off", text, "123456ab");
}

/* An out-of-tree qdisc with an empty histogram */
static struct cs_qdisc oot_qdisc(void)
{
	static const uint64_t empty[CODEL_DELAY_BUCKETS];

	return (struct cs_qdisc) {
		.oot = true, .type = CS_FQ_CODEL, .ecn = true, .limit = 10240,
		.target = 5 * 1000000, .interval = 100 * 1000000, .ce_threshold = UINT64_MAX,
		.maxpacket = 1514,
		.ext_stats = { .delay_first = 0, .delay_count = CODEL_DELAY_BUCKETS },
		.delay = empty,
	};
}

static void waited(struct cs_delta *delta, double ns, uint64_t packets)
{
	delta->delay[codel_delay_bucket((uint64_t)ns)] += packets;
	delta->delays += packets;
	delta->packets += packets;
	delta->bytes += packets * 1514;
}

static double percentile(const struct cs_delta *delta, double p)
{
	uint64_t passed = 0;
	unsigned int bucket = cs_reach(delta->delay, delta->delays, p, 0, &passed);

	return (double)codel_delay_bound(bucket + 1);
}

static void percentiles(void)
{
	struct cs_qdisc q = oot_qdisc();
	struct cs_delta delta = {};
	struct cs_delays delays;

	cs_delays(&delays, &q, &delta);
	same_number("none", delays.p50, 0);
	/* 1 to 1000 ms: the end of the bucket that holds the share */
	for (int i = 1; i <= 1000; i++)
		waited(&delta, i * MS, 1);
	for (unsigned int permille = 1; permille <= 1000; permille++) {
		unsigned long bucket = codel_delay_bucket(permille * 1000000ULL);

		same_number("percentile", percentile(&delta, permille / 10.0),
			    (double)codel_delay_bound((unsigned int)bucket + 1));
	}
	q.ext_stats.delay_max = 1000 * 1000000;
	cs_delays(&delays, &q, &delta);
	same_number("p50", delays.p50, percentile(&delta, 50));
	same_number("p99.9", delays.p999, 1000 * MS);	/* capped */
	same_number("max", delays.max, 1000 * MS);
	/* the longest delay was read before the packets of the last bucket had left */
	q.ext_stats.delay_max = 10 * 1000000;
	cs_delays(&delays, &q, &delta);
	same_number("max, not capped", delays.max, percentile(&delta, 100));
	/* the last bucket has no end */
	waited(&delta, 500e9, 1000000);
	q.ext_stats.delay_max = 500000000000;
	cs_delays(&delays, &q, &delta);
	same_number("max in the last bucket", delays.max, 500e9);
}

static void deltas(void)
{
	struct cs_qdisc then = oot_qdisc(), now = oot_qdisc();
	struct cs_delta delta;

	then.bytes = 1000, now.bytes = 3000;
	then.ext_stats.drop[CODEL_DROP_LIMIT].packets = 5;
	now.ext_stats.drop[CODEL_DROP_LIMIT].packets = 7;
	then.ext_stats.delay_first = 9, then.ext_stats.delay_count = 2, then.delay = (uint64_t[]){ 0, 4 };
	now.ext_stats.delay_first = 10, now.ext_stats.delay_count = 1, now.delay = (uint64_t[]){ 10 };
	cs_delta(&delta, &then, &now, 2);
	same_number("bytes", (double)delta.bytes, 2000);
	same_number("drops", (double)delta.drops, 2);
	same_number("of them for the limit", (double)delta.cause[CODEL_DROP_LIMIT], 2);
	same_number("delays", (double)delta.delays, 6);
	cs_delta(&delta, NULL, &now, 2);
	same_number("all bytes", (double)delta.bytes, 3000);
	same_number("seconds", delta.seconds, 0);

	/* in-tree: 32 bits that wrap; drops for memory count as over limit, too */
	then.oot = now.oot = false;
	then.drops = UINT32_MAX - 1, now.drops = 8;
	then.drop_overlimit = UINT32_MAX, now.drop_overlimit = 5;
	then.drop_overmemory = 10, now.drop_overmemory = 12;
	cs_delta(&delta, &then, &now, 1);
	same_number("drops, round", (double)delta.drops, 10);
	same_number("memory", (double)delta.cause[CODEL_DROP_MEMORY], 2);
	same_number("limit", (double)delta.cause[CODEL_DROP_LIMIT], 4);
	same_number("codel", (double)delta.cause[CODEL_DROP_CODEL], 4);
	same_number("no delay", (double)delta.delays, 0);
}

static void finds(void)
{
	struct cs_qdisc before[3] = { oot_qdisc(), oot_qdisc(), oot_qdisc() }, now;
	struct cs_snapshot in = { .qdiscs = before, .n_qdiscs = 3 };
	const uint64_t ten = 10, nine = 9;
	int i;

	for (i = 0; i < 3; i++) {
		strcpy(before[i].kind, "fq_codel");
		before[i].ifindex = 7;
		before[i].parent = (uint32_t)i;
		before[i].packets = 10;
		before[i].ext_stats.sent.packets = 10;
		before[i].ext_stats.delay_first = 20;
		before[i].ext_stats.delay_count = 1;
		before[i].delay = &ten;
	}
	for (i = 0; i < 3; i++) {
		now = before[i];
		if (cs_snapshot_find(&in, &now) != &before[i])
			differs("find", "another or none", "the one with this parent");
	}
	now = before[1];
	now.delay = &nine;
	if (cs_snapshot_find(&in, &now))
		differs("counters that began again", "found", "none");
	now = before[1];
	now.packets = 9;
	if (cs_snapshot_find(&in, &now))
		differs("fewer packets", "found", "none");
	now = before[1];
	strcpy(now.kind, "codel");
	if (cs_snapshot_find(&in, &now))
		differs("another kind", "found", "none");
	now = before[1];
	now.handle = 0x10000;
	if (cs_snapshot_find(&in, &now))
		differs("another handle", "found", "none");
}

/* Two queues of device 1, and one of device 2, which has none beside it */
static void totals(void)
{
	struct cs_qdisc then[3] = { oot_qdisc(), oot_qdisc(), oot_qdisc() }, now[3];
	const struct cs_snapshot before = { .monotonic = 1, .qdiscs = then, .n_qdiscs = 3 };
	const struct cs_snapshot after = { .monotonic = 2000000001, .qdiscs = now, .n_qdiscs = 3 };
	struct cs_total total;

	then[0].ifindex = then[1].ifindex = 1, then[2].ifindex = 2;
	then[1].parent = 1;
	memcpy(now, then, sizeof(now));
	now[0].backlog = now[1].backlog = 3000000000;
	now[0].bytes = 4000000000, now[1].bytes = 5000000000;
	now[0].drops = now[1].drops = 3000000000;
	same_number("queues", (double)cs_total_queues(&after, 0), 2);
	same_number("queues of the other", (double)cs_total_queues(&after, 2), 1);
	cs_total_fill(&total, &before, &after, 0, CS_OTHER);
	same_number("backlog", (double)total.q.backlog, 6e9);
	same_number("drops", (double)total.drops, 6e9);
	same_number("bytes", (double)total.row.delta.bytes, 9e9);
	same_number("seconds", total.row.delta.seconds, 2);
	same_number("wait", total.row.backlog_ms, 6e9 / 4.5e9 * 1e3);
	/* the counters of one began again: the sum is of no interval */
	then[1].bytes = 6000000000;
	then[0].bytes = 1000000000;
	cs_total_fill(&total, &before, &after, 0, CS_OTHER);
	same_number("since", total.row.since, 0);
	same_number("all bytes", (double)total.row.delta.bytes, 9e9);
	same_number("no wait", total.row.backlog_ms < 0, 1);
}

/* Two queues that share a rate, and one alone */
static void links(void)
{
	struct cs_qdisc then[3] = { oot_qdisc(), oot_qdisc(), oot_qdisc() }, now[3];
	const struct cs_snapshot before = { .monotonic = 1, .qdiscs = then, .n_qdiscs = 3 };
	const struct cs_snapshot after = { .monotonic = 2000000001, .qdiscs = now, .n_qdiscs = 3,
					   .links = true };
	struct cs_total link;
	size_t queues;
	int i;

	for (i = 0; i < 3; i++) {
		then[i].parent = (uint32_t)i;
		then[i].rate = 1000;
		then[i].link.queues = i < 2 ? 2 : 0;
	}
	then[1].target = 7000000, then[1].target_effective = 9000;
	then[0].interval = 200 * 1000000;
	then[1].limit = 5, then[0].ce_threshold = 1000000, then[0].maxpacket = 9014;
	then[1].ecn = false;
	memcpy(now, then, sizeof(now));
	now[0].ext_stats.wire_bytes = 1200, now[1].ext_stats.wire_bytes = 300;
	now[2].ext_stats.wire_bytes = 4000;
	if (cs_link(&after, 0, CS_CODEL, &queues) || queues)
		differs("a link of the other kind", "some", "none");
	if (cs_link(&after, 0, CS_FQ_CODEL, &queues) != now)
		differs("a link", "another or none", "that of the first qdisc");
	same_number("queues", (double)queues, 2);
	cs_link_fill(&link, &before, &after, 0, CS_FQ_CODEL);
	same_number("part that was used", cs_link_used(&link), 0.75);
	same_number("target in force", (double)link.q.target, 9e6);
	same_number("interval", (double)link.q.interval, 200e6);
	same_number("limit", link.q.limit, 5);
	same_number("ce_threshold", (double)link.q.ce_threshold, 1e6);
	same_number("maxpacket", link.q.maxpacket, 9014);
	same_number("ecn", link.q.ecn, 0);
	link.q.rate = 0;
	same_number("unknown without a rate", cs_link_used(&link) < 0, 1);
	cs_link_fill(&link, NULL, &after, 0, CS_FQ_CODEL);
	same_number("unknown without an interval", cs_link_used(&link) < 0, 1);
	now[0].link.queues = now[1].link.queues = 3;
	if (cs_link(&after, 0, CS_FQ_CODEL, &queues))
		differs("a link of which a queue is not shown", "found", "none");
}

/* Flows of default qdiscs have the same handle, 0: on a device with two they have no owner */
static void owners(void)
{
	struct cs_qdisc qdiscs[] = {
		{ .ifindex = 1, .parent = 1 },		{ .ifindex = 2, .parent = 1 },
		{ .ifindex = 2, .parent = 2 },		{ .ifindex = 2, .handle = 0x100000 },
		{ .ifindex = 3, .handle = 0x100000 },	{ .ifindex = 4, .parent = 1 },
		{ .ifindex = 4, .handle = 0x100000 },	{ .ifindex = 5, .parent = 1 },
		{ .ifindex = 5, .parent = 2 },
	};
	static const size_t owned[N(qdiscs)] = { 2, 0, 0, 1, 1, 2, 1, 0, 0 };
	struct cs_flow flows[3 * 5];
	const struct cs_snapshot in = { .qdiscs = qdiscs, .n_qdiscs = N(qdiscs),
					.flows = flows, .n_flows = N(flows) };
	const struct cs_flow *first;
	size_t i, n;

	for (i = 0; i < N(flows); i++)
		flows[i] = (struct cs_flow) {
			.ifindex = (int)i / 3 + 1,
			.classid = i % 3 == 2 ? 0x100001 : (uint32_t)(i % 3 + 1),
		};
	for (i = 0; i < N(qdiscs); i++) {
		first = cs_snapshot_flows(&in, &qdiscs[i], &n);
		same_number("flows", (double)n, (double)owned[i]);
		if (n && (first->ifindex != qdiscs[i].ifindex ||
			  first->classid >> 16 != qdiscs[i].handle >> 16))
			differs("first flow", "another's", "its own");
	}
}

/* Figures and their verdicts; the interval is 1 s unless a case has another one */
struct situation {
	const char *code;
	const char *verdict;
	double ms;		/* that packets waited, half of them */
	double slow_ms;		/* and the other half */
	uint64_t codel, ceiling, limit, memory, filter, marks, ce_marks, collisions;
	uint32_t qlen;
	unsigned int share;	/* percent of the backlog, of one of two flows */
	bool silent;		/* no packet left */
	bool kernels, no_ecn, limit_0, tiny;
};

static const struct situation situations[] = {
	{ "idle", "idle: no packets", .silent = true },
	{ "stalled", "stalled: 40 packets wait and none leaves", .silent = true, .qlen = 40 },
	{ "not_the_bottleneck", "not the bottleneck: queue never builds", 0.1, 0.4, .codel = 0 },
	{ "bursts", "no standing queue: only bursts wait, up to 8.4ms", 0.1, 8, .codel = 0 },
	{ "standing_queue", "a queue stands: p50 21ms; CoDel acts if it lasts 100ms",
	  20, 21, .codel = 0 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms", 4, 14, .marks = 12 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms", 4, 14, .codel = 12 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms; drops that ECN could have been marks",
	  4, 14, .codel = 12, .no_ecn = true },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms",
	  4, 14, .marks = 12, .no_ecn = true },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms; one flow holds 92% of the backlog",
	  4, 14, .codel = 12, .qlen = 40, .share = 92 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms",
	  4, 14, .codel = 12, .qlen = 40, .share = 60 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms",
	  4, 14, .codel = 12, .qlen = 3, .share = 92 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms; more flows than queues: raise flows",
	  4, 14, .codel = 12, .collisions = 3 },
	{ "unresponsive_flow", "one flow holds 98% of the backlog and ignores CoDel: p99 1.2s",
	  14, 1100, .codel = 100, .qlen = 700, .share = 98 },
	{ "slow_senders", "senders are slow to react: p50 92ms, p90 168ms, target 5ms",
	  90, 155, .codel = 20 },
	{ "memory_limit", "memory limit drops before CoDel acts: raise memory_limit",
	  1, 3, .memory = 5 },
	{ "packet_limit", "packet limit drops before CoDel acts: raise limit", 1, 3, .limit = 5 },
	{ "packet_limit", "packet limit drops before CoDel acts: raise limit",
	  1, 3, .limit = 5, .codel = 2, .memory = 4 },
	{ "overload_limit", "overload: senders ignore CoDel, and the limit drops",
	  100, 110, .limit = 500, .codel = 60 },
	{ "overload_limit", "overload: senders ignore CoDel, and the limit drops",
	  40, 48, .limit = 500, .ceiling = 400, .codel = 2 },
	{ "overload_limit", "overload: senders ignore CoDel, and the limit drops",
	  40, 48, .limit = 500, .ceiling = 400 },
	{ "overload_ceiling", "overload: senders ignore CoDel, and the ceiling drops",
	  40, 48, .limit = 400, .ceiling = 500 },
	{ "overload_ceiling", "overload: senders ignore CoDel, and the ceiling drops",
	  40, 48, .ceiling = 500, .codel = 3 },
	{ "overload_ceiling", "overload: senders ignore CoDel, and the ceiling drops",
	  40, 48, .ceiling = 500 },
	{ "overload_ceiling", "overload: senders ignore CoDel, and the ceiling drops",
	  0.1, 48, .ceiling = 500, .marks = 30, .no_ecn = true },
	{ "overload_ceiling", "overload: senders ignore CoDel, and the ceiling drops",
	  40, 48, .ceiling = 500, .qlen = 40, .share = 74 },
	{ "unresponsive_flow", "one flow holds 98% of the backlog and ignores CoDel: p99 46ms",
	  14, 46, .ceiling = 300, .qlen = 40, .share = 98 },
	{ "overload_ceiling", "overload: senders ignore CoDel, and the ceiling drops",
	  30, 44, .ceiling = 53 },
	{ "slow_senders", "senders are slow to react: p50 31ms, p90 46ms, target 5ms",
	  30, 44, .ceiling = 52 },
	{ "slow_senders", "senders are slow to react: p50 31ms, p90 46ms, target 5ms",
	  30, 44, .ceiling = 100, .marks = 100 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms",
	  4, 14, .ceiling = 5, .marks = 12 },
	{ "filter_drops", "a filter drops packets: 30 of them",
	  4, 14, .filter = 30, .ceiling = 20, .marks = 9 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms",
	  4, 14, .filter = 30, .ceiling = 20, .marks = 10 },
	{ "in_control", "CoDel is in control: p99 15ms, target 5ms",
	  4, 14, .limit = 3, .codel = 12 },
	{ "ce_threshold", "ce_threshold marks: p99 1.2ms, threshold 1ms", 1, 1.1, .ce_marks = 10 },
	{ "filter_drops", "a filter drops packets: 30 of them", 0.1, 0.2, .filter = 30 },
	{ "slow_link", "slow link: a packet takes 500ms: raise target to that",
	  400, 500, .tiny = true },
	{ "limit_zero", "limit 0 drops every packet: set a limit",
	  .silent = true, .limit = 9, .limit_0 = true },
	{ "not_the_bottleneck", "not the bottleneck, as far as in-tree statistics show",
	  0.1, 0.1, .kernels = true },
	{ "waiting", "packets wait; in-tree qdiscs do not report how long",
	  0.1, 0.1, .kernels = true, .qlen = 4 },
	{ "acting", "CoDel acts; in-tree qdiscs do not report the delay",
	  0.1, 0.1, .kernels = true, .codel = 4 },
	{ "overload_limit", "overload: senders ignore CoDel, and the limit drops",
	  0.1, 0.1, .kernels = true, .codel = 4, .limit = 400 },
	{ "memory_limit", "memory limit drops before CoDel acts: raise memory_limit",
	  0.1, 0.1, .kernels = true, .memory = 4 },
};

static void happen(const struct situation *s, struct cs_qdisc *q, struct cs_delta *d)
{
	const uint64_t half = s->tiny ? 1 : 500;

	*q = oot_qdisc();
	q->oot = !s->kernels;
	q->ecn = !s->no_ecn;
	q->qlen = s->qlen;
	if (s->limit_0)
		q->limit = 0;
	if (s->ce_marks)
		q->ce_threshold = 1000000;
	*d = (struct cs_delta) { .seconds = 1, .collisions = s->collisions };
	if (!s->silent) {
		waited(d, s->ms * MS, half);
		waited(d, s->slow_ms * MS, half);
	}
	if (s->kernels)
		d->delays = 0;
	d->cause[CODEL_DROP_CODEL] = s->codel;
	d->cause[CODEL_DROP_LIMIT] = s->limit;
	d->cause[CODEL_DROP_MEMORY] = s->memory;
	d->cause[CODEL_DROP_FILTER] = s->filter;
	d->cause[CODEL_DROP_CEILING] = s->ceiling;
	d->drops = s->codel + s->ceiling + s->limit + s->memory + s->filter;
	d->mark[CODEL_MARK_CODEL] = s->marks;
	d->mark[CODEL_MARK_CE_THRESHOLD] = s->ce_marks;
	d->marks = s->marks + s->ce_marks;
}

static void verdicts(void)
{
	struct cs_flow flows[2] = {};
	const struct situation *s;
	enum cs_code code;
	struct cs_qdisc q;
	struct cs_delta d;
	char text[256];

	for (s = situations; s < situations + N(situations); s++) {
		happen(s, &q, &d);
		flows[0].backlog = s->share;
		flows[1].backlog = 100 - s->share;
		code = cs_verdict(&q, &d, s->share ? flows : NULL, 2, text, sizeof(text));
		if (strcmp(text, s->verdict))
			differs("verdict", text, s->verdict);
		if (strcmp(cs_code_words[code], s->code))
			differs(text, cs_code_words[code], s->code);
		/* a remark that does not fit is left out */
		cs_verdict(&q, &d, s->share ? flows : NULL, 2, text, 70);
		if (strlen(s->verdict) > 69 && strchr(text, ';'))
			differs("verdict in 70 bytes", text, "without a remark");
	}
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "numbers and times are short", texts },
		{ "handles", handles },
		{ "columns", columns },
		{ "percentiles", percentiles },
		{ "what happened in an interval", deltas },
		{ "the same qdisc in an earlier snapshot", finds },
		{ "the total of a device", totals },
		{ "the link of queues that share a rate", links },
		{ "whose flows they are", owners },
		{ "verdicts", verdicts },
	};
	size_t i;

	ktap_plan(N(cases), false);
	for (i = 0; i < N(cases); i++) {
		failures = 0;
		cases[i].run();
		ktap_result(!failures, cases[i].name);
	}
	return ktap_status();
}
