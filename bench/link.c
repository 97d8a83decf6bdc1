// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A router with a slow link: packets come in, are forwarded, wait in the qdisc until its shaper
 * lets them go, and leave by a device that is up. Everything that the machine does for that is
 * in the figure: allocation, IP, timers and softirqs.
 *
 * The processor is never idle. Beside all that, it takes turns in a loop that only
 * looks at the queue. All time, less that of these turns, is work.
 *
 * A kernel thread may have work of its own that has nothing to do with packets, up to a
 * millisecond at once. The median of several windows leaves it out.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "bench.h"

/* Turns: to learn what one takes; and until the link is too slow, a few seconds */
#define BENCH_LINK_SAMPLE	100000
#define BENCH_LINK_MAX		(500 * 1000 * 1000)

static void bench_link_headers(struct sk_buff *skb, const struct bench_flow *flow)
{
	struct iphdr *ip = skb_put(skb, flow->len - ETH_HLEN);
	struct udphdr *udp = (struct udphdr *)(ip + 1);

	*ip = (struct iphdr) {
		.version = IPVERSION, .ihl = sizeof(*ip) / 4, .ttl = IPDEFTTL,
		.protocol = IPPROTO_UDP, .tot_len = htons(flow->len - ETH_HLEN),
		.saddr = flow->saddr, .daddr = flow->daddr,
	};
	ip_send_check(ip);
	*udp = (struct udphdr) {
		.source = htons(1024), .dest = htons(9),
		.len = htons(flow->len - ETH_HLEN - sizeof(*ip)),
	};
}

/* A packet of the next flow arrives, as from a driver whose device hashes packets. */
static int bench_link_receive(struct bench_run *run)
{
	const struct bench_flow *flow = &run->flows[run->at];
	struct sk_buff *skb;

	skb = alloc_skb(NET_SKB_PAD + flow->len, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	if (++run->at == run->config.flows)
		run->at = 0;
	skb_reserve(skb, NET_SKB_PAD);
	bench_link_headers(skb, flow);
	skb_reset_mac_header(skb);
	skb->protocol = htons(ETH_P_IP);
	skb->dev = qdisc_dev(run->sch);
	__skb_set_hash(skb, flow->hash, run->config.hash, run->config.hash);
	run->offered++;
	netif_rx(skb);
	return 0;
}

static u64 bench_link_sent(const struct bench_run *run)
{
	struct rtnl_link_stats64 stats;

	return dev_get_stats(qdisc_dev(run->sch), &stats)->tx_packets;
}

/*
 * The loop, until so many packets have been received or so many turns are taken. Return the
 * number of turns, or an error.
 */
static noinline s64 bench_link_turns(struct bench_run *run, u64 end, s64 most)
{
	s64 turns;
	int err;

	for (turns = 0; turns < most && run->offered < end; turns++) {
		if (READ_ONCE(run->sch->q.qlen) < run->config.fill) {
			err = bench_link_receive(run);
			if (err)
				return err;
		}
		cond_resched();
	}
	return turns;
}

/* What a number of turns take that nothing interrupts, and in which no packet is received, ns */
static u64 bench_link_idle(struct bench_run *run, s64 turns)
{
	u32 fill = run->config.fill;
	unsigned long flags;
	u64 since, ns;

	run->config.fill = 0;
	local_irq_save(flags);
	since = ktime_get_ns();
	bench_link_turns(run, U64_MAX, turns);
	ns = ktime_get_ns() - since;
	local_irq_restore(flags);
	run->config.fill = fill;
	return ns - min_t(u64, ns, run->clock);
}

/* Keep the link busy until a number of packets more has been received. */
static int bench_link_window(struct bench_run *run, u64 packets)
{
	u64 end = run->offered + packets;
	u64 since = ktime_get_ns(), ns;
	s64 turns;

	turns = bench_link_turns(run, end, BENCH_LINK_MAX);
	if (turns < 0)
		return turns;
	if (run->offered < end)
		return -EAGAIN;
	ns = ktime_get_ns() - since;
	run->wall += ns;
	ns -= div_u64(turns * run->turns, BENCH_LINK_SAMPLE);
	run->ns += ns;
	if (run->window.count < run->window.size)
		run->window.ns[run->window.count++] = ns;
	return 0;
}

/**
 * bench_link() - keep the link busy
 * @run: counts what is received and sent, and how long the machine has worked
 * @packets: to receive. One is received as soon as fewer wait than shall.
 *
 * Return: 0; -ENOMEM; -EINTR; -EAGAIN if the link is too slow.
 */
int bench_link(struct bench_run *run, u64 packets)
{
	u64 sent = bench_link_sent(run), end = run->offered + packets;
	int err = 0;

	if (!run->turns)	/* before anything waits: the link would go on meanwhile */
		run->turns = bench_link_idle(run, BENCH_LINK_SAMPLE);
	while (!err && run->offered < end) {
		err = bench_link_window(run, BENCH_LINK_WINDOW);
		if (signal_pending(current))
			err = -EINTR;
	}
	run->delivered += bench_link_sent(run) - sent;
	return err;
}
