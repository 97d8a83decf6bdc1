/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Queues that share a link, in simulated time. Each has packets, a timer that is late, and uses the
 * arithmetic under test as the qdisc does. A policer watches what all of them send.
 *
 *	queue 0: packets -> slice, clock --\
 *	queue 1: packets -> slice, clock ----> policer: the rate, and a slice of each queue
 *	...                                /
 */
#ifndef SHARING_H
#define SHARING_H

#include "codel_shared.h"
#include "exact.h"
#include "rng.h"

#define SHARING_QUEUES	16
#define SHARING_NEVER	(~0ULL)

/**
 * struct shared_queue
 * @len: bytes of its packets
 * @flows: active flows, while it has packets
 * @gap: time between two packets that arrive, ns; 0: there are always packets
 * @on: the queue alternates: time with packets, and the same time without, ns; 0: always
 * @packets: that wait
 * @arrival: of the next packet, or when the queue is turned on or off
 * @since: when the packet at the head became that
 * @timer: when it fires
 * @bytes: sent
 * @longest: wait of a packet at the head
 */
struct shared_queue {
	struct codel_slice slice;
	struct codel_clock clock;
	u32 len;
	u32 flows;
	u64 gap;
	u64 on;
	bool off;
	u32 packets;
	u64 arrival;
	u64 since;
	u64 timer;
	u64 bytes;
	u64 longest;
};

/**
 * struct sharing
 * @late_max: of the timers, ns
 * @policer: when a link that is no faster would have sent what left, in bytes/s * ns
 * @ahead: the longest time by which the queues were ahead of it, ns
 * @idle: since when a queue has packets and none is sent, the longest such time, ns
 */
struct sharing {
	struct codel_shared link;
	struct codel_pace pace;
	u64 rate;
	u64 now;
	u64 late_max;
	struct rng rng;
	struct shared_queue queues[SHARING_QUEUES];
	u32 count;
	exact policer;
	u64 ahead;
};

/* Begin with an idle link and no queues. */
void sharing_start(struct sharing *s, u64 rate, u64 late_max, u64 seed);

/* Add a queue, which has always packets. */
struct shared_queue *sharing_add(struct sharing *s, u32 len, u32 flows);

/* Add a queue to which a packet comes every @gap ns. */
struct shared_queue *sharing_add_sparse(struct sharing *s, u32 len, u64 gap);

/* A queue is deleted, with its packets. */
void sharing_delete(struct sharing *s, struct shared_queue *queue);

/* Time goes on. */
void sharing_run(struct sharing *s, u64 until);

/* Forget what was sent, and how long packets waited. */
void sharing_clear(struct sharing *s);

/* Bytes that all queues have sent */
u64 sharing_bytes(const struct sharing *s);

/* The link time of the longest slice, and of a packet that begins at its end, ns */
u64 sharing_slice(const struct sharing *s);

#endif /* SHARING_H */
