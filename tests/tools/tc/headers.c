// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Compiles only if tc_plugin.h and the headers of an iproute2 source agree:
 * the compiler compares the functions, which are declared by both.
 */
#include <stddef.h>

#include "utils.h"
#include "tc_util.h"

enum {
	TREE_PRINT_JSON = PRINT_JSON,
	TREE_SPRINT_BSIZE = SPRINT_BSIZE,
};

#undef SPRINT_BSIZE
#define PRINT_JSON PLUGIN_PRINT_JSON
#define qdisc_util plugin_qdisc_util
#include "../../../tc/tc_plugin.h"
#undef qdisc_util

#define SAME_PLACE(member) \
	_Static_assert(offsetof(struct qdisc_util, member) == \
		       offsetof(struct plugin_qdisc_util, member), #member)

SAME_PLACE(next);
SAME_PLACE(id);
SAME_PLACE(parse_qopt);
SAME_PLACE(print_qopt);
SAME_PLACE(print_xstats);
SAME_PLACE(parse_copt);
SAME_PLACE(print_copt);
SAME_PLACE(has_block);
_Static_assert(sizeof(struct qdisc_util) == sizeof(struct plugin_qdisc_util),
	       "struct qdisc_util");
_Static_assert((int)TREE_PRINT_JSON == PLUGIN_PRINT_JSON, "PRINT_JSON");
_Static_assert((int)TREE_SPRINT_BSIZE <= SPRINT_BSIZE, "SPRINT_BSIZE");
