/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The statistics of a shared link, for a dump.
 */
#ifndef CODEL_SHARED_STATS_H
#define CODEL_SHARED_STATS_H

#include "codel_far_stats.h"
#include "codel_shared_link.h"

static inline void codel_shared_read(struct codel_shared_stats *st, struct Qdisc *sch)
{
	const struct codel_qdisc *c = codel_qdisc(sch), *member;

	sch_tree_lock(sch);
	st->slices = c->stats.slices;
	st->waits = c->stats.waits;
	st->wait_sum = c->stats.wait_sum;
	st->flows = codel_share_flows(c);
	sch_tree_unlock(sch);
	/* not at one time, as no lock is that of all members */
	list_for_each_entry(member, &c->share.link->members, share.list) {
		st->link_bytes += READ_ONCE(member->stats.wire_bytes);
		st->queues++;
	}
}

/* Append them to @st, of @size bytes; it may move. Return their length; 0 without memory. */
static inline int codel_shared_append(struct Qdisc *sch, void **st, int head, int size)
{
	struct codel_shared_stats *shared;
	struct codel_ext_stats *ext;
	void *all = krealloc(*st, size + sizeof(*shared), GFP_KERNEL);

	if (!all)
		return 0;
	*st = all;
	shared = all + size;
	memset(shared, 0, sizeof(*shared));
	codel_shared_read(shared, sch);
	ext = all + head - sizeof(*ext);
	ext->shared_offset = size - head + sizeof(*ext);
	return sizeof(*shared);
}

/* As codel_far_dump_stats(), with those of the link that the qdisc shares */
static inline int codel_shared_dump_stats(struct Qdisc *sch, struct gnet_dump *d, void *st,
					  int head, int size, int kernels)
{
	int more = 0;

	if (codel_qdisc(sch)->share.link) {
		more = codel_shared_append(sch, &st, head, size);
		if (!more) {
			kfree(st);
			return -ENOMEM;
		}
	}
	return codel_far_dump_stats(sch, d, st, head, size + more, kernels);
}

#endif /* CODEL_SHARED_STATS_H */
