/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A writer of JSON with the interface of tc (tc_plugin.h): the code of tc's plugins prints the
 * options and statistics of a qdisc here, too, so that both programs use the same names and
 * shapes. All of it goes to one stream.
 */
#ifndef CODELSTAT_TC_JSON_H
#define CODELSTAT_TC_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "../codel_json.h"

/* Begin an object on @out, and end it, and its line. */
void tc_json_begin(FILE *out);
void tc_json_end(void);

/* Seconds with nine digits */
void tc_json_seconds(const char *key, uint64_t ns);

void tc_json_real(const char *key, double value, int digits);

#endif /* CODELSTAT_TC_JSON_H */
