// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The verdict on a qdisc: the first rule that is true, and the first remark that is true,
 * if there is room for it. The manual has the same table.
 */
#include <string.h>

#include "text.h"

#define CS_STALL_SECONDS 0.5	/* a packet of 1500 bytes takes as long at 24 kbit/s */
#define CS_STANDS	2	/* times the target: more than what CoDel tolerates */
#define CS_SLOW		4	/* times the target: senders have had their chance */
#define CS_SHARE	75	/* percent of the backlog that make a flow the one */
#define CS_FEW_PACKETS	4	/* too few for a share to mean anything */
#define CS_OVERLOAD	5	/* percent of the packets: more drops than a slow start causes */

/**
 * struct cs_facts - the input of the rules
 * @q: the qdisc
 * @d: its counts in the interval
 * @delays: how long packets waited; percentiles are 0 if not known
 * @acts: CoDel's drops and marks, and the ceiling's drops, packets
 * @limits: drops for either limit, packets
 * @packet: time that the largest packet takes at the rate of the interval, ns
 * @share: of the backlog that the fullest flow holds, percent; 0 if not known
 * @ceiling: the ceiling drops more than CoDel signals, and CS_OVERLOAD percent of all or more
 * @slow_flow: one flow holds most of the backlog, and its sender ignores CoDel
 */
struct cs_facts {
	const struct cs_qdisc *q;
	const struct cs_delta *d;
	struct cs_delays delays;
	uint64_t acts;
	uint64_t limits;
	double packet;
	double share;
	bool ceiling;
	bool slow_flow;
};

struct cs_rule {
	bool holds;
	enum cs_code code;
	const char *text;	/* {NAME}: see cs_value() */
};

/* The first rule that holds; the last one of a table always does. */
static struct cs_rule cs_first(const struct cs_rule *rule)
{
	while (!rule->holds)
		rule++;
	return *rule;
}

static struct cs_rule cs_choose_rule(const struct cs_facts *f)
{
	const double target = (double)cs_target(f->q), interval = (double)cs_interval(f->q);
	const struct cs_delays *delays = &f->delays;
	const struct cs_qdisc *q = f->q;
	const struct cs_delta *d = f->d;
	const struct cs_rule rules[] = {
		{ !q->limit && d->drops, CS_LIMIT_ZERO,
		  "limit 0 drops every packet: set a limit" },
		{ !d->packets && !q->qlen && !d->drops, CS_IDLE,
		  "idle: no packets" },
		{ !d->packets && q->qlen && d->seconds >= CS_STALL_SECONDS, CS_STALLED,
		  "stalled: {qlen} packets wait and none leaves" },
		/* where the delay is not known, that CoDel acts at all has to do */
		{ f->limits > f->acts && f->acts &&
		  (!delays->known || delays->p50 > CS_STANDS * target), CS_OVERLOAD_LIMIT,
		  "overload: senders ignore CoDel, and the limit drops" },
		{ f->limits > f->acts &&
		  d->cause[CODEL_DROP_MEMORY] >= d->cause[CODEL_DROP_LIMIT], CS_MEMORY_LIMIT,
		  "memory limit drops before CoDel acts: raise memory_limit" },
		{ f->limits > f->acts, CS_PACKET_LIMIT,
		  "packet limit drops before CoDel acts: raise limit" },
		{ d->cause[CODEL_DROP_FILTER] > f->acts, CS_FILTER_DROPS,
		  "a filter drops packets: {filter} of them" },
		{ d->cause[CODEL_DROP_RESET] > f->acts, CS_RESET_DROPS,
		  "{reset} packets were dropped as the device was put down" },
		{ d->cause[CODEL_DROP_CHANGE] > f->acts, CS_CHANGE_DROPS,
		  "a change of options dropped {change} packets" },
		{ delays->p50 > target && f->packet > target, CS_SLOW_LINK,
		  "slow link: a packet takes {packet}: raise target to that" },
		{ d->mark[CODEL_MARK_CE_THRESHOLD] > f->acts, CS_CE_THRESHOLD,
		  "ce_threshold marks: p99 {p99}, threshold {threshold}" },
		{ f->slow_flow, CS_UNRESPONSIVE_FLOW,
		  "one flow holds {share}% of the backlog and ignores CoDel: p99 {p99}" },
		{ f->ceiling, CS_OVERLOAD_CEILING,
		  "overload: senders ignore CoDel, and the ceiling drops" },
		{ f->acts && (delays->p50 > CS_SLOW * target || delays->p90 > interval),
		  CS_SLOW_SENDERS,
		  "senders are slow to react: p50 {p50}, p90 {p90}, target {target}" },
		{ f->acts && delays->known, CS_IN_CONTROL,
		  "CoDel is in control: p99 {p99}, target {target}" },
		{ f->acts, CS_ACTING,
		  "CoDel acts; in-tree qdiscs do not report the delay" },
		{ delays->p50 >= target && delays->known, CS_STANDING_QUEUE,
		  "a queue stands: p50 {p50}; CoDel acts if it lasts {interval}" },
		{ delays->max >= target && delays->known, CS_BURSTS,
		  "no standing queue: only bursts wait, up to {max}" },
		{ !q->oot && q->qlen, CS_WAITING,
		  "packets wait; in-tree qdiscs do not report how long" },
		{ !q->oot, CS_NOT_THE_BOTTLENECK,
		  "not the bottleneck, as far as in-tree statistics show" },
		{ true, CS_NOT_THE_BOTTLENECK,
		  "not the bottleneck: queue never builds" },
	};

	return cs_first(rules);
}

/* Remarks have no code. The last one is none. */
static const char *cs_choose_remark(const struct cs_facts *f)
{
	const struct cs_rule remarks[] = {
		{ f->share >= CS_SHARE && f->q->qlen > CS_FEW_PACKETS && !f->slow_flow, 0,
		  "one flow holds {share}% of the backlog" },
		{ f->d->collisions, 0, "more flows than queues: raise flows" },
		{ !f->q->ecn && f->d->cause[CODEL_DROP_CODEL], 0,
		  "drops that ECN could have been marks" },
		{ true, 0, NULL },
	};

	return cs_first(remarks).text;
}

const char *const cs_code_words[CS_CODES] = {
	[CS_LIMIT_ZERO] = "limit_zero",
	[CS_IDLE] = "idle",
	[CS_STALLED] = "stalled",
	[CS_OVERLOAD_LIMIT] = "overload_limit",
	[CS_MEMORY_LIMIT] = "memory_limit",
	[CS_PACKET_LIMIT] = "packet_limit",
	[CS_FILTER_DROPS] = "filter_drops",
	[CS_RESET_DROPS] = "reset_drops",
	[CS_CHANGE_DROPS] = "change_drops",
	[CS_SLOW_LINK] = "slow_link",
	[CS_CE_THRESHOLD] = "ce_threshold",
	[CS_UNRESPONSIVE_FLOW] = "unresponsive_flow",
	[CS_OVERLOAD_CEILING] = "overload_ceiling",
	[CS_SLOW_SENDERS] = "slow_senders",
	[CS_IN_CONTROL] = "in_control",
	[CS_ACTING] = "acting",
	[CS_STANDING_QUEUE] = "standing_queue",
	[CS_BURSTS] = "bursts",
	[CS_WAITING] = "waiting",
	[CS_NOT_THE_BOTTLENECK] = "not_the_bottleneck",
};

/* The value of a name in a text */
static void cs_value(char to[CS_TEXT], const char *name, const struct cs_facts *f)
{
	const struct {
		const char *name;
		bool time;
		double value;
	} values[] = {
		{ "p50", true, f->delays.p50 },
		{ "p90", true, f->delays.p90 },
		{ "p99", true, f->delays.p99 },
		{ "max", true, f->delays.max },
		{ "target", true, (double)cs_target(f->q) },
		{ "interval", true, (double)cs_interval(f->q) },
		{ "threshold", true, (double)f->q->ce_threshold },
		{ "packet", true, f->packet },
		{ "qlen", false, (double)f->q->qlen },
		{ "share", false, f->share },
		{ "filter", false, (double)f->d->cause[CODEL_DROP_FILTER] },
		{ "reset", false, (double)f->d->cause[CODEL_DROP_RESET] },
		{ "change", false, (double)f->d->cause[CODEL_DROP_CHANGE] },
	};
	const size_t last = sizeof(values) / sizeof(*values) - 1;
	size_t i;

	for (i = 0; i < last && strncmp(values[i].name, name, strlen(values[i].name)); i++)
		;
	if (values[i].time)
		cs_text_time(to, values[i].value);
	else
		cs_text_number(to, values[i].value);
}

static char *cs_fill_in(char *to, const char *end, const char *text,
			const struct cs_facts *facts)
{
	char value[CS_TEXT], letter[2] = "";

	for (; *text; text++) {
		if (*text == '{') {
			cs_value(value, text + 1, facts);
			to = cs_text_add(to, end, value);
			text = strchr(text, '}');
		} else {
			*letter = *text;
			to = cs_text_add(to, end, letter);
		}
	}
	return to;
}

static double cs_largest_share(const struct cs_flow *flows, size_t n)
{
	uint64_t sum = 0, largest = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum += flows[i].backlog;
		if (flows[i].backlog > largest)
			largest = flows[i].backlog;
	}
	return sum ? (double)largest * 100 / (double)sum : 0;
}

static void cs_learn(struct cs_facts *f, const struct cs_flow *flows, size_t n_flows)
{
	const struct cs_delta *d = f->d;
	const uint64_t signals = d->cause[CODEL_DROP_CODEL] + d->mark[CODEL_MARK_CODEL];
	const uint64_t ceiling = d->cause[CODEL_DROP_CEILING];

	cs_delays(&f->delays, f->q, d);
	f->acts = signals + ceiling;
	f->limits = d->cause[CODEL_DROP_LIMIT] + d->cause[CODEL_DROP_MEMORY];
	if (d->bytes)
		f->packet = f->q->maxpacket * 1e9 * d->seconds / (double)d->bytes;
	if (flows)
		f->share = cs_largest_share(flows, n_flows);
	/* the ceiling drops packets only if signals have not shortened the queue */
	f->ceiling = ceiling > signals &&
		     ceiling * 100 >= (d->packets + d->drops) * CS_OVERLOAD;
	/* senders that react are back near the target within a few intervals */
	f->slow_flow = f->acts && f->share >= CS_SHARE &&
		       (f->delays.p99 > (double)cs_interval(f->q) || f->ceiling);
}

enum cs_code cs_verdict(const struct cs_qdisc *qdisc, const struct cs_delta *delta,
			const struct cs_flow *flows, size_t n_flows, char *text, size_t size)
{
	struct cs_facts facts = { .q = qdisc, .d = delta };
	const char *end = text + size - 1, *remark;
	struct cs_rule rule;

	cs_learn(&facts, flows, n_flows);
	rule = cs_choose_rule(&facts);
	text = cs_fill_in(text, end, rule.text, &facts);
	/* the remark is left out if it does not fit */
	remark = cs_choose_remark(&facts);
	if (remark && cs_fill_in(cs_text_add(text, end, "; "), end, remark, &facts) == end)
		*text = '\0';
	return rule.code;
}
