/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A snapshot contains the state of all queues of a network namespace; a delta is the
 * difference of two snapshots. Only netlink.c and replay.c depend on the source of a
 * snapshot, the kernel or a recording.
 */
#ifndef CODELSTAT_SNAPSHOT_H
#define CODELSTAT_SNAPSHOT_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../../uapi/codel_delay.h"
#include "../../uapi/codel_uapi.h"

#define CS_NS_PER_US	1000ULL

#define CS_KIND_MAX	16
#define CS_NAME_MAX	(3 * (IFNAMSIZ - 1) + 1)	/* of a device, with escapes */

#define CS_PLACE_DEPTH	8			/* the kernel allows 7 */
#define CS_PLACE_MAX	(9 + 5 * CS_PLACE_DEPTH + 1)	/* of "ffff:ffff" and ":ffff" */

/* Bounds of a snapshot, and so of its memory: about 94 MiB of qdiscs, 160 MiB of flows */
#define CS_QDISCS_MAX	(1U << 17)
#define CS_FLOWS_MAX	(1U << 20)

/* Kinds that are shown; others matter only as parents */
enum cs_kind {
	CS_OTHER,
	CS_CODEL,	/* codel, codel_oot */
	CS_FQ_CODEL,	/* fq_codel, fq_codel_oot */
};

/**
 * struct cs_qdisc - a qdisc, codel or fq_codel
 * @message: where the kernel's message begins, in @raw of the snapshot
 * @ifindex: of its device
 * @dev: name of its device
 * @handle: as in struct tcmsg, 0x00100000 is "10:"
 * @parent: the same; TC_H_ROOT, or a class of another qdisc
 * @above: kind of the parent qdisc ("mq", "htb"), "" for a root
 * @place: @parent as text, and the same each time that the qdisc is set up again: a class of
 *	a qdisc with an automatic handle is that of the place of this qdisc, "root:1"
 * @kind: its name
 * @type: as an enum
 * @out_of_tree: its module is out-of-tree
 * @oot: the same, and its extended statistics are in @ext_stats
 * @target: ns
 * @interval: ns
 * @limit: packets
 * @flows: queues; 0 in codel
 * @memory_limit: bytes; 0 in codel, or if not known
 * @ecn: marks
 * @ce_threshold: ns; UINT64_MAX if off
 * @ceiling: ns; UINT64_MAX if off, or if the module has none
 * @rate: of the shaper, bytes/s; UINT64_MAX if off, or if the module has none
 * @target_effective: the target in force, us; 0 without a rate, where it is @target
 * @interval_effective: the same of @interval
 * @bytes: sent, bypassed packets included
 * @packets: the same, segments of the wire
 * @drops: all causes, in 32 bits (qstats)
 * @overlimits: qstats
 * @backlog: bytes; 64 bits for sums
 * @qlen: packets
 * @memory: bytes used; fq_codel
 * @maxpacket: bytes
 * @ecn_mark: packets, 32 bits
 * @ce_mark: packets, 32 bits
 * @drop_overlimit: packets, 32 bits
 * @drop_overmemory: packets, 32 bits; fq_codel
 * @new_flow_count: fq_codel, 32 bits
 * @active: flows on new_flows and old_flows; fq_codel
 * @collisions: packets on overflow flows; fq_codel_oot
 * @dropping: codel
 * @ldelay: sojourn time of the last packet, us; codel
 * @link: its part in a rate that several qdiscs share; its queues are 0 without one
 * @ext_stats: extended statistics: packet accounting, sum and maximum of the delay; in-tree: none but
 *	the drops that were counted before, see cs_follow()
 * @delay: the buckets of the histogram that @ext_stats describes; memory of the snapshot
 * @far: the queue in another device that it follows, and behind it the __u32 of each of its buckets; NULL without
 *	one; memory of the snapshot
 */
struct cs_qdisc {
	size_t message;
	int ifindex;
	char dev[CS_NAME_MAX];
	uint32_t handle;
	uint32_t parent;
	char above[CS_NAME_MAX];
	char place[CS_PLACE_MAX];
	char kind[CS_KIND_MAX];
	enum cs_kind type;
	bool out_of_tree;
	bool oot;

	uint64_t target;
	uint64_t interval;
	uint32_t limit;
	uint32_t flows;
	uint32_t memory_limit;
	bool ecn;
	uint64_t ce_threshold;
	uint64_t ceiling;
	uint64_t rate;
	uint32_t target_effective;
	uint32_t interval_effective;

	uint64_t bytes;
	uint64_t packets;
	uint32_t drops;
	uint32_t overlimits;
	uint64_t backlog;
	uint64_t qlen;
	uint32_t memory;
	uint32_t maxpacket;
	uint32_t ecn_mark;
	uint32_t ce_mark;
	uint32_t drop_overlimit;
	uint32_t drop_overmemory;
	uint32_t new_flow_count;
	uint32_t active;
	uint64_t collisions;
	bool dropping;
	uint32_t ldelay;

	struct codel_shared_stats link;
	struct codel_ext_stats ext_stats;
	const uint64_t *delay;
	const struct codel_far_stats *far;
};

/* The kernel numbers qdiscs without a handle from 8001: on, another one each time. */
static inline bool cs_is_automatic(uint32_t handle)
{
	return handle >> 31;
}

/* Target and interval in force, ns */
static inline uint64_t cs_target(const struct cs_qdisc *qdisc)
{
	return qdisc->target_effective ? qdisc->target_effective * CS_NS_PER_US : qdisc->target;
}

static inline uint64_t cs_interval(const struct cs_qdisc *qdisc)
{
	return qdisc->interval_effective ? qdisc->interval_effective * CS_NS_PER_US :
					   qdisc->interval;
}

/* Packets in a bucket of codel_delay.h; most qdiscs have few buckets that are not empty */
static inline uint64_t cs_delay_in(const struct cs_qdisc *qdisc, unsigned int bucket)
{
	const unsigned int at = bucket - qdisc->ext_stats.delay_first;

	return at < qdisc->ext_stats.delay_count ? qdisc->delay[at] : 0;
}

/**
 * struct cs_flow - a class of an fq_codel
 * @message: as in struct cs_qdisc
 * @ifindex: of its device
 * @classid: as in struct tcmsg
 * @backlog: bytes
 * @qlen: packets
 * @ldelay: sojourn time of the last packet, us
 * @count: of the control law
 * @dropping: CoDel is in the dropping state
 * @known: the kernel gave @stats
 * @stats: of the flow record
 */
struct cs_flow {
	size_t message;
	int ifindex;
	uint32_t classid;
	uint32_t backlog;
	uint32_t qlen;
	uint32_t ldelay;
	uint32_t count;
	bool dropping;
	bool known;
	struct codel_flow_stats stats;
};

struct cs_raw;

/**
 * struct cs_snapshot - all qdiscs and flows at one time
 * @raw: the messages; they are the source's, and valid until it fills another snapshot
 * @monotonic: time after the last message of the dump, ns (CLOCK_MONOTONIC)
 * @realtime: the same, ns since 1970
 * @qdiscs: by device, then handle; @n_qdiscs of them
 * @flows: by device, then class; @n_flows of them; only if asked for
 * @dev_known: the device of the filter is there
 * @nameless: a qdisc is on a device whose name is not known
 * @links: a qdisc shares a rate; without one, no device is searched for links
 * @room_qdiscs: for how many there is memory at @qdiscs; one that was used is filled again
 * @room_flows: the same, at @flows
 * @delays: the histograms of all qdiscs, one after another; @n_delays buckets
 * @room_delays: the same, at @delays
 */
struct cs_snapshot {
	const struct cs_raw *raw;
	uint64_t monotonic;
	uint64_t realtime;
	struct cs_qdisc *qdiscs;
	size_t n_qdiscs;
	struct cs_flow *flows;
	size_t n_flows;
	bool dev_known;
	bool nameless;
	bool links;
	size_t room_qdiscs;
	size_t room_flows;
	uint64_t *delays;
	size_t n_delays;
	size_t room_delays;
};

/* ns */
static inline uint64_t cs_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/**
 * struct cs_source - a source of snapshots
 * @next: fill a snapshot, which is empty or was used before; returns 1, 0 at the end (of a recording), or -1
 *	after an error, which was printed
 * @due: when the next snapshot is to be taken, @seconds after the last one, in the time of
 *	cs_now(CLOCK_MONOTONIC). Of a recording: after the recorded pause, divided by the
 *	speed
 * @close: free it
 */
struct cs_source {
	int (*next)(struct cs_source *source, struct cs_snapshot *snapshot);
	uint64_t (*due)(struct cs_source *source, double seconds);
	void (*close)(struct cs_source *source);
};

/* Verdicts use the flows of this number of devices at most: a dump of classes for each */
#define CS_FLOW_DEVS 8

/**
 * struct cs_filter - selects devices, qdiscs and flows
 * @dev: a device's name, NULL for all
 * @handle: a qdisc's handle (TC_H_MAJ), 0 for all
 * @flows: classes of fq_codel, too
 * @flow_devs: read flows only of this number of devices, largest backlog first; 0 for all
 */
struct cs_filter {
	const char *dev;
	uint32_t handle;
	bool flows;
	size_t flow_devs;
};

/* netlink.c: the running kernel, in this process's network namespace. NULL after an error. */
struct cs_source *cs_netlink_open(const struct cs_filter *filter);

/* record.c: a file made by "codelstat record". NULL after an error. */
struct cs_source *cs_replay_open(const char *path, const struct cs_filter *filter,
				 double speed);

/* Give its memory back. */
void cs_snapshot_clear(struct cs_snapshot *snapshot);

/* Empty it, with memory for histograms of @bytes in all; -1 and ENOMEM */
int cs_snapshot_begin(struct cs_snapshot *snapshot, size_t bytes);

/* Room for one more, zeroed and counted; NULL and ENOMEM, or EFBIG at CS_QDISCS_MAX or
 * CS_FLOWS_MAX
 */
struct cs_qdisc *cs_snapshot_add_qdisc(struct cs_snapshot *snapshot);
struct cs_flow *cs_snapshot_add_flow(struct cs_snapshot *snapshot);

/* Copy a histogram into the memory that cs_snapshot_begin() has allocated. */
const uint64_t *cs_snapshot_add_delay(struct cs_snapshot *snapshot, const void *buckets,
				      size_t count);

/* By device, then handle, then parent: default qdiscs below mq all have handle 0 */
void cs_snapshot_sort(struct cs_snapshot *snapshot);

/* The flows of one qdisc, @n of them. If a device has several default qdiscs (handle 0),
 * their flows belong to none of them.
 */
const struct cs_flow *cs_snapshot_flows(const struct cs_snapshot *snapshot,
					const struct cs_qdisc *qdisc, size_t *n);

/* The qdisc of the same device, handle, parent and kind in an earlier snapshot, NULL if
 * there is none or if its counters have started again from 0 in between.
 */
const struct cs_qdisc *cs_snapshot_find(const struct cs_snapshot *in,
					const struct cs_qdisc *qdisc);

/**
 * struct cs_delta - counts of a qdisc in an interval
 * @seconds: its length
 * @bytes: sent in it
 * @packets: the same
 * @drops: dropped in it, all causes; @cause has each of them
 * @marks: marked in it
 * @cause: packets by enum codel_drop_cause; in-tree qdiscs count only memory, limit,
 *	and the rest as codel
 * @mark: packets by enum codel_mark_cause
 * @collisions: packets on overflow flows, see codel_fq_xstats
 * @wire: bytes sent in it, as the shaper counts them
 * @waits: slices of a shared link that began later because of other qdiscs
 * @wait_sum: by how much, ns
 * @delays: packets of the histogram @delay
 * @delay: sojourn times in the interval; only of out-of-tree qdiscs
 */
struct cs_delta {
	double seconds;
	uint64_t bytes;
	uint64_t packets;
	uint64_t drops;
	uint64_t marks;
	uint64_t cause[CODEL_DROP_CAUSES];
	uint64_t mark[CODEL_MARK_CAUSES];
	uint64_t collisions;
	uint64_t wire;
	uint64_t waits;
	uint64_t wait_sum;
	uint64_t delays;
	uint64_t delay[CODEL_DELAY_BUCKETS];
};

/* delta.c: from @before to @now; @before NULL stands for all that @now has counted, in
 * 0 seconds.
 */
void cs_delta(struct cs_delta *delta, const struct cs_qdisc *before,
	      const struct cs_qdisc *now, double seconds);

/* delta.c: of in-tree qdiscs, drops by cause are differences of counters that the kernel does not
 * read at the same time, and that wrap. From now on cs_delta() without @before counts for @now no
 * fewer than for @before, and as many in the end.
 */
void cs_follow(struct cs_snapshot *now, const struct cs_snapshot *before);

/* delta.c: the bucket that contains the percentile @p (0 to 100) of @sum packets, 1 or more. Look
 * from bucket @i on, below which there are *@passed; then a higher one can be looked for from there.
 */
unsigned int cs_reach(const uint64_t delay[CODEL_DELAY_BUCKETS], uint64_t sum, double p,
		      unsigned int i, uint64_t *passed);

/* The percentiles of an interval, ns; @known: there were packets whose delay is known */
struct cs_delays {
	bool known;
	double p50;
	double p90;
	double p99;
	double p999;
	double max;
};

/* delta.c: upper bounds of the buckets that contain the percentiles, as tc prints them, but no
 * longer than the longest delay of all times
 */
void cs_delays(struct cs_delays *delays, const struct cs_qdisc *qdisc,
	       const struct cs_delta *delta);

/* Milliseconds that the backlog takes at the rate of the interval; negative if not known */
double cs_backlog_ms(const struct cs_qdisc *qdisc, const struct cs_delta *delta);

/* Verdicts: numbers may change, words do not */
enum cs_code {
	CS_LIMIT_ZERO,
	CS_IDLE,
	CS_STALLED,
	CS_OVERLOAD_LIMIT,
	CS_MEMORY_LIMIT,
	CS_PACKET_LIMIT,
	CS_FILTER_DROPS,
	CS_RESET_DROPS,
	CS_CHANGE_DROPS,
	CS_SLOW_LINK,
	CS_CE_THRESHOLD,
	CS_UNRESPONSIVE_FLOW,
	CS_OVERLOAD_CEILING,
	CS_SLOW_SENDERS,
	CS_IN_CONTROL,
	CS_ACTING,
	CS_STANDING_QUEUE,
	CS_BURSTS,
	CS_WAITING,
	CS_NOT_THE_BOTTLENECK,
	CS_CODES
};

extern const char *const cs_code_words[CS_CODES];

/**
 * cs_verdict() - the state of a queue for its operator, in one line
 * @qdisc: as it is now
 * @delta: its counts in the last interval
 * @flows: its active flows, NULL if they were not asked for
 * @n_flows: how many
 * @text: written
 * @size: of @text
 *
 * Return: the same without numbers and without the remark
 */
enum cs_code cs_verdict(const struct cs_qdisc *qdisc, const struct cs_delta *delta,
			const struct cs_flow *flows, size_t n_flows, char *text, size_t size);

#endif /* CODELSTAT_SNAPSHOT_H */
