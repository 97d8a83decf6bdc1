// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codel_number.h"

/* More than 2^-53 of 10^12, twice: the rounding errors of strtod() and of the scale */
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

/* tc's rates: "ps" is bytes per second, "i" a power of 1024 */
const struct codel_unit codel_rate_units[] = {
	{ "", 1 },
	{ "bit", 1 },			{ "bps", 8 },
	{ "kbit", 1000 },		{ "kbps", 8000 },
	{ "mbit", 1000000 },		{ "mbps", 8000000 },
	{ "gbit", 1000000000 },		{ "gbps", 8000000000 },
	{ "tbit", 1000000000000 },	{ "tbps", 8000000000000 },
	{ "kibit", 1ULL << 10 },	{ "kibps", 1ULL << 13 },
	{ "mibit", 1ULL << 20 },	{ "mibps", 1ULL << 23 },
	{ "gibit", 1ULL << 30 },	{ "gibps", 1ULL << 33 },
	{ "tibit", 1ULL << 40 },	{ "tibps", 1ULL << 43 },
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

int codel_read_scaled(__u64 *value, bool *rest, const char *str,
		      const struct codel_unit *units, __u64 max)
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

	scaled *= (double)unit->scale;
	if (scaled < 0 || scaled > (double)max + 1.0)
		return -ERANGE;
	whole = (__u64)(scaled + CODEL_ROUNDING);
	*rest = scaled - (double)whole > CODEL_ROUNDING;
	if (whole > max)
		return -ERANGE;
	*value = whole;
	return 0;
}

/* Read a sign and the digits after it. */
static int codel_read_digits(unsigned long long *value, bool *negative,
			     const char *str)
{
	const char *p = codel_skip_space(str);
	char *end;

	*negative = *p == '-';

	if (*p == '-' || *p == '+')
		p++;
	if (!isdigit((unsigned char)*p))
		return -EINVAL;

	/* ERANGE leaves the largest number there is, which is too large */
	*value = strtoull(p, &end, 0);
	return *end ? -EINVAL : 0;
}

int codel_read_integer(__u32 *value, const char *str, __u32 max)
{
	unsigned long long digits;
	bool negative;

	if (codel_read_digits(&digits, &negative, str))
		return -EINVAL;
	if (digits > max || (negative && digits))
		return -ERANGE;
	*value = (__u32)digits;
	return 0;
}

int codel_read_signed(__s32 *value, const char *str)
{
	unsigned long long digits;
	bool negative;

	if (codel_read_digits(&digits, &negative, str))
		return -EINVAL;
	if (digits > INT32_MAX)
		return -ERANGE;
	*value = negative ? -(__s32)digits : (__s32)digits;
	return 0;
}
