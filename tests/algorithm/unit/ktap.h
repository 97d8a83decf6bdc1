/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Results in the format of the kernel's tests (KTAP). */
#ifndef KTAP_H
#define KTAP_H

#include <stdbool.h>

/* announce @cases results, numbered from 1; exit at a bad one if @bail */
void ktap_plan(int cases, bool bail);

/* one line of explanation; to be given before the result that it explains */
void ktap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void ktap_result(bool ok, const char *name);

/* status for main(): 0 if no result was bad */
int ktap_status(void);

#endif /* KTAP_H */
