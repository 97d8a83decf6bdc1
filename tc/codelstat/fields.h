/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The numbers of a qdisc, each of them once: where it is, and what it is called. Its name in CSV is
 * the path of the member of JSON. The exporter takes all that have a metric. JSON is not printed
 * from this table: qdisc_json.c runs the code of tc's plugins, which have a table of their own
 * (struct codel_stat), so that `tc -j` and codelstat agree.
 */
#ifndef CODELSTAT_FIELDS_H
#define CODELSTAT_FIELDS_H

#include "row.h"

/* Those with a metric come first, in the order of the exporter's text. */
enum cs_field_id {
	FIELD_RECEIVED_PACKETS,
	FIELD_RECEIVED_BYTES,
	FIELD_SENT_PACKETS,
	FIELD_SENT_BYTES,
	FIELD_BYPASSED_PACKETS,
	FIELD_BYPASSED_BYTES,
	FIELD_WIRE_BYTES,
	FIELD_LINK_SLICES,
	FIELD_LINK_WAITS,
	FIELD_LINK_WAIT_TIME,
	FIELD_FAR_ANSWERS,
	FIELD_FAR_RELEASED,
	FIELD_NEW_FLOWS,
	FIELD_SHARED,
	FIELD_QLEN,
	FIELD_BACKLOG,
	FIELD_MEMORY_USED,
	FIELD_ACTIVE_FLOWS,
	FIELD_DELAY_MAX,
	FIELD_FAR_DELAY,
	FIELD_FAR_PATH,
	FIELD_FAR_RTT,
	FIELD_FAR_NEWS_AGE,
	FIELD_FAR_RATE,
	FIELD_FAR_WINDOW,
	FIELD_FAR_BEYOND,
	FIELD_TARGET,
	FIELD_INTERVAL,
	FIELD_CE_THRESHOLD,
	FIELD_CEILING,
	FIELD_RATE,
	FIELD_LIMIT,
	FIELD_MEMORY_LIMIT,
	FIELD_FLOWS,
	FIELD_ECN,
	FIELD_CHANGE_BYTES,	/* from here to FIELD_CHANGE_MAX in the order of CSV */
	FIELD_CHANGE_PACKETS,
	FIELD_CHANGE_DROP,
	FIELD_CHANGE_MARK = FIELD_CHANGE_DROP + CODEL_DROP_CAUSES,
	FIELD_CHANGE_P50 = FIELD_CHANGE_MARK + CODEL_MARK_CAUSES,
	FIELD_CHANGE_P90,
	FIELD_CHANGE_P99,
	FIELD_CHANGE_P999,
	FIELD_CHANGE_MAX,
	FIELD_CHANGE_WIRE,
	FIELDS
};

enum cs_metric_type {
	CS_NO_METRIC,
	CS_COUNTER,
	CS_GAUGE,
	CS_HISTOGRAM,
	CS_INFO,
	CS_STATES,
};

/**
 * struct cs_metric - a family of metrics
 * @name: without the suffix of its type (_total, _info)
 * @unit: the end of @name, NULL if it has none
 * @type: as declared
 * @help: a sentence
 */
struct cs_metric {
	const char *name;
	const char *unit;
	enum cs_metric_type type;
	const char *help;
};

/* Where a number is; @size 0: nowhere */
struct cs_at {
	uint16_t offset;
	uint16_t size;
};

enum cs_form {
	CS_COUNT,
	CS_FLAG,
	CS_NS,		/* shown as seconds in metrics */
	CS_DELAY,	/* of an interval: a double, ns, known only if packets were sent */
};

/**
 * struct cs_field - a number of a qdisc
 * @path: of the member of JSON that has this number, NULL: none has it; the name of the column
 *	of CSV
 * @at: in struct cs_qdisc, if @of_row in struct cs_row, or if @far in struct codel_far_stats
 * @in_tree: of an in-tree qdisc, if it is elsewhere
 * @of_row: see @at
 * @oot: in-tree qdiscs have none, unless @in_tree says where
 * @link: only qdiscs that share a rate have one
 * @far: only qdiscs that follow a queue elsewhere have one
 * @off: UINT64_MAX stands for a setting that is off, or for what is not known
 * @only: of this kind alone; CS_OTHER: of both
 * @form: of the number
 * @metric: see struct cs_metric
 */
struct cs_field {
	const char *path;
	struct cs_at at;
	struct cs_at in_tree;
	bool of_row;
	bool oot;
	bool link;
	bool far;
	bool off;
	enum cs_kind only;
	enum cs_form form;
	struct cs_metric metric;
};

extern const struct cs_field cs_fields[FIELDS];

/* Whether a qdisc of this kind and module has it */
bool cs_field_is_there(const struct cs_field *field, const struct cs_qdisc *q);

/* False if it is not there, off or not known. @row: needed only for fields @of_row */
bool cs_field_get(uint64_t *value, const struct cs_field *field, const struct cs_qdisc *q,
		  const struct cs_row *row);

#endif /* CODELSTAT_FIELDS_H */
