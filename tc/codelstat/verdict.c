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
 * @signals: CoDel's drops and marks, without the ceiling's drops, packets
 * @acts: the same, and the ceiling's drops
 * @limits: drops for either limit, packets
 * @packet: time that the largest packet takes at the rate of the interval, ns
 * @share: of the backlog that the fullest flow holds, percent; 0 if not known
 */
struct cs_facts {
	const struct cs_qdisc *q;
	const struct cs_delta *d;
	struct cs_delays delays;
	uint64_t signals;
	uint64_t acts;
	uint64_t limits;
	double packet;
	double share;
};

static bool cs_limit_zero(const struct cs_facts *f)
{
	return !f->q->limit && f->d->drops;
}

static bool cs_idle(const struct cs_facts *f)
{
	return !f->d->packets && !f->q->qlen && !f->d->drops;
}

static bool cs_stalled(const struct cs_facts *f)
{
	return !f->d->packets && f->q->qlen && f->d->seconds >= CS_STALL_SECONDS;
}

/* Where the delay is not known, that CoDel acts at all has to do. */
static bool cs_flood(const struct cs_facts *f)
{
	return f->limits > f->acts && f->acts &&
	       (!f->delays.known || f->delays.p50 > CS_STANDS * (double)f->q->target);
}

/* The ceiling drops packets only if signals have not shortened the queue. */
static bool cs_over_ceiling(const struct cs_facts *f)
{
	const uint64_t ceiling = f->d->cause[CODEL_DROP_CEILING];

	return ceiling > f->signals &&
	       ceiling * 100 >= (f->d->packets + f->d->drops) * CS_OVERLOAD;
}

static bool cs_memory(const struct cs_facts *f)
{
	return f->limits > f->acts &&
	       f->d->cause[CODEL_DROP_MEMORY] >= f->d->cause[CODEL_DROP_LIMIT];
}

static bool cs_limit(const struct cs_facts *f)
{
	return f->limits > f->acts;
}

static bool cs_filter_drops(const struct cs_facts *f)
{
	return f->d->cause[CODEL_DROP_FILTER] > f->acts;
}

static bool cs_reset(const struct cs_facts *f)
{
	return f->d->cause[CODEL_DROP_RESET] > f->acts;
}

static bool cs_change(const struct cs_facts *f)
{
	return f->d->cause[CODEL_DROP_CHANGE] > f->acts;
}

static bool cs_slow_link(const struct cs_facts *f)
{
	return f->delays.p50 > (double)f->q->target && f->packet > (double)f->q->target;
}

static bool cs_threshold(const struct cs_facts *f)
{
	return f->d->mark[CODEL_MARK_CE_THRESHOLD] > f->acts;
}

/* Senders that react are back near the target within a few intervals. */
static bool cs_slow_flow(const struct cs_facts *f)
{
	return f->acts && f->share >= CS_SHARE &&
	       (f->delays.p99 > (double)f->q->interval || cs_over_ceiling(f));
}

static bool cs_slow_senders(const struct cs_facts *f)
{
	return f->acts && (f->delays.p50 > CS_SLOW * (double)f->q->target ||
			   f->delays.p90 > (double)f->q->interval);
}

static bool cs_control(const struct cs_facts *f)
{
	return f->acts && f->delays.known;
}

static bool cs_control_unknown(const struct cs_facts *f)
{
	return f->acts;
}

static bool cs_stands(const struct cs_facts *f)
{
	return f->delays.p50 >= (double)f->q->target && f->delays.known;
}

static bool cs_bursts(const struct cs_facts *f)
{
	return f->delays.max >= (double)f->q->target && f->delays.known;
}

static bool cs_waits_unknown(const struct cs_facts *f)
{
	return !f->q->oot && f->q->qlen;
}

static bool cs_nothing_unknown(const struct cs_facts *f)
{
	return !f->q->oot;
}

static bool cs_otherwise(const struct cs_facts *f)
{
	(void)f;
	return true;
}

static bool cs_one_flow(const struct cs_facts *f)
{
	return f->share >= CS_SHARE && f->q->qlen > CS_FEW_PACKETS && !cs_slow_flow(f);
}

static bool cs_collisions(const struct cs_facts *f)
{
	return f->d->collisions;
}

static bool cs_no_ecn(const struct cs_facts *f)
{
	return !f->q->ecn && f->d->cause[CODEL_DROP_CODEL];
}

struct cs_rule {
	bool (*holds)(const struct cs_facts *facts);
	enum cs_code code;
	const char *text;	/* {NAME}: see cs_value() */
};

static const struct cs_rule cs_rules[] = {
	{ cs_limit_zero,	CS_LIMIT_ZERO,
	  "limit 0 drops every packet: set a limit" },
	{ cs_idle,		CS_IDLE,
	  "idle: no packets" },
	{ cs_stalled,		CS_STALLED,
	  "stalled: {qlen} packets wait and none leaves" },
	{ cs_flood,		CS_OVERLOAD_LIMIT,
	  "overload: senders ignore CoDel, and the limit drops" },
	{ cs_memory,		CS_MEMORY_LIMIT,
	  "memory limit drops before CoDel acts: raise memory_limit" },
	{ cs_limit,		CS_PACKET_LIMIT,
	  "packet limit drops before CoDel acts: raise limit" },
	{ cs_filter_drops,	CS_FILTER_DROPS,
	  "a filter drops packets: {filter} of them" },
	{ cs_reset,		CS_RESET_DROPS,
	  "{reset} packets were dropped as the device was put down" },
	{ cs_change,		CS_CHANGE_DROPS,
	  "a change of options dropped {change} packets" },
	{ cs_slow_link,		CS_SLOW_LINK,
	  "slow link: a packet takes {packet}: raise target to that" },
	{ cs_threshold,		CS_CE_THRESHOLD,
	  "ce_threshold marks: p99 {p99}, threshold {threshold}" },
	{ cs_slow_flow,		CS_UNRESPONSIVE_FLOW,
	  "one flow holds {share}% of the backlog and ignores CoDel: p99 {p99}" },
	{ cs_over_ceiling,	CS_OVERLOAD_CEILING,
	  "overload: senders ignore CoDel, and the ceiling drops" },
	{ cs_slow_senders,	CS_SLOW_SENDERS,
	  "senders are slow to react: p50 {p50}, p90 {p90}, target {target}" },
	{ cs_control,		CS_IN_CONTROL,
	  "CoDel is in control: p99 {p99}, target {target}" },
	{ cs_control_unknown,	CS_ACTING,
	  "CoDel acts; in-tree qdiscs do not report the delay" },
	{ cs_stands,		CS_STANDING_QUEUE,
	  "a queue stands: p50 {p50}; CoDel acts if it lasts {interval}" },
	{ cs_bursts,		CS_BURSTS,
	  "no standing queue: only bursts wait, up to {max}" },
	{ cs_waits_unknown,	CS_WAITING,
	  "packets wait; in-tree qdiscs do not report how long" },
	{ cs_nothing_unknown,	CS_NOT_THE_BOTTLENECK,
	  "not the bottleneck, as far as in-tree statistics show" },
	{ cs_otherwise,		CS_NOT_THE_BOTTLENECK,
	  "not the bottleneck: queue never builds" },
};

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

/* Remarks have no code. */
static const struct cs_rule cs_remarks[] = {
	{ cs_one_flow,		0, "one flow holds {share}% of the backlog" },
	{ cs_collisions,	0, "more flows than queues: raise flows" },
	{ cs_no_ecn,		0, "drops that ECN could have been marks" },
};

#define CS_RULES(table) (sizeof(table) / sizeof(*(table)))

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
		{ "target", true, (double)f->q->target },
		{ "interval", true, (double)f->q->interval },
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

/* The first rule that holds; @end if none does */
static const struct cs_rule *cs_first(const struct cs_rule *rule, const struct cs_rule *end,
				      const struct cs_facts *facts)
{
	while (rule < end && !rule->holds(facts))
		rule++;
	return rule;
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

/* The remark is left out if it does not fit */
static void cs_remark(char *to, const char *end, const struct cs_facts *facts)
{
	const struct cs_rule *last = cs_remarks + CS_RULES(cs_remarks);
	const struct cs_rule *rule = cs_first(cs_remarks, last, facts);

	if (rule < last && cs_fill_in(cs_text_add(to, end, "; "), end, rule->text, facts) == end)
		*to = '\0';
}

enum cs_code cs_verdict(const struct cs_qdisc *qdisc, const struct cs_delta *delta,
			const struct cs_flow *flows, size_t n_flows, char *text, size_t size)
{
	struct cs_facts facts = { .q = qdisc, .d = delta };
	const char *end = text + size - 1;
	const struct cs_rule *rule;

	cs_delays(&facts.delays, qdisc, delta);
	facts.signals = delta->cause[CODEL_DROP_CODEL] + delta->mark[CODEL_MARK_CODEL];
	facts.acts = facts.signals + delta->cause[CODEL_DROP_CEILING];
	facts.limits = delta->cause[CODEL_DROP_LIMIT] + delta->cause[CODEL_DROP_MEMORY];
	if (delta->bytes)
		facts.packet = qdisc->maxpacket * 1e9 * delta->seconds / (double)delta->bytes;
	if (flows)
		facts.share = cs_largest_share(flows, n_flows);

	/* the last rule always holds */
	rule = cs_first(cs_rules, cs_rules + CS_RULES(cs_rules), &facts);
	cs_remark(cs_fill_in(text, end, rule->text, &facts), end, &facts);
	return rule->code;
}
