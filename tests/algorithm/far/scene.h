/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A router and a modem in simulated time, with the code under test in the router.
 *
 *	up	senders -> queue for each flow with CoDel -> window -> modem: FIFO -> link -> receivers
 *	down	senders -> modem: FIFO -> link -> CoDel at a distance -> receivers
 *
 * Receivers acknowledge every second packet at once, and a single one after 40 ms. The acknowledgements pass the router.
 */
#ifndef SCENE_H
#define SCENE_H

#include "world.h"

enum scene_method {
	SCENE_NONE,	/* the router sends at once */
	SCENE_IDEAL,	/* the router is the modem: a queue for each flow, with CoDel, at the link itself */
	SCENE_FAR,	/* the code under test */
};

/**
 * struct scene
 * @course: of the link
 * @down: a download
 * @method: of the router
 * @flows: WORLD_FLOWS at most, with @neighbours
 * @neighbours: flows that pass the link and not the router
 * @rtt: of the path, ns
 * @rtt2: of every second flow; 0: as the others
 * @buffer: of the modem, packets
 * @every: packets to an acknowledgement
 * @gap: from the begin of a flow to that of the next, ns
 * @reno: congestion control
 * @tick: of the hosts' time stamps, ns; 0: the router does not read them
 * @back: packets wait on the way back, for up to this long, ns
 * @back_least: for this long at least, ns
 * @wave: from one such least to the next, ns
 * @arrivals: rate of the packets that wait on the way back, bit/s
 * @path_at: when the path changes, ns; 0: never
 * @path_by: by how much, ns
 * @on: from when on SCENE_FAR is in force; before, the router sends at once, ns
 * @begin: of the measurement, ns
 * @end: of the scene, ns
 * @seed: of the random numbers
 */
struct scene {
	struct course course;
	bool down;
	enum scene_method method;
	uint32_t flows;
	uint32_t neighbours;
	uint64_t rtt;
	uint64_t rtt2;
	uint32_t buffer;
	uint32_t every;
	uint64_t gap;
	bool reno;
	uint32_t tick;
	uint64_t back;
	uint64_t back_least;
	uint64_t wave;
	double arrivals;
	uint64_t path_at;
	int64_t path_by;
	uint64_t on;
	uint64_t begin;
	uint64_t end;
	uint64_t seed;
};

/**
 * struct scene_result
 * @share: of what the link can carry
 * @own: of it, what passed the router
 * @p50: of the bulk packets' delays in the modem, ms
 * @p95: the same
 * @p99: the same
 * @ping95: of a ping each 20 ms
 * @path: estimate of the first flow at the end, ms
 */
struct scene_result {
	double share;
	double own;
	double p50;
	double p95;
	double p99;
	double ping95;
	double path;
};

/* What a scene has unless it says so: 4 CUBIC flows, 40 ms, 1,000 packets, from 5 to 60 s */
struct scene scene_usual(void);
void scene_run(struct scene *scene, struct scene_result *result);

#endif /* SCENE_H */
