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

extern const struct group wire_group;
extern const struct group rate_group;
extern const struct group target_group;
extern const struct group change_group;
extern const struct group link_group;
extern const struct group times_group;
extern const struct group drops_group;
extern const struct group shared_group;

#endif /* CASES_H */
