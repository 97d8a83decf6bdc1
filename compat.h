/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The only file that asks which kernel this is. Kernels from 6.1 on.
 */
#ifndef CODEL_COMPAT_H
#define CODEL_COMPAT_H

#include <linux/skbuff.h>
#include <linux/version.h>
#include <net/sch_generic.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "these modules need Linux 6.1 or newer"
#endif

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
