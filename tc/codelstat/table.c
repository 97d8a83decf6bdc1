// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * The list for people: three lines to a qdisc, in 80 columns. Ahead of them, a device with several
 * has three lines to a rate that several share, and one to the sum of all, unless it is the same.
 */
#include <string.h>
#include <time.h>

#include "../codel_ext_stats.h"
#include "link.h"
#include "text.h"

#define CS_LINES	3	/* to a qdisc, and to a link */
#define CS_LINES_ABOVE	2	/* when, and the columns' names */
#define CS_INDENT	"  "
#define CS_CELL		5	/* width of a number */

struct cs_columns {
	int dev;
	int kind;
	size_t totals;		/* lines of devices and links */
	unsigned int width;
	bool utf8;
};

/* Whether a link is shown: one qdisc alone shows all of it */
static bool cs_is_link(const struct cs_snapshot *now, size_t first, enum cs_kind kind)
{
	size_t queues;

	return cs_link(now, first, kind, &queues) && queues > 1;
}

/* Whether the sum of a device is shown: a link of all its queues shows it */
static bool cs_is_total(const struct cs_snapshot *now, size_t first)
{
	const size_t n = cs_total_queues(now, first);
	enum cs_kind kind;
	size_t queues;

	for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++)
		if (cs_link(now, first, kind, &queues) && queues == n)
			return false;
	return n > 1;
}

/* Lines ahead of the qdiscs of a device */
static size_t cs_lines_above(const struct cs_snapshot *now, size_t first)
{
	size_t lines = cs_is_total(now, first);
	enum cs_kind kind;

	for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++)
		lines += cs_is_link(now, first, kind) ? CS_LINES : 0;
	return lines;
}

static struct cs_columns cs_columns(const struct cs_snapshot *now, const struct cs_term *term)
{
	struct cs_columns columns = {
		.dev = 3, .kind = 4, .width = term->width, .utf8 = term->utf8,
	};
	size_t i, n, most = 0, totals = 0;
	char text[CS_TEXT];
	int width;

	for (i = 0; i < now->n_qdiscs; i++) {
		width = (int)strlen(now->qdiscs[i].kind);
		columns.kind = width > columns.kind ? width : columns.kind;
	}
	for (i = 0; i < now->n_qdiscs; i += n) {
		n = cs_total_queues(now, i);
		width = (int)strlen(now->qdiscs[i].dev);
		columns.dev = width > columns.dev ? width : columns.dev;
		totals += cs_lines_above(now, i);
		most = n > most ? n : most;
	}
	columns.totals = totals;
	if (totals) {
		/* "link of 4" is as long */
		width = (int)(strlen(cs_text_uint(text, most)) + strlen(" queues"));
		columns.kind = width > columns.kind ? width : columns.kind;
	}
	return columns;
}

/* A line that is being written, and at @end is one character too long */
struct cs_line {
	char text[256];
	const char *end;
	char *at;
	bool utf8;
};

static void cs_line_begin(struct cs_line *line, const struct cs_columns *c)
{
	const size_t room = sizeof(line->text) - 1;

	line->at = line->text;
	*line->at = '\0';
	line->end = line->text + (c->width < room ? c->width + 1 : room);
	line->utf8 = c->utf8;
}

static void cs_add(struct cs_line *line, const char *text)
{
	line->at = cs_text_add(line->at, line->end, text);
}

static void cs_line_end(FILE *out, struct cs_line *line)
{
	cs_text_cut(out, line->text, (size_t)(line->end - line->text) - 1, line->utf8);
	fputc('\n', out);
}

#define CS_CELLS 8

/* Cells of numbers, behind the two with names */
static void cs_cells(FILE *out, const struct cs_columns *c, const char *dev, const char *kind,
		     const char *const cells[CS_CELLS])
{
	struct cs_line line;
	size_t i;

	cs_line_begin(&line, c);
	line.at = cs_text_column(line.at, line.end, dev, -c->dev);
	cs_add(&line, " ");
	line.at = cs_text_column(line.at, line.end, kind, -c->kind);
	for (i = 0; i < CS_CELLS; i++) {
		cs_add(&line, " ");
		line.at = cs_text_column(line.at, line.end, cells[i], CS_CELL);
	}
	cs_line_end(out, &line);
}

static void cs_head(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now,
		    const struct cs_columns *c)
{
	const char *const names[CS_CELLS] = { before ? "BIT/S" : "SENT", "P50", "P90", "P99",
					      "MAX", "PKTS", "BYTES", "WAIT" };
	const time_t seconds = (time_t)(now->realtime / 1000000000);
	char at[32] = "", span[CS_TEXT];
	struct cs_line line;
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(at, sizeof(at), "%F %T", &tm);
	cs_line_begin(&line, c);
	cs_add(&line, at);
	if (before) {
		cs_add(&line, ", the last ");
		cs_add(&line, cs_text_time(span, (double)(now->monotonic - before->monotonic)));
	} else {
		cs_add(&line, ", all since the counters began");
	}
	cs_line_end(out, &line);
	cs_cells(out, c, "DEV", "KIND", names);
}

static const char *cs_delay_text(char text[CS_TEXT], const struct cs_delays *delays, double ns)
{
	return delays->known ? cs_text_time(text, ns) : "-";
}

static const char *cs_rate_text(char text[CS_TEXT], const struct cs_row *row, bool rates)
{
	const double bytes = (double)row->delta.bytes;

	if (row->since)
		return cs_text_rate(text, bytes * 8, row->delta.seconds);
	return rates ? "-" : cs_text_number(text, bytes);
}

static void cs_numbers(FILE *out, const struct cs_row *row, bool rates,
		       const struct cs_columns *c)
{
	const struct cs_delays *delays = &row->delays;
	char text[CS_CELLS][CS_TEXT];
	const char *const cells[CS_CELLS] = {
		cs_rate_text(text[0], row, rates),
		cs_delay_text(text[1], delays, delays->p50),
		cs_delay_text(text[2], delays, delays->p90),
		cs_delay_text(text[3], delays, delays->p99),
		cs_delay_text(text[4], delays, delays->max),
		cs_text_number(text[5], (double)row->q->qlen),
		cs_text_number(text[6], (double)row->q->backlog),
		row->backlog_ms < 0 ? "-" : cs_text_time(text[7], row->backlog_ms * 1e6),
	};

	cs_cells(out, c, row->q->dev, row->q->kind, cells);
}

/* ", drops/s codel 12 limit 3": the causes that are not 0 */
static void cs_causes(struct cs_line *line, const char *what, const struct cs_row *row,
		      const uint64_t *counts, const char *const *words, size_t n)
{
	const double seconds = row->since ? row->delta.seconds : 1;
	char text[CS_TEXT];
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!counts[i])
			continue;
		if (!any) {
			cs_add(line, ", ");
			cs_add(line, what);
			cs_add(line, row->since ? "/s" : "");
		}
		any = true;
		cs_add(line, " ");
		cs_add(line, words[i]);
		cs_add(line, " ");
		cs_add(line, cs_text_rate(text, (double)counts[i], seconds));
	}
}

static void cs_add_rate(struct cs_line *line, const struct cs_qdisc *q)
{
	char text[CS_TEXT];

	cs_add(line, "rate ");
	cs_add(line, cs_text_number(text, (double)q->rate * 8));
	cs_add(line, "bit/s");
}

static void cs_add_causes(struct cs_line *line, const struct cs_row *row)
{
	cs_causes(line, "drops", row, row->delta.cause, codel_drop_causes, CODEL_DROP_CAUSES);
	cs_causes(line, "marks", row, row->delta.mark, codel_mark_causes, CODEL_MARK_CAUSES);
}

/* ", far p50 9.7ms p90 14ms, path 40ms, 19.8Mbit/s", or why it is not followed */
static void cs_add_far(struct cs_line *line, const struct cs_row *row)
{
	const struct codel_far_stats *far = row->q->far;
	char text[CS_TEXT];

	cs_add(line, ", far");
	if (!cs_far_works(far)) {
		cs_add(line, ": ");
		cs_add(line, codel_far_reasons[far->state]);
		return;
	}
	if (row->far.known) {
		cs_add(line, " p50 ");
		cs_add(line, cs_text_time(text, row->far.p50));
		cs_add(line, " p90 ");
		cs_add(line, cs_text_time(text, row->far.p90));
		cs_add(line, ",");
	}
	cs_add(line, " path ");
	cs_add(line, cs_text_time(text, (double)far->path));
	cs_add(line, ", ");
	cs_add(line, cs_text_number(text, (double)far->rate * 8));
	cs_add(line, "bit/s");
}

static void cs_where(FILE *out, const struct cs_row *row, const struct cs_columns *c)
{
	const struct cs_qdisc *q = row->q;
	struct cs_line line;
	char text[CS_TEXT];

	cs_line_begin(&line, c);
	cs_add(&line, CS_INDENT);
	cs_add(&line, cs_text_handle(text, q->handle));
	cs_add(&line, *q->above ? " below " : "");
	cs_add(&line, q->above);
	cs_add(&line, " ");
	cs_add(&line, cs_text_handle(text, q->parent));
	if (cs_is_plain(q)) {
		cs_add(&line, ", ");
		cs_add(&line, cs_module_word(q));
	}
	if (q->rate != UINT64_MAX) {
		cs_add(&line, ", ");
		cs_add_rate(&line, q);
		cs_add(&line, q->link.queues ? " shared" : "");
	}
	if (q->far)
		cs_add_far(&line, row);
	cs_add_causes(&line, row);
	cs_line_end(out, &line);
}

/* ", waits/s 812 for 34us each" */
static void cs_add_waits(struct cs_line *line, const struct cs_row *row)
{
	const struct cs_delta *d = &row->delta;
	char text[CS_TEXT];

	if (!d->waits)
		return;
	cs_add(line, row->since ? ", waits/s " : ", waits ");
	cs_add(line, cs_text_rate(text, (double)d->waits, row->since ? d->seconds : 1));
	cs_add(line, " for ");
	cs_add(line, cs_text_time(text, (double)d->wait_sum / (double)d->waits));
	cs_add(line, " each");
}

/* "rate 20Mbit/s, 98% used, drops/s codel 12, waits/s 812 for 34us each" */
static void cs_where_link(FILE *out, const struct cs_total *link, const struct cs_columns *c)
{
	const double used = cs_link_used(link);
	struct cs_line line;
	char text[CS_TEXT];

	cs_line_begin(&line, c);
	cs_add(&line, CS_INDENT);
	cs_add_rate(&line, &link->q);
	if (used >= 0) {
		cs_add(&line, ", ");
		cs_add(&line, cs_text_number(text, used * 100));
		cs_add(&line, "% used");
	}
	cs_add_causes(&line, &link->row);
	cs_add_waits(&line, &link->row);
	cs_line_end(out, &line);
}

/* A remark that would be cut off is left out of the verdict: a text that ends at line.end does
 * not fit.
 */
static void cs_show_verdict(FILE *out, const struct cs_row *row, const struct cs_columns *c)
{
	struct cs_line line;

	cs_line_begin(&line, c);
	cs_add(&line, CS_INDENT);
	cs_verdict(row->q, &row->delta, row->flows, row->n_flows, line.at,
		   (size_t)(line.end - line.at) + 1);
	cs_line_end(out, &line);
}

static void cs_show_row(FILE *out, const struct cs_row *row, bool rates,
			const struct cs_columns *c)
{
	cs_numbers(out, row, rates, c);
	cs_where(out, row, c);
	cs_show_verdict(out, row, c);
}

/* Packets wait, or something has happened */
static bool cs_is_lively(const struct cs_snapshot *before, const struct cs_qdisc *now)
{
	const struct cs_qdisc *then = before ? cs_snapshot_find(before, now) : NULL;

	if (!then)
		return now->qlen || now->packets || now->drops;
	return now->qlen || now->packets != then->packets || now->drops != then->drops;
}

static void cs_more(FILE *out, size_t n, const struct cs_columns *c)
{
	struct cs_line line;
	char text[CS_TEXT];

	cs_line_begin(&line, c);
	cs_add(&line, "and ");
	cs_add(&line, cs_text_uint(text, n));
	cs_add(&line, " more, which DEV, --handle or a higher window show");
	cs_line_end(out, &line);
}

static void cs_show_total(FILE *out, const struct cs_snapshot *before,
			  const struct cs_snapshot *now, size_t first,
			  const struct cs_columns *c)
{
	struct cs_total total;

	cs_total_fill(&total, before, now, first, CS_OTHER);
	cs_numbers(out, &total.row, before, c);
}

/* Lines that are left for qdiscs, and those for links; without @all, none of them is for an idle one */
struct cs_room {
	size_t lines;
	size_t links;
	bool all;
};

static bool cs_is_lively_link(const struct cs_snapshot *before, const struct cs_snapshot *now,
			      size_t first, enum cs_kind kind)
{
	const struct cs_qdisc *q = &now->qdiscs[first], *end = q + cs_total_queues(now, first);

	for (; q < end; q++)
		if (cs_link_has(q, kind) && cs_is_lively(before, q))
			return true;
	return false;
}

/* Links come first in what fits: one of many queues would leave no room for that of another device. */
static void cs_reserve_links(struct cs_room *room, const struct cs_snapshot *before,
			     const struct cs_snapshot *now)
{
	enum cs_kind kind;
	size_t i;

	for (i = 0; i < now->n_qdiscs; i += cs_total_queues(now, i)) {
		for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++) {
			if (room->lines < CS_LINES || !cs_is_link(now, i, kind) ||
			    !cs_is_lively_link(before, now, i, kind))
				continue;
			room->lines -= CS_LINES;
			room->links += CS_LINES;
		}
	}
}

static void cs_show_links(FILE *out, const struct cs_snapshot *before,
			  const struct cs_snapshot *now, size_t first, struct cs_room *room,
			  const struct cs_columns *c)
{
	struct cs_total link;
	enum cs_kind kind;

	for (kind = CS_LINK_FIRST; kind <= CS_LINK_LAST; kind++) {
		if (!cs_is_link(now, first, kind) || room->links < CS_LINES ||
		    (!room->all && !cs_is_lively_link(before, now, first, kind)))
			continue;
		room->links -= CS_LINES;
		cs_link_fill(&link, before, now, first, kind);
		cs_numbers(out, &link.row, before, c);
		cs_where_link(out, &link, c);
		cs_show_verdict(out, &link.row, c);
	}
}

/* The lines of a device, as far as there is room; returns the number of qdiscs shown */
static size_t cs_show_device(FILE *out, const struct cs_snapshot *before,
			     const struct cs_snapshot *now, size_t first,
			     struct cs_room *room, const struct cs_columns *c)
{
	const size_t n = cs_total_queues(now, first);
	size_t total = cs_is_total(now, first) && room->lines > CS_LINES;
	size_t shown = 0, i;
	struct cs_row row;

	cs_show_links(out, before, now, first, room, c);

	for (i = first; i < first + n && room->lines >= CS_LINES + total; i++) {
		if (!room->all && !cs_is_lively(before, &now->qdiscs[i]))
			continue;
		if (total)
			cs_show_total(out, before, now, first, c);
		cs_row_fill(&row, before, now, i);
		cs_show_row(out, &row, before, c);
		room->lines -= CS_LINES + total;
		total = 0;
		shown++;
	}
	return shown;
}

/* If not all qdiscs fit, leave out the idle ones, then the last ones. */
void cs_table(FILE *out, const struct cs_snapshot *before, const struct cs_snapshot *now,
	      const struct cs_term *term)
{
	const struct cs_columns columns = cs_columns(now, term);
	const size_t lines = CS_LINES_ABOVE + columns.totals + CS_LINES * now->n_qdiscs;
	struct cs_room room = { .lines = SIZE_MAX, .links = SIZE_MAX, .all = true };
	size_t i, shown = 0;

	if (term->live && lines > term->height) {
		room.all = false;
		room.links = 0;
		room.lines = term->height > CS_LINES_ABOVE + 1 + CS_LINES ?
			     term->height - CS_LINES_ABOVE - 1 : CS_LINES;
		cs_reserve_links(&room, before, now);
	}
	cs_head(out, before, now, &columns);
	for (i = 0; i < now->n_qdiscs; i += cs_total_queues(now, i))
		shown += cs_show_device(out, before, now, i, &room, &columns);
	if (!room.all)
		cs_more(out, now->n_qdiscs - shown, &columns);
}
