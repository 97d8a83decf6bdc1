/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Netlink attributes and statistics of these qdiscs that go beyond <linux/pkt_sched.h>.
 *
 * The in-tree attributes (TCA_CODEL_*, TCA_FQ_CODEL_*) keep their numbers,
 * units and meanings. Everything of ours travels inside one nested attribute
 * of TCA_OPTIONS, numbered far above any that the kernel is likely to take.
 * It is the same for both kinds.
 */
#ifndef CODEL_UAPI_H
#define CODEL_UAPI_H

#include <linux/pkt_sched.h>
#include <linux/types.h>

/*
 * Nested. Every dump has it, and with that says that it shows off values, too.
 * The kernel's own qdiscs ignore it in requests.
 */
#define TCA_CODEL_EXT 64

/**
 * enum - attributes inside TCA_CODEL_EXT
 * @TCA_CODEL_EXT_CE_THRESHOLD_OFF: flag. In a request: switch ce_threshold off
 *	(an error together with a ce_threshold). In a dump: it is off.
 */
enum {
	TCA_CODEL_EXT_UNSPEC,
	TCA_CODEL_EXT_CE_THRESHOLD_OFF,
	__TCA_CODEL_EXT_MAX
};

#define TCA_CODEL_EXT_MAX (__TCA_CODEL_EXT_MAX - 1)

/**
 * struct codel_fq_xstats - statistics of fq_codel: those of the kernel's, then ours
 * @common: as in <linux/pkt_sched.h>
 * @shared: packets that had to share a queue with another hash, as no queue was free;
 *	0 in a class
 */
struct codel_fq_xstats {
	struct tc_fq_codel_xstats common;
	__aligned_u64 shared;
};

#endif /* CODEL_UAPI_H */
