// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The JSON of "codelstat top": see qdisc_json.c. */
#include "../codel_histogram.h"
#include "qdisc_json.h"
#include "tc_json.h"
#include "top.h"

/* A percentile is the bound of its bucket, as in the flow's statistics */
static void fj_delay(const struct flow_row *row)
{
	struct codel_histogram h;

	codel_flow_histogram(&h, row->delay);
	open_json_object("delay");
	codel_json_histogram(&h);
	close_json_object();
}

/* The counts of the interval */
static void fj_change(const struct flow_row *row)
{
	open_json_object("change");
	tc_json_real("seconds", row->seconds, 9);
	codel_json_u64("bytes", row->bytes);
	codel_json_u64("packets", row->packets);
	codel_json_uint("drops", row->drops);
	codel_json_uint("marks", row->marks);
	tc_json_real("share", row->share, 6);
	if (row->seconds > 0)
		tc_json_real("bytes_per_second", row->rate, 3);
	else
		codel_json_null("bytes_per_second");
	fj_delay(row);
	close_json_object();
}

void top_json(FILE *out, const struct top_view *view)
{
	const struct flow_row *row = view->rows;

	tc_json_begin(out);
	qdisc_json_time(view->before, view->snapshot);
	qdisc_json("qdisc", view->snapshot, &view->of);
	open_json_array(PRINT_JSON, "flows");
	for (; row < view->rows + view->shown; row++) {
		open_json_object(NULL);
		qdisc_json_class(view->snapshot, row->flow);
		if (row->known)
			fj_change(row);
		close_json_object();
	}
	close_json_array(PRINT_JSON, NULL);
	tc_json_end();
}
