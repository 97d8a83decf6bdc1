// SPDX-License-Identifier: GPL-2.0
/*
 * A parent that counts the mistakes of its child:
 *
 *	insmod sch_strict_parent.ko
 *	tc qdisc add dev d0 root handle 1: tbf rate 1mbit burst 1600 limit 100000
 *	tc qdisc add dev d0 parent 1:1 handle 2: strict_parent
 *	tc qdisc add dev d0 parent 2:1 handle 10: fq_codel_oot
 *	tc -s qdisc show dev d0		# "overlimits" of 2: are the mistakes
 *
 * It has one class, 2:1. Like sch_htb before 6.1.139, 6.6.91, 6.12.29, 6.14.7 and 6.15, it
 * deactivates the class when the child has handed out its last packet. Like sch_drr of those
 * kernels, it activates the class with a packet that arrives while the child is empty. These are
 * mistakes:
 * - The child reports from ->dequeue() that it is empty, by qdisc_tree_reduce_backlog() with
 *   qlen 0. That sch_htb dereferences NULL then.
 * - The child reports that it is empty, and was empty before. That sch_drr deletes a list
 *   entry twice then.
 * - The child reports in its ->enqueue() that it is empty, and has packets at the end. That sch_drr
 *   does not serve the class again.
 * - The child has packets, and its ->dequeue() returns none.
 * - After a packet has come or left, qlen or backlog differ between child and parent.
 *
 * Each mistake is also a line in the kernel's log.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <net/pkt_sched.h>

#define STRICT_CLASS	1

/**
 * struct strict_sched - private data of the qdisc
 * @child: what the class has
 * @active: the child has packets
 * @dequeueing: the child's ->dequeue() is running
 */
struct strict_sched {
	struct Qdisc *child;
	bool active;
	bool dequeueing;
};

static void strict_mistake(struct Qdisc *sch, const char *what)
{
	const struct strict_sched *q = qdisc_priv(sch);

	qdisc_qstats_overlimit(sch);
	pr_notice_ratelimited("%s %x: %s; qlen %u, child's %u; backlog %u, child's %u\n",
			      q->child->ops->id, q->child->handle >> 16, what, sch->q.qlen,
			      q->child->q.qlen, sch->qstats.backlog, q->child->qstats.backlog);
}

/* What a parent has peeked is in our gso_skb, and no longer the child's */
static void strict_compare(struct Qdisc *sch, const char *when)
{
	const struct strict_sched *q = qdisc_priv(sch);
	const struct sk_buff *held = skb_peek(&sch->gso_skb);

	if (sch->q.qlen != q->child->q.qlen + skb_queue_len(&sch->gso_skb) ||
	    sch->qstats.backlog != q->child->qstats.backlog + (held ? qdisc_pkt_len(held) : 0))
		strict_mistake(sch, when);
}

static int strict_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct strict_sched *q = qdisc_priv(sch);
	unsigned int len = qdisc_pkt_len(skb);
	bool first = !q->child->q.qlen;
	int ret = qdisc_enqueue(skb, q->child, to_free);

	if (ret == NET_XMIT_SUCCESS) {
		sch->q.qlen++;
		sch->qstats.backlog += len;
		q->active |= first;
	} else if (net_xmit_drop_count(ret)) {
		qdisc_qstats_drop(sch);
	}
	if (q->child->q.qlen && !q->active) {
		strict_mistake(sch, "told of an empty child in its ->enqueue()");
		q->active = true;
	}
	strict_compare(sch, "after an arrival");
	return ret;
}

static struct sk_buff *strict_dequeue(struct Qdisc *sch)
{
	struct strict_sched *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (!q->active)
		return NULL;
	q->dequeueing = true;
	skb = q->child->dequeue(q->child);
	q->dequeueing = false;
	if (skb) {
		qdisc_bstats_update(sch, skb);
		sch->qstats.backlog -= qdisc_pkt_len(skb);
		sch->q.qlen--;
	} else {
		strict_mistake(sch, "a child with packets handed out none");
	}
	q->active = q->child->q.qlen;
	strict_compare(sch, "after a packet left");
	return skb;
}

static void strict_qlen_notify(struct Qdisc *sch, unsigned long class)
{
	struct strict_sched *q = qdisc_priv(sch);

	if (q->dequeueing)
		strict_mistake(sch, "told of an empty child in its ->dequeue()");
	else if (!q->active)
		strict_mistake(sch, "told again that the child is empty");
	q->active = false;
}

static int strict_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct strict_sched *q = qdisc_priv(sch);

	q->child = qdisc_create_dflt(sch->dev_queue, &pfifo_qdisc_ops,
				     TC_H_MAKE(sch->handle, STRICT_CLASS), extack);
	if (!q->child)
		return -ENOMEM;
	qdisc_hash_add(q->child, true);
	return 0;
}

static void strict_reset(struct Qdisc *sch)
{
	struct strict_sched *q = qdisc_priv(sch);

	qdisc_reset(q->child);
	q->active = false;
}

static void strict_destroy(struct Qdisc *sch)
{
	struct strict_sched *q = qdisc_priv(sch);

	qdisc_put(q->child);
}

static int strict_graft(struct Qdisc *sch, unsigned long class, struct Qdisc *new,
			struct Qdisc **old, struct netlink_ext_ack *extack)
{
	struct strict_sched *q = qdisc_priv(sch);

	if (!new)
		new = &noop_qdisc;
	/* The core empties the old child, and may report that although it was empty. */
	q->active = true;
	*old = qdisc_replace(sch, new, &q->child);
	q->active = false;
	return 0;
}

static struct Qdisc *strict_leaf(struct Qdisc *sch, unsigned long class)
{
	struct strict_sched *q = qdisc_priv(sch);

	return q->child;
}

static unsigned long strict_find(struct Qdisc *sch, u32 classid)
{
	return TC_H_MIN(classid) == STRICT_CLASS ? STRICT_CLASS : 0;
}

static int strict_dump_class(struct Qdisc *sch, unsigned long class, struct sk_buff *skb,
			     struct tcmsg *tcm)
{
	struct strict_sched *q = qdisc_priv(sch);

	tcm->tcm_handle |= STRICT_CLASS;
	tcm->tcm_info = q->child->handle;
	return 0;
}

static void strict_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	if (!walker->stop)
		tc_qdisc_stats_dump(sch, STRICT_CLASS, walker);
}

static const struct Qdisc_class_ops strict_class_ops = {
	.graft		= strict_graft,
	.leaf		= strict_leaf,
	.find		= strict_find,
	.qlen_notify	= strict_qlen_notify,
	.dump		= strict_dump_class,
	.walk		= strict_walk,
};

static struct Qdisc_ops strict_ops __read_mostly = {
	.cl_ops		= &strict_class_ops,
	.id		= "strict_parent",
	.priv_size	= sizeof(struct strict_sched),
	.enqueue	= strict_enqueue,
	.dequeue	= strict_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= strict_init,
	.reset		= strict_reset,
	.destroy	= strict_destroy,
	.owner		= THIS_MODULE,
};

static int __init strict_module_init(void)
{
	return register_qdisc(&strict_ops);
}

static void __exit strict_module_exit(void)
{
	unregister_qdisc(&strict_ops);
}

module_init(strict_module_init);
module_exit(strict_module_exit);

MODULE_DESCRIPTION("A parent that counts the mistakes of its child, for tests");
MODULE_LICENSE("GPL");
