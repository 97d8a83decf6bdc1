// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ktap.h"

static int ktap_done;
static int ktap_bad;
static bool ktap_bail;

void ktap_plan(int cases, bool bail)
{
	ktap_bail = bail;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", cases);
}

void ktap_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

void ktap_result(bool ok, const char *name)
{
	ktap_bad += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", ++ktap_done, name);
	if (!ok && ktap_bail) {
		puts("Bail out!");
		exit(1);
	}
}

int ktap_status(void)
{
	return ktap_bad ? 1 : 0;
}
