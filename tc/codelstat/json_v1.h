/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Version 1 of JSON, as far as it differs from version 2; it goes with the next release */
#ifndef CODELSTAT_JSON_V1_H
#define CODELSTAT_JSON_V1_H

#include "row.h"

void json_v1_qdisc(const struct cs_row *row);

/* "since" and "change" */
void json_v1_change(const struct cs_row *row);

#endif /* CODELSTAT_JSON_V1_H */
