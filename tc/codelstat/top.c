// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* "codelstat top": the flows of a queue */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pkt_sched.h>

#include "flows.h"
#include "pick.h"
#include "term.h"
#include "text.h"
#include "top.h"

#define TOP_HEAD	3	/* lines above the flows */
#define TOP_LINE	512

/* Values of --sort, and their keys on a terminal */
static const struct {
	const char *name;
	char key;
} top_sorts[FLOWS_KEYS] = {
	[FLOWS_SHARE] = { "share", 's' },
	[FLOWS_RATE] = { "rate", 'r' },
	[FLOWS_BACKLOG] = { "backlog", 'b' },
	[FLOWS_P99] = { "p99", '9' },
	[FLOWS_DROPS] = { "drops", 'd' },
};

struct top {
	struct cs_term term;
	struct cs_pick pick;
	uint64_t lines;		/* at most; 0: as many as fit, or all */
	enum flows_key sort;
	bool json;
	struct top_view view;	/* of the last refresh */
	bool noted;		/* @seen is of the snapshot before */
	char help[128];
	struct flow_seen seen[FLOWS_MAX];
};

static bool top_has_flows(const struct cs_qdisc *qdisc)
{
	return qdisc->type == CS_FQ_CODEL;
}

/* An unknown value is a "?" */
static void top_measured(char *line, const struct flow_row *row, double longest)
{
	char rate[CS_TEXT], p50[CS_TEXT], p99[CS_TEXT], drops[CS_TEXT], marks[CS_TEXT];
	char backlog[CS_TEXT], bits[CS_TEXT];

	cs_text_number(bits, row->rate * 8);
	snprintf(rate, sizeof(rate), "%s", row->known && row->seconds > 0 ? bits : "?");
	cs_text_time(p50, flows_percentile(row, 50, longest));
	cs_text_time(p99, flows_percentile(row, 99, longest));
	cs_text_number(backlog, row->flow->backlog);
	if (row->known)
		snprintf(line, TOP_LINE, "%4.0f%% %6s %7s %6s %6s %5s %5s %c ",
			 row->share * 100, rate, backlog,
			 row->packets ? p50 : "-", row->packets ? p99 : "-",
			 cs_text_number(drops, row->drops),
			 cs_text_number(marks, row->marks), row->flow->dropping ? 'D' : ' ');
	else
		snprintf(line, TOP_LINE, "%5s %6s %7s %6s %6s %5s %5s %c ", "?", "?", backlog,
			 "?", "?", "?", "?", row->flow->dropping ? 'D' : ' ');
}

static void top_name(char name[CS_TEXT_FLOW], const struct cs_flow *flow)
{
	char class[CS_TEXT];

	if (flow->known && flow->stats.tuple.protocol)
		cs_text_flow(name, &flow->stats.tuple);
	else
		snprintf(name, CS_TEXT_FLOW, "? (class %s)",
			 cs_text_handle(class, flow->classid));
}

/* On a terminal a long name is cut, elsewhere it is whole */
static void top_line(FILE *out, const struct top *top, enum cs_colour colour,
		     const char *line)
{
	struct cs_term term = top->term;

	if (!term.live)
		term.width = UINT_MAX;
	cs_term_line(out, &term, colour, line);
}

static void top_row(FILE *out, const struct top *top, const struct flow_row *row,
		    double longest)
{
	char name[CS_TEXT_FLOW], measured[TOP_LINE], line[TOP_LINE + CS_TEXT_FLOW];

	top_name(name, row->flow);
	top_measured(measured, row, longest);
	snprintf(line, sizeof(line), "%s%s", measured, name);
	top_line(out, top, row->flow->dropping ? CS_YELLOW : CS_PLAIN, line);
}

static void top_title(FILE *out, const struct top *top, const struct top_view *view)
{
	char handle[CS_TEXT], rate[CS_TEXT], backlog[CS_TEXT], line[TOP_LINE];
	const struct cs_qdisc *qdisc = view->of.q;
	bool since = view->of.since;

	snprintf(line, sizeof(line), "%s  %s %s%s%s  %s%s  backlog %" PRIu64 "p %sB  active flows %zu",
		 qdisc->dev, qdisc->kind, cs_text_handle(handle, qdisc->handle),
		 cs_is_plain(qdisc) ? " " : "", cs_is_plain(qdisc) ? cs_module_word(qdisc) : "",
		 cs_text_rate(rate, (double)view->of.delta.bytes * 8,
			      since ? view->of.delta.seconds : 1),
		 since ? "bit/s" : "bit", qdisc->qlen,
		 cs_text_number(backlog, (double)qdisc->backlog), view->n);
	top_line(out, top, CS_BOLD, line);
	fputc('\n', out);
	snprintf(line, sizeof(line), "%5s %6s %7s %6s %6s %5s %5s   %s", "share", "bit/s",
		 "backlog", "p50", "p99", "drops", "marks", "flow");
	top_line(out, top, CS_PLAIN, line);
}

static void top_text(FILE *out, const struct top *top, const struct top_view *view)
{
	double longest = view->of.q->oot ? (double)view->of.q->ext_stats.delay_max : 0;
	size_t i;

	top_title(out, top, view);
	for (i = 0; i < view->shown; i++)
		top_row(out, top, &view->rows[i], longest);
	if (view->shown < view->n)
		fprintf(out, "and %zu more\n", view->n - view->shown);
	if (!top->term.live)
		fputc('\n', out);
}

static size_t top_lines(const struct top *top, size_t n)
{
	/* --lines has 32 bits at most, as size_t has on small machines */
	size_t lines = top->lines ? (size_t)top->lines : n;
	size_t fit = top->term.height > TOP_HEAD + 2 ? top->term.height - TOP_HEAD - 1 : 1;

	if (top->term.live && lines > fit)
		lines = fit;
	return lines < n ? lines : n;
}

/* "q quit  p pause  sorted by share:  s share  r rate" */
static void top_help(struct top *top)
{
	char *at = top->help, *end = top->help + sizeof(top->help);
	size_t i;

	at += snprintf(at, (size_t)(end - at), "q quit  p pause  sorted by %s:",
		       top_sorts[top->sort].name);
	for (i = 0; i < FLOWS_KEYS; i++)
		at += snprintf(at, (size_t)(end - at), "  %c %s", top_sorts[i].key,
			       top_sorts[i].name);
}

static int top_draw(struct top *top)
{
	struct top_view *view = &top->view;
	const struct cs_qdisc *qdisc = view->of.q;
	char *text = NULL;
	size_t size;
	FILE *out;

	top_help(top);
	cs_term_measure(&top->term);
	flows_sort(view->rows, view->n, top->sort,
		   qdisc->oot ? (double)qdisc->ext_stats.delay_max : 0);
	view->shown = top_lines(top, view->n);
	out = open_memstream(&text, &size);
	if (!out) {
		cs_error("no memory");
		return CS_SYSTEM;
	}
	if (top->json)
		top_json(out, view);
	else
		top_text(out, top, view);
	fclose(out);
	cs_term_show(&top->term, text);
	free(text);
	return CS_OK;
}

/* The flows that were there when the first interval began */
static void top_begin(struct top *top, const struct cs_snapshot *before,
		      const struct cs_qdisc *qdisc)
{
	const struct cs_flow *flows;
	size_t n;

	if (top->noted)
		return;
	flows = cs_snapshot_flows(before, qdisc, &n);
	flows_note(top->seen, before->monotonic, flows, n);
	top->noted = true;
}

static int top_compare(struct top *top, const struct cs_snapshot *before)
{
	struct top_view *view = &top->view;
	const struct cs_row *of = &view->of;
	uint64_t now = view->snapshot->monotonic;

	free(view->rows);
	view->n = of->n_flows;
	view->rows = calloc(view->n + 1, sizeof(*view->rows));
	if (!view->rows) {
		cs_error("no memory");
		return CS_SYSTEM;
	}
	if (before && !of->since)	/* another qdisc, or its counters have begun again */
		memset(top->seen, 0, sizeof(top->seen));
	else if (before)
		top_begin(top, before, of->q);
	flows_compare(view->rows, before ? top->seen : NULL, now, of->flows, view->n,
		      &of->delta);
	flows_note(top->seen, now, of->flows, view->n);
	return CS_OK;
}

static int top_show(void *self, const struct cs_snapshot *before,
		    const struct cs_snapshot *now)
{
	const struct cs_qdisc *qdisc;
	struct top *top = self;
	int status;

	status = cs_pick(&top->pick, now, &qdisc);
	if (status != CS_OK)
		return status;
	top->view.snapshot = now;
	cs_row_fill(&top->view.of, before, now, (size_t)(qdisc - now->qdiscs));
	top->view.before = top->view.of.since ? before : NULL;
	status = top_compare(top, before);
	return status == CS_OK ? top_draw(top) : status;
}

static int top_again(void *self, char key)
{
	struct top *top = self;
	enum flows_key sort;

	for (sort = 0; sort < FLOWS_KEYS; sort++)
		if (key == top_sorts[sort].key)
			top->sort = sort;
	return top_draw(top);
}

static const char top_usage[] =
	"  -N, --lines N           as many flows at most\n"
	"  -s, --sort KEY          by share, rate, backlog, p99 or drops, the largest first (share)\n"
	"  -j, --json              an object per refresh, with tc's names\n"
	"  -p, --parent CLASS      the qdisc below this class alone, \"1:1\" or \"root\"\n";

static void top_read_sort(struct top *top, const char *name)
{
	for (top->sort = 0; top->sort < FLOWS_KEYS; top->sort++)
		if (!strcmp(top_sorts[top->sort].name, name))
			return;
	cs_usage(&cs_top, "--sort %s: not share, rate, backlog, p99 or drops", name);
}

static void top_option(struct top *top, int opt)
{
	switch (opt) {
	case 'N':
		if (!cs_read_count(&top->lines, optarg, UINT32_MAX) || !top->lines)
			cs_usage(&cs_top, "--lines %s: not a number from 1 on", optarg);
		break;
	case 's':
		top_read_sort(top, optarg);
		break;
	case 'j':
		cs_read_json(&cs_top);
		top->json = true;
		break;
	case 'p':
		if (!cs_read_parent(&top->pick.parent, optarg))
			cs_usage(&cs_top, "--parent %s: not like 1:1 or root", optarg);
		break;
	}
}

static const struct option top_options[] = {
	{ "lines", required_argument, NULL, 'N' },
	{ "sort", required_argument, NULL, 's' },
	{ "json", optional_argument, NULL, 'j' },
	{ "parent", required_argument, NULL, 'p' },
	{}
};

static int top_run(int argc, char **argv)
{
	static struct top top;	/* without initial values, which would be 8 MiB of the program file */
	static const struct cs_view view = {
		.show = top_show,
		.again = top_again,
		.self = &top,
	};
	struct cs_common common = CS_COMMON_DEFAULTS;
	int opt, status;

	top.pick.only = top_has_flows;
	top.pick.lack = "no fq_codel here: only it has flows";
	while ((opt = cs_getopt(&common, &cs_top, argc, argv)) != -1)
		top_option(&top, opt);
	cs_operand_dev(&common, &cs_top, true, argc, argv);
	common.filter.flows = true;
	cs_term_open(&top.term, !common.once && !top.json, top.help);
	status = cs_loop(&common, &view);
	cs_term_close(&top.term);
	free(top.view.rows);
	return status;
}

const struct cs_command cs_top = {
	.name = "top",
	.operands = "DEV",
	.summary = "The flows of an fq_codel, those that use most of it first.",
	.help = top_usage,
	.options = top_options,
	.run = top_run,
};
