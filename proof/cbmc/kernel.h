/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What fq/ and qdisc/codel_queue.h need of the kernel. What is only declared here is not called
 * by a proof. prooflib makes headers with the kernel's
 * names, which include this one.
 */
#ifndef PROOF_KERNEL_H
#define PROOF_KERNEL_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/algorithm/kernel.h"
#include "uapi/codel_uapi.h"

#define SZ_1M			(1U << 20)
#define SZ_32M			(32U << 20)
#undef __always_inline
#define __always_inline		inline
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))
#define SKB_DROP_REASON_QDISC_DROP	0

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

struct sk_buff {
	struct sk_buff *next;
	unsigned int len;
	unsigned int truesize;
	char cb[48] __attribute__((aligned(8)));
};

struct qdisc_skb_cb {
	unsigned char data[48];
};

struct net_device {
	unsigned int mtu;
	unsigned short hard_header_len;
};

struct Qdisc {
	char privdata[1];
};

struct qdisc_watchdog {
	struct Qdisc *qdisc;
};

static inline struct qdisc_skb_cb *qdisc_skb_cb(const struct sk_buff *skb)
{
	return (struct qdisc_skb_cb *)skb->cb;
}

static inline unsigned int qdisc_pkt_len(const struct sk_buff *skb)
{
	return skb->len;
}

static inline void skb_mark_not_on_list(struct sk_buff *skb)
{
	skb->next = NULL;
}

#define qdisc_cb_private_validate(skb, size)	((void)(skb))

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

u64 ktime_get_ns(void);
u32 get_random_u32(void);
bool skb_is_gso(const struct sk_buff *skb);
void *qdisc_priv(struct Qdisc *sch);
void *kvmalloc_array(size_t n, size_t size, int flags);
void *vmalloc_array(size_t n, size_t size);
void *kzalloc(size_t size, int flags);
void kvfree(void *p);
void vfree(void *p);
void kfree(void *p);
void qdisc_tree_reduce_backlog(struct Qdisc *sch, int n, int bytes);
void qdisc_qstats_drop(struct Qdisc *sch);
void __qdisc_qstats_drop(struct Qdisc *sch, int n);
void rtnl_kfree_skbs(struct sk_buff *head, struct sk_buff *tail);
void kfree_skb_list_reason(struct sk_buff *list, int reason);

/* In the place of codel_trace.h, codel_stats.h and compat.h */
#define CODEL_TRACE_H
#define CODEL_STATS_H
#define CODEL_COMPAT_H

struct codel_stats {
	struct codel_count received;
	struct codel_count drop[CODEL_DROP_CAUSES];
	struct codel_count mark[CODEL_MARK_CAUSES];
};

void codel_stats_count(struct codel_count *count, u32 bytes);
bool trace_codel_drop_enabled(void);
bool trace_codel_mark_enabled(void);
void trace_codel_drop(struct Qdisc *sch, u32 class, u64 sojourn, u32 count, int cause, u32 len);
void trace_codel_mark(struct Qdisc *sch, u32 class, u64 sojourn, u32 count, int cause, u32 len);
void codel_compat_qlen_add(struct Qdisc *sch, int packets, int bytes);

#endif /* PROOF_KERNEL_H */
