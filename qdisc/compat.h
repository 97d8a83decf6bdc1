/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The only file that asks which kernel this is; 6.1 or newer. It asks for
 * features rather than for versions, as distributions move code between them.
 */
#ifndef CODEL_COMPAT_H
#define CODEL_COMPAT_H

#include <linux/skbuff.h>
#include <net/sch_generic.h>
#include <net/udp.h>	/* <net/gso.h>, which 6.1 does not have, with skb_gso_segment() */

/*
 * Free a packet that a ->dequeue() dropped, for the ceiling or as CoDel's signal. Newer
 * kernels collect such packets and free them after the root lock was released;
 * TCQ_F_DEQUEUE_DROPS announces that, and is a macro only where it exists. The same kernels
 * (6.19) keep the number of segments at hand.
 */
#ifdef TCQ_F_DEQUEUE_DROPS
#define CODEL_COMPAT_FLAGS	TCQ_F_DEQUEUE_DROPS

static inline void codel_compat_dequeue_drop(struct Qdisc *sch,
					     struct sk_buff *skb, bool ceiling)
{
	qdisc_dequeue_drop(sch, skb, ceiling ? QDISC_DROP_FLOOD_PROTECTION :
			   QDISC_DROP_CONGESTED);
}

static inline u32 codel_compat_segs(const struct sk_buff *skb)
{
	return qdisc_pkt_segs(skb);
}

static inline void codel_compat_set_segs(struct sk_buff *skb, u16 segs)
{
	qdisc_skb_cb(skb)->pkt_segs = segs;
}

/* These kernels read qlen and backlog without the lock. */
static inline void codel_compat_qlen_add(struct Qdisc *sch, int packets, int bytes)
{
	WRITE_ONCE(sch->q.qlen, sch->q.qlen + packets);
	WRITE_ONCE(sch->qstats.backlog, sch->qstats.backlog + bytes);
}
#else /* !TCQ_F_DEQUEUE_DROPS */
#define CODEL_COMPAT_FLAGS	0

static __always_inline void codel_compat_qlen_add(struct Qdisc *sch, int packets, int bytes)
{
	sch->q.qlen += packets;
	sch->qstats.backlog += bytes;
}

static inline void codel_compat_dequeue_drop(struct Qdisc *sch,
					     struct sk_buff *skb, bool ceiling)
{
	kfree_skb_reason(skb, SKB_DROP_REASON_QDISC_DROP);
}

static inline u32 codel_compat_segs(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

static inline void codel_compat_set_segs(struct sk_buff *skb, u16 segs)
{
}
#endif /* !TCQ_F_DEQUEUE_DROPS */

/*
 * Hand a packet that a limit drops to the caller of ->enqueue(), which frees it. Kernels
 * with reasons of qdiscs of their own (7.1) are told that it was the limit.
 */
#ifdef _LINUX_DROPREASON_QDISC_H
static inline void codel_compat_overlimit(struct sk_buff *skb,
					  struct sk_buff **to_free)
{
	tcf_set_qdisc_drop_reason(skb, QDISC_DROP_OVERLIMIT);
	__qdisc_drop(skb, to_free);
}
#else
static inline void codel_compat_overlimit(struct sk_buff *skb,
					  struct sk_buff **to_free)
{
	__qdisc_drop(skb, to_free);
}
#endif

#endif /* CODEL_COMPAT_H */
