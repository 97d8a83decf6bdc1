/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Parse numbers of the command line. Whole numbers of 32 bits are exact, with any
 * unit.
 */
#ifndef CODEL_NUMBER_H
#define CODEL_NUMBER_H

#include <stdbool.h>
#include <asm/types.h>

/**
 * struct codel_unit - a suffix of numbers; a table ends with a NULL name
 * @name: the suffix, upper or lower case; "" for a bare number
 * @scale: number of base units in one, at most 2^30
 */
struct codel_unit {
	const char *name;
	__u32 scale;
};

extern const struct codel_unit codel_time_units[];	/* microseconds */
extern const struct codel_unit codel_size_units[];	/* bytes */

/*
 * Both return 0, -EINVAL if @str is no such number, -ERANGE if the number is
 * negative or above @max.
 */
int codel_read_integer(__u32 *value, const char *str, __u32 max);

/*
 * Read a number as strtod() does, and a unit. Round down; set *@rest if the
 * fraction is more than a thousandth.
 */
int codel_read_scaled(__u32 *value, bool *rest, const char *str,
		      const struct codel_unit *units);

#endif /* CODEL_NUMBER_H */
