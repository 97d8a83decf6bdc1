// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * See openmetrics.h. A family of metrics is written for all qdiscs before the next one
 * begins, as both formats require.
 */
#include <inttypes.h>
#include <string.h>

#include <linux/pkt_sched.h>

#include "../../qdisc/codel_version.h"
#include "openmetrics.h"
#include "row.h"
#include "text.h"

/* The histogram's bounds begin at 1.024 us: shorter delays do not matter to users. */
#define METRICS_FIRST_BOUND	16

enum metrics_type {
	METRICS_COUNTER,
	METRICS_GAUGE,
	METRICS_HISTOGRAM,
	METRICS_INFO,
	METRICS_STATES,
};

static const char * const metrics_types[] = {
	"counter", "gauge", "histogram", "info", "stateset",
};

/* The output and its sources */
struct metrics_text {
	FILE *out;
	const struct metrics *metrics;
	const struct cs_snapshot *before;
	const struct cs_snapshot *snapshot;
};

/* Where a number is in struct cs_qdisc; @size 0: nowhere */
struct metrics_field {
	uint16_t offset;
	uint16_t size;
};

#define FIELD(member) { offsetof(struct cs_qdisc, member), \
			sizeof(((struct cs_qdisc *)0)->member) }

enum metrics_form {
	METRICS_PLAIN,
	METRICS_PLAIN_OR_OFF,	/* UINT64_MAX is not shown */
	METRICS_NS,		/* shown as seconds */
	METRICS_NS_OR_OFF,	/* both */
};

/**
 * struct metrics_family - the metrics of one name
 * @name: without the suffix of its type (_total, _info)
 * @unit: the end of @name, NULL if it has none
 * @type: as declared
 * @help: a sentence
 * @print: the samples of qdisc number @i; NULL: one number, which the next four describe
 * @oot: of the out-of-tree modules
 * @in_tree: of in-tree qdiscs
 * @fq: of fq_codel alone
 * @form: of the number
 * @marks: metrics_fate(): of marks, not of drops
 * @bytes: metrics_fate(): bytes, not packets
 */
struct metrics_family {
	const char *name;
	const char *unit;
	enum metrics_type type;
	const char *help;
	void (*print)(const struct metrics_text *text, const struct metrics_family *family,
		      size_t i);
	struct metrics_field oot;
	struct metrics_field in_tree;
	bool fq;
	enum metrics_form form;
	bool marks;
	bool bytes;
};

static const char *metrics_suffix(const struct metrics_family *family)
{
	switch (family->type) {
	case METRICS_COUNTER:
		return "_total";
	case METRICS_INFO:
		return "_info";
	default:
		return "";
	}
}

/* The older format declares the name of the samples, and has neither units nor the last types. */
static void metrics_head(const struct metrics_text *text,
			 const struct metrics_family *family)
{
	bool open = text->metrics->open;
	const char *suffix = open ? "" : metrics_suffix(family);
	enum metrics_type type = family->type;

	if (!open && type >= METRICS_INFO)
		type = METRICS_GAUGE;
	fprintf(text->out, "# TYPE %s%s %s\n", family->name, suffix, metrics_types[type]);
	if (open && family->unit)
		fprintf(text->out, "# UNIT %s %s\n", family->name, family->unit);
	fprintf(text->out, "# HELP %s%s %s\n", family->name, suffix, family->help);
}

/* Write the name of a sample and the labels of its qdisc; the caller closes them. Device and
 * parent are enough to tell qdiscs apart. An automatic handle would begin a new series each time
 * that the qdisc is set up again. Names need no escapes: decode.c has escaped them.
 */
static void metrics_begin(FILE *out, const struct metrics_family *family,
			  const char *suffix, const struct cs_qdisc *qdisc)
{
	char handle[CS_TEXT] = "auto";

	if (!cs_is_automatic(qdisc->handle))
		cs_text_handle(handle, qdisc->handle);
	fprintf(out, "%s%s{device=\"%s\",handle=\"%s\",parent=\"%s\",kind=\"%s\"",
		family->name, suffix, qdisc->dev, handle, qdisc->place, qdisc->kind);
}

/* Exact, without needless zeros: 0.005 */
static void metrics_ns(FILE *out, uint64_t ns)
{
	char fraction[16];
	int length = snprintf(fraction, sizeof(fraction), "%09u",
			      (unsigned int)(ns % 1000000000));

	while (length > 1 && fraction[length - 1] == '0')
		length--;
	fprintf(out, "%" PRIu64 ".%.*s", ns / 1000000000, length, fraction);
}

static uint64_t metrics_get(const struct cs_qdisc *qdisc, const struct metrics_field *field)
{
	const char *at = (const char *)qdisc + field->offset;
	uint64_t wide;
	uint32_t value;

	switch (field->size) {
	case sizeof(bool):
		return *(const bool *)at;
	case sizeof(value):
		memcpy(&value, at, sizeof(value));
		return value;
	default:
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
}

static void metrics_number(const struct metrics_text *text,
			   const struct metrics_family *family, size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];
	const struct metrics_field *field = qdisc->oot ? &family->oot : &family->in_tree;
	bool ns = family->form == METRICS_NS || family->form == METRICS_NS_OR_OFF;
	uint64_t value;

	if (!field->size || (family->fq && qdisc->type != CS_FQ_CODEL))
		return;
	value = metrics_get(qdisc, field);
	if (value == UINT64_MAX &&
	    (family->form == METRICS_NS_OR_OFF || family->form == METRICS_PLAIN_OR_OFF))
		return;
	metrics_begin(text->out, family, metrics_suffix(family), qdisc);
	fputs("} ", text->out);
	if (ns)
		metrics_ns(text->out, value);
	else
		fprintf(text->out, "%" PRIu64, value);
	fputc('\n', text->out);
}

/* The causes that in-tree qdiscs count, in packets only */
static bool metrics_knows(const struct metrics_family *fate, const struct cs_qdisc *qdisc,
			  unsigned int cause)
{
	if (qdisc->oot)
		return true;
	if (fate->bytes)
		return false;
	return fate->marks || cause == CODEL_DROP_CODEL || cause == CODEL_DROP_LIMIT ||
	       (cause == CODEL_DROP_MEMORY && qdisc->type == CS_FQ_CODEL);
}

static uint64_t metrics_count(const struct metrics_family *fate,
			      const struct cs_qdisc *qdisc, const struct cs_delta *total,
			      unsigned int cause)
{
	if (fate->bytes)
		return fate->marks ? qdisc->ext_stats.mark[cause].bytes :
				     qdisc->ext_stats.drop[cause].bytes;
	return fate->marks ? total->mark[cause] : total->cause[cause];
}

/* A number for each cause */
static void metrics_fate(const struct metrics_text *text, const struct metrics_family *fate,
			 size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];
	unsigned int cause, n = fate->marks ? CODEL_MARK_CAUSES : CODEL_DROP_CAUSES;
	const char * const *words = fate->marks ? cs_mark_words : cs_drop_words;
	struct cs_delta total;

	cs_delta(&total, NULL, qdisc, 0);
	for (cause = 0; cause < n; cause++) {
		if (!metrics_knows(fate, qdisc, cause))
			continue;
		metrics_begin(text->out, fate, "_total", qdisc);
		fprintf(text->out, ",cause=\"%s\"} %" PRIu64 "\n", words[cause],
			metrics_count(fate, qdisc, &total, cause));
	}
}

static void metrics_bucket(const struct metrics_text *text,
			   const struct metrics_family *family,
			   const struct cs_qdisc *qdisc, uint64_t ns, uint64_t packets)
{
	metrics_begin(text->out, family, "_bucket", qdisc);
	fputs(",le=\"", text->out);
	metrics_ns(text->out, ns);
	fprintf(text->out, "\"} %" PRIu64 "\n", packets);
}

/* A bound is the first delay that is no more counted; that "le" takes it in is a nanosecond
 * off. Returns the packets of all buckets.
 */
static uint64_t metrics_exact(const struct metrics_text *text,
			      const struct metrics_family *family,
			      const struct cs_qdisc *qdisc)
{
	const unsigned int step = CODEL_DELAY_SUB / text->metrics->buckets;
	uint64_t below = 0;
	unsigned int i;

	for (i = 0; i < CODEL_DELAY_BUCKETS; i++) {
		if (i >= METRICS_FIRST_BOUND && i % step == 0)
			metrics_bucket(text, family, qdisc, codel_delay_bound(i), below);
		below += cs_delay_in(qdisc, i);
	}
	return below;
}

/* A round bound is inside a bucket of the module. The packets of this bucket are counted above
 * the bound: no delay looks shorter than it was, and only those less than 12.5% below the bound
 * look longer.
 */
static uint64_t metrics_round(const struct metrics_text *text,
			      const struct metrics_family *family,
			      const struct cs_qdisc *qdisc)
{
	static const uint64_t bounds[] = {
		1000000, 2500000, 5000000, 10000000, 25000000, 50000000, 100000000,
		250000000, 500000000, 1000000000, 2500000000, 5000000000,
	};
	unsigned int bucket = 0, i;
	uint64_t below = 0;

	for (i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		while (codel_delay_bound(bucket + 1) <= bounds[i])
			below += cs_delay_in(qdisc, bucket++);
		metrics_bucket(text, family, qdisc, bounds[i], below);
	}
	while (bucket < CODEL_DELAY_BUCKETS)
		below += cs_delay_in(qdisc, bucket++);
	return below;
}

/* Buckets count all from 0 on. */
static void metrics_histogram(const struct metrics_text *text,
			      const struct metrics_family *family, size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];
	uint64_t below;

	if (!qdisc->oot)
		return;
	if (text->metrics->buckets)
		below = metrics_exact(text, family, qdisc);
	else
		below = metrics_round(text, family, qdisc);
	metrics_begin(text->out, family, "_bucket", qdisc);
	fprintf(text->out, ",le=\"+Inf\"} %" PRIu64 "\n", below);
	metrics_begin(text->out, family, "_sum", qdisc);
	fputs("} ", text->out);
	metrics_ns(text->out, qdisc->ext_stats.delay_sum);
	fputc('\n', text->out);
	metrics_begin(text->out, family, "_count", qdisc);
	fprintf(text->out, "} %" PRIu64 "\n", below);
}

static void metrics_info(const struct metrics_text *text,
			 const struct metrics_family *family, size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];

	metrics_begin(text->out, family, "_info", qdisc);
	fprintf(text->out, ",above=\"%s\",source=\"%s\"} 1\n", qdisc->above,
		qdisc->out_of_tree ? "module" : "kernel");
}

static void metrics_verdict(const struct metrics_text *text,
			    const struct metrics_family *family, size_t i)
{
	char verdict[CS_TEXT];
	enum cs_code is, code;
	struct cs_row row;

	cs_row_fill(&row, text->before, text->snapshot, i);
	is = cs_verdict(row.q, &row.delta, row.flows, row.n_flows, verdict, sizeof(verdict));
	for (code = 0; code < CS_CODES; code++) {
		metrics_begin(text->out, family, "", row.q);
		fprintf(text->out, ",%s=\"%s\"} %d\n", family->name, cs_code_words[code],
			code == is);
	}
}

#define FAMILY(n, u, t, h) .name = n, .unit = u, .type = t, .help = h
#define COUNTER(name, unit, help) FAMILY(name, unit, METRICS_COUNTER, help)
#define GAUGE(name, unit, help) FAMILY(name, unit, METRICS_GAUGE, help)

static const struct metrics_family metrics_families[] = {
	{ FAMILY("codel_qdisc", NULL, METRICS_INFO,
		 "Queueing disciplines, and whose code they are."),
	  .print = metrics_info },
	{ FAMILY("codel_sojourn_seconds", "seconds", METRICS_HISTOGRAM,
		 "How long packets waited that left the queue to be sent."),
	  .print = metrics_histogram },
	{ COUNTER("codel_received_packets", "packets", "Packets given to the queue."),
	  .oot = FIELD(ext_stats.received.packets) },
	{ COUNTER("codel_received_bytes", "bytes", "Bytes given to the queue."),
	  .oot = FIELD(ext_stats.received.bytes) },
	{ COUNTER("codel_sent_packets", "packets",
		  "Packets that left the queue to be sent; of in-tree qdiscs, all sent."),
	  .oot = FIELD(ext_stats.sent.packets), .in_tree = FIELD(packets) },
	{ COUNTER("codel_sent_bytes", "bytes",
		  "Bytes that left the queue to be sent; of in-tree qdiscs, all sent."),
	  .oot = FIELD(ext_stats.sent.bytes), .in_tree = FIELD(bytes) },
	{ COUNTER("codel_bypassed_packets", "packets",
		  "Packets of the wire that were sent past the empty queue."),
	  .oot = FIELD(ext_stats.bypassed.packets) },
	{ COUNTER("codel_bypassed_bytes", "bytes",
		  "Bytes that were sent past the empty queue."),
	  .oot = FIELD(ext_stats.bypassed.bytes) },
	{ COUNTER("codel_wire_bytes", "bytes",
		  "Bytes sent on the link as the shaper counts them; 0 without a shaper."),
	  .oot = FIELD(ext_stats.wire_bytes) },
	{ COUNTER("codel_new_flows", NULL, "Times that a flow became active."),
	  .oot = FIELD(new_flow_count), .in_tree = FIELD(new_flow_count), .fq = true },
	{ COUNTER("codel_shared_packets", "packets",
		  "Packets that had to share a queue with another flow."),
	  .oot = FIELD(collisions), .fq = true },
	{ GAUGE("codel_backlog_packets", "packets", "Packets in the queue."),
	  .oot = FIELD(qlen), .in_tree = FIELD(qlen) },
	{ GAUGE("codel_backlog_bytes", "bytes", "Bytes in the queue."),
	  .oot = FIELD(backlog), .in_tree = FIELD(backlog) },
	{ GAUGE("codel_memory_used_bytes", "bytes", "Memory of the packets in the queue."),
	  .oot = FIELD(memory), .in_tree = FIELD(memory), .fq = true },
	{ GAUGE("codel_active_flows", NULL, "Flows that have packets in the queue."),
	  .oot = FIELD(active), .in_tree = FIELD(active), .fq = true },
	{ GAUGE("codel_sojourn_max_seconds", "seconds",
		"Longest time that a packet waited, since the counters began."),
	  .oot = FIELD(ext_stats.delay_max), .form = METRICS_NS },
	{ GAUGE("codel_target_seconds", "seconds",
		"Setting: standing delay that is acceptable."),
	  .oot = FIELD(target), .in_tree = FIELD(target), .form = METRICS_NS },
	{ GAUGE("codel_interval_seconds", "seconds",
		"Setting: how long the delay may stay above the target."),
	  .oot = FIELD(interval), .in_tree = FIELD(interval), .form = METRICS_NS },
	{ GAUGE("codel_ce_threshold_seconds", "seconds",
		"Setting: delay above which every packet is marked; absent if off."),
	  .oot = FIELD(ce_threshold), .in_tree = FIELD(ce_threshold),
	  .form = METRICS_NS_OR_OFF },
	{ GAUGE("codel_ceiling_seconds", "seconds",
		"Setting: delay at which every packet is dropped if signals have no effect; "
		"absent if off."),
	  .oot = FIELD(ceiling), .form = METRICS_NS_OR_OFF },
	{ GAUGE("codel_rate_bytes_per_second", "bytes_per_second",
		"Setting: rate of the shaper; absent if off."),
	  .oot = FIELD(rate), .form = METRICS_PLAIN_OR_OFF },
	{ GAUGE("codel_limit_packets", "packets", "Setting: most packets in the queue."),
	  .oot = FIELD(limit), .in_tree = FIELD(limit) },
	{ GAUGE("codel_memory_limit_bytes", "bytes",
		"Setting: most memory for packets in the queue."),
	  .oot = FIELD(memory_limit), .in_tree = FIELD(memory_limit), .fq = true },
	{ GAUGE("codel_flows_limit", NULL, "Setting: number of queues for flows."),
	  .oot = FIELD(flows), .in_tree = FIELD(flows), .fq = true },
	{ GAUGE("codel_ecn_enabled", NULL, "Setting: whether packets are marked, 0 or 1."),
	  .oot = FIELD(ecn), .in_tree = FIELD(ecn) },
	{ COUNTER("codel_dropped_packets", "packets",
		  "Packets dropped, by cause (ceiling: signals had no effect; "
		  "taken: by a filter's action, no loss)."),
	  .print = metrics_fate },
	{ COUNTER("codel_dropped_bytes", "bytes", "Bytes dropped, by cause."),
	  .print = metrics_fate, .bytes = true },
	{ COUNTER("codel_marked_packets", "packets", "Packets marked, by cause."),
	  .print = metrics_fate, .marks = true },
	{ COUNTER("codel_marked_bytes", "bytes", "Bytes marked, by cause."),
	  .print = metrics_fate, .marks = true, .bytes = true },
	{ FAMILY("codel_verdict", NULL, METRICS_STATES,
		 "State of the queue since the last scrape: 1 for one of the states; "
		 "see codelstat(8)."),
	  .print = metrics_verdict },
};

static void metrics_of_qdiscs(const struct metrics_text *text)
{
	const struct metrics_family *family = metrics_families;
	const struct metrics_family *end = family + sizeof(metrics_families) / sizeof(*family);
	size_t i;

	for (; family < end; family++) {
		metrics_head(text, family);
		for (i = 0; i < text->snapshot->n_qdiscs; i++)
			(family->print ? family->print : metrics_number)(text, family, i);
	}
}

static void metrics_exporter(const struct metrics_text *text)
{
	static const struct metrics_family build = {
		FAMILY("codel_build", NULL, METRICS_INFO, "Version of codelstat."),
	};
	static const struct metrics_family duration = {
		GAUGE("codel_scrape_duration_seconds", "seconds",
		      "Time that it took to ask the kernel."),
	};
	static const struct metrics_family errors = {
		COUNTER("codel_scrape_errors", NULL, "Times that the kernel did not answer."),
	};

	metrics_head(text, &build);
	fprintf(text->out, "%s_info{version=\"" CODEL_VERSION "\"} 1\n", build.name);
	metrics_head(text, &duration);
	fprintf(text->out, "%s %.9f\n", duration.name, text->metrics->seconds);
	metrics_head(text, &errors);
	fprintf(text->out, "%s_total %" PRIu64 "\n", errors.name, text->metrics->errors);
}

void metrics_print(FILE *out, const struct metrics *metrics, const struct cs_snapshot *before,
		   const struct cs_snapshot *snapshot)
{
	const struct metrics_text text = {
		.out = out,
		.metrics = metrics,
		.before = before,
		.snapshot = snapshot,
	};

	metrics_of_qdiscs(&text);
	metrics_exporter(&text);
	if (metrics->open)
		fputs("# EOF\n", out);
}
