// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * CoDel queueing discipline: one queue, first in first out (RFC 8289).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <net/pkt_cls.h>

#define CODEL_TRACE_SYSTEM codel
#define CREATE_TRACE_POINTS
#include "qdisc/codel_trace.h"
#undef CREATE_TRACE_POINTS

#include "qdisc/codel_config.h"
#include "qdisc/codel_kinds.h"
#include "qdisc/codel_qdisc.h"
#include "qdisc/codel_shared_stats.h"
#include "qdisc/codel_split.h"
#include "qdisc/codel_version.h"

#define CODEL_LIMIT_DEFAULT	1000	/* packets */

/**
 * struct codel_sched - private data of the qdisc
 * @shared: configuration and counters; comes first
 * @queue: all packets
 */
struct codel_sched {
	struct codel_qdisc shared;
	struct codel_queue queue;
};

static inline void codel_queue_packet(struct sk_buff *skb, struct Qdisc *sch,
				      struct codel_queue *queue)
{
	codel_qdisc_count(sch, queue, false, skb);
	codel_queue_append(queue, skb);
}

static __always_inline int codel_reject(struct sk_buff *skb, struct Qdisc *sch,
					struct sk_buff **to_free)
{
	codel_qdisc_reject(sch, qdisc_pkt_len(skb), CODEL_DROP_LIMIT);
	codel_shape_dropped(sch, skb, false);
	codel_compat_overlimit(skb, to_free);
	return NET_XMIT_DROP;
}

/* Queue a packet that has been stamped, if the limit allows it. */
static inline int codel_queue_limited(struct sk_buff *skb, struct Qdisc *sch,
				      struct codel_queue *queue, struct sk_buff **to_free)
{
	if (codel_far_drops(sch, skb, to_free))
		return NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
	if (likely(sch->q.qlen < sch->limit)) {
		codel_queue_packet(skb, sch, queue);
		return NET_XMIT_SUCCESS;
	}
	return codel_reject(skb, sch, to_free);
}

static noinline int codel_enqueue_split(struct sk_buff *skb, struct Qdisc *sch,
					struct sk_buff **to_free)
{
	struct codel_sched *q = qdisc_priv(sch);

	codel_qdisc_stamp(skb);
	if (skb_is_gso(skb) && q->shared.config.shape.split)
		return codel_split_enqueue(skb, sch, &q->queue, to_free, codel_queue_limited);
	return codel_queue_limited(skb, sch, &q->queue, to_free);
}

static int codel_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			 struct sk_buff **to_free)
{
	struct codel_sched *q = qdisc_priv(sch);

	codel_qdisc_received(sch, skb);
	if (likely(sch->q.qlen < sch->limit)) {
		if (unlikely(q->shared.config.shape.split || codel_far_is_upstream(sch)))
			return codel_enqueue_split(skb, sch, to_free);
		codel_qdisc_stamp(skb);
		codel_queue_packet(skb, sch, &q->queue);
		return NET_XMIT_SUCCESS;
	}
	return codel_reject(skb, sch, to_free);
}

/*
 * Take the next packet, with a shaper when the link is free, and with @held when a queue downstream
 * has room. @shaped, @shared and @held are constants; what is shared or held is shaped, too.
 */
static __always_inline struct sk_buff *codel_dequeue_next(struct Qdisc *sch, bool shaped,
							  bool shared, bool held)
{
	struct codel_sched *q = qdisc_priv(sch);
	struct sk_buff *skb;
	u64 now, sojourn;
	bool acted;

	if (unlikely(!skb_queue_empty(&sch->gso_skb)))
		return codel_qdisc_take_peeked(sch);
	if (!q->queue.tail) {
		codel_empty(&q->queue.vars);
		if (shared)
			codel_share_idle(sch);
		else if (shaped)
			codel_shape_idle(sch);
		return NULL;
	}
	now = ktime_get_ns();
	if (shaped && !shared && !codel_shape_is_due(sch, now))
		return NULL;
	if (shared && !codel_share_is_due(sch, now))
		return NULL;
	if (held && codel_far_holds(sch, now, false))
		return NULL;
	skb = codel_qdisc_dequeue(sch, &q->queue, false, now, &sojourn, &acted);
	if (shared)
		codel_share_sent(sch, codel_shape_wire(&q->shared.config.shape, skb), now);
	else if (shaped)
		codel_shape_sent(sch, codel_shape_wire(&q->shared.config.shape, skb));
	if (held)
		codel_far_left(sch, skb, now);
	codel_qdisc_sent(sch, qdisc_pkt_len(skb), codel_compat_segs(skb), sojourn);
	return skb;
}

static struct sk_buff *codel_dequeue_unshaped(struct Qdisc *sch)
{
	return codel_dequeue_next(sch, false, false, false);
}

static struct sk_buff *codel_dequeue_shaped(struct Qdisc *sch)
{
	return codel_dequeue_next(sch, true, false, false);
}

static struct sk_buff *codel_dequeue_shared(struct Qdisc *sch)
{
	return codel_dequeue_next(sch, true, true, false);
}

static struct sk_buff *codel_dequeue_held(struct Qdisc *sch)
{
	return codel_dequeue_next(sch, true, false, true);
}

static struct sk_buff *(*codel_dequeue_for(struct Qdisc *sch))(struct Qdisc *sch)
{
	if (codel_far_is_downstream(sch))
		return codel_dequeue_held;
	if (codel_qdisc(sch)->share.link)
		return codel_dequeue_shared;
	return codel_shape_is_on(sch) ? codel_dequeue_shaped : codel_dequeue_unshaped;
}

/* The core and most parents call sch->dequeue, see codel_apply(); netem calls this. */
static struct sk_buff *codel_dequeue(struct Qdisc *sch)
{
	return sch->dequeue(sch);
}

static void codel_reset(struct Qdisc *sch)
{
	struct codel_sched *q = qdisc_priv(sch);

	codel_qdisc_reset(sch);
	codel_qdisc_purge(sch, &q->queue);
	memset(&q->queue.vars, 0, sizeof(q->queue.vars));
	q->queue.ldelay = 0;
}

/*
 * Drop what exceeds the limit, the oldest first. A peeked packet has left the queue. Return: the
 * packets to free.
 */
static struct sk_buff *codel_trim(struct Qdisc *sch)
{
	struct codel_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct sk_buff *skb;

	while (sch->q.qlen > sch->limit && q->queue.tail) {
		skb = codel_qdisc_pop(sch, &q->queue, false);
		codel_qdisc_drop(sch, &q->queue, skb, CODEL_DROP_CHANGE);
		__qdisc_drop(skb, &to_free);
	}
	return to_free;
}

/* Put a validated configuration in force. */
static void codel_apply(struct Qdisc *sch, const struct codel_config *config)
{
	struct codel_sched *q = qdisc_priv(sch);
	u64 rate = q->shared.config.shape.rate;
	struct sk_buff *to_free;

	sch_tree_lock(sch);
	q->shared.config = *config;
	sch->limit = config->limit;
	codel_share_apply(sch, rate);
	codel_shape_apply(sch, rate);
	sch->dequeue = codel_dequeue_for(sch);
	if (codel_shape_may_bypass(sch))
		sch->flags |= TCQ_F_CAN_BYPASS;
	else
		sch->flags &= ~TCQ_F_CAN_BYPASS;
	to_free = codel_trim(sch);
	codel_qdisc_tree_reduce_backlog(sch);
	sch_tree_unlock(sch);
	codel_qdisc_free_list(to_free);
}

static const struct nla_policy codel_policy[TCA_CODEL_EXT + 1] = {
	[TCA_CODEL_TARGET]	 = { .type = NLA_U32 },
	[TCA_CODEL_LIMIT]	 = { .type = NLA_U32 },
	[TCA_CODEL_INTERVAL]	 = NLA_POLICY_MIN(NLA_U32, 1),
	[TCA_CODEL_ECN]		 = { .type = NLA_U32 },
	[TCA_CODEL_CE_THRESHOLD] = { .type = NLA_U32 },
	[TCA_CODEL_EXT]		 = { .type = NLA_NESTED },
};

static int codel_change(struct Qdisc *sch, struct nlattr *opt,
			struct netlink_ext_ack *extack)
{
	struct codel_sched *q = qdisc_priv(sch);
	struct codel_config config = q->shared.config;
	struct nlattr *tb[TCA_CODEL_EXT + 1], *ext[TCA_CODEL_EXT_MAX + 1] = {};
	int err;

	err = codel_config_parse(tb, ext, opt, codel_policy, extack) ? :
	      codel_config_get(&config, qdisc_dev(sch), tb, ext, TCA_CODEL_CE_THRESHOLD, extack) ? :
	      codel_shared_prepare(sch, &config, extack) ? :
	      codel_far_prepare(sch, &config, extack);
	if (err) {
		codel_shared_abort(sch);
		return err;
	}
	codel_apply(sch, &config);
	codel_far_finish(sch);
	codel_shared_finish(sch, codel_apply);
	return 0;
}

static int codel_init(struct Qdisc *sch, struct nlattr *opt,
		      struct netlink_ext_ack *extack)
{
	struct codel_sched *q = qdisc_priv(sch);

	sch->flags |= CODEL_COMPAT_FLAGS;
	codel_shape_init(sch);
	codel_config_defaults(&q->shared.config, sch, CODEL_LIMIT_DEFAULT, false);
	if (opt)
		return codel_change(sch, opt, extack);
	codel_apply(sch, &q->shared.config);
	return 0;
}

static void codel_destroy(struct Qdisc *sch)
{
	codel_far_destroy(sch);
	codel_shared_destroy(sch);
	codel_shape_reset(sch);
}

static int codel_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct codel_sched *q = qdisc_priv(sch);
	struct codel_config config;
	struct nlattr *nest;

	sch_tree_lock(sch);
	config = q->shared.config;
	sch_tree_unlock(sch);
	codel_shape_set_times(&config, qdisc_dev(sch));

	nest = nla_nest_start_noflag(skb, TCA_OPTIONS);
	if (!nest)
		return -EMSGSIZE;
	if (codel_config_put(skb, &config, TCA_CODEL_CE_THRESHOLD)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

static int codel_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct codel_sched *q = qdisc_priv(sch);
	struct codel_stats *stats = &q->shared.stats;
	struct codel_xstats *st;
	int size;

	sch_tree_lock(sch);
	st = codel_stats_alloc(stats, sizeof(*st), &size);
	if (!st) {
		sch_tree_unlock(sch);
		return -ENOMEM;
	}
	st->common.maxpacket = q->shared.maxpacket;
	st->common.count = q->queue.vars.count;
	st->common.lastcount = q->queue.vars.lastcount;
	st->common.ldelay = codel_qdisc_ldelay(&q->queue);
	st->common.drop_next = codel_config_drop_next(&q->shared.config, &q->queue.vars);
	st->common.drop_overlimit = codel_qdisc_overlimit(sch);
	st->common.ecn_mark = stats->mark[CODEL_MARK_CODEL].packets;
	st->common.dropping = q->queue.vars.dropping;
	st->common.ce_mark = stats->mark[CODEL_MARK_CE_THRESHOLD].packets;
	codel_stats_read(&st->ext, sch, stats);
	sch_tree_unlock(sch);

	return codel_shared_dump_stats(sch, d, st, sizeof(*st), size, sizeof(st->common));
}

static struct Qdisc_ops codel_oot_ops __read_mostly = {
	.id		= "codel_oot",
	.priv_size	= sizeof(struct codel_sched),
	.enqueue	= codel_enqueue,
	.dequeue	= codel_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= codel_init,
	.reset		= codel_reset,
	.destroy	= codel_destroy,
	.change		= codel_change,
	.dump		= codel_dump,
	.dump_stats	= codel_dump_stats,
	.owner		= THIS_MODULE,
};

static struct codel_kinds codel_kinds = { .own = &codel_oot_ops };

static bool takeover = true;
module_param(takeover, bool, 0444);
MODULE_PARM_DESC(takeover, "serve the name codel too, if it is free (default: Y)");

static int __init codel_oot_init(void)
{
	return codel_kinds_register(&codel_kinds, "codel", takeover);
}

static void __exit codel_oot_exit(void)
{
	codel_kinds_unregister(&codel_kinds);
}

module_init(codel_oot_init);
module_exit(codel_oot_exit);

MODULE_DESCRIPTION("Controlled Delay (CoDel) queue discipline, RFC 8289");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(CODEL_VERSION);
MODULE_ALIAS("net-sch-codel_oot");
