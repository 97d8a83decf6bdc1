/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Tracepoints: codel_drop and codel_mark. Each module has its own, in the
 * system that it names as CODEL_TRACE_SYSTEM before it includes this file: codel:codel_drop
 * and fq_codel:codel_drop.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM CODEL_TRACE_SYSTEM

#if !defined(CODEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CODEL_TRACE_H

#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include <net/sch_generic.h>

#include "../uapi/codel_uapi.h"

/* Programs that read the raw buffer have no header of this project */
TRACE_DEFINE_ENUM(CODEL_DROP_CODEL);
TRACE_DEFINE_ENUM(CODEL_DROP_LIMIT);
TRACE_DEFINE_ENUM(CODEL_DROP_MEMORY);
TRACE_DEFINE_ENUM(CODEL_DROP_CHANGE);
TRACE_DEFINE_ENUM(CODEL_DROP_FILTER);
TRACE_DEFINE_ENUM(CODEL_DROP_STOLEN);
TRACE_DEFINE_ENUM(CODEL_DROP_RESET);
TRACE_DEFINE_ENUM(CODEL_DROP_CEILING);
TRACE_DEFINE_ENUM(CODEL_MARK_CODEL);
TRACE_DEFINE_ENUM(CODEL_MARK_CE_THRESHOLD);

/* dev is an array, as the arguments of __assign_str() differ between kernels. */
DECLARE_EVENT_CLASS(codel_packet,
		    TP_PROTO(const struct Qdisc *sch, u32 flow, u64 sojourn, u32 count,
			     u32 cause, u32 len),
		    TP_ARGS(sch, flow, sojourn, count, cause, len),
		    TP_STRUCT__entry(__array(char, dev, IFNAMSIZ)
				     __field(int, ifindex)
				     __field(u32, handle)
				     __field(u32, parent)
				     __field(u32, flow)
				     __field(u64, sojourn)
				     __field(u32, count)
				     __field(u32, cause)
				     __field(u32, len)
		    ),
		    TP_fast_assign(memcpy(__entry->dev, qdisc_dev(sch)->name, IFNAMSIZ);
				   __entry->ifindex = qdisc_dev(sch)->ifindex;
				   __entry->handle = sch->handle;
				   __entry->parent = sch->parent;
				   __entry->flow = flow;
				   __entry->sojourn = sojourn;
				   __entry->count = count;
				   __entry->cause = cause;
				   __entry->len = len;
		    ),
		    TP_printk("dev=%s handle=%x: flow=%u sojourn=%lluns count=%u cause=%s len=%u",
			      __entry->dev, __entry->handle >> 16, __entry->flow,
			      __entry->sojourn, __entry->count,
			      __print_symbolic(__entry->cause,
					       { CODEL_DROP_CODEL, "codel" },
					       { CODEL_DROP_LIMIT, "limit" },
					       { CODEL_DROP_MEMORY, "memory" },
					       { CODEL_DROP_CHANGE, "change" },
					       { CODEL_DROP_FILTER, "filter" },
					       { CODEL_DROP_STOLEN, "taken" },
					       { CODEL_DROP_RESET, "reset" },
					       { CODEL_DROP_CEILING, "ceiling" }),
			      __entry->len)
);

/**
 * codel_drop - a packet was dropped
 * @sch: the qdisc
 * @flow: minor number of its class; 0 in codel, or if it reached no flow
 * @sojourn: time it spent in the queue, ns
 * @count: of the control law, with this signal if it is CoDel's
 * @cause: enum codel_drop_cause
 * @len: bytes
 */
DEFINE_EVENT(codel_packet, codel_drop,
	     TP_PROTO(const struct Qdisc *sch, u32 flow, u64 sojourn, u32 count,
		      u32 cause, u32 len),
	     TP_ARGS(sch, flow, sojourn, count, cause, len)
);

/* codel_mark - a packet was marked: as codel_drop, @cause is enum codel_mark_cause */
DEFINE_EVENT_PRINT(codel_packet, codel_mark,
		   TP_PROTO(const struct Qdisc *sch, u32 flow, u64 sojourn, u32 count,
			    u32 cause, u32 len),
		   TP_ARGS(sch, flow, sojourn, count, cause, len),
		   TP_printk("dev=%s handle=%x: flow=%u sojourn=%lluns count=%u cause=%s len=%u",
			     __entry->dev, __entry->handle >> 16, __entry->flow,
			     __entry->sojourn, __entry->count,
			     __print_symbolic(__entry->cause,
					      { CODEL_MARK_CODEL, "codel" },
					      { CODEL_MARK_CE_THRESHOLD, "ce_threshold" }),
			     __entry->len)
);

#endif /* CODEL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE codel_trace
#include <trace/define_trace.h>
