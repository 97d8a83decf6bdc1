/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A link in simulated time: a queue, a timer that is late, and the clock under test, used as by
 * the qdisc. A model and a policer watch each packet that leaves.
 *
 *	arrivals -> queue -> codel_clock_send() -> policer: the rate, and 10 ms at once
 *			      timer, late by up to @late_max
 */
#ifndef LINK_H
#define LINK_H

#include "exact.h"
#include "rng.h"

#define LINK_QUEUE	1024
#define LINK_LOG	(1 << 20)
#define LINK_NEVER	(~0ULL)

/**
 * struct packet
 * @len: bytes on the wire
 * @waits: for another packet, when it arrives
 */
struct packet {
	u32 len;
	bool waits;
};

/* A packet that has left */
struct departure {
	u64 time;
	u32 len;
};

/**
 * struct link
 * @late_max: of the timer, ns
 * @stalls: of 1000 timers, those that are late by up to 200 ms
 * @timer: when it fires
 * @timer_set: for this time
 * @end: of the model: when the link has sent what left, 1/256 ns
 * @policer: when a link that is no faster would have sent that, in bytes/s * ns
 * @burst: the longest time by which it is ahead of such a link, in bytes/s * ns
 * @bytes: that have left
 * @count: packets that have left; the first LINK_LOG are in the log
 */
struct link {
	struct codel_clock clock;
	struct codel_pace pace;
	u64 rate;
	u64 late_max;
	u32 stalls;
	struct rng rng;

	u64 now;
	u64 timer;
	u64 timer_set;
	struct packet queue[LINK_QUEUE];
	u32 head;
	u32 queued;

	exact end;
	exact policer;
	exact burst;
	exact bytes;
	u32 count;
};

extern struct departure link_log[LINK_LOG];

/* Begin with an idle link. */
void link_start(struct link *link, u64 rate, u64 late_max, u64 seed);

/* A packet arrives now. Return false if something was wrong with a packet that left. */
bool link_arrive(struct link *link, u32 len);

/* Time goes on. As above. */
bool link_wait(struct link *link, u64 until);

/* As above, and there are always @packets of @len bytes at least. */
bool link_stand(struct link *link, u64 until, u32 packets, u32 len);

#endif /* LINK_H */
