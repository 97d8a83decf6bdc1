/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Numbers and names for readers; functions named after them return @text. */
#ifndef CODELSTAT_TEXT_H
#define CODELSTAT_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "snapshot.h"

#define CS_TEXT 24		/* bytes that suffice */
#define CS_TEXT_FLOW 160	/* for a flow's name */

/* "850us", "4.1ms", "123ms", "1.2s": at most 5 characters below 1000 s */
char *cs_text_time(char text[CS_TEXT], double ns);

/* "0", "0.5", "23", "34.8k", "9.57M": powers of 1000, at most 5 characters below 10^18 */
char *cs_text_number(char text[CS_TEXT], double value);

/* @count per second as cs_text_number(), or "-" if @seconds is 0 */
char *cs_text_rate(char text[CS_TEXT], double count, double seconds);

/* All digits */
char *cs_text_uint(char text[CS_TEXT], uint64_t value);

/* "10:", "1:1", "root" */
char *cs_text_handle(char text[CS_TEXT], uint32_t handle);

/* "udp 10.9.1.2:6000 > 10.9.2.2:5000", "tcp [fe80::1]:80 > ..."; "unknown" if no packet was looked at.
 * The protocol comes first: a narrow terminal cuts the end off.
 */
char *cs_text_flow(char text[CS_TEXT_FLOW], const struct codel_tuple *tuple);

/* Write @text at @to and a 0, which is at @end at the latest; return the position of the 0 */
char *cs_text_add(char *to, const char *end, const char *text);

/* Print @line, which is ASCII, in @width columns at most: a line that is longer ends in a mark */
void cs_text_cut(FILE *out, const char *line, size_t width, bool utf8);

/* As cs_text_add(), filled up with blanks to @width: on the left, or on the right if that is negative */
char *cs_text_column(char *to, const char *end, const char *text, int width);

#endif /* CODELSTAT_TEXT_H */
