/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The private data of an FQ-CoDel, which sch_fq_codel.c and fq_codel_class.c share.
 */
#ifndef FQ_CODEL_SCHED_H
#define FQ_CODEL_SCHED_H

#include <net/pkt_cls.h>

#include "fq_codel_config.h"
#include "fq_codel_table.h"

#define FQ_CODEL_SELECT_FILTERS	BIT(0)	/* there are filters */
#define FQ_CODEL_SELECT_SPLIT	BIT(1)	/* super-packets are split */
#define FQ_CODEL_SELECT_FAR	BIT(2)	/* upstream has a queue */

/**
 * struct fq_codel_sched - private data of the qdisc
 * @shared: common configuration and counters; comes first
 * @filters: external classifier, NULL without
 * @select: FQ_CODEL_SELECT_*, what all packets, or super-packets, pass before they are
 *	hashed. A bool costs five instructions more
 * @table: the flows; all zero in a half-built qdisc
 * @config: changes under the root lock
 * @crowded_packets: half of the limit: with more, the qdisc is crowded
 * @crowded_memory: half of memory_limit, the same, bytes
 * @new_flow_count: times that a flow became active
 * @trim_overmemory: of the packets that a change dropped, those that memory_limit did
 * @block: owner of @filters
 */
struct fq_codel_sched {
	struct codel_qdisc shared;
	struct tcf_proto __rcu *filters;
	u32 select;
	struct fq_codel_config config;
	struct fq_codel_table table;
	u32 crowded_packets;
	u32 crowded_memory;
	u32 new_flow_count;
	u32 trim_overmemory;
	struct tcf_block *block;
};

/* The flows as classes: fq_codel_class.c */
extern const struct Qdisc_class_ops fq_codel_class_ops;

#endif /* FQ_CODEL_SCHED_H */
