/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The only file that asks which kernel this is; 6.1 or newer. It asks for
 * features rather than for versions, as distributions move code between them.
 */
#ifndef CODEL_COMPAT_H
#define CODEL_COMPAT_H

#include <linux/skbuff.h>
#include <net/sch_generic.h>

/*
 * Free a packet that a ->dequeue() dropped. Newer kernels collect such packets
 * and free them after the root lock was released; TCQ_F_DEQUEUE_DROPS announces
 * that, and is a macro only where it exists.
 */
#ifdef TCQ_F_DEQUEUE_DROPS
#define CODEL_COMPAT_FLAGS	TCQ_F_DEQUEUE_DROPS

static inline void codel_compat_dequeue_drop(struct Qdisc *sch,
					     struct sk_buff *skb)
{
	qdisc_dequeue_drop(sch, skb, QDISC_DROP_CONGESTED);
}
#else /* !TCQ_F_DEQUEUE_DROPS */
#define CODEL_COMPAT_FLAGS	0

static inline void codel_compat_dequeue_drop(struct Qdisc *sch,
					     struct sk_buff *skb)
{
	kfree_skb_reason(skb, SKB_DROP_REASON_QDISC_DROP);
}
#endif /* !TCQ_F_DEQUEUE_DROPS */

#endif /* CODEL_COMPAT_H */
