// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The Accept header: which type of answer a client likes best */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http.h"

/* The q of "; version=1.0.0; q=0.5" */
static double http_weight(const char *parameters)
{
	const char *at = parameters;

	while ((at = strchr(at, ';'))) {
		at += 1 + strspn(at + 1, " \t");
		if (!strncasecmp(at, "q=", 2))
			return strtod(at + 2, NULL);
	}
	return 1;
}

double http_preference(const char *accept, const char *type)
{
	double weight, best = -1;
	char *copy = strdup(accept);
	char *rest = copy, *range;
	size_t length = strlen(type);

	while ((range = strsep(&rest, ","))) {
		range += strspn(range, " \t");
		if (strncasecmp(range, type, length) || !strchr("; \t", range[length]))
			continue;
		weight = http_weight(range + length);
		if (weight > best)
			best = weight;
	}
	free(copy);
	return best;
}
