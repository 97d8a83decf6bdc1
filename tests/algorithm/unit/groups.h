/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct group_options {
	uint64_t seed;
	unsigned int episodes;	/* fresh starts of each traffic pattern */
	uint64_t dense;		/* counts of signals that are tried one by one */
};

/* each prints as many results as its _cases */
int law_cases(void);
void law_run(const struct group_options *options);

int sequence_cases(void);
void sequence_run(void);

int traffic_cases(void);
void traffic_run(const struct group_options *options);

int turns_cases(void);
void turns_run(const struct group_options *options);

int ceiling_cases(void);
void ceiling_run(void);

int delay_cases(void);
void delay_run(const struct group_options *options);

#endif /* GROUPS_H */
