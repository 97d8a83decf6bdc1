// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The empty loop: qdiscs that do nothing but hand the same packet back, so that
 * what remains is the loop. bench_loop_nop executes one instruction more in each
 * call, to show that the figure sees it.
 */
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/pkt_sched.h>

#include "bench.h"

/**
 * struct bench_loop - private data of the qdisc
 * @skb: offered last; an older one is dropped for it
 */
struct bench_loop {
	struct sk_buff *skb;
};

static __always_inline int bench_loop_swap(struct sk_buff *skb,
					   struct Qdisc *sch,
					   struct sk_buff **to_free)
{
	struct bench_loop *loop = qdisc_priv(sch);
	struct sk_buff *old = loop->skb;

	loop->skb = skb;
	if (!old)
		return NET_XMIT_SUCCESS;
	__qdisc_drop(old, to_free);
	return NET_XMIT_DROP;
}

static __always_inline struct sk_buff *bench_loop_take(struct Qdisc *sch)
{
	struct bench_loop *loop = qdisc_priv(sch);
	struct sk_buff *skb = loop->skb;

	loop->skb = NULL;
	return skb;
}

static int bench_loop_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			      struct sk_buff **to_free)
{
	return bench_loop_swap(skb, sch, to_free);
}

static struct sk_buff *bench_loop_dequeue(struct Qdisc *sch)
{
	return bench_loop_take(sch);
}

static int bench_loop_nop_enqueue(struct sk_buff *skb, struct Qdisc *sch,
				  struct sk_buff **to_free)
{
	asm volatile("nop");
	return bench_loop_swap(skb, sch, to_free);
}

static struct sk_buff *bench_loop_nop_dequeue(struct Qdisc *sch)
{
	asm volatile("nop");
	return bench_loop_take(sch);
}

static struct sk_buff *bench_loop_peek(struct Qdisc *sch)
{
	struct bench_loop *loop = qdisc_priv(sch);

	return loop->skb;
}

static void bench_loop_reset(struct Qdisc *sch)
{
	struct sk_buff *skb = bench_loop_take(sch);

	if (skb)
		rtnl_kfree_skbs(skb, skb);
}

static struct Qdisc_ops bench_loop_ops = {
	.id		= "bench_loop",
	.priv_size	= sizeof(struct bench_loop),
	.enqueue	= bench_loop_enqueue,
	.dequeue	= bench_loop_dequeue,
	.peek		= bench_loop_peek,
	.reset		= bench_loop_reset,
	.owner		= THIS_MODULE,
};

static struct Qdisc_ops bench_loop_nop_ops = {
	.id		= "bench_loop_nop",
	.priv_size	= sizeof(struct bench_loop),
	.enqueue	= bench_loop_nop_enqueue,
	.dequeue	= bench_loop_nop_dequeue,
	.peek		= bench_loop_peek,
	.reset		= bench_loop_reset,
	.owner		= THIS_MODULE,
};

/* Pretend that an empty loop has a backlog of this many packets. */
void bench_loop_fill(struct Qdisc *sch, u32 qlen)
{
	if (sch->ops == &bench_loop_ops || sch->ops == &bench_loop_nop_ops)
		sch->q.qlen = qlen;
}

int bench_loop_register(void)
{
	int err;

	err = register_qdisc(&bench_loop_ops);
	if (err)
		return err;
	err = register_qdisc(&bench_loop_nop_ops);
	if (err)
		unregister_qdisc(&bench_loop_ops);
	return err;
}

void bench_loop_unregister(void)
{
	unregister_qdisc(&bench_loop_nop_ops);
	unregister_qdisc(&bench_loop_ops);
}
