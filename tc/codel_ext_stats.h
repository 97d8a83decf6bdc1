/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * How much of struct codel_ext_stats a module sends. Older modules end it before wire_bytes, where
 * their histogram begins.
 */
#ifndef CODEL_EXT_STATS_H
#define CODEL_EXT_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "../uapi/codel_uapi.h"

#define CODEL_EXT_STATS_MIN offsetof(struct codel_ext_stats, wire_bytes)

static inline bool codel_ext_stats_has_wire(const struct codel_ext_stats *stats)
{
	return stats->delay_offset >= CODEL_EXT_STATS_MIN + sizeof(stats->wire_bytes);
}

#endif /* CODEL_EXT_STATS_H */
