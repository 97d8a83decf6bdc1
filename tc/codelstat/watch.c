// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* "codelstat watch": how long packets wait, over time */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "link.h"
#include "pick.h"
#include "text.h"

#define WATCH_SAMPLES	1024	/* as many columns as the widest terminal is given */
#define WATCH_HEAD	4	/* lines above the chart */
#define WATCH_FOOT	2	/* below */
#define WATCH_LINE	512
#define WATCH_NAME	160	/* of a qdisc and its place */

static bool watch_has_delay(const struct cs_qdisc *qdisc)
{
	return qdisc->oot;
}

struct watch {
	const struct cs_common *common;
	struct cs_term term;
	struct cs_pick pick;
	struct cs_total link;	/* in place of a qdisc, if @linked */
	bool linked;
	struct cs_row row;	/* of the last refresh */
	struct chart_sample samples[WATCH_SAMPLES];
	size_t n;
};

static void watch_remember(struct watch *watch, const struct cs_delays *delays)
{
	struct chart_sample *sample;

	if (watch->n == WATCH_SAMPLES) {
		watch->n--;
		memmove(watch->samples, watch->samples + 1,
			watch->n * sizeof(*watch->samples));
	}
	sample = &watch->samples[watch->n++];
	*sample = (struct chart_sample) { 0 };
	if (!delays->known)
		return;
	sample->ns[CHART_P50] = delays->p50;
	sample->ns[CHART_P90] = delays->p90;
	sample->ns[CHART_P99] = delays->p99;
	sample->ns[CHART_MAX] = delays->max;
}

/* "fq_codel_oot 10:  mq 1:1", or "link of 4  fq_codel_oot" */
static void watch_name(char name[WATCH_NAME], const struct watch *watch,
		       const struct cs_qdisc *qdisc)
{
	char handle[CS_TEXT], parent[CS_TEXT];

	if (watch->linked)
		snprintf(name, WATCH_NAME, "%s  %s", qdisc->kind, watch->link.one->kind);
	else
		snprintf(name, WATCH_NAME, "%s %s  %s%s%s", qdisc->kind,
			 cs_text_handle(handle, qdisc->handle), qdisc->above,
			 *qdisc->above ? " " : "", cs_text_handle(parent, qdisc->parent));
}

static void watch_title(char *line, const struct watch *watch, const struct cs_qdisc *qdisc)
{
	char name[WATCH_NAME], target[CS_TEXT], interval[CS_TEXT], rate[CS_TEXT];
	int len;

	watch_name(name, watch, qdisc);
	len = snprintf(line, WATCH_LINE, "%s  %s  target %s  interval %s", qdisc->dev, name,
		       cs_text_time(target, (double)cs_target(qdisc)),
		       cs_text_time(interval, (double)cs_interval(qdisc)));
	if (qdisc->rate != UINT64_MAX && len < WATCH_LINE)
		snprintf(line + len, (size_t)(WATCH_LINE - len), "  rate %sbit/s",
			 cs_text_number(rate, (double)qdisc->rate * 8));
}

/* Of an interval, rates; of all that was counted, numbers */
static void watch_fate(char *line, const struct cs_row *row)
{
	const struct cs_delta *delta = &row->delta;
	const double seconds = row->since ? delta->seconds : 1;
	const char *per = row->since ? "/s" : "";
	char bits[CS_TEXT], packets[CS_TEXT], drops[CS_TEXT], marks[CS_TEXT];
	char bytes[CS_TEXT], time[CS_TEXT];

	snprintf(line, WATCH_LINE, "%sbit%s  %s packets%s  drops %s%s  marks %s%s  "
		 "backlog %" PRIu64 "p %sB %s",
		 cs_text_rate(bits, (double)delta->bytes * 8, seconds), per,
		 cs_text_rate(packets, (double)delta->packets, seconds), per,
		 cs_text_rate(drops, (double)delta->drops, seconds), per,
		 cs_text_rate(marks, (double)delta->marks, seconds), per,
		 row->q->qlen, cs_text_number(bytes, (double)row->q->backlog),
		 row->backlog_ms < 0 ? "" : cs_text_time(time, row->backlog_ms * 1e6));
}

static void watch_delay(char *line, const struct cs_delays *delays)
{
	char p50[CS_TEXT], p90[CS_TEXT], p99[CS_TEXT], p999[CS_TEXT], max[CS_TEXT];

	if (delays->known)
		snprintf(line, WATCH_LINE,
			 "delay  p50 %s  p90 %s  p99 %s  p99.9 %s  max %s",
			 cs_text_time(p50, delays->p50), cs_text_time(p90, delays->p90),
			 cs_text_time(p99, delays->p99), cs_text_time(p999, delays->p999),
			 cs_text_time(max, delays->max));
	else
		snprintf(line, WATCH_LINE, "delay  no packet was sent");
}

static void watch_head(FILE *out, const struct watch *watch, const struct cs_row *row)
{
	char line[WATCH_LINE];

	watch_title(line, watch, row->q);
	cs_term_line(out, &watch->term, CS_BOLD, line);
	watch_fate(line, row);
	cs_term_line(out, &watch->term, CS_PLAIN, line);
	watch_delay(line, &row->delays);
	cs_term_line(out, &watch->term, CS_PLAIN, line);
	cs_verdict(row->q, &row->delta, NULL, 0, line, sizeof(line));
	cs_term_line(out, &watch->term, CS_GREEN, line);
}

static void watch_chart(FILE *out, const struct watch *watch, const struct cs_row *row)
{
	const struct cs_term *term = &watch->term;
	struct chart chart = {
		.term = term,
		.samples = watch->samples,
		.n = watch->n,
		.delay = row->delta.delay,
		.target = (double)cs_target(row->q),
		.seconds = row->since ? row->delta.seconds : watch->common->interval,
		.columns = term->width,
	};

	if (term->height < WATCH_HEAD + CHART_MIN_ROWS + WATCH_FOOT ||
	    term->width < CHART_MIN_COLUMNS) {
		fprintf(out, "(a chart needs %d columns, %d lines)\n", CHART_MIN_COLUMNS,
			WATCH_HEAD + CHART_MIN_ROWS + WATCH_FOOT);
		return;
	}
	chart.rows = term->height - WATCH_HEAD - WATCH_FOOT;
	chart_print(out, &chart);
}

static int watch_draw(struct watch *watch, const struct cs_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	cs_term_measure(&watch->term);
	out = open_memstream(&text, &size);
	if (!out) {
		cs_error("no memory");
		return CS_SYSTEM;
	}
	watch_head(out, watch, row);
	watch_chart(out, watch, row);
	fclose(out);
	cs_term_show(&watch->term, text);
	free(text);
	return CS_OK;
}

/* The link of all queues of the device, if there is one, and none of its queues was chosen */
static bool watch_find_link(struct watch *watch, const struct cs_snapshot *before,
			    const struct cs_snapshot *now)
{
	enum cs_kind kind;
	size_t queues;

	if (watch->pick.parent)
		return false;
	for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++) {
		if (!cs_link(now, 0, kind, &queues) || queues != now->n_qdiscs || queues < 2)
			continue;
		cs_link_fill(&watch->link, before, now, 0, kind);
		watch->row = watch->link.row;
		return true;
	}
	return false;
}

static int watch_find_qdisc(struct watch *watch, const struct cs_snapshot *before,
			    const struct cs_snapshot *now)
{
	const struct cs_qdisc *qdisc;
	int status = cs_pick(&watch->pick, now, &qdisc);

	if (status == CS_OK)
		cs_row_fill(&watch->row, before, now, (size_t)(qdisc - now->qdiscs));
	return status;
}

static int watch_show(void *self, const struct cs_snapshot *before,
		      const struct cs_snapshot *now)
{
	struct watch *watch = self;
	int status;

	if (!watch->pick.found && watch_find_link(watch, before, now)) {
		watch->linked = true;
	} else if (watch->linked) {
		return CS_ABSENT;
	} else {
		status = watch_find_qdisc(watch, before, now);
		if (status != CS_OK)
			return status;
	}
	watch_remember(watch, &watch->row.delays);
	return watch_draw(watch, &watch->row);
}

static int watch_again(void *self, char key)
{
	struct watch *watch = self;

	(void)key;
	return watch_draw(watch, &watch->row);
}

static const char watch_help[] =
	"  -p, --parent CLASS      the qdisc below this class alone, \"1:1\" or \"root\"\n";

static const struct option watch_options[] = {
	{ "parent", required_argument, NULL, 'p' },
	{}
};

static int watch_run(int argc, char **argv)
{
	static struct watch watch;
	static const struct cs_view view = {
		.show = watch_show,
		.again = watch_again,
		.self = &watch,
	};
	struct cs_common common = CS_COMMON_DEFAULTS;
	int status;

	watch.pick.only = watch_has_delay;
	watch.pick.lack = "only out-of-tree qdiscs report how long packets wait";
	while (cs_getopt(&common, &cs_watch, argc, argv) != -1) {
		if (!cs_read_parent(&watch.pick.parent, optarg))
			cs_usage(&cs_watch, "--parent %s: not like 1:1 or root", optarg);
	}
	cs_operand_dev(&common, &cs_watch, true, argc, argv);
	watch.common = &common;
	cs_term_open(&watch.term, !common.once, "q quit  p pause");
	status = cs_loop(&common, &view);
	cs_term_close(&watch.term);
	return status;
}

const struct cs_command cs_watch = {
	.name = "watch",
	.operands = "DEV",
	.summary = "A chart of how long packets wait: percentiles over time, and a histogram.",
	.help = watch_help,
	.options = watch_options,
	.run = watch_run,
};
