/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef CASES_H
#define CASES_H

#include <stdbool.h>
#include <stdint.h>

#define US	1000ULL
#define MS	(1000 * US)
#define SEC	(1000 * MS)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

struct test_case {
	const char *name;
	bool (*run)(uint64_t seed);
};

struct group {
	const struct test_case *cases;
	unsigned int count;
};

extern const struct group path_group;
extern const struct group watch_group;
extern const struct group window_group;
extern const struct group hold_group;
extern const struct group marks_group;
extern const struct group up_group;
extern const struct group link_group;

#endif /* CASES_H */
