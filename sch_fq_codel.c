// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * FQ-CoDel queueing discipline (RFC 8290): packets are spread over flows, each a queue with a
 * CoDel of its own, which are served by deficit round robin, new flows first.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/if_arp.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <net/pkt_cls.h>

#define CODEL_TRACE_SYSTEM fq_codel
#define CREATE_TRACE_POINTS
#include "qdisc/codel_trace.h"
#undef CREATE_TRACE_POINTS

#include "qdisc/codel_kinds.h"
#include "qdisc/codel_qdisc.h"
#include "qdisc/codel_shared_stats.h"
#include "qdisc/codel_split.h"
#include "qdisc/codel_version.h"
#include "fq/fq_codel_count.h"
#include "fq/fq_codel_sched.h"

/* With a smaller memory_limit every packet is queued, as one packet may exceed the limit.
 * The largest that TCP makes (BIG TCP) has 512 KiB, and a truesize of less than twice that.
 */
#define FQ_CODEL_BYPASS_MEMORY		SZ_1M

/*
 * The hash of a packet that has no hash of its ports yet. The flow dissector reads little of
 * packets that are not IP: their Ethernet addresses distinguish them.
 */
static noinline u32 fq_codel_hash_other(struct sk_buff *skb)
{
	u32 hash = skb_get_hash(skb);

	if (skb->l4_hash)
		return hash;
	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
	case htons(ETH_P_IPV6):
		return hash;
	}
	if (!skb_mac_header_was_set(skb) || skb->dev->type != ARPHRD_ETHER ||
	    skb_mac_header(skb) + 2 * ETH_ALEN > skb_tail_pointer(skb))
		return hash;
	return jhash(skb_mac_header(skb), 2 * ETH_ALEN, hash);
}

static __always_inline struct fq_codel_flow *fq_codel_hash(struct fq_codel_table *t,
							   struct sk_buff *skb)
{
	u32 hash = likely(skb->l4_hash) ? skb_get_hash_raw(skb) : fq_codel_hash_other(skb);

	return fq_codel_table_lookup(t, hash, skb);
}

/* Return whether packets may select the class. Classes are the flows, counted from 1; overflow
 * flows are classes for statistics only.
 */
static bool fq_codel_is_class(const struct fq_codel_table *t, u32 class)
{
	return class && class <= t->count;
}

/*
 * Return the flow that a packet's priority selects, or NULL. The priority has to name the
 * qdisc: with handle 0, which every default qdisc has, the priorities of ordinary sockets,
 * 0 to 6, would be classes. A hash that owns the flow keeps it, as with filters.
 */
static struct fq_codel_flow *
fq_codel_by_priority(struct Qdisc *sch, struct fq_codel_table *t, u32 priority)
{
	u32 class = TC_H_MIN(priority);

	if (!TC_H_MAJ(priority) || TC_H_MAJ(priority) != sch->handle ||
	    !fq_codel_is_class(t, class))
		return NULL;
	return fq_codel_table_flow(t, class - 1);
}

/*
 * Return whether more than its hash may select the flow of a packet, or it is to be split. The
 * packet has a priority that may name the qdisc, or @select is not 0.
 */
static __always_inline bool fq_codel_is_selected(const struct fq_codel_sched *q,
						 const struct sk_buff *skb)
{
	return TC_H_MAJ(skb->priority) || skb_is_gso(skb) ||
	       q->select & (FQ_CODEL_SELECT_FILTERS | FQ_CODEL_SELECT_FAR);
}

static bool fq_codel_memory_over(const struct fq_codel_sched *q)
{
	return q->shared.memory > q->config.memory_limit;
}

static bool fq_codel_over(struct Qdisc *sch)
{
	return sch->q.qlen > sch->limit ||
	       fq_codel_memory_over(qdisc_priv(sch));
}

/*
 * Return whether more than half of a limit is used. While it is, every flow that gets a packet
 * is ranked. So when a limit is exceeded, the packets of ranked flows make up half of it at
 * least, and there is a flow to drop from.
 */
static __always_inline bool fq_codel_is_crowded(struct Qdisc *sch)
{
	const struct fq_codel_sched *q = qdisc_priv(sch);

	return sch->q.qlen > q->crowded_packets || q->shared.memory > q->crowded_memory;
}

/*
 * Drop half of a flow's bytes from its head, drop_batch packets at most. Each drop is a
 * signal to CoDel as well.
 */
static __always_inline void fq_codel_drop_from(struct Qdisc *sch, struct fq_codel_flow *flow,
					       enum codel_drop_cause cause,
					       struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	u32 until = fq_codel_drop_until(flow, q->config.quantum);
	u32 dropped = 0, bytes = 0;

	do {
		struct sk_buff *skb;

		skb = codel_qdisc_pop(sch, &flow->queue, true);
		bytes += qdisc_pkt_len(skb);
		if (trace_codel_drop_enabled())
			codel_qdisc_trace_drop(sch, &flow->queue, skb, cause);
		codel_shape_dropped(sch, skb, false);
		codel_compat_overlimit(skb, to_free);
	} while (++dropped < q->config.drop_batch && flow->queue.tail &&
		 flow->queue.backlog > until);

	codel_qdisc_count_drops(sch, cause, dropped, bytes);
	codel_overflow(&flow->queue.vars, dropped);
	fq_codel_count(&q->table, flow, dropped, 0);
	fq_codel_shrunk(&q->table.drr.lists, flow);
}

/*
 * Drop what exceeds the limits, from the largest flows. A peeked packet has left its flow.
 * Return: the packets to free.
 */
static struct sk_buff *fq_codel_trim(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;
	struct fq_codel_flow *flow;
	bool overmemory;
	u32 before;

	while (fq_codel_over(sch)) {
		flow = fq_codel_largest(&q->table.drr.lists);
		if (!flow)
			break;
		overmemory = fq_codel_memory_over(q);
		before = q->shared.lost.packets;
		fq_codel_drop_from(sch, flow, CODEL_DROP_CHANGE, &to_free);
		if (overmemory)
			q->trim_overmemory += q->shared.lost.packets - before;
	}
	return to_free;
}

/* The flow has got a packet, its first one if it was @empty. */
static __always_inline void fq_codel_arrived(struct fq_codel_sched *q,
					     struct fq_codel_flow *flow, bool empty,
					     bool crowded)
{
	if (empty && fq_codel_drr_arrival(&q->table.drr, flow, &q->shared.config.params)) {
		q->new_flow_count++;
		if (!crowded)
			return;
	}
	if (crowded || fq_codel_is_ranked(flow) || flow->queue.backlog > q->table.drr.quantum)
		fq_codel_rank(&q->table.drr.lists, flow);
}

/*
 * The packet that has just been queued in @own exceeds a limit: drop packets from the
 * largest flows. The packet is announced to the scheduler afterwards: often @own pays, and an
 * idle flow stays idle then. The parents count a packet only after a return of success.
 */
static noinline int fq_codel_overlimit(struct Qdisc *sch, struct fq_codel_flow *own,
				       bool empty, const struct sk_buff *skb,
				       struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	u32 len = qdisc_pkt_len(skb);
	struct fq_codel_flow *flow;
	bool own_paid = false;

	while (fq_codel_over(sch)) {
		flow = fq_codel_drop_victim(&q->table.drr.lists, own);
		if (!flow)
			break;
		fq_codel_drop_from(sch, flow, fq_codel_memory_over(q) ?
				   CODEL_DROP_MEMORY : CODEL_DROP_LIMIT, to_free);
		own_paid |= flow == own;
	}
	if (own->queue.tail)
		fq_codel_arrived(q, own, empty, true);
	if (own_paid) {
		q->shared.lost.packets--;
		q->shared.lost.bytes -= len;
	}
	codel_qdisc_tree_reduce_backlog(sch);
	return own_paid ? NET_XMIT_CN : NET_XMIT_SUCCESS;
}

/* Queue a packet, which is counted already, in a crowded qdisc. */
static __always_inline int fq_codel_queue_crowded(struct sk_buff *skb, struct Qdisc *sch,
						  struct fq_codel_flow *flow,
						  struct sk_buff **to_free)
{
	bool empty = codel_queue_append(&flow->queue, skb);

	if (unlikely(fq_codel_over(sch)))
		return fq_codel_overlimit(sch, flow, empty, skb, to_free);
	fq_codel_arrived(qdisc_priv(sch), flow, empty, true);
	return NET_XMIT_SUCCESS;
}

static __always_inline int fq_codel_queue(struct sk_buff *skb,
					  struct Qdisc *sch,
					  struct fq_codel_flow *flow,
					  struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	codel_qdisc_count(sch, &flow->queue, true, skb);
	if (unlikely(fq_codel_is_crowded(sch)))
		return fq_codel_queue_crowded(skb, sch, flow, to_free);
	fq_codel_arrived(q, flow, codel_queue_append(&flow->queue, skb), false);
	return NET_XMIT_SUCCESS;
}

/* The same as a call, of packets that are selected, and of segments */
static noinline int fq_codel_queue_selected(struct sk_buff *skb, struct Qdisc *sch,
					    struct codel_queue *queue, struct sk_buff **to_free)
{
	struct fq_codel_flow *flow = container_of(queue, struct fq_codel_flow, queue);

	if (codel_far_drops(sch, skb, to_free))
		return NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
	return fq_codel_queue(skb, sch, flow, to_free);
}

/*
 * Queue a packet in a flow, or in that of its hash. The sojourn time begins after the filters,
 * which may use the packet's control buffer.
 */
static noinline int fq_codel_enqueue_flow(struct sk_buff *skb, struct Qdisc *sch,
					  struct fq_codel_flow *flow,
					  struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	codel_qdisc_stamp(skb);
	if (!flow)
		flow = fq_codel_hash(&q->table, skb);
	if (q->shared.config.shape.split && skb_is_gso(skb))
		return codel_split_enqueue(skb, sch, &flow->queue, to_free,
					   fq_codel_queue_selected);
	return fq_codel_queue_selected(skb, sch, &flow->queue, to_free);
}

/*
 * Ask the filters. A packet that none of them matches, or that they let pass
 * without naming a class, is hashed.
 */
static int fq_codel_enqueue_filtered(struct sk_buff *skb, struct Qdisc *sch,
				     const struct tcf_proto *filters,
				     struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	u32 class, len = qdisc_pkt_len(skb);
	struct tcf_result res = {};

	switch (tcf_classify(skb, NULL, filters, &res, false)) {
	case TC_ACT_UNSPEC:
		res.classid = 0;
		break;
	case TC_ACT_OK:
	case TC_ACT_RECLASSIFY:
	case TC_ACT_PIPE:
	case TC_ACT_REPEAT:
		break;
	case TC_ACT_STOLEN:
	case TC_ACT_QUEUED:
	case TC_ACT_TRAP:
		__qdisc_drop(skb, to_free);
		fallthrough;
	case TC_ACT_CONSUMED:	/* the action owns the packet, and may have freed it */
		codel_qdisc_reject(sch, len, CODEL_DROP_STOLEN);
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
	default:		/* SHOT, and REDIRECT, which a qdisc cannot do */
		goto drop;
	}
	class = TC_H_MIN(res.classid);
	if (!res.classid)
		return fq_codel_enqueue_flow(skb, sch, NULL, to_free);
	if (fq_codel_is_class(&q->table, class))
		return fq_codel_enqueue_flow(skb, sch,
					     fq_codel_table_flow(&q->table, class - 1), to_free);
drop:
	codel_qdisc_reject(sch, len, CODEL_DROP_FILTER);
	codel_shape_dropped(sch, skb, false);
	__qdisc_drop(skb, to_free);
	return NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
}

/* The priority of the packet may select its flow, and otherwise the filters, if there are any. */
static noinline int fq_codel_enqueue_selected(struct sk_buff *skb, struct Qdisc *sch,
					      struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct fq_codel_flow *flow;
	struct tcf_proto *filters;

	codel_qdisc_received(sch, skb);
	flow = fq_codel_by_priority(sch, &q->table, skb->priority);
	filters = rcu_dereference_bh(q->filters);
	if (filters && !flow)
		return fq_codel_enqueue_filtered(skb, sch, filters, to_free);
	return fq_codel_enqueue_flow(skb, sch, flow, to_free);
}

static int fq_codel_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			    struct sk_buff **to_free)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	if (unlikely(TC_H_MAJ(skb->priority) || q->select) && fq_codel_is_selected(q, skb))
		return fq_codel_enqueue_selected(skb, sch, to_free);
	codel_qdisc_stamp(skb);
	codel_qdisc_received(sch, skb);
	return fq_codel_queue(skb, sch, fq_codel_hash(&q->table, skb), to_free);
}

/* What a packet costs its flow, and the link if @shaped, bytes */
static __always_inline u32 fq_codel_cost(struct Qdisc *sch, const struct sk_buff *skb, bool shaped)
{
	u32 len = qdisc_pkt_len(skb);

	if (shaped)
		return codel_shape_wire(&codel_qdisc(sch)->config.shape, skb);
	return likely(len <= CODEL_SHAPE_LEN_MAX) ? len : CODEL_SHAPE_LEN_MAX;
}

/* Return the flow that may send; NULL if no flow has a packet. */
static __always_inline struct fq_codel_flow *fq_codel_next(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct fq_codel_flow *flow;

	for (;;) {
		switch (fq_codel_drr_next(&q->table.drr, &flow)) {
		case FQ_CODEL_TURN_SEND:
			return flow;
		case FQ_CODEL_TURN_LEFT:
			fq_codel_table_go_idle(&q->table, flow);
			break;
		default:
			return NULL;
		}
	}
}

/* A packet, which costs @cost bytes, has left the flow whose turn it is. */
static __always_inline void fq_codel_took(struct Qdisc *sch, struct fq_codel_flow *flow,
					  const struct sk_buff *skb, u32 cost)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	fq_codel_sent(&q->table, flow, skb);
	fq_codel_shrunk(&q->table.drr.lists, flow);
	flow->deficit -= cost;
}

/*
 * Does a packet leave its flow half of what it may send? A bulk flow whose queue was empty for a
 * moment is new, too, and sends full packets.
 */
static bool fq_codel_is_sparse(const struct fq_codel_sched *q, const struct fq_codel_flow *flow)
{
	return flow == q->table.drr.new_flows.first &&
	       2 * (s64)qdisc_pkt_len(flow->queue.tail->next) < flow->deficit;
}

/*
 * Take a packet from the flow whose turn it is, with a shaper when the link is free, and with @held
 * when a queue downstream has room. @shaped, @shared and @held are constants; what is shared or
 * held is shaped, too.
 */
static __always_inline struct sk_buff *fq_codel_dequeue_next(struct Qdisc *sch, bool shaped,
							     bool shared, bool held)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct fq_codel_flow *flow;
	struct sk_buff *skb;
	u64 now, sojourn;
	bool acted;
	u32 cost;

	if (unlikely(!skb_queue_empty(&sch->gso_skb)))
		return codel_qdisc_take_peeked(sch);
	if (shaped) {
		now = ktime_get_ns();
		if (shared ? !codel_share_is_due(sch, now) : !codel_shape_is_due(sch, now))
			return NULL;
	}
	flow = fq_codel_next(sch);
	if (!flow) {
		if (shared)
			codel_share_idle(sch);
		else if (shaped)
			codel_shape_idle(sch);
		return NULL;
	}
	while (held && codel_far_holds(sch, now, fq_codel_is_sparse(q, flow))) {
		if (!fq_codel_drr_defer(&q->table.drr))
			return NULL;
		flow = fq_codel_next(sch);
	}
	if (!shaped)
		now = ktime_get_ns();
	skb = codel_qdisc_dequeue(sch, &flow->queue, true, now, &sojourn, &acted);
	if (unlikely(acted))
		fq_codel_count(&q->table, flow, q->shared.drops, q->shared.marks);
	cost = fq_codel_cost(sch, skb, shaped);
	fq_codel_took(sch, flow, skb, cost);
	if (shared)
		codel_share_sent(sch, cost, now);
	else if (shaped)
		codel_shape_sent(sch, cost);
	if (held)
		codel_far_left(sch, skb, now);
	codel_qdisc_sent(sch, qdisc_pkt_len(skb), codel_compat_segs(skb), sojourn);
	return skb;
}

static struct sk_buff *fq_codel_dequeue_unshaped(struct Qdisc *sch)
{
	return fq_codel_dequeue_next(sch, false, false, false);
}

static struct sk_buff *fq_codel_dequeue_shaped(struct Qdisc *sch)
{
	return fq_codel_dequeue_next(sch, true, false, false);
}

static struct sk_buff *fq_codel_dequeue_shared(struct Qdisc *sch)
{
	return fq_codel_dequeue_next(sch, true, true, false);
}

static struct sk_buff *fq_codel_dequeue_held(struct Qdisc *sch)
{
	return fq_codel_dequeue_next(sch, true, false, true);
}

static struct sk_buff *(*fq_codel_dequeue_for(struct Qdisc *sch))(struct Qdisc *sch)
{
	if (codel_far_is_downstream(sch))
		return fq_codel_dequeue_held;
	if (codel_qdisc(sch)->share.link)
		return fq_codel_dequeue_shared;
	return codel_shape_is_on(sch) ? fq_codel_dequeue_shaped : fq_codel_dequeue_unshaped;
}

/* The core and most parents call sch->dequeue, see fq_codel_apply(); netem calls this. */
static struct sk_buff *fq_codel_dequeue(struct Qdisc *sch)
{
	return sch->dequeue(sch);
}

static void fq_codel_reset(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	u32 i;

	codel_qdisc_reset(sch);
	for (i = 0; q->table.count && i < fq_codel_table_size(&q->table); i++)
		codel_qdisc_purge(sch, &fq_codel_table_flow(&q->table, i)->queue);
	fq_codel_table_clear(&q->table);
}

/*
 * The core may send a packet past an empty qdisc that would return it at once. Filters have
 * to see every packet. Called whenever limit, memory_limit or the filters change.
 */
static void fq_codel_update_bypass(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	q->select = (rcu_access_pointer(q->filters) ? FQ_CODEL_SELECT_FILTERS : 0) |
		    (q->shared.config.shape.split ? FQ_CODEL_SELECT_SPLIT : 0) |
		    (codel_far_is_upstream(sch) ? FQ_CODEL_SELECT_FAR : 0);
	if (codel_shape_may_bypass(sch) && !q->select &&
	    q->config.memory_limit >= FQ_CODEL_BYPASS_MEMORY)
		sch->flags |= TCQ_F_CAN_BYPASS;
	else
		sch->flags &= ~TCQ_F_CAN_BYPASS;
}

/* The first filter of the qdisc was added, replaced or deleted. */
static void fq_codel_filters_changed(struct tcf_proto *first, void *priv)
{
	struct Qdisc *sch = priv;
	struct fq_codel_sched *q = qdisc_priv(sch);

	sch_tree_lock(sch);
	rcu_assign_pointer(q->filters, first);
	fq_codel_update_bypass(sch);
	sch_tree_unlock(sch);
}

/* Put a validated configuration in force. */
static void fq_codel_apply(struct Qdisc *sch, const struct codel_config *common,
			   const struct fq_codel_config *config)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	u64 rate = q->shared.config.shape.rate;
	struct sk_buff *to_free;

	sch_tree_lock(sch);
	q->table.drr.quantum = config->quantum * codel_far_pairs(common);
	q->shared.config = *common;
	q->config = *config;
	sch->limit = common->limit;
	q->crowded_packets = common->limit / 2;
	q->crowded_memory = config->memory_limit / 2;
	fq_codel_drr_rank_all(&q->table.drr);
	codel_share_apply(sch, rate);
	codel_shape_apply(sch, rate);
	sch->dequeue = fq_codel_dequeue_for(sch);
	fq_codel_update_bypass(sch);
	to_free = fq_codel_trim(sch);
	codel_qdisc_tree_reduce_backlog(sch);
	sch_tree_unlock(sch);
	codel_qdisc_free_list(to_free);
}

/* The rate of the link that the qdisc shares has changed. */
static void fq_codel_follow(struct Qdisc *sch, const struct codel_config *common)
{
	const struct fq_codel_sched *q = qdisc_priv(sch);
	struct fq_codel_config config = q->config;

	fq_codel_apply(sch, common, &config);
}

/* Allocate the flow table of a new qdisc. */
static int fq_codel_create_table(struct Qdisc *sch, u32 flows)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	if (!fq_codel_table_init(&q->table, flows))
		return -ENOMEM;
	q->shared.queues = &fq_codel_table_flow(&q->table, 0)->queue;
	q->shared.queue_size = sizeof(struct fq_codel_flow);
	q->shared.bulk_flows = &q->table.drr.old_flows.len;
	q->shared.share.new_flows = &q->table.drr.new_flows.len;
	return 0;
}

static int fq_codel_change(struct Qdisc *sch, struct nlattr *opt,
			   struct netlink_ext_ack *extack)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct codel_config common = q->shared.config;
	struct fq_codel_config config = q->config;
	bool live = q->table.count;
	int err = 0;

	if (opt)
		err = fq_codel_config_parse(&common, &config, opt, qdisc_dev(sch),
					    live, extack);
	if (!err)
		err = codel_shared_prepare(sch, &common, extack) ? :
		      codel_far_prepare(sch, &common, extack);
	if (!err && !live)
		err = fq_codel_create_table(sch, config.flows);
	if (err) {
		codel_shared_abort(sch);
		codel_far_abort(sch);
		return err;
	}
	fq_codel_apply(sch, &common, &config);
	codel_far_finish(sch);
	codel_shared_finish(sch, fq_codel_follow);
	return 0;
}

static int fq_codel_init(struct Qdisc *sch, struct nlattr *opt,
			 struct netlink_ext_ack *extack)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct tcf_block_ext_info filters = {
		.chain_head_change = fq_codel_filters_changed,
		.chain_head_change_priv = sch,
	};
	int err;

	sch->flags |= CODEL_COMPAT_FLAGS;
	codel_shape_init(sch);
	codel_config_defaults(&q->shared.config, sch, FQ_CODEL_LIMIT_DEFAULT, true);
	fq_codel_config_defaults(&q->config, codel_qdisc_mtu(sch));
	err = tcf_block_get_ext(&q->block, sch, &filters, extack);
	return err ? : fq_codel_change(sch, opt, extack);
}

/* The core also calls this for a qdisc whose init failed. */
static void fq_codel_destroy(struct Qdisc *sch)
{
	struct fq_codel_sched *q = qdisc_priv(sch);

	codel_far_destroy(sch);
	codel_shared_destroy(sch);
	codel_shape_reset(sch);
	tcf_block_put(q->block);
	fq_codel_table_release(&q->table);
}

static int fq_codel_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct fq_codel_config config;
	struct codel_config common;
	struct nlattr *nest;

	sch_tree_lock(sch);
	common = q->shared.config;
	config = q->config;
	sch_tree_unlock(sch);
	codel_shape_set_times(&common, qdisc_dev(sch));

	nest = nla_nest_start_noflag(skb, TCA_OPTIONS);
	if (!nest)
		return -EMSGSIZE;
	if (fq_codel_config_put(skb, &common, &config)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

static int fq_codel_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct fq_codel_sched *q = qdisc_priv(sch);
	struct codel_stats *stats = &q->shared.stats;
	struct tc_fq_codel_qd_stats *qs;
	struct codel_fq_xstats *st;
	int size;

	sch_tree_lock(sch);
	st = codel_stats_alloc(stats, sizeof(*st), &size);
	if (!st) {
		sch_tree_unlock(sch);
		return -ENOMEM;
	}
	st->common.type = TCA_FQ_CODEL_XSTATS_QDISC;
	qs = &st->common.qdisc_stats;
	qs->maxpacket = q->shared.maxpacket;
	qs->drop_overlimit = codel_qdisc_overlimit(sch);
	qs->ecn_mark = stats->mark[CODEL_MARK_CODEL].packets;
	qs->new_flow_count = q->new_flow_count;
	qs->new_flows_len = q->table.drr.new_flows.len;
	qs->old_flows_len = q->table.drr.old_flows.len;
	qs->ce_mark = stats->mark[CODEL_MARK_CE_THRESHOLD].packets;
	qs->memory_usage = min_t(u64, q->shared.memory, U32_MAX);
	qs->drop_overmemory = stats->drop[CODEL_DROP_MEMORY].packets + q->trim_overmemory;
	st->shared = q->table.collisions;
	codel_stats_read(&st->ext, sch, stats);
	sch_tree_unlock(sch);

	return codel_shared_dump_stats(sch, d, st, sizeof(*st), size, sizeof(st->common));
}

static struct Qdisc_ops fq_codel_oot_ops __read_mostly = {
	.cl_ops		= &fq_codel_class_ops,
	.id		= "fq_codel_oot",
	.priv_size	= sizeof(struct fq_codel_sched),
	.enqueue	= fq_codel_enqueue,
	.dequeue	= fq_codel_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= fq_codel_init,
	.reset		= fq_codel_reset,
	.destroy	= fq_codel_destroy,
	.change		= fq_codel_change,
	.dump		= fq_codel_dump,
	.dump_stats	= fq_codel_dump_stats,
	.owner		= THIS_MODULE,
};

static struct codel_kinds fq_codel_kinds = { .own = &fq_codel_oot_ops };

static bool takeover = true;
module_param(takeover, bool, 0444);
MODULE_PARM_DESC(takeover,
		 "serve the name fq_codel too, if it is free (default: Y)");

static int __init fq_codel_oot_init(void)
{
	return codel_kinds_register(&fq_codel_kinds, "fq_codel", takeover);
}

static void __exit fq_codel_oot_exit(void)
{
	codel_kinds_unregister(&fq_codel_kinds);
}

module_init(fq_codel_oot_init);
module_exit(fq_codel_oot_exit);

MODULE_DESCRIPTION("Fair queueing with CoDel (FQ-CoDel), RFC 8290");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(CODEL_VERSION);
MODULE_ALIAS("net-sch-fq_codel_oot");
