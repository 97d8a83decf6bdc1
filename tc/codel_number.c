// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codel_number.h"

/* More than 2^-53 of 2^32, twice: the rounding errors of strtod() and of the scale */
#define CODEL_ROUNDING 1e-3

const struct codel_unit codel_time_units[] = {
	{ "", 1 },
	{ "us", 1 },		{ "usec", 1 },		{ "usecs", 1 },
	{ "ms", 1000 },		{ "msec", 1000 },	{ "msecs", 1000 },
	{ "s", 1000000 },	{ "sec", 1000000 },	{ "secs", 1000000 },
	{ }
};

/* tc's sizes count in powers of 1024, those in bits too */
const struct codel_unit codel_size_units[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", 1 << 10 },	{ "kb", 1 << 10 },	{ "kbit", 1 << 7 },
	{ "m", 1 << 20 },	{ "mb", 1 << 20 },	{ "mbit", 1 << 17 },
	{ "g", 1 << 30 },	{ "gb", 1 << 30 },	{ "gbit", 1 << 27 },
	{ }
};

static const struct codel_unit *codel_find_unit(const struct codel_unit *units,
						const char *name)
{
	for (; units->name; units++)
		if (!strcasecmp(units->name, name))
			return units;
	return NULL;
}

static const char *codel_skip_space(const char *str)
{
	while (isspace((unsigned char)*str))
		str++;
	return str;
}

int codel_read_scaled(__u32 *value, bool *rest, const char *str,
		      const struct codel_unit *units)
{
	const char *digits = codel_skip_space(str);
	const struct codel_unit *unit;
	double scaled;
	__u64 whole;
	char *end;

	digits += *digits == '-' || *digits == '+';
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return -EINVAL;		/* strtod() also reads "nan" and "inf" */
	scaled = strtod(str, &end);
	unit = end != str ? codel_find_unit(units, end) : NULL;
	if (!unit)
		return -EINVAL;

	scaled *= unit->scale;
	if (scaled < 0 || scaled > UINT32_MAX + 1.0)
		return -ERANGE;
	whole = (__u64)(scaled + CODEL_ROUNDING);
	*rest = scaled - (double)whole > CODEL_ROUNDING;
	if (whole > UINT32_MAX)
		return -ERANGE;
	*value = (__u32)whole;
	return 0;
}

int codel_read_integer(__u32 *value, const char *str, __u32 max)
{
	const char *p = codel_skip_space(str);
	unsigned long long result;
	const bool negative = *p == '-';
	char *end;

	if (*p == '-' || *p == '+')
		p++;
	if (!isdigit((unsigned char)*p))
		return -EINVAL;

	/* ERANGE leaves the largest number there is, which is too large */
	result = strtoull(p, &end, 0);
	if (*end)
		return -EINVAL;
	if (result > max || (negative && result))
		return -ERANGE;
	*value = (__u32)result;
	return 0;
}
