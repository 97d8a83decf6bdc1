// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Traffic through codel.h and the model: a link that serves one packet after
 * the other, arrivals in bursts, both of changing rates, with pauses between;
 * or dequeues aimed at the very nanoseconds at which the algorithm decides.
 */
#include <stddef.h>
#include <stdio.h>

#include "ktap.h"
#include "pair.h"
#include "rng.h"
#include "groups.h"

#define US		1000ULL
#define MS		(1000 * US)
#define SEC		(1000 * MS)
#define HOUR		(3600 * SEC)
#define MBIT		1000000ULL
#define GBIT		(1000 * MBIT)
#define LONGEST		(4294967295ULL * US)

#define MTU		1514
#define EVENTS		30000	/* in an episode */
#define END_OF_TIME	(1ULL << 61)
#define NEVER		(1ULL << 62)

struct pattern {
	const char *name;
	struct range target;	/* ns */
	struct range interval;	/* ns */
	struct range rate;	/* of the link, bit/s */
	struct range load;	/* percent of the link that arrives */
	struct range burst;	/* packets that arrive at once */
	struct range len;	/* bytes */
	struct range pause;	/* between phases, ns */
	struct range phase;	/* events */
	u32 limit;		/* packets */
	unsigned int change;	/* one of this number of events sets new parameters */
	bool mtu_sized;		/* lengths that add up to an MTU, near enough */
	bool shed;		/* a full queue loses packets at its head */
	bool shared;		/* others stand in the same qdisc, at times */
	bool aimed;
	bool few;		/* never enough packets for the ceiling */
	struct range count;	/* of an earlier dropping state */
};

#define INTERNET	.target = { 5 * MS, 5 * MS }, \
			.interval = { 100 * MS, 100 * MS }
#define SOME_LENGTHS	.len = { 64, MTU }
#define FULL_LENGTH	.len = { MTU, MTU }

static const struct pattern patterns[] = {
	{
		.name = "steady overload",
		INTERNET, SOME_LENGTHS,
		.rate = { 10 * MBIT, 10 * MBIT }, .load = { 80, 250 },
		.burst = { 1, 4 }, .phase = { 1000, 9000 }, .limit = 1000,
	}, {
		.name = "bursts, and pauses about 16 intervals long",
		INTERNET, SOME_LENGTHS,
		.rate = { MBIT, 100 * MBIT }, .load = { 100, 400 },
		.burst = { 1, 1000 }, .pause = { 10 * MS, 4 * SEC },
		.phase = { 20, 2000 }, .limit = 10000,
	}, {
		.name = "hours of idle",
		INTERNET, SOME_LENGTHS,
		.rate = { MBIT, 100 * MBIT }, .load = { 100, 400 },
		.burst = { 1, 100 }, .pause = { SEC, 1000 * HOUR },
		.phase = { 20, 2000 }, .limit = 10000,
	}, {
		.name = "75 minutes of idle",
		INTERNET, FULL_LENGTH,
		.rate = { MBIT, 100 * MBIT }, .load = { 100, 400 },
		.burst = { 1, 100 }, .pause = { 4500 * SEC, 4501 * SEC },
		.phase = { 20, 2000 }, .limit = 10000,
	}, {
		.name = "rates from 8 bit/s to 100 Gbit/s changed at once",
		INTERNET, SOME_LENGTHS,
		.rate = { 8, 100 * GBIT }, .load = { 10, 10000 },
		.burst = { 1, 64 }, .pause = { 0, SEC },
		.phase = { 5, 2000 }, .limit = 20000,
	}, {
		.name = "any target and interval",
		.target = { 0, LONGEST }, .interval = { US, LONGEST },
		SOME_LENGTHS, .rate = { 1000, 10 * GBIT },
		.load = { 50, 1000 }, .burst = { 1, 64 },
		.pause = { 0, HOUR }, .phase = { 100, 9000 }, .limit = 20000,
	}, {
		.name = "target and interval of 4294 s",
		.target = { LONGEST / 2, LONGEST },
		.interval = { LONGEST / 2, LONGEST },
		SOME_LENGTHS, .rate = { 80, 8000 }, .load = { 10, 1000 },
		.burst = { 1, 64 }, .pause = { 0, 20 * HOUR },
		.phase = { 100, 3000 }, .limit = 5000,
	}, {
		.name = "target 0",
		.target = { 0, 0 }, .interval = { US, SEC },
		SOME_LENGTHS, .rate = { MBIT, GBIT }, .load = { 50, 200 },
		.burst = { 1, 32 }, .pause = { 0, SEC },
		.phase = { 20, 2000 }, .limit = 1000,
	}, {
		.name = "target 1 us, interval 1 us",
		.target = { US, US }, .interval = { US, US },
		SOME_LENGTHS, .rate = { MBIT, 40 * GBIT }, .load = { 50, 2000 },
		.burst = { 1, 500 }, .pause = { 0, SEC },
		.phase = { 20, 2000 }, .limit = 20000,
	}, {
		.name = "queues of one to three packets",
		.target = { 0, 5 * MS }, .interval = { US, 100 * MS },
		.len = { MTU / 2, 2 * MTU }, .rate = { 10000, MBIT },
		.load = { 100, 1000 }, .burst = { 1, 3 },
		.phase = { 100, 2000 }, .limit = 3, .few = true,
	}, {
		.name = "backlogs near one MTU",
		.target = { 0, 5 * MS }, .interval = { US, 100 * MS },
		.rate = { 10000, MBIT }, .load = { 100, 1000 },
		.burst = { 1, 3 }, .phase = { 100, 2000 }, .limit = 8,
		.mtu_sized = true, .change = 500,
	}, {
		.name = "segments of 64 KB",
		INTERNET, .len = { MTU, 65536 },
		.rate = { MBIT, 100 * MBIT }, .load = { 90, 300 },
		.burst = { 1, 2 }, .pause = { 0, 3 * SEC },
		.phase = { 100, 5000 }, .limit = 1000,
	}, {
		.name = "parameters changed in flight",
		.target = { 0, SEC }, .interval = { US, 10 * SEC },
		SOME_LENGTHS, .rate = { MBIT, 100 * MBIT },
		.load = { 100, 500 }, .burst = { 1, 8 },
		.phase = { 1000, 9000 }, .limit = 5000, .change = 40,
	}, {
		.name = "emptied while other queues stand",
		.target = { 0, 5 * MS }, .interval = { US, 100 * MS },
		SOME_LENGTHS, .rate = { 100000, 10 * MBIT },
		.load = { 50, 400 }, .burst = { 1, 20 },
		.pause = { 0, 10 * SEC }, .phase = { 5, 500 }, .limit = 200,
		.shared = true, .change = 1000,
	}, {
		.name = "floods over the limit",
		.target = { 0, 5 * MS }, .interval = { 100 * US, 100 * MS },
		SOME_LENGTHS, .rate = { MBIT, GBIT }, .load = { 30, 900 },
		.burst = { 1, 64 }, .pause = { 0, SEC },
		.phase = { 10, 1000 }, .limit = 150, .shed = true,
	}, {
		.name = "dequeues at the ns of a decision",
		.target = { 0, 100 * MS }, .interval = { US, SEC },
		SOME_LENGTHS, .burst = { 1, 12 }, .limit = 60,
		.aimed = true,
	}, {
		.name = "the same, with changes and lengths near one MTU",
		.target = { 0, 100 * MS }, .interval = { US, SEC },
		.burst = { 1, 6 }, .limit = 8, .aimed = true,
		.mtu_sized = true, .change = 20,
	}, {
		.name = "the same, with floods and other queues that stand",
		.target = { 0, 10 * MS }, .interval = { US, 10 * MS },
		SOME_LENGTHS, .burst = { 1, 6 }, .limit = 12, .aimed = true,
		.shared = true, .shed = true, .change = 100,
	}, {
		.name = "a count at its end",
		.target = { 0, 5 * MS }, .interval = { US, LONGEST },
		SOME_LENGTHS, .rate = { MBIT, GBIT }, .load = { 150, 500 },
		.burst = { 1, 32 }, .phase = { 1000, 9000 }, .limit = 1000,
		.shed = true, .count = { UINT32_MAX - 40, UINT32_MAX },
	},
};

#define PATTERNS	((int)(sizeof(patterns) / sizeof(patterns[0])))

struct run {
	const struct pattern *pattern;
	bool ceilings;
	struct pair pair;
	struct pair_link link;
	struct rng rng;
	u64 now;
	u64 events;	/* arrivals, dequeues, changes */
	u64 arrival;	/* time of the next, ns */
	u64 service;
	u64 rate;
	u64 load;
	u64 burst;
	unsigned int markable;	/* percent */
};

static u32 run_len(struct run *run)
{
	const struct pattern *p = run->pattern;
	u32 mtu = run->pair.limits.mtu;

	if (!p->mtu_sized)
		return rng_even(&run->rng, p->len.lo, p->len.hi);
	return mtu / rng_even(&run->rng, 1, 3) + rng_even(&run->rng, 0, 2) - 1;
}

static void run_shed(struct run *run)
{
	u32 len = fifo_len(&run->pair.model.queue);

	if (run->pattern->shed && len >= run->pattern->limit) {
		pair_overflow(&run->pair, rng_even(&run->rng, 1, len));
		run->events++;
	}
}

static void run_enqueue(struct run *run, u64 burst)
{
	run_shed(run);
	while (burst-- &&
	       fifo_len(&run->pair.model.queue) < run->pattern->limit) {
		pair_enqueue(&run->pair, run->now, run_len(run),
			     rng_percent(&run->rng, run->markable));
		run->events++;
	}
}

static bool run_dequeue(struct run *run)
{
	run->events++;
	return pair_dequeue(&run->pair, run->now);
}

/*
 * Set no ceiling, the default, any one, one that equals a step, or one in the
 * range of the delay.
 */
static void run_change_ceiling(struct run *run)
{
	struct pair *pair = &run->pair;
	const struct codel_params *params = &pair->subject.params;
	u64 ceiling = CODEL_CEILING_OFF;

	switch (rng_even(&run->rng, 0, 9)) {
	case 0:
		break;
	case 1:
	case 2:
	case 3:
		ceiling = codel_default_ceiling(params);
		break;
	case 4:
		ceiling = rng_pick(&run->rng, (struct range){ US, LONGEST });
		break;
	case 5:
		ceiling = model_round_step(params->interval,
					   rng_even(&run->rng, 1, 20));
		break;
	default:
		ceiling = rng_even(&run->rng, params->target,
				   2 * params->interval);
	}
	pair_set_ceiling(pair, ceiling < US ? US : ceiling);
	run->events++;
}

static void run_change(struct run *run)
{
	const struct pattern *p = run->pattern;
	unsigned int others = run->ceilings ? 6 : 4;

	pair_set(&run->pair, rng_pick(&run->rng, p->target),
		 rng_pick(&run->rng, p->interval));
	run->pair.limits.mtu =
		p->mtu_sized ? rng_even(&run->rng, MTU - 2, MTU) : MTU;
	run->pair.limits.elsewhere =
		p->shared ? rng_even(&run->rng, 0, others) * MTU : 0;
	run->events++;
	if (run->ceilings)
		run_change_ceiling(run);
}

static bool run_maybe_change(struct run *run)
{
	unsigned int change = run->pattern->change;

	if (run->ceilings && !rng_even(&run->rng, 0, 499)) {
		run_change_ceiling(run);
		return true;
	}
	if (!change || rng_next(&run->rng) % change)
		return false;
	run_change(run);
	return true;
}

static u64 ns_at_rate(const struct run *run, u64 bytes)
{
	return (u64)((unsigned __int128)bytes * 8 * SEC / run->rate);
}

static void link_arrive(struct run *run)
{
	u64 before = run->pair.model.queue.bytes;
	u64 bytes, gap;

	run->now = run->arrival;
	run_enqueue(run, rng_even(&run->rng, 1, run->burst));
	bytes = run->pair.model.queue.bytes - before;
	run->events += !bytes; /* turned away by a full queue */
	gap = ns_at_rate(run, bytes ? bytes : MTU) * 100 / run->load;
	run->arrival += rng_even(&run->rng, 1, 2 * gap);
	if (run->service == NEVER)
		run->service = run->now;
}

/* An empty queue is asked once; then the link waits for an arrival. */
static bool link_serve(struct run *run)
{
	u64 before = run->pair.model.queue.bytes;

	run->now = run->service;
	if (before)
		run->service += ns_at_rate(run, run_len(run));
	else
		run->service = NEVER;
	return run_dequeue(run);
}

/* After a change of the rate, the rest of a packet is sent at the new rate. */
static void link_phase(struct run *run)
{
	const struct pattern *p = run->pattern;

	run->rate = rng_pick(&run->rng, p->rate);
	run->load = rng_pick(&run->rng, p->load);
	run->burst = rng_pick(&run->rng, p->burst);
	run->arrival = run->now + rng_pick(&run->rng, p->pause);
	if (run->service != NEVER)
		run->service = run->now + ns_at_rate(run, MTU);
}

static bool link_episode(struct run *run)
{
	u64 end = run->events + EVENTS;
	u64 phase_end = 0;

	while (run->events < end && run->now < END_OF_TIME) {
		if (run->events >= phase_end) {
			phase_end = run->events +
				    rng_pick(&run->rng, run->pattern->phase);
			link_phase(run);
		}
		run_maybe_change(run);
		if (run->arrival <= run->service)
			link_arrive(run);
		else if (!link_serve(run))
			return false;
	}
	return true;
}

/* The delay at which the chance begins, becomes certainty, or is too long at first. */
static u64 aimed_delay(struct run *run)
{
	const struct model *model = &run->pair.model;

	switch (rng_even(&run->rng, 0, 2)) {
	case 0:
		return model->ceiling / 2;
	case 1:
		return model->ceiling;
	default:
		return model_first_ceiling(model);
	}
}

/* The time at which a queue may be found to stand, or not to. */
static u64 aimed_interval(const struct model *model)
{
	if (model->stands)
		return model->late + 2 * model->interval;
	return model->watch.from + model->interval;
}

/* The times at which the next verdict turns, or any. */
static u64 aimed_time(struct run *run)
{
	const struct model *model = &run->pair.model;
	const struct fifo *queue = &model->queue;
	u64 at = run->now + rng_pick(&run->rng, run->pattern->interval);

	switch (rng_even(&run->rng, 0, run->ceilings ? 10 : 6)) {
	case 0:
		at = model->first_above_time;
		break;
	case 1:
	case 2:
		at = model->drop_next;
		break;
	case 3:
		at = model->drop_next + 16 * model->interval;
		break;
	case 4:
		if (fifo_len(queue))
			at = queue->slot[queue->head % FIFO_SIZE].enqueued +
			     model->target;
		break;
	case 5:
		at = run->now + model->interval;
		break;
	case 7:
	case 8:
		if (fifo_len(queue))
			at = queue->slot[queue->head % FIFO_SIZE].enqueued +
			     aimed_delay(run);
		break;
	case 9:
	case 10:
		at = aimed_interval(model);
		break;
	}
	at += rng_even(&run->rng, 0, 2) - 1;
	return at > run->now && at < NEVER ? at : run->now;
}

static bool aimed_episode(struct run *run)
{
	u64 end = run->events + EVENTS;

	while (run->events < end && run->now < END_OF_TIME) {
		u64 burst = rng_pick(&run->rng, run->pattern->burst);

		if (run_maybe_change(run))
			continue;
		if (rng_percent(&run->rng, 40)) {
			run_enqueue(run, burst);
			continue;
		}
		run->now = aimed_time(run);
		do {
			if (!run_dequeue(run))
				return false;
		} while (rng_percent(&run->rng, 20));
	}
	return true;
}

static bool run_episode(struct run *run, unsigned int number)
{
	static const unsigned int bound[] = { 16, 0, 16, 1, 0, 3 };
	static const unsigned int markable[] = { 0, 0, 30, 0, 100, 0, 5 };
	const struct pattern *p = run->pattern;
	u32 count = rng_pick(&run->rng, p->count);

	pair_reset(&run->pair);
	run->link = (struct pair_link) { 0 };
	if (p->shared)
		pair_share(&run->pair, &run->link);
	pair_set_count(&run->pair, count, 0);
	run->pair.limits.bound = bound[number % 6];
	run->markable = markable[number % 7];
	run->now = rng_pick(&run->rng, (struct range){ 1, END_OF_TIME / 2 });
	/* then the earlier dropping state has ended just now */
	if (count) {
		run->pair.model.drop_next = run->now;
		run->pair.subject.vars.drop_next = run->now;
	}
	run->service = NEVER;
	run_change(run);
	return p->aimed ? aimed_episode(run) : link_episode(run);
}

/* 400,000 packets behind 8 bit/s, and then 10 Gbit/s. */
static bool collapse_episode(struct run *run, unsigned int number)
{
	static const struct range tiny = { US, US };
	struct pair *pair = &run->pair;
	unsigned int i;

	pair_reset(pair);
	pair_set(pair, tiny.lo, number % 4 < 2 ? tiny.lo : 100 * MS);
	if (run->ceilings)
		run_change_ceiling(run);
	pair->limits.mtu = MTU;
	pair->limits.bound = number % 2 ? 0 : 16;
	run->markable = number / 4 % 3 * 40;
	run->now = 1;
	run_enqueue(run, 400000);
	for (i = 0; i < 40 && fifo_len(&pair->model.queue); i++) {
		run->now += MTU * SEC;
		if (!run_dequeue(run))
			return false;
	}
	while (fifo_len(&pair->model.queue)) {
		run->now += MTU * 8 / 10;
		if (!run_dequeue(run))
			return false;
	}
	return run_dequeue(run);
}

static const struct pattern collapse = {
	.name = "400,000 packets behind 8 bit/s, then 10 Gbit/s",
	SOME_LENGTHS, .limit = 400000,
};

static void figures_note_ceilings(const struct figures *f)
{
	ktap_note("%llu drops by chance, %llu packets survived, %llu signals not given, %llu drops by the first ceiling, %llu packets that the link held",
		  f->over, f->survived, f->silent, f->first, f->held);
	ktap_note("%llu queues stood for an interval, %llu drained, %llu intervals began anew, %llu queues stood as their turns are rare",
		  f->stood, f->drained, f->restarted, f->rare);
	ktap_note("%llu stood no longer, %llu of them because the ceiling was off; %llu empty and stood, %llu entries at once",
		  f->calmed + f->stopped, f->stopped, f->remained, f->at_once);
}

static void run_report(struct run *run, struct figures *all)
{
	struct figures *f = &run->pair.model.figures;

	f->patterns = 1;
	f->steps = run->events;
	f->packets = run->pair.next_id;
	ktap_note("%llu steps: %llu packets, %llu drops, %llu marks, %llu entries, %llu resumes, %llu exits (%llu emptied), %llu bounded",
		  f->steps, f->packets, f->drops, f->marks, f->entries,
		  f->resumes, f->exits, f->emptied, f->bounded);
	if (run->ceilings)
		figures_note_ceilings(f);
	figures_add(all, f);
}

static void run_pattern(const struct pattern *pattern,
			bool (*episode)(struct run *run, unsigned int number),
			unsigned int episodes, bool ceilings,
			const struct group_options *options,
			struct figures *all)
{
	struct run run = { .pattern = pattern, .ceilings = ceilings };
	bool ok = pair_alloc(&run.pair);
	unsigned int i;
	char name[100];

	rng_seed(&run.rng, options->seed * 1000 + all->patterns);
	for (i = 0; ok && i < episodes; i++) {
		ok = episode(&run, i);
		if (!ok)
			ktap_note("in episode %u", i);
	}
	run_report(&run, all);
	/* a pattern that provokes nothing tests nothing */
	ok = ok && run.pair.model.figures.drops &&
	     run.pair.model.figures.exits &&
	     !(run.pair.model.figures.over + run.pair.model.figures.first) ==
	     (!ceilings || pattern->few);
	snprintf(name, sizeof(name), "%s%s", pattern->name,
		 ceilings ? ", with ceilings" : "");
	ktap_result(ok, name);
	pair_free(&run.pair);
}

static void traffic_total(const struct figures *all)
{
	ktap_note("in total %llu steps: %llu packets, %llu delivered unmarked",
		  all->steps, all->packets, all->delivered);
	ktap_note("%llu drops, %llu marks, %llu dequeues cut short by the bound, %llu overflows",
		  all->drops, all->marks, all->bounded, all->overflows);
	ktap_note("%llu entries, %llu of them resumed; %llu exits, %llu by an empty queue; %llu seen early",
		  all->entries, all->resumes, all->exits, all->emptied,
		  all->early);
	figures_note_ceilings(all);
}

static bool traffic_complete(const struct figures *all)
{
	return all->delivered && all->drops && all->marks &&
	       all->entries > all->resumes && all->resumes &&
	       all->exits > all->emptied && all->emptied &&
	       all->bounded && all->overflows && all->early;
}

static bool ceilings_complete(const struct figures *all)
{
	return all->over && all->survived && all->silent && all->first &&
	       all->held && all->stood && all->drained && all->restarted &&
	       all->rare && all->calmed && all->stopped && all->remained &&
	       all->at_once;
}

static void traffic_total_ceilings(const struct figures *all)
{
	traffic_total(all);
	ktap_result(traffic_complete(all) && ceilings_complete(all),
		    "traffic with ceilings: every path was taken");
}

int traffic_cases(void)
{
	return 2 * (PATTERNS + 2);
}

static void traffic_patterns(const struct group_options *options, bool ceilings,
			     unsigned int episodes, struct figures *all)
{
	int i;

	for (i = 0; i < PATTERNS; i++)
		run_pattern(&patterns[i], run_episode, episodes, ceilings,
			    options, all);
	run_pattern(&collapse, collapse_episode, episodes / 4 + 2, ceilings,
		    options, all);
}

void traffic_run(const struct group_options *options)
{
	struct figures rfc = { 0 }, ceilings = { 0 };

	traffic_patterns(options, false, options->episodes, &rfc);
	traffic_total(&rfc);
	ktap_result(traffic_complete(&rfc), "traffic: every path was taken");
	traffic_patterns(options, true, options->episodes / 4 + 2, &ceilings);
	traffic_total_ceilings(&ceilings);
}
