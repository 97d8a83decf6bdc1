// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Several queues that take turns at one link, each through codel.h and the
 * model, with one link for all. A round takes from a part of an interval to
 * several of them.
 */
#include "ktap.h"
#include "pair.h"
#include "rng.h"
#include "groups.h"

#define US		1000ULL
#define MS		(1000 * US)
#define SEC		(1000 * MS)
#define MTU		1514
#define QUEUES		12
#define LIMIT		100	/* packets of one queue */
#define SERVED		20000	/* dequeues in an episode */

struct turns {
	struct pair queue[QUEUES];
	struct pair_link link;
	struct rng rng;
	unsigned int queues;	/* of QUEUES, in this episode */
	unsigned int next;	/* the turn is this one's */
	u64 now;
	u64 slot;		/* time that one packet takes, ns */
	unsigned int load;	/* percent of the link that arrives */
};

static u64 turns_bytes(const struct turns *turns)
{
	u64 bytes = 0;
	unsigned int i;

	for (i = 0; i < turns->queues; i++)
		bytes += turns->queue[i].model.queue.bytes;
	return bytes;
}

static void turns_arrive(struct turns *turns)
{
	unsigned int burst = rng_even(&turns->rng, 1, 4);
	unsigned int i = rng_even(&turns->rng, 0, turns->queues - 1);
	struct pair *pair = &turns->queue[i];

	while (burst-- && fifo_len(&pair->model.queue) < LIMIT)
		pair_enqueue(pair, turns->now,
			     rng_even(&turns->rng, MTU / 2, MTU),
			     rng_percent(&turns->rng, 30));
}

/* Dequeue from the next queue. Skip an empty queue half of the time. */
static bool turns_serve(struct turns *turns)
{
	struct pair *pair = &turns->queue[turns->next];

	turns->next = (turns->next + 1) % turns->queues;
	if (!fifo_len(&pair->model.queue) && rng_percent(&turns->rng, 50))
		return true;
	pair->limits.elsewhere = turns_bytes(turns) - pair->model.queue.bytes;
	return pair_dequeue(pair, turns->now);
}

static void turns_phase(struct turns *turns, bool first)
{
	static const unsigned int loads[] = { 30, 90, 110, 150, 400 };
	const struct codel_params *params = &turns->queue[0].subject.params;
	u64 interval = params->interval;
	u64 ceiling = rng_even(&turns->rng, interval / 4, interval);
	unsigned int choice = rng_even(&turns->rng, 0, 9);
	unsigned int i;

	if (choice == 0 && !first)
		ceiling = CODEL_CEILING_OFF;
	else if (choice < 7)
		ceiling = codel_default_ceiling(params);
	for (i = 0; i < turns->queues; i++)
		pair_set_ceiling(&turns->queue[i], ceiling);
	turns->slot = interval * rng_even(&turns->rng, 1, 200) / 100 /
		      turns->queues;
	turns->load = loads[rng_even(&turns->rng, 0, 4)];
	/* a pause of the link */
	if (rng_percent(&turns->rng, 30))
		turns->now += rng_even(&turns->rng, interval, 20 * interval);
}

static bool turns_episode(struct turns *turns, unsigned int number)
{
	static const unsigned int bound[] = { 0, 256, 1, 3 };
	u64 interval = number % 3 ? 100 * MS : rng_even(&turns->rng, US, SEC);
	unsigned int i;

	turns->link = (struct pair_link) { 0 };
	turns->queues = rng_even(&turns->rng, 1, QUEUES);
	turns->next = 0;
	turns->now = 1;
	for (i = 0; i < turns->queues; i++) {
		struct pair *pair = &turns->queue[i];

		pair_reset(pair);
		pair_share(pair, &turns->link);
		pair_set(pair, interval / 20, interval);
		pair->limits.mtu = MTU;
		pair->limits.bound = bound[number % 4];
	}
	for (i = 0; i < SERVED; i++) {
		if (i % 500 == 0)
			turns_phase(turns, i == 0);
		/* 2.5 packets arrive at once, on average */
		if (rng_even(&turns->rng, 0, 249) < turns->load)
			turns_arrive(turns);
		turns->now += rng_even(&turns->rng, 1, 2 * turns->slot);
		if (!turns_serve(turns))
			return false;
	}
	return true;
}

/* Return true if every path was taken. */
static bool turns_report(const struct turns *turns)
{
	struct figures all = { 0 };
	unsigned int i;

	for (i = 0; i < QUEUES; i++)
		figures_add(&all, &turns->queue[i].model.figures);
	ktap_note("%llu delivered, %llu drops, %llu of them by chance; %llu queues stood for an interval, %llu as their turns are rare; %llu stood no longer",
		  all.delivered, all.drops, all.over, all.stood, all.rare, all.calmed);
	return all.delivered && all.over && all.drops > all.over && all.stood &&
	       all.rare && all.calmed && !all.first;
}

int turns_cases(void)
{
	return 1;
}

void turns_run(const struct group_options *options)
{
	static struct turns turns;
	bool ok = true;
	unsigned int i;

	rng_seed(&turns.rng, options->seed);
	for (i = 0; i < QUEUES; i++)
		ok &= pair_alloc(&turns.queue[i]);
	for (i = 0; ok && i < options->episodes / 3; i++) {
		ok = turns_episode(&turns, i);
		if (!ok)
			ktap_note("in episode %u", i);
	}
	ok &= turns_report(&turns);
	ktap_result(ok, "queues that take turns, with ceilings");
	for (i = 0; i < QUEUES; i++)
		pair_free(&turns.queue[i]);
}
