// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codel_number.h"

#define CODEL_EXPONENT_CAP 100000

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

/**
 * struct codel_decimal - the digits of a number, where they are in its text
 * @whole: digits before the point
 * @fraction: digits after the point
 * @whole_len: number of the former
 * @fraction_len: number of the latter
 * @exponent: places by which the point is to be moved to the right
 */
struct codel_decimal {
	const char *whole;
	const char *fraction;
	long whole_len;
	long fraction_len;
	long exponent;
};

static long codel_digits(const char *str)
{
	return (long)strspn(str, "0123456789");
}

/* Digit @i of the number, from the left; 0 on either side of what was typed */
static unsigned int codel_digit(const struct codel_decimal *d, long i)
{
	if (i < 0 || i >= d->whole_len + d->fraction_len)
		return 0;
	if (i < d->whole_len)
		return (unsigned int)(d->whole[i] - '0');
	return (unsigned int)(d->fraction[i - d->whole_len] - '0');
}

/* An exponent belongs to the number only if it has digits: "1e" has a unit */
static const char *codel_scan_exponent(struct codel_decimal *d, const char *p)
{
	const char *digits = p + 1;
	bool negative;
	long e;

	if (*p != 'e' && *p != 'E')
		return p;
	negative = *digits == '-';
	if (*digits == '-' || *digits == '+')
		digits++;
	if (!isdigit((unsigned char)*digits))
		return p;

	e = strtol(digits, NULL, 10);
	if (e > CODEL_EXPONENT_CAP)
		e = CODEL_EXPONENT_CAP;
	d->exponent = negative ? -e : e;
	return digits + codel_digits(digits);
}

/* Returns what follows the number, or NULL if @p does not start with one */
static const char *codel_scan_decimal(struct codel_decimal *d, const char *p)
{
	memset(d, 0, sizeof(*d));
	d->whole = p;
	d->whole_len = codel_digits(p);
	p += d->whole_len;
	if (*p == '.') {
		d->fraction = ++p;
		d->fraction_len = codel_digits(p);
		p += d->fraction_len;
	}
	if (!d->whole_len && !d->fraction_len)
		return NULL;
	return codel_scan_exponent(d, p);
}

/*
 * The whole part is added up from the left, the fraction from the right:
 * floor((a + x) / 10) is floor((a + floor(x)) / 10) for a whole a, so that
 * dividing digit by digit loses nothing but the rest. The whole part fits into
 * 32 bits before it is multiplied, so that the product fits into 64; a larger
 * whole part returns UINT64_MAX.
 */
static __u64 codel_scale_decimal(const struct codel_decimal *d, __u32 scale,
				 bool *rest)
{
	const long point = d->whole_len + d->exponent;
	long last = d->whole_len + d->fraction_len;
	__u64 fraction = 0;
	__u64 whole = 0;
	long i;

	for (i = 0; i < point; i++) {
		whole = whole * 10 + codel_digit(d, i);
		if (whole > UINT32_MAX)
			return UINT64_MAX;
	}

	for (i = last - 1; i >= point; i--) {
		fraction += (__u64)scale * codel_digit(d, i);
		*rest |= fraction % 10 != 0;
		fraction /= 10;
	}

	return whole * scale + fraction;
}

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

static bool codel_is_hex(const char *p)
{
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
	       isxdigit((unsigned char)p[2]);
}

int codel_read_scaled(__u32 *value, bool *rest, const char *str,
		      const struct codel_unit *units)
{
	const char *p = codel_skip_space(str);
	const bool negative = *p == '-';
	const struct codel_unit *unit;
	struct codel_decimal d;
	const char *end;
	char *hex_end;
	__u64 result;

	*rest = false;
	if (*p == '-' || *p == '+')
		p++;

	if (codel_is_hex(p)) {
		result = strtoull(p, &hex_end, 16);
		unit = codel_find_unit(units, hex_end);
		if (!unit)
			return -EINVAL;
		if (result > UINT32_MAX)
			return -ERANGE;
		result *= unit->scale;
	} else {
		end = codel_scan_decimal(&d, p);
		unit = end ? codel_find_unit(units, end) : NULL;
		if (!unit)
			return -EINVAL;
		result = codel_scale_decimal(&d, unit->scale, rest);
	}

	if (result > UINT32_MAX || (negative && (result || *rest)))
		return -ERANGE;
	*value = (__u32)result;
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
