// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * See openmetrics.h. A family of metrics is written for all qdiscs before the next one
 * begins, as both formats require.
 */
#include <string.h>

#include "../../qdisc/codel_version.h"
#include "../codel_ext_stats.h"
#include "far.h"
#include "fields.h"
#include "link.h"
#include "openmetrics.h"
#include "text.h"

/* The histogram's bounds begin at 1.024 us: shorter delays do not matter to users. */
#define METRICS_FIRST_BOUND	16

static const char * const metrics_types[] = {
	[CS_COUNTER] = "counter",
	[CS_GAUGE] = "gauge",
	[CS_HISTOGRAM] = "histogram",
	[CS_INFO] = "info",
	[CS_STATES] = "stateset",
};

/* The output and its sources */
struct metrics_text {
	FILE *out;
	const struct metrics *metrics;
	const struct cs_snapshot *before;
	const struct cs_snapshot *snapshot;
};

/**
 * struct metrics_family - the metrics of one name that are more than a number to a qdisc
 * @metric: what it is called
 * @print: the samples of qdisc number @i
 * @marks: metrics_fate(): of marks, not of drops
 * @bytes: metrics_fate(): bytes, not packets
 */
struct metrics_family {
	struct cs_metric metric;
	void (*print)(const struct metrics_text *text, const struct metrics_family *family,
		      size_t i);
	bool marks;
	bool bytes;
};

static const char *metrics_suffix(const struct cs_metric *metric)
{
	switch (metric->type) {
	case CS_COUNTER:
		return "_total";
	case CS_INFO:
		return "_info";
	default:
		return "";
	}
}

/* @parts: strings, the last one NULL */
static void metrics_put(FILE *out, const char *const *parts)
{
	while (*parts)
		cs_put(out, *parts++);
}

#define PUT(out, ...) metrics_put(out, (const char *const []){ __VA_ARGS__, NULL })

/* The older format declares the name of the samples, and has neither units nor the last types. */
static void metrics_head(const struct metrics_text *text, const struct cs_metric *metric)
{
	bool open = text->metrics->open;
	const char *suffix = open ? "" : metrics_suffix(metric);
	enum cs_metric_type type = metric->type;

	if (!open && type >= CS_INFO)
		type = CS_GAUGE;
	PUT(text->out, "# TYPE ", metric->name, suffix, " ", metrics_types[type], "\n");
	if (open && metric->unit)
		PUT(text->out, "# UNIT ", metric->name, " ", metric->unit, "\n");
	PUT(text->out, "# HELP ", metric->name, suffix, " ", metric->help, "\n");
}

/* Write the name of a sample and the labels of its qdisc; the caller closes them. Device and
 * parent are enough to tell qdiscs apart. An automatic handle would begin a new series each time
 * that the qdisc is set up again. Names need no escapes: decode.c has escaped them.
 */
static void metrics_begin(FILE *out, const struct cs_metric *metric, const char *suffix,
			  const struct cs_qdisc *qdisc)
{
	char handle[CS_TEXT] = "auto";

	if (!cs_is_automatic(qdisc->handle))
		cs_text_handle(handle, qdisc->handle);
	PUT(out, metric->name, suffix, "{device=\"", qdisc->dev, "\",handle=\"", handle,
	    "\",parent=\"", qdisc->place, "\",kind=\"", qdisc->kind, "\"");
}

/* Exact, without needless zeros: 0.005 */
static void metrics_ns(FILE *out, uint64_t ns)
{
	char fraction[CS_TEXT];
	char *end = strchr(cs_text_uint(fraction, 1000000000 + ns % 1000000000), '\0');

	while (end > fraction + 2 && end[-1] == '0')
		*--end = '\0';
	cs_put_uint(out, ns / 1000000000);
	*fraction = '.';	/* in the place of the first of ten digits */
	cs_put(out, fraction);
}

static void metrics_number(const struct metrics_text *text, const struct cs_field *field, size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];
	uint64_t value;

	if (!cs_field_get(&value, field, qdisc, NULL))
		return;
	metrics_begin(text->out, &field->metric, metrics_suffix(&field->metric), qdisc);
	cs_put(text->out, "} ");
	if (field->form == CS_NS)
		metrics_ns(text->out, value);
	else
		cs_put_uint(text->out, value);
	cs_put(text->out, "\n");
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
	const char * const *words = fate->marks ? codel_mark_causes : codel_drop_causes;
	struct cs_delta total;

	cs_delta(&total, NULL, qdisc, 0);
	for (cause = 0; cause < n; cause++) {
		if (!metrics_knows(fate, qdisc, cause))
			continue;
		metrics_begin(text->out, &fate->metric, "_total", qdisc);
		PUT(text->out, ",cause=\"", words[cause], "\"} ");
		cs_put_uint(text->out, metrics_count(fate, qdisc, &total, cause));
		cs_put(text->out, "\n");
	}
}

static void metrics_bucket(const struct metrics_text *text,
			   const struct metrics_family *family,
			   const struct cs_qdisc *qdisc, uint64_t ns, uint64_t packets)
{
	metrics_begin(text->out, &family->metric, "_bucket", qdisc);
	cs_put(text->out, ",le=\"");
	if (ns == UINT64_MAX)
		cs_put(text->out, "+Inf");
	else
		metrics_ns(text->out, ns);
	cs_put(text->out, "\"} ");
	cs_put_uint(text->out, packets);
	cs_put(text->out, "\n");
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
 * look longer. Bounds below bucket @first are left out; @in counts the packets of a bucket.
 */
static uint64_t metrics_round(const struct metrics_text *text,
			      const struct metrics_family *family,
			      const struct cs_qdisc *qdisc, unsigned int first,
			      uint64_t (*in)(const struct cs_qdisc *qdisc, unsigned int bucket))
{
	static const uint64_t bounds[] = {
		1000000, 2500000, 5000000, 10000000, 25000000, 50000000, 100000000,
		250000000, 500000000, 1000000000, 2500000000, 5000000000,
	};
	unsigned int bucket = first, i;
	uint64_t below = 0;

	for (i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		if (bounds[i] < codel_delay_bound(first))
			continue;
		while (codel_delay_bound(bucket + 1) <= bounds[i])
			below += in(qdisc, bucket++);
		metrics_bucket(text, family, qdisc, bounds[i], below);
	}
	while (bucket < CODEL_DELAY_BUCKETS)
		below += in(qdisc, bucket++);
	return below;
}

static void metrics_total(const struct metrics_text *text, const struct metrics_family *family,
			  const struct cs_qdisc *qdisc, uint64_t packets)
{
	metrics_begin(text->out, &family->metric, "_count", qdisc);
	cs_put(text->out, "} ");
	cs_put_uint(text->out, packets);
	cs_put(text->out, "\n");
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
		below = metrics_round(text, family, qdisc, 0, cs_delay_in);
	metrics_bucket(text, family, qdisc, UINT64_MAX, below);
	metrics_begin(text->out, &family->metric, "_sum", qdisc);
	cs_put(text->out, "} ");
	metrics_ns(text->out, qdisc->ext_stats.delay_sum);
	cs_put(text->out, "\n");
	metrics_total(text, family, qdisc, below);
}

/* Of the queue elsewhere: the sum of the delays is not known. */
static void metrics_far(const struct metrics_text *text, const struct metrics_family *family,
			size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];
	uint64_t below;

	if (!qdisc->far)
		return;
	below = metrics_round(text, family, qdisc, CODEL_FAR_DELAY_FIRST, cs_far_in);
	metrics_bucket(text, family, qdisc, UINT64_MAX, below);
	metrics_total(text, family, qdisc, below);
}

static void metrics_far_state(const struct metrics_text *text,
			      const struct metrics_family *family, size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];

	if (!qdisc->far)
		return;
	metrics_begin(text->out, &family->metric, "", qdisc);
	PUT(text->out, ",state=\"", codel_far_states[qdisc->far->state], "\"} 1\n");
}

static void metrics_info(const struct metrics_text *text,
			 const struct metrics_family *family, size_t i)
{
	const struct cs_qdisc *qdisc = &text->snapshot->qdiscs[i];

	metrics_begin(text->out, &family->metric, "_info", qdisc);
	PUT(text->out, ",above=\"", qdisc->above, "\",source=\"",
	    qdisc->out_of_tree ? "module" : "kernel", "\"} 1\n");
}

static enum cs_code metrics_code(const struct metrics_text *text, size_t i)
{
	char verdict[CS_TEXT];
	struct cs_row row;

	cs_row_fill(&row, text->before, text->snapshot, i);
	return cs_verdict(row.q, &row.delta, row.flows, row.n_flows, verdict, sizeof(verdict));
}

static void metrics_verdict(const struct metrics_text *text,
			    const struct metrics_family *family, size_t i)
{
	metrics_begin(text->out, &family->metric, "", &text->snapshot->qdiscs[i]);
	PUT(text->out, ",verdict=\"", cs_code_words[metrics_code(text, i)], "\"} 1\n");
}

static void metrics_states(const struct metrics_text *text,
			   const struct metrics_family *family, size_t i)
{
	const enum cs_code is = metrics_code(text, i);
	enum cs_code code;

	for (code = 0; code < CS_CODES; code++) {
		metrics_begin(text->out, &family->metric, "", &text->snapshot->qdiscs[i]);
		PUT(text->out, ",codel_verdict=\"", cs_code_words[code],
		    code == is ? "\"} 1\n" : "\"} 0\n");
	}
}

static const struct metrics_family metrics_first[] = {
	{ { "codel_qdisc", NULL, CS_INFO, "Queueing disciplines, and whose code they are." },
	  .print = metrics_info },
	{ { "codel_sojourn_seconds", "seconds", CS_HISTOGRAM,
	    "How long packets waited that left the queue to be sent." }, .print = metrics_histogram },
	{ { "codel_far_sojourn_seconds", "seconds", CS_HISTOGRAM,
	    "How long packets waited in the queue elsewhere, as answers showed." },
	  .print = metrics_far },
};

static const struct metrics_family metrics_last[] = {
	{ { "codel_dropped_packets", "packets", CS_COUNTER,
	    "Packets dropped, by cause (ceiling: signals had no effect; "
	    "taken: by a filter's action, no loss)." }, .print = metrics_fate },
	{ { "codel_dropped_bytes", "bytes", CS_COUNTER, "Bytes dropped, by cause." },
	  .print = metrics_fate, .bytes = true },
	{ { "codel_marked_packets", "packets", CS_COUNTER, "Packets marked, by cause." },
	  .print = metrics_fate, .marks = true },
	{ { "codel_marked_bytes", "bytes", CS_COUNTER, "Bytes marked, by cause." },
	  .print = metrics_fate, .marks = true, .bytes = true },
	{ { "codel_far_state", NULL, CS_GAUGE,
	    "Whether the queue elsewhere is held short (works), or why not, as a label; "
	    "see tc-fq_codel_oot(8)." }, .print = metrics_far_state },
	{ { "codel_qdisc_verdict", NULL, CS_GAUGE,
	    "Verdict on the queue since the last scrape, as a label; see codelstat(8)." },
	  .print = metrics_verdict },
};

/* In this release for the last time: a number for each verdict */
static const struct metrics_family metrics_old[] = {
	{ { "codel_verdict", NULL, CS_STATES,
	    "State of the queue since the last scrape: 1 for one of the states; "
	    "see codelstat(8)." }, .print = metrics_states },
};

static void metrics_families(const struct metrics_text *text,
			     const struct metrics_family *family, size_t n)
{
	size_t i;

	for (; n--; family++) {
		metrics_head(text, &family->metric);
		for (i = 0; i < text->snapshot->n_qdiscs; i++)
			family->print(text, family, i);
	}
}

static void metrics_of_qdiscs(const struct metrics_text *text)
{
	const struct cs_field *field;
	size_t i;

	metrics_families(text, metrics_first, sizeof(metrics_first) / sizeof(*metrics_first));
	for (field = cs_fields; field->metric.type; field++) {
		metrics_head(text, &field->metric);
		for (i = 0; i < text->snapshot->n_qdiscs; i++)
			metrics_number(text, field, i);
	}
	metrics_families(text, metrics_last, sizeof(metrics_last) / sizeof(*metrics_last));
	if (text->metrics->states)
		metrics_families(text, metrics_old, sizeof(metrics_old) / sizeof(*metrics_old));
}

static uint64_t metrics_link_queues(const struct cs_qdisc *one, size_t queues)
{
	(void)one;
	return queues;
}

static uint64_t metrics_link_rate(const struct cs_qdisc *one, size_t queues)
{
	(void)queues;
	return one->rate;
}

/* Numbers that all qdiscs of a link have: a sum of these would count them once for each qdisc */
static const struct {
	struct cs_metric metric;
	uint64_t (*value)(const struct cs_qdisc *one, size_t queues);
} metrics_link[] = {
	{ { "codel_link_queues", NULL, CS_GAUGE, "Queues of the device that share a rate." },
	  .value = metrics_link_queues },
	{ { "codel_link_rate_bytes_per_second", "bytes_per_second", CS_GAUGE,
	    "Setting: the rate that queues of the device share." }, .value = metrics_link_rate },
};

/* Number @metric of the links of the device whose first qdisc is number @first */
static void metrics_links_of(const struct metrics_text *text, size_t metric, size_t first)
{
	const struct cs_qdisc *one;
	enum cs_kind kind;
	size_t queues;

	for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++) {
		one = cs_link(text->snapshot, first, kind, &queues);
		if (!one)
			continue;
		PUT(text->out, metrics_link[metric].metric.name, "{device=\"", one->dev,
		    "\",kind=\"", one->kind, "\"} ");
		cs_put_uint(text->out, metrics_link[metric].value(one, queues));
		cs_put(text->out, "\n");
	}
}

static void metrics_links(const struct metrics_text *text)
{
	size_t metric, i;

	for (metric = 0; metric < sizeof(metrics_link) / sizeof(*metrics_link); metric++) {
		metrics_head(text, &metrics_link[metric].metric);
		for (i = 0; i < text->snapshot->n_qdiscs; i += cs_total_queues(text->snapshot, i))
			metrics_links_of(text, metric, i);
	}
}

static void metrics_exporter(const struct metrics_text *text)
{
	static const struct cs_metric build = {
		"codel_build", NULL, CS_INFO, "Version of codelstat.",
	};
	static const struct cs_metric duration = {
		"codel_scrape_duration_seconds", "seconds", CS_GAUGE,
		"Time that it took to ask the kernel.",
	};
	static const struct cs_metric errors = {
		"codel_scrape_errors", NULL, CS_COUNTER, "Times that the kernel did not answer.",
	};

	metrics_head(text, &build);
	cs_put(text->out, "codel_build_info{version=\"" CODEL_VERSION "\"} 1\n");
	metrics_head(text, &duration);
	cs_put(text->out, "codel_scrape_duration_seconds ");
	cs_put_real(text->out, text->metrics->seconds, 9);
	cs_put(text->out, "\n");
	metrics_head(text, &errors);
	cs_put(text->out, "codel_scrape_errors_total ");
	cs_put_uint(text->out, text->metrics->errors);
	cs_put(text->out, "\n");
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
	metrics_links(&text);
	metrics_exporter(&text);
	if (metrics->open)
		cs_put(out, "# EOF\n");
}
