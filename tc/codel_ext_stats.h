/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packet accounting as JSON, and how much of struct codel_ext_stats a module sends. Older modules end it before wire_bytes, where
 * their histogram begins.
 */
#ifndef CODEL_EXT_STATS_H
#define CODEL_EXT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../uapi/codel_uapi.h"

/* The causes of drops and marks and their words, which the tracepoints have, too */
#define CODEL_DROP_CAUSE_LIST(CAUSE)		\
	CAUSE(CODEL_DROP_CODEL, "codel")	\
	CAUSE(CODEL_DROP_LIMIT, "limit")	\
	CAUSE(CODEL_DROP_MEMORY, "memory")	\
	CAUSE(CODEL_DROP_CHANGE, "change")	\
	CAUSE(CODEL_DROP_FILTER, "filter")	\
	CAUSE(CODEL_DROP_STOLEN, "taken")	\
	CAUSE(CODEL_DROP_RESET, "reset")	\
	CAUSE(CODEL_DROP_CEILING, "ceiling")

#define CODEL_MARK_CAUSE_LIST(CAUSE)		\
	CAUSE(CODEL_MARK_CODEL, "codel")	\
	CAUSE(CODEL_MARK_CE_THRESHOLD, "ce_threshold")

extern const char *const codel_drop_causes[CODEL_DROP_CAUSES];
extern const char *const codel_mark_causes[CODEL_MARK_CAUSES];

/* The states of a queue elsewhere, and what each but the first means */
extern const char *const codel_far_states[CODEL_FAR_STATES];
extern const char *const codel_far_reasons[CODEL_FAR_STATES];

/* What was received, sent, is queued, and went past the queue, as members of the object that is open */
void codel_json_accounts(const struct codel_ext_stats *stats);

/* An object that has packets and bytes of each cause */
void codel_json_causes(const char *name, const char *const *causes,
		       const struct codel_count *counts, unsigned int n);

struct rtattr;

/* The statistics of the far queue begin at @offset. If they are incomplete, print nothing. */
void codel_print_far(FILE *f, const struct rtattr *xstats, size_t offset);

/* The statistics of the shared link begin at @offset. If they are incomplete, print nothing. */
void codel_print_shared(FILE *f, const struct codel_ext_stats *ext, const struct rtattr *xstats,
			size_t offset);

#define CODEL_EXT_STATS_MIN offsetof(struct codel_ext_stats, wire_bytes)
#define CODEL_EXT_STATS_SHARED offsetof(struct codel_ext_stats, shared_offset)

static inline bool codel_ext_stats_has_wire(const struct codel_ext_stats *stats)
{
	return stats->delay_offset >= CODEL_EXT_STATS_MIN + sizeof(stats->wire_bytes);
}

#endif /* CODEL_EXT_STATS_H */
