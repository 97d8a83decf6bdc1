/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Packets, senders and a link in simulated time. A sender is CUBIC with selective acknowledgements: three later ones are a
 * loss, a silence is a timeout. There is no pacing, and no limit of the application.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "rng.h"

#define WORLD_STEP	100000ULL	/* ns */
#define WORLD_MS	1000000ULL
#define WORLD_SEC	1000000000ULL
#define WORLD_BYTES	1514
#define WORLD_PING	100
#define WORLD_FLOWS	64
#define WORLD_SENT	(1U << 14)	/* packets of a flow in flight, at most */

/**
 * struct packet
 * @flow: its sender; -1 for a ping
 * @number: of its sender
 * @bytes: on the wire
 * @at: when it entered the queue where it is, or is due, ns
 * @echo: down: the time stamp that it echoes, ms; 0 for none
 * @syn: down: it answers the first packet of a connection
 * @left: the host whose clock the router reads, ns
 */
struct packet {
	int flow;
	uint32_t number;
	uint32_t bytes;
	uint64_t at;
	uint32_t echo;
	bool syn;
	uint64_t left;
};

/* A queue that grows */
struct fifo {
	struct packet *ring;
	uint32_t head;
	uint32_t count;
	uint32_t size;
};

void fifo_put(struct fifo *f, struct packet p);
struct packet *fifo_first(struct fifo *f);
struct packet fifo_take(struct fifo *f);
void fifo_free(struct fifo *f);

/**
 * struct sender
 * @cwnd: congestion window, packets
 * @ssthresh: slow start ends there, packets
 * @wmax: @cwnd at the latest reduction
 * @k: seconds from then until @cwnd is @wmax again
 * @srtt: smoothed round trip, s
 * @epoch: the latest reduction, ns
 * @heard: the latest acknowledgement, ns
 * @begin: of its packets, ns
 * @echo: time stamp that its packets echo, ms
 * @next: number of its next packet
 * @una: the oldest packet that is neither acknowledged nor lost
 * @recover: a loss before this one is that of a window which has been reduced
 * @inflight: packets
 * @timeouts: since the latest acknowledgement
 * @reno: congestion control without the cubic
 * @fate: of each packet
 * @sent: when, ns
 */
struct sender {
	double cwnd, ssthresh, wmax, k, srtt;
	uint64_t epoch, heard, begin;
	uint32_t echo, next, una, recover, inflight, timeouts;
	bool reno;
	uint8_t fate[WORLD_SENT];
	uint64_t sent[WORLD_SENT];
};

void sender_start(struct sender *s, uint64_t begin, bool reno);
void sender_acked(struct sender *s, uint32_t number, uint64_t now);
/* Return whether it has a packet to send. */
bool sender_may(struct sender *s, uint64_t now);
/* Return the number of the packet. */
uint32_t sender_send(struct sender *s, uint64_t now);

/* The rate of a link over time: each step holds until the next, the last for ever */
struct course {
	uint32_t count;
	uint32_t now;
	struct {
		uint64_t at;
		double rate;
	} *step;
};

void course_add(struct course *c, double seconds, double rate);
/* Read a file as those in lab/courses. Return false if there is none. */
bool course_read(struct course *c, const char *path);
double course_rate(struct course *c, uint64_t now);
/* Bytes that the link can carry */
double course_bytes(const struct course *c, uint64_t from, uint64_t to);
void course_free(struct course *c);

#endif /* WORLD_H */
