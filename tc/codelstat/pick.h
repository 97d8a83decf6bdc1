/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The one qdisc that a view is about */
#ifndef CODELSTAT_PICK_H
#define CODELSTAT_PICK_H

#include "commands.h"

/**
 * struct cs_pick - which qdisc it is
 * @parent: --parent, or of the qdisc once it was found; 0: any
 * @handle: of the qdisc once it was found
 * @found: the first time is over: from then on it is this one or none
 * @only: condition that the qdisc must meet, or NULL
 * @lack: message if no qdisc meets it
 */
struct cs_pick {
	uint32_t parent;
	uint32_t handle;
	bool found;
	bool (*only)(const struct cs_qdisc *qdisc);
	const char *lack;
};

/* CS_OK and the qdisc; CS_ABSENT if there was one; or a message: CS_USAGE if there are several, which are listed */
int cs_pick(struct cs_pick *pick, const struct cs_snapshot *snapshot,
	    const struct cs_qdisc **qdisc);

/* "1:1", "root": false if @text is no class */
bool cs_read_parent(uint32_t *parent, const char *text);

#endif /* CODELSTAT_PICK_H */
