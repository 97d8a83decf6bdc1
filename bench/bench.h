/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What packets cost in a qdisc: it is driven directly, under its root lock, with
 * packets made beforehand and used again and again. No driver, no allocation and
 * no protocol stack are in the figure. README.md describes the regimes.
 */
#ifndef CODEL_BENCH_H
#define CODEL_BENCH_H

#include <linux/if.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/sch_generic.h>

/*
 * Newer kernels collect what ->dequeue() drops in the root qdisc, for the core to
 * free. The same change taught ->cb to carry the number of segments; the former
 * is a macro only where it exists.
 */
#ifdef TCQ_F_DEQUEUE_DROPS
static inline struct sk_buff *bench_dequeue_drops(struct Qdisc *sch)
{
	struct sk_buff *list = sch->to_free;

	if (list)
		sch->to_free = NULL;
	return list;
}

static inline void bench_set_segs(struct sk_buff *skb)
{
	qdisc_skb_cb(skb)->pkt_segs = 1;
}
#else /* !TCQ_F_DEQUEUE_DROPS */
static inline struct sk_buff *bench_dequeue_drops(struct Qdisc *sch)
{
	return NULL;
}

static inline void bench_set_segs(struct sk_buff *skb)
{
}
#endif /* !TCQ_F_DEQUEUE_DROPS */

/**
 * struct bench_config - one run, as asked for
 * @dev: the device whose root qdisc is driven; it must be down
 * @packets: to offer while it is measured
 * @warmup: to offer before that
 * @budget: maximum duration, ms of measured time; 0: no limit
 * @flows: number of flows that packets are offered from in turn
 * @size: bytes of a packet, link layer header included
 * @short_size: the same, for every other flow; 0: as @size
 * @fill: packets that wait when it begins
 * @burst: packets offered before each dequeue; 0: as many as keep @fill waiting
 * @hash: 1: the flow hash comes with the packet; 0: the qdisc has to dissect it
 * @ecn: 1: packets are ECN-capable
 * @shared: 1: keep a reference, so that freeing a packet is just giving it back
 * @chunk: packets offered under one hold of the lock
 * @each: 1: time each call, in place of all together
 * @dump: number of dumps of the statistics, instead of driving
 * @link: 1: the machine forwards packets to the device, which is up and has a shaper,
 *	instead of driving; @fill packets wait
 */
struct bench_config {
	char dev[IFNAMSIZ];
	u32 packets;
	u32 warmup;
	u32 budget;
	u32 flows;
	u32 size;
	u32 short_size;
	u32 fill;
	u32 burst;
	u32 hash;
	u32 ecn;
	u32 shared;
	u32 chunk;
	u32 each;
	u32 dump;
	u32 link;
};

/**
 * struct bench_flow - what tells the packets of a flow from others
 * @saddr: source address
 * @daddr: destination address; cake shares a link among hosts, too
 * @hash: flow hash, if it comes with the packet
 * @len: bytes of a packet, as the qdisc counts them
 */
struct bench_flow {
	__be32 saddr;
	__be32 daddr;
	u32 hash;
	u32 len;
};

/**
 * struct bench_packets - all packets of a run; any can be of any flow
 * @all: every packet; NULL where one was freed and is to be made again
 * @free: those that are not in the qdisc; the last one is offered next
 * @count: size of both
 * @nfree: packets in @free
 */
struct bench_packets {
	struct sk_buff **all;
	struct sk_buff **free;
	u32 count;
	u32 nfree;
};

/**
 * struct bench_samples - how long single calls took
 * @ns: of each
 * @count: how many there are
 * @size: how many there is room for
 */
struct bench_samples {
	u32 *ns;
	u32 count;
	u32 size;
};

/**
 * struct bench_run - one run
 * @config: what is asked for
 * @sch: the qdisc that is driven
 * @flows: as many as @config says
 * @at: the flow to offer a packet of next
 * @tos: DS field of a new packet
 * @packets: the packets
 * @offered: packets offered to the qdisc
 * @delivered: packets that left the qdisc
 * @idle: calls of ->dequeue() that gave no packet
 * @marked: packets that left with CE set; only counted with @config.each
 * @ns: time under the lock; with @config.link what the machine has worked
 * @wall: with @config.link all time
 * @turns: what a number of turns of its loop take that do nothing, ns
 * @enqueue: its calls, with @config.each
 * @dequeue: its calls, with @config.each
 * @window: what the machine has worked for each BENCH_LINK_WINDOW packets, with @config.link
 * @clock: what reading the clock takes, ns
 * @dump_ns: shortest time of a dump
 */
struct bench_run {
	struct bench_config config;
	struct Qdisc *sch;
	struct bench_flow *flows;
	u32 at;
	u8 tos;
	struct bench_packets packets;
	u64 offered;
	u64 delivered;
	u64 idle;
	u64 marked;
	u64 ns;
	u64 wall;
	u64 turns;
	struct bench_samples enqueue;
	struct bench_samples dequeue;
	struct bench_samples window;
	u32 clock;
	u64 dump_ns;
};

int bench_config_parse(struct bench_config *config, char *line);

int bench_packets_make(struct bench_run *run);
int bench_packets_recycle(struct bench_run *run);
void bench_packets_put_free(struct bench_run *run);
void bench_packets_destroy(struct bench_run *run);

int bench_drive_fill(struct bench_run *run);
int bench_drive(struct bench_run *run, u64 packets);

int bench_samples_init(struct bench_samples *samples, u32 size);
int bench_samples_print(const char *name, struct bench_samples *samples,
			char *line, size_t size);
u32 bench_samples_clock(void);

int bench_dump(struct bench_run *run);

#define BENCH_LINK_WINDOW	200	/* packets */

int bench_link(struct bench_run *run, u64 packets);

int bench_loop_register(void);
void bench_loop_unregister(void);
void bench_loop_fill(struct Qdisc *sch, u32 qlen);

#endif /* CODEL_BENCH_H */
