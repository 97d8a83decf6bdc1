// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Senders, a modem and a link: bounds that hold for three seeds with room to spare */
#include <stddef.h>

#include "cases.h"
#include "ktap.h"
#include "scene.h"

/* Share at least, p95 at most in ms */
static bool holds(struct scene *scene, double share, double p95, struct scene_result *result)
{
	struct scene_result r;

	scene_run(scene, &r);
	course_free(&scene->course);
	if (result)
		*result = r;
	if (r.share >= share && r.p95 <= p95)
		return true;
	ktap_note("share %.3f, p50 %.1f, p95 %.1f, p99 %.1f ms, path %.1f ms", r.share, r.p50, r.p95, r.p99, r.path);
	return false;
}

static struct scene steady(uint64_t seed, double rate, bool down)
{
	struct scene scene = scene_usual();

	scene.seed = seed;
	scene.down = down;
	course_add(&scene.course, 0, rate);
	return scene;
}

static bool test_up_steady(uint64_t seed)
{
	struct scene fast = steady(seed, 20e6, false), slow = steady(seed, 1e6, false);

	return holds(&fast, .99, 20, NULL) && holds(&slow, .97, 160, NULL);
}

static bool test_down_steady(uint64_t seed)
{
	struct scene fast = steady(seed, 20e6, true);

	return holds(&fast, .99, 45, NULL);
}

/* The share of what a queue for each flow at the link itself carries, which depends on the senders */
static bool holds_beside_ideal(struct scene *scene, double share, double p95)
{
	struct scene ideal = *scene;
	struct scene_result best;

	ideal.method = SCENE_IDEAL;
	scene_run(&ideal, &best);
	return holds(scene, share * best.share, p95, NULL);
}

/* Senders in slow start find no window in their way, and the CoDel of their queue here does not end it. */
static bool first_seconds(uint64_t seed)
{
	static const struct { double rate; uint64_t rtt; uint32_t flows; } starts[] = {
		{ 20e6, 40, 1 }, { 20e6, 40, 4 }, { 20e6, 40, 16 }, { 100e6, 40, 1 }, { 50e6, 40, 8 }, { 50e6, 200, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		struct scene scene = steady(seed, starts[i].rate, false);

		scene.rtt = starts[i].rtt * WORLD_MS;
		scene.flows = starts[i].flows;
		scene.begin = 0;
		scene.end = 5 * WORLD_SEC;
		if (!holds_beside_ideal(&scene, .96, 45))
			return false;
	}
	return true;
}

/* The option is set while the FIFO is full, half a second long. Seven seconds later it is short, but for what a dip finds last. */
static bool set_under_load(uint64_t seed, uint32_t flows)
{
	struct scene scene = steady(seed, 20e6, false);

	scene.flows = flows;
	scene.on = 10 * WORLD_SEC;
	scene.begin = 17 * WORLD_SEC;
	scene.end = 30 * WORLD_SEC;
	return holds(&scene, .97, 100, NULL);
}

/* Eight seeds, for a fault shows in one of five, or in fewer */
static bool test_up_first_seconds(uint64_t seed)
{
	uint64_t i;

	for (i = 8 * seed; i < 8 * seed + 8; i++)
		if (!first_seconds(i))
			return false;
	return true;
}

static bool test_up_set_under_load(uint64_t seed)
{
	uint64_t i;

	for (i = 8 * seed; i < 8 * seed + 8; i++)
		if (!set_under_load(i, 4))
			return false;
	return set_under_load(seed, 1);
}

/* 20 and 5 Mbit/s, 10 s each */
static bool test_up_steps(uint64_t seed)
{
	struct scene scene = steady(seed, 20e6, false);
	int i;

	for (i = 1; i < 6; i++)
		course_add(&scene.course, 10 * i, i % 2 ? 5e6 : 20e6);
	return holds_beside_ideal(&scene, .95, 40);
}

/* A standstill of 300 ms each 5 s; a rate that jumps at random every 100 ms */
static bool test_up_pauses(uint64_t seed)
{
	struct scene scene = steady(seed, 20e6, false);
	int i;

	for (i = 1; i < 12; i++) {
		course_add(&scene.course, 5 * i, 1e3);
		course_add(&scene.course, 5 * i + .3, 20e6);
	}
	return holds_beside_ideal(&scene, .95, 30);
}

static bool test_up_random(uint64_t seed)
{
	struct scene scene = steady(seed, 6e6, false);
	struct rng rng;
	int i;

	rng_seed(&rng, seed);
	for (i = 1; i < 600; i++)
		course_add(&scene.course, i / 10., rng_even(&rng, 2000000, 12000000));
	return holds_beside_ideal(&scene, .95, 60);
}

static bool test_up_many(uint64_t seed)
{
	struct scene scene = steady(seed, 6e6, false);

	scene.flows = 32;
	return holds(&scene, .95, 150, NULL);
}

/* The path is 50 ms longer, or 20 ms shorter, at 20 s */
static bool test_up_path(uint64_t seed)
{
	struct scene longer = steady(seed, 20e6, false), shorter = steady(seed, 20e6, false);
	struct scene_result r;

	longer.path_at = shorter.path_at = 20 * WORLD_SEC;
	longer.path_by = 50 * (int64_t)WORLD_MS;
	shorter.path_by = -20 * (int64_t)WORLD_MS;
	if (!holds(&longer, .85, 25, &r) || r.path < 89 || r.path > 95)
		return false;
	return holds(&shorter, .99, 40, &r) && r.path > 19 && r.path < 25;
}

/* More acknowledgments in a round trip than there are places for marks: before, none was answered, and the queue was full. */
static bool test_down_many(uint64_t seed)
{
	struct scene scene = steady(seed, 20e6, true);

	scene.flows = 32;
	scene.end = 30 * WORLD_SEC;
	return holds(&scene, .99, 250, NULL);
}

static bool test_down_path(uint64_t seed)
{
	struct scene scene = steady(seed, 20e6, true);
	struct scene_result r;

	scene.path_at = 20 * WORLD_SEC;
	scene.path_by = 50 * (int64_t)WORLD_MS;
	scene.end = 100 * WORLD_SEC;
	return holds(&scene, .85, 60, &r) && r.path > 89 && r.path < 97;
}

/* Minutes: the path is that of the beginning. */
static bool test_long(uint64_t seed)
{
	struct scene up = steady(seed, 10e6, false), down = steady(seed, 10e6, true);
	struct scene_result r;

	up.end = down.end = 200 * WORLD_SEC;
	if (!holds(&up, .99, 25, &r) || r.path > 46)
		return false;
	return holds(&down, .99, 60, &r) && r.path < 46;
}

static bool test_mixed(uint64_t seed)
{
	struct scene up = steady(seed, 20e6, false), down = steady(seed, 20e6, true);

	up.rtt = down.rtt = 20 * WORLD_MS;
	up.rtt2 = down.rtt2 = 120 * WORLD_MS;
	return holds(&up, .99, 25, NULL) && holds(&down, .98, 70, NULL);
}

/* Packets wait on the way back for up to 30 ms. Clocks of 1 us, 1 ms and 10 ms tell the two queues apart. */
static bool test_way_back(uint64_t seed)
{
	static const uint32_t ticks[] = { 1000, WORLD_MS, 10 * WORLD_MS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		struct scene up = steady(seed, 20e6, false), down = steady(seed, 20e6, true);

		up.back = down.back = 30 * WORLD_MS;
		up.tick = down.tick = ticks[i];
		if (!holds(&up, .90, 30, NULL) || !holds(&down, .90, 40, NULL))
			return false;
	}
	return true;
}

/* Without time stamps, as before; a path of 200 ms */
static bool test_up_without_stamps(uint64_t seed)
{
	struct scene scene = steady(seed, 20e6, false);

	scene.tick = 0;
	return holds(&scene, .99, 20, NULL);
}

/*
 * Without time stamps, and packets that wait on the way back for up to a second: if as much comes in as leaves, it is a
 * queue there, and nothing is held back. If less than half, it has no queue.
 */
static bool test_up_without_stamps_beside_downloads(uint64_t seed)
{
	struct scene busy = steady(seed, 10e6, false), beside = steady(seed, 10e6, false);

	busy.tick = beside.tick = 0;
	busy.back = 1000 * WORLD_MS;
	busy.back_least = 600 * WORLD_MS;
	busy.wave = 15 * WORLD_SEC;
	busy.arrivals = 10e6;
	beside.arrivals = 4e6;
	busy.end = beside.end = 30 * WORLD_SEC;
	return holds(&busy, .98, 1300, NULL) && holds(&beside, .98, 30, NULL);
}

/* Two flows of a neighbour. They take the link in slow start: without the watch, the four flows here keep 1% of it. */
static bool test_up_neighbour(uint64_t seed)
{
	struct scene scene = steady(seed, 10e6, false);
	struct scene_result r;

	scene.neighbours = 2;
	scene.begin = 50 * WORLD_SEC;
	scene.end = 150 * WORLD_SEC;
	if (!holds(&scene, .99, 1300, &r))
		return false;
	if (r.own < .1)
		ktap_note("%.1f%% of the link", 100 * r.own);
	return r.own >= .1;
}

static bool test_up_long(uint64_t seed)
{
	struct scene scene = steady(seed, 20e6, false);

	scene.rtt = 200 * WORLD_MS;
	return holds(&scene, .88, 60, NULL);
}

static const struct test_case cases[] = {
	{ "up: a steady link is full, and its queue short", test_up_steady },
	{ "down: a steady link is full, and its queue short", test_down_steady },
	{ "down: many flows", test_down_many },
	{ "up: the first seconds", test_up_first_seconds },
	{ "up: set while the far queue is full", test_up_set_under_load },
	{ "up: steps of the rate", test_up_steps },
	{ "up: pauses", test_up_pauses },
	{ "up: a rate at random", test_up_random },
	{ "up: many flows whose acknowledgements are late", test_up_many },
	{ "up: a path that changes", test_up_path },
	{ "down: a path that changes", test_down_path },
	{ "mixed round trips", test_mixed },
	{ "packets wait on the way back, too", test_way_back },
	{ "up: hosts without time stamps", test_up_without_stamps },
	{ "up: hosts without time stamps, beside downloads", test_up_without_stamps_beside_downloads },
	{ "up: a neighbour's flows", test_up_neighbour },
	{ "up: a long path", test_up_long },
	{ "minutes do not move the path", test_long },
};

const struct group link_group = { cases, ARRAY_SIZE(cases) };
