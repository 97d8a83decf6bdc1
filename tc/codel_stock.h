/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The plain names, "codel" and "fq_codel", belong to the in-tree qdiscs as well. These are
 * parsed and printed by the front ends that are part of tc, which may be newer than the plugins.
 */
#ifndef CODEL_STOCK_H
#define CODEL_STOCK_H

#include "codel_common.h"

#ifdef CODEL_IN_IPROUTE2
/* There is no other one */
static inline const struct qdisc_util *codel_stock_parser(const char *kind)
{
	(void)kind;
	return NULL;
}

static inline const struct qdisc_util *codel_stock_printer(const char *kind, bool own)
{
	(void)kind;
	(void)own;
	return NULL;
}
#else
/* tc's own front end of @kind, if the in-tree qdisc serves the name; else NULL */
const struct qdisc_util *codel_stock_parser(const char *kind);

/* The same, for what the kernel has sent; @own: only the out-of-tree module sends that */
const struct qdisc_util *codel_stock_printer(const char *kind, bool own);
#endif

/* Whether the out-of-tree module has sent these: options, or statistics that begin at @offset */
bool codel_options_are_own(struct rtattr *opt);

static inline bool codel_stats_are_own(const struct rtattr *xstats, size_t end)
{
	return xstats && RTA_PAYLOAD(xstats) >= end;
}

#endif /* CODEL_STOCK_H */
