/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Members of a qdisc and of a flow in JSON; tc_json_begin() precedes */
#ifndef CODELSTAT_QDISC_JSON_H
#define CODELSTAT_QDISC_JSON_H

#include "row.h"

/* A qdisc as "tc -s -j qdisc show" prints it, and what codelstat adds. @key: NULL in an array */
void qdisc_json(const char *key, const struct cs_snapshot *now, const struct cs_row *row);

/* The members of "tc -s -j class show" of a class of fq_codel, in an object that is open */
void qdisc_json_class(const struct cs_snapshot *now, const struct cs_flow *flow);

/* "time" and "seconds" of a refresh, and the version ahead of them */
void qdisc_json_time(const struct cs_snapshot *before, const struct cs_snapshot *now);

#endif /* CODELSTAT_QDISC_JSON_H */
