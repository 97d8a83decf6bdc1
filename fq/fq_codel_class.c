// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The classes of an FQ-CoDel are its flows, counted from 1, for filters and for statistics.
 * They have no leaves.
 */
#include <linux/capability.h>
#include <net/sock.h>

#define CODEL_TRACE_SYSTEM fq_codel
#include "fq_codel_sched.h"

static struct Qdisc *fq_codel_class_leaf(struct Qdisc *sch, unsigned long class)
{
	return NULL;
}

static unsigned long fq_codel_class_find(struct Qdisc *sch, u32 classid)
{
	return 0;
}

static unsigned long fq_codel_class_bind(struct Qdisc *sch, unsigned long parent, u32 classid)
{
	return 0;
}

static void fq_codel_class_unbind(struct Qdisc *sch, unsigned long class)
{
}

static struct tcf_block *fq_codel_class_tcf_block(struct Qdisc *sch, unsigned long class,
						  struct netlink_ext_ack *extack)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	return class ? NULL : q->block;
}

static int fq_codel_class_dump(struct Qdisc *sch, unsigned long class,
			       struct sk_buff *skb, struct tcmsg *tcm)
{
	tcm->tcm_handle |= TC_H_MIN(class);
	return 0;
}

/*
 * The tuples of flows are the addresses and ports of all users of the device. Only a reader
 * with CAP_NET_ADMIN in the device's namespace may see them. The buffer of a dump belongs to
 * the socket of the request. Mostly the running process has opened that socket, and one
 * check is enough: it is done for each class of a dump. Otherwise sk_ns_capable() checks the
 * process that opened the socket, too. The first check keeps refusals out of the audit log.
 */
static bool fq_codel_class_may_see_tuple(const struct Qdisc *sch, const struct gnet_dump *d)
{
	struct user_namespace *user_ns = dev_net(qdisc_dev(sch))->user_ns;
	const struct sock *sk = d->skb->sk;

	if (!sk || !ns_capable_noaudit(user_ns, CAP_NET_ADMIN))
		return false;
	return sk->sk_socket->file->f_cred == current_cred() ||
	       sk_ns_capable(sk, user_ns, CAP_NET_ADMIN);
}

/* Copy what the flow has sent to the basic statistics, which every tc prints. */
static int fq_codel_class_put_basic(struct gnet_dump *d, const struct codel_flow_stats *flow)
{
	struct gnet_stats_basic_sync basic;

	gnet_stats_basic_sync_init(&basic);
	_bstats_update(&basic, flow->bytes, flow->packets);
	return gnet_stats_copy_basic(d, NULL, &basic, false);
}

static int fq_codel_class_dump_stats(struct Qdisc *sch, unsigned long class,
				     struct gnet_dump *d)
{
	struct codel_fq_class_xstats st = {
		.common.type = TCA_FQ_CODEL_XSTATS_CLASS,
	};
	struct tc_fq_codel_cl_stats *cs = &st.common.class_stats;
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct gnet_stats_queue qs = {};
	struct fq_codel_flow *flow;
	int size = sizeof(st.common);

	sch_tree_lock(sch);
	if (!class || class > fq_codel_table_size(&q->table)) {
		sch_tree_unlock(sch);
		return -ENOENT;
	}
	flow = fq_codel_table_flow(&q->table, class - 1);
	cs->deficit = flow->deficit;
	cs->ldelay = codel_qdisc_ldelay(&flow->queue);
	cs->count = flow->queue.vars.count;
	cs->lastcount = flow->queue.vars.lastcount;
	cs->dropping = flow->queue.vars.dropping;
	cs->drop_next = codel_config_drop_next(&q->shared.config,
					       &flow->queue.vars);
	qs.qlen = codel_queue_count(&flow->queue);
	qs.backlog = flow->queue.backlog;
	if (q->table.records) {
		st.flow = q->table.records[class - 1].stats;
		size = sizeof(st);
		qs.drops = st.flow.drops;
	}
	sch_tree_unlock(sch);

	if (st.flow.tuple.protocol && !fq_codel_class_may_see_tuple(sch, d))
		memset(&st.flow.tuple, 0, sizeof(st.flow.tuple));
	/* without records, the number of packets sent is unknown, not 0 */
	if (size == sizeof(st) && fq_codel_class_put_basic(d, &st.flow) < 0)
		return -EMSGSIZE;
	if (gnet_stats_copy_queue(d, NULL, &qs, qs.qlen) < 0)
		return -EMSGSIZE;
	return codel_stats_put(d, &st, size, sizeof(st.common));
}

/*
 * Which of 64 flows from @first on are active: a bit each. @last is set if there are no more
 * flows. The last one of 65,536 is no class: its minor number would be 0.
 */
static u64 fq_codel_class_active(struct Qdisc *sch, unsigned long first, bool *last)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	unsigned long i, end;
	u64 active = 0;

	sch_tree_lock(sch);
	end = min_t(u32, fq_codel_table_size(&q->table), U16_MAX);
	*last = first + 64 >= end;
	end = min(end, first + 64);
	for (i = first; i < end; i++)
		if (!fq_codel_is_idle(fq_codel_table_flow(&q->table, i)))
			active |= BIT_ULL(i - first);
	sch_tree_unlock(sch);
	return active;
}

/*
 * Count what flows send from the first time on that a reader asks for their classes. Without
 * memory, the classes are shown without flow records.
 */
static void fq_codel_class_start_records(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct fq_codel_record *records;

	if (READ_ONCE(q->table.records))
		return;
	records = fq_codel_records_new(fq_codel_table_size(&q->table));
	sch_tree_lock(sch);
	if (!q->table.records)
		swap(q->table.records, records);
	sch_tree_unlock(sch);
	kvfree(records);
}

/* A dump continues after the classes of its previous part. */
static void fq_codel_class_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	unsigned long first = walker->skip;
	bool last = walker->stop;
	u64 active;

	fq_codel_class_start_records(sch);
	for (; !last; first += 64) {
		active = fq_codel_class_active(sch, first, &last);
		for (; active; active &= active - 1) {
			walker->count = first + __ffs64(active);
			if (!tc_qdisc_stats_dump(sch, walker->count + 1, walker))
				return;
		}
	}
}

const struct Qdisc_class_ops fq_codel_class_ops = {
	.leaf		= fq_codel_class_leaf,
	.find		= fq_codel_class_find,
	.tcf_block	= fq_codel_class_tcf_block,
	.bind_tcf	= fq_codel_class_bind,
	.unbind_tcf	= fq_codel_class_unbind,
	.dump		= fq_codel_class_dump,
	.dump_stats	= fq_codel_class_dump_stats,
	.walk		= fq_codel_class_walk,
};
