/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/*
 * Netlink attributes and statistics of these qdiscs that go beyond <linux/pkt_sched.h>.
 *
 * The in-tree attributes (TCA_CODEL_*, TCA_FQ_CODEL_*) keep their numbers,
 * units and meanings. All other attributes are inside one nested attribute of
 * TCA_OPTIONS, the same for both kinds. Its number is far above those that
 * in-tree attributes are likely to use.
 */
#ifndef CODEL_UAPI_H
#define CODEL_UAPI_H

#include <linux/pkt_sched.h>
#include <linux/types.h>

/*
 * Nested. Every dump contains it; its presence means that the dump contains the
 * options that are off, too. In-tree qdiscs ignore it in requests.
 */
#define TCA_CODEL_EXT 64

/**
 * enum - attributes inside TCA_CODEL_EXT
 * @TCA_CODEL_EXT_CE_THRESHOLD_OFF: flag. In a request: switch ce_threshold off
 *	(an error together with a ce_threshold). In a dump: it is off.
 * @__TCA_CODEL_EXT_2: was another attribute once, and is refused
 * @TCA_CODEL_EXT_CEILING: u32, us, above target. In a request: set the ceiling. In
 *	a dump: the ceiling in force; absent if it is off.
 * @TCA_CODEL_EXT_CEILING_OFF: flag. In a request: no ceiling (an error together with
 *	one). In a dump: there is none.
 * @TCA_CODEL_EXT_PAD: aligns a u64
 * @TCA_CODEL_EXT_RATE: u64, bytes/s, 1 to 125000000000. In a request: shape to this rate.
 *	In a dump: the rate; absent if it is off.
 * @TCA_CODEL_EXT_RATE_OFF: flag. In a request: do not shape (an error together with a
 *	rate). In a dump: there is no shaper.
 * @TCA_CODEL_EXT_OVERHEAD: s32, bytes, -64 to 256, that the link adds to a network layer
 *	packet. In a request: count packets from their network layer header, and add this
 * @TCA_CODEL_EXT_OVERHEAD_OFF: flag. Packets have the length that the kernel counts, with
 *	link layer header and size table
 * @TCA_CODEL_EXT_MPU: u32, least bytes of a packet on the link, 0 to 256
 * @TCA_CODEL_EXT_CELLS: u32, enum codel_cells
 * @TCA_CODEL_EXT_INGRESS: u32, 0 for off: packets have crossed the link before they arrive, so
 *	that those that are dropped take their time, too
 * @TCA_CODEL_EXT_SPLIT_GSO: u32, 0 for off: super-packets are segmented before they are queued.
 *	Until a request has it, it is 1 if there is a rate at which a super-packet holds the
 *	link for longer than 1 ms
 * @TCA_CODEL_EXT_TARGET_EFFECTIVE: u32, us. In a dump: the target in force, with a rate, which
 *	follows the MTU of the device.
 *	In a request: ignored
 * @TCA_CODEL_EXT_INTERVAL_EFFECTIVE: u32, us, as @TCA_CODEL_EXT_TARGET_EFFECTIVE
 * @TCA_CODEL_EXT_BOTTLENECK: u32, enum codel_bottleneck
 * @TCA_CODEL_EXT_ANSWERS: u32, index of the device on which the answers to packets that leave
 *	come in (downstream), or which the time stamps pass that packets which arrive echo
 *	(upstream: come in, and leave unless it is the device of the qdisc);
 *	0: the device of the qdisc. Without a bottleneck elsewhere, it is 0
 * @TCA_CODEL_EXT_SHARED: u32, 0 for off: the qdiscs of this kind on the device that have it on have
 *	one rate together, the latest that one of them was given. Without effect if the rate is
 *	off; an error with a bottleneck downstream
 */
enum {
	TCA_CODEL_EXT_UNSPEC,
	TCA_CODEL_EXT_CE_THRESHOLD_OFF,
	__TCA_CODEL_EXT_2,
	TCA_CODEL_EXT_CEILING,
	TCA_CODEL_EXT_CEILING_OFF,
	TCA_CODEL_EXT_PAD,
	TCA_CODEL_EXT_RATE,
	TCA_CODEL_EXT_RATE_OFF,
	TCA_CODEL_EXT_OVERHEAD,
	TCA_CODEL_EXT_OVERHEAD_OFF,
	TCA_CODEL_EXT_MPU,
	TCA_CODEL_EXT_CELLS,
	TCA_CODEL_EXT_INGRESS,
	TCA_CODEL_EXT_SPLIT_GSO,
	TCA_CODEL_EXT_TARGET_EFFECTIVE,
	TCA_CODEL_EXT_INTERVAL_EFFECTIVE,
	TCA_CODEL_EXT_BOTTLENECK,
	TCA_CODEL_EXT_ANSWERS,
	TCA_CODEL_EXT_SHARED,
	__TCA_CODEL_EXT_MAX
};

#define TCA_CODEL_EXT_MAX (__TCA_CODEL_EXT_MAX - 1)

/* Where the slowest link has its queue */
enum codel_bottleneck {
	CODEL_BOTTLENECK_HERE,		/* in this qdisc */
	CODEL_BOTTLENECK_DOWNSTREAM,	/* in a device behind that of the qdisc */
	CODEL_BOTTLENECK_UPSTREAM,	/* in a device before packets arrive */
	CODEL_BOTTLENECKS
};

/* What a link cuts packets into; the values are those of TCA_CAKE_ATM */
enum codel_cells {
	CODEL_CELLS_NONE,	/* nothing */
	CODEL_CELLS_ATM,	/* 53 bytes with 48 of the packet; the last one is filled up */
	CODEL_CELLS_PTM,	/* one byte is added to 64 bytes, or fewer at the end */
};

/*
 * Statistics are in TCA_STATS_APP of TCA_STATS2: the structure of the in-tree qdisc, then
 * the extended statistics. They may grow at the end: a reader uses as many bytes as it
 * supports and receives; the others are unknown. (The older TCA_XSTATS contains only the
 * structure of the in-tree qdisc.)
 */

/**
 * struct codel_count - packets and bytes
 * @packets: a packet that is segmented later counts as one
 * @bytes: lengths as the qdisc counts them, with link layer header and size table
 */
struct codel_count {
	__aligned_u64 packets;
	__aligned_u64 bytes;
};

/* Index of codel_ext_stats.drop */
enum codel_drop_cause {
	CODEL_DROP_CODEL,	/* CoDel's signal */
	CODEL_DROP_LIMIT,	/* more packets than limit */
	CODEL_DROP_MEMORY,	/* more memory than memory_limit */
	CODEL_DROP_CHANGE,	/* a change left no room for it */
	CODEL_DROP_FILTER,	/* the verdict of a filter */
	CODEL_DROP_STOLEN,	/* stolen by an action of a filter: no loss */
	CODEL_DROP_RESET,	/* the qdisc was reset, its device put down */
	CODEL_DROP_CEILING,	/* signals did not slow senders down */
	CODEL_DROP_CAUSES
};

/* Index of codel_ext_stats.mark */
enum codel_mark_cause {
	CODEL_MARK_CODEL,	/* CoDel's signal */
	CODEL_MARK_CE_THRESHOLD,
	CODEL_MARK_CAUSES
};

/* Not more: a notice of a qdisc that replaces another one has both, and a page */
#define CODEL_DROPS_MORE	4
#define CODEL_MARKS_MORE	2

/**
 * struct codel_ext_stats - extended statistics: packet accounting and sojourn times
 * @received: passed to the qdisc to be enqueued
 * @sent: dequeued to be sent
 * @queued: in the qdisc now
 * @bypassed: sent by the core past the empty qdisc; @bypassed.packets counts the
 *	segments of the wire
 * @drop: by enum codel_drop_cause
 * @mark: by enum codel_mark_cause; they are among @sent or @queued
 * @delay_sum: sum of the sojourn times of @sent, ns
 * @delay_max: the longest of them, ns
 * @delay_offset: distance of the histogram from the beginning of this structure, bytes
 * @delay_first: number of the first bucket in the histogram; those left out count 0
 * @delay_count: number of buckets in the histogram, __u64 each; see codel_delay.h
 * @far_offset: distance of struct codel_far_stats from the beginning of this structure,
 *	bytes; 0 with the bottleneck here
 * @wire_bytes: of @sent, as the shaper counts them; 0 without rate, overhead, mpu, cells and a
 *	bottleneck elsewhere
 * @drop_more: room for CODEL_DROP_CAUSES and further causes, 0 today
 * @mark_more: the same of marks
 * @shared_offset: distance of struct codel_shared_stats from the beginning of this structure,
 *	bytes; 0 without a shared rate
 * @reserved: 0
 *
 * received = sent + queued + the sums of drop and drop_more.
 */
struct codel_ext_stats {
	struct codel_count received;
	struct codel_count sent;
	struct codel_count queued;
	struct codel_count bypassed;
	struct codel_count drop[CODEL_DROP_CAUSES];
	struct codel_count mark[CODEL_MARK_CAUSES];
	__aligned_u64 delay_sum;
	__aligned_u64 delay_max;
	__u16 delay_offset;
	__u16 delay_first;
	__u16 delay_count;
	__u16 far_offset;
	__aligned_u64 wire_bytes;
	struct codel_count drop_more[CODEL_DROPS_MORE];
	struct codel_count mark_more[CODEL_MARKS_MORE];
	__u32 shared_offset;
	__u32 reserved;
};

/**
 * struct codel_shared_stats - the part of a qdisc in a rate that several share
 * @slices: of link time that the qdisc has reserved
 * @waits: those that began later because of other qdiscs
 * @wait_sum: by how much, ns
 * @link_bytes: @wire_bytes of all qdiscs that share the rate
 * @queues: how many share it
 * @flows: active flows of this one, by which its share is measured
 */
struct codel_shared_stats {
	__aligned_u64 slices;
	__aligned_u64 waits;
	__aligned_u64 wait_sum;
	__aligned_u64 link_bytes;
	__u32 queues;
	__u32 flows;
};

/* Why the far queue is left alone, if it is: codel_far_stats.state */
enum codel_far_state {
	CODEL_FAR_WORKS,	/* answers come, and the queue is controlled */
	CODEL_FAR_DEAF,		/* the device on which answers came in is gone */
	CODEL_FAR_UNHEARD,	/* no TCP segment has come in there */
	CODEL_FAR_UNANSWERED,	/* segments have, but no answer to a packet that left */
	CODEL_FAR_SILENT,	/* answers have stopped */
	CODEL_FAR_UNCLEAR,	/* both directions are busy, and answers have no time stamps */
	CODEL_FAR_FOREIGN,	/* others' packets fill the queue: it does not follow the window */
	CODEL_FAR_STATES
};

/* From 1.05 ms to 8.6 s: a notification with both histograms has less than a page */
#define CODEL_FAR_DELAY_FIRST	96
#define CODEL_FAR_DELAYS	104

/**
 * struct codel_far_stats - the queue in another device; behind the histogram of sojourn times
 * @rtt: latest external round trip, ns
 * @path: of its flow without a queue, ns
 * @delay: in the far queue, ns
 * @rate: delivered through it, bytes/s
 * @window: bytes beyond the device that are allowed; 0: no bound, since the far
 *	queue is short, or upstream
 * @beyond: bytes beyond the device; 0 upstream
 * @news_age: time since the latest answer, ns; 2^64-1 before the first
 * @answers: to packets that left
 * @released: packets that left a closed window without an answer
 * @state: enum codel_far_state
 * @delay_first: number of the first bucket of the histogram of @delay that follows, __u32 each;
 *	see codel_delay.h. Bucket CODEL_FAR_DELAY_FIRST counts what is shorter, too, and the last
 *	of CODEL_FAR_DELAYS what is longer
 * @delay_count: number of buckets; those left out count 0
 */
struct codel_far_stats {
	__aligned_u64 rtt;
	__aligned_u64 path;
	__aligned_u64 delay;
	__aligned_u64 rate;
	__aligned_u64 window;
	__aligned_u64 beyond;
	__aligned_u64 news_age;
	__aligned_u64 answers;
	__aligned_u64 released;
	__u32 state;
	__u16 delay_first;
	__u16 delay_count;
};

/**
 * struct codel_xstats - statistics of codel
 * @common: as in <linux/pkt_sched.h>
 * @reserved: 0
 * @ext: extended statistics
 */
struct codel_xstats {
	struct tc_codel_xstats common;
	__u32 reserved;
	struct codel_ext_stats ext;
};

/**
 * struct codel_fq_xstats - statistics of fq_codel
 * @common: as in <linux/pkt_sched.h>
 * @shared: collisions: packets on overflow flows, which several hashes may use
 * @ext: extended statistics
 */
struct codel_fq_xstats {
	struct tc_fq_codel_xstats common;
	__aligned_u64 shared;
	struct codel_ext_stats ext;
};

/**
 * struct codel_tuple - addresses and ports of a sample packet of a flow
 * @src: source address; the first four bytes are that of IPv4
 * @dst: destination address
 * @sport: source port, 0 if the protocol has none
 * @dport: destination port
 * @protocol: Ethernet type; 0, as all other members, if there is no sample yet, or if the
 *	reader has no CAP_NET_ADMIN in the device's network namespace
 * @ip_proto: protocol above IP
 * @reserved: 0
 */
struct codel_tuple {
	__u8 src[16];
	__u8 dst[16];
	__be16 sport;
	__be16 dport;
	__be16 protocol;
	__u8 ip_proto;
	__u8 reserved;
};

/* Buckets of the sojourn times of a flow, one to each power of two: the first below
 * 2^20 ns (1.05 ms), the last from 2^31 ns (2.15 s) on
 */
#define CODEL_FLOW_DELAYS	13
#define CODEL_FLOW_DELAY_SHIFT	19

/**
 * struct codel_flow_stats - flow record: counters since the flow belongs to its hash
 * @bytes: sent
 * @packets: sent
 * @drops: by CoDel and for limits, packets
 * @marks: by CoDel and ce_threshold, packets
 * @delay: packets sent, by sojourn time
 * @tuple: a sample: every 255th packet, the second first
 * @reserved: 0
 */
struct codel_flow_stats {
	__aligned_u64 bytes;
	__aligned_u64 packets;
	__u32 drops;
	__u32 marks;
	__u32 delay[CODEL_FLOW_DELAYS];
	struct codel_tuple tuple;
	__u8 reserved[4];
};

/**
 * struct codel_fq_class_xstats - statistics of a class of fq_codel
 * @common: as in <linux/pkt_sched.h>
 * @flow: the flow record; absent if the flow has none, see "flows" in the manual
 */
struct codel_fq_class_xstats {
	struct tc_fq_codel_xstats common;
	struct codel_flow_stats flow;
};

#endif /* CODEL_UAPI_H */
