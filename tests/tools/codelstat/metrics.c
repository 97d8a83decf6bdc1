// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The exporter's series of a qdisc that has counted nothing yet, and later. Prints KTAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../algorithm/unit/ktap.h"
#include "openmetrics.h"

static struct cs_qdisc qdisc = {
	.dev = "eth0", .kind = "fq_codel_oot", .type = CS_FQ_CODEL, .oot = true,
	.ce_threshold = UINT64_MAX, .ceiling = 50000000,
};
static struct metrics metrics = { .open = true, .buckets = 2 };
static uint64_t delay[CODEL_DELAY_BUCKETS];

/* The names and labels of all samples but the verdict, one to a line: without their values */
static char *series(void)
{
	const struct cs_snapshot snapshot = { .qdiscs = &qdisc, .n_qdiscs = 1 };
	char *text = NULL, *from, *to, *value;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	metrics_print(out, &metrics, NULL, &snapshot);
	fclose(out);
	for (from = to = text; *from; from += strcspn(from, "\n") + 1) {
		value = strchr(from, '}');
		if (*from == '#' || !value || value > from + strcspn(from, "\n") ||
		    !strncmp(from, "codel_qdisc_verdict{", 20))
			continue;
		memmove(to, from, (size_t)(value - from) + 1);
		to += value - from + 1;
		*to++ = '\n';
	}
	*to = '\0';
	return text;
}

int main(void)
{
	char *idle, *busy;
	unsigned int i;

	ktap_plan(5, false);
	idle = series();
	ktap_result(strstr(idle, "le=\"0.000001024\"") && strstr(idle, "le=\"+Inf\""),
		    "an idle queue has its buckets");
	for (i = 0; i < CODEL_DELAY_BUCKETS; i++)
		delay[i] = i;
	qdisc.delay = delay;
	qdisc.ext_stats.delay_count = CODEL_DELAY_BUCKETS;
	for (i = 0; i < CODEL_DROP_CAUSES; i++)
		qdisc.ext_stats.drop[i].packets = 1;
	busy = series();
	ktap_result(!strcmp(idle, busy), "and the same series when it is busy");
	ktap_result(strstr(idle, "cause=\"ceiling\"}"), "the ceiling's drops are a series");
	free(busy);
	qdisc.ceiling = UINT64_MAX;
	busy = series();
	ktap_result(strstr(idle, "codel_ceiling_seconds{") &&
		    !strstr(busy, "codel_ceiling_seconds{"), "a ceiling is one, unless it is off");
	free(idle);
	free(busy);
	metrics.buckets = 0;
	busy = series();
	ktap_result(strstr(busy, "le=\"0.0025\"") && strstr(busy, "le=\"5.0\"") &&
		    !strstr(busy, "le=\"0.000001024\""), "bounds are round unless asked for");
	free(busy);
	return ktap_status();
}
