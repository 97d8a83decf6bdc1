/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* One refresh of "codelstat top", for its two forms */
#ifndef CODELSTAT_TOP_H
#define CODELSTAT_TOP_H

#include <stdio.h>

#include "flows.h"
#include "row.h"

/**
 * struct top_view - the flows of a qdisc
 * @before: the begin of the interval, or NULL
 * @snapshot: its end
 * @of: the qdisc
 * @rows: @n flows, the first ones are to be shown first
 * @shown: how many of them are to be shown
 */
struct top_view {
	const struct cs_snapshot *before;
	const struct cs_snapshot *snapshot;
	struct cs_row of;
	struct flow_row *rows;
	size_t n;
	size_t shown;
};

/* An object, on a line: flow_json.c */
void top_json(FILE *out, const struct top_view *view);

#endif /* CODELSTAT_TOP_H */
