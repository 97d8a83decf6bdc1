// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The tracepoints that sch_codel and sch_fq_codel share. */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "codel_trace.h"

EXPORT_TRACEPOINT_SYMBOL_GPL(codel_drop);
EXPORT_TRACEPOINT_SYMBOL_GPL(codel_mark);
EXPORT_TRACEPOINT_SYMBOL_GPL(codel_state);

MODULE_DESCRIPTION("Tracepoints of codel_oot and fq_codel_oot");
MODULE_LICENSE("Dual BSD/GPL");
