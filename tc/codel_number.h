/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Parse numbers of the command line. Whole numbers of 32 bits, and rates up to
 * 1000 Gbit/s, are exact with any unit.
 */
#ifndef CODEL_NUMBER_H
#define CODEL_NUMBER_H

#include <stdbool.h>
#include <asm/types.h>

#define CODEL_BITS_MAX 1000000000000000ULL	/* of a rate: a double is exact up to 2^53 */

/**
 * struct codel_unit - a suffix of numbers; a table ends with a NULL name
 * @name: the suffix, upper or lower case; "" for a bare number
 * @scale: number of base units in one, at most 2^43
 */
struct codel_unit {
	const char *name;
	__u64 scale;
};

extern const struct codel_unit codel_time_units[];	/* microseconds */
extern const struct codel_unit codel_size_units[];	/* bytes */
extern const struct codel_unit codel_rate_units[];	/* bit/s */

/*
 * All return 0, -EINVAL if @str is no such number, -ERANGE if the number is
 * negative or above @max.
 */
int codel_read_integer(__u32 *value, const char *str, __u32 max);

/* The same for a signed number: -ERANGE if it does not fit into 32 bits */
int codel_read_signed(__s32 *value, const char *str);

/*
 * Read a number as strtod() does, and a unit. Round down; set *@rest if the
 * fraction is more than a thousandth.
 */
int codel_read_scaled(__u64 *value, bool *rest, const char *str,
		      const struct codel_unit *units, __u64 max);

#endif /* CODEL_NUMBER_H */
