// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The loop that is measured. A turn offers packets and then takes one out, as a
 * link does that is busy. The lock is held and interrupts are off for a chunk of
 * turns, so nothing else is in the figure.
 */
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "bench.h"

/* A qdisc that gives nothing so often holds its packets back: give up. */
#define BENCH_IDLE_MAX	1000

static __always_inline void bench_sample(struct bench_samples *samples,
					 u64 since, u32 clock)
{
	u64 ns = ktime_get_ns() - since;

	if (samples->count < samples->size)
		samples->ns[samples->count++] = ns > clock ? ns - clock : 0;
}

/* Take back a list of packets that the qdisc has dropped. */
static __always_inline void bench_collect(struct bench_packets *packets,
					  struct sk_buff *list)
{
	while (list) {
		packets->free[packets->nfree++] = list;
		list = list->next;
	}
}

/* Make the packet one of the next flow, as it comes from dev_queue_xmit(). */
static __always_inline struct sk_buff *bench_next(struct bench_run *run)
{
	const struct bench_flow *flow = &run->flows[run->at];
	struct sk_buff *skb = run->packets.free[--run->packets.nfree];
	struct iphdr *ip = (struct iphdr *)(skb->data + ETH_HLEN);

	if (++run->at == run->config.flows)
		run->at = 0;
	ip->saddr = flow->saddr;
	ip->daddr = flow->daddr;
	ip->tos = run->tos;
	__skb_set_hash(skb, flow->hash, run->config.hash, run->config.hash);
	skb->dev = qdisc_dev(run->sch);
	skb_mark_not_on_list(skb);
	qdisc_skb_cb(skb)->pkt_len = flow->len;
	bench_set_segs(skb);
	return skb;
}

static __always_inline void bench_offer(struct bench_run *run, bool each)
{
	struct sk_buff *skb = bench_next(run);
	struct sk_buff *to_free = NULL;
	u64 since;

	if (each)
		since = ktime_get_ns();
	run->sch->enqueue(skb, run->sch, &to_free);
	if (each)
		bench_sample(&run->enqueue, since, run->clock);
	run->offered++;
	if (to_free)
		bench_collect(&run->packets, to_free);
}

static __always_inline void bench_take(struct bench_run *run, bool each)
{
	struct Qdisc *sch = run->sch;
	struct sk_buff *drops, *skb;
	u64 since;

	if (each)
		since = ktime_get_ns();
	skb = sch->dequeue(sch);
	if (each)
		bench_sample(&run->dequeue, since, run->clock);
	drops = bench_dequeue_drops(sch);
	if (drops)
		bench_collect(&run->packets, drops);
	if (!skb) {
		run->idle++;
		return;
	}
	run->delivered++;
	if (each && (((struct iphdr *)(skb->data + ETH_HLEN))->tos & 3) == 3)
		run->marked++;
	run->packets.free[run->packets.nfree++] = skb;
}

static __always_inline void bench_turn(struct bench_run *run, bool each)
{
	s32 wanted = run->config.burst;

	if (!wanted)
		wanted = run->config.fill + 1 - run->sch->q.qlen;
	wanted = min_t(s32, wanted, run->packets.nfree);
	while (wanted-- > 0)
		bench_offer(run, each);
	bench_take(run, each);
}

static noinline void bench_turns(struct bench_run *run, u64 end)
{
	while (run->offered < end && run->idle < BENCH_IDLE_MAX)
		bench_turn(run, false);
}

static noinline void bench_turns_each(struct bench_run *run, u64 end)
{
	while (run->offered < end && run->idle < BENCH_IDLE_MAX)
		bench_turn(run, true);
}

static void bench_chunk(struct bench_run *run, u64 end)
{
	unsigned long flags;
	u64 since;

	local_bh_disable();
	local_irq_save(flags);
	spin_lock(qdisc_lock(run->sch));
	since = ktime_get_ns();
	if (run->config.each)
		bench_turns_each(run, end);
	else
		bench_turns(run, end);
	run->ns += ktime_get_ns() - since;
	spin_unlock(qdisc_lock(run->sch));
	local_irq_restore(flags);
	local_bh_enable();
}

static bool bench_over_budget(const struct bench_run *run)
{
	return run->config.budget &&
	       run->ns > (u64)run->config.budget * NSEC_PER_MSEC;
}

/**
 * bench_drive() - offer packets and take packets out
 * @run: is filled, and counts
 * @packets: to offer
 *
 * Return: 0; -EINTR; -ENOMEM; -EAGAIN if the qdisc holds packets back;
 * -ENOBUFS if it holds more than there are.
 */
int bench_drive(struct bench_run *run, u64 packets)
{
	const struct bench_config *config = &run->config;
	u64 end = run->offered + packets;

	while (run->offered < end && !bench_over_budget(run)) {
		if (run->packets.nfree < 2 * config->chunk &&
		    bench_packets_recycle(run))
			return -ENOMEM;
		if (run->packets.nfree <= config->burst)
			return -ENOBUFS;
		bench_chunk(run, min(end, run->offered + config->chunk));
		if (run->idle >= BENCH_IDLE_MAX)
			return -EAGAIN;
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Offer packets until as many wait as shall, and the same number at most. */
int bench_drive_fill(struct bench_run *run)
{
	u32 i;

	spin_lock_bh(qdisc_lock(run->sch));
	bench_loop_fill(run->sch, run->config.fill);
	for (i = 0; i < run->config.fill &&
	     run->sch->q.qlen < run->config.fill; i++)
		bench_offer(run, false);
	spin_unlock_bh(qdisc_lock(run->sch));
	return run->packets.nfree ? 0 : -ENOBUFS;
}
