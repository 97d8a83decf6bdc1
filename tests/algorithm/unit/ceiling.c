// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Properties of the ceiling, in simulations of one queue before one link:
 *
 *	senders that do not slow down ---> queue ---> link
 *
 * Every sender has a fixed length and a fixed time between two packets.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codel.h"
#include "fifo.h"
#include "ktap.h"
#include "rng.h"
#include "groups.h"

#define US		1000ULL
#define MS		(1000 * US)
#define SEC		(1000 * MS)
#define MBIT		1000000ULL

#define FULL		1500	/* bytes */
#define MTU		1514
#define BOUND		256	/* drops in one dequeue, as in the qdisc */
#define LIMIT		1000	/* packets, as in codel */
#define SENDERS		2
#define SLOTS		4000	/* of 100 us each, for percentiles */

enum ect {
	ECT_NOT,
	ECT_ALL,
	ECT_HALF,	/* one packet after the other */
};

struct sender {
	u64 period;	/* ns; 0: silent */
	u64 next;
	u32 len;
	enum ect ect;
	unsigned int more;	/* packets that come with each one */
};

/* of one sender's packets that are ECT, or of those that are not */
struct accounting {
	u64 sent;
	u64 delivered;
	u64 lost;
};

struct sim {
	struct fifo queue;
	struct codel_params params;
	struct codel_vars vars;
	struct codel_link link;
	struct sender sender[SENDERS];
	u64 rate;		/* of the link, bit/s */
	u64 now;
	u64 free;		/* the link is busy until then */
	bool own;		/* the queue takes turns with others */
	bool idle;		/* it found the queue empty */
	u64 pause;		/* the link stands still for so long after the next packet */

	u64 begin;		/* packets sent from then on count */
	struct accounting accounting[SENDERS][2];
	u64 over;		/* packets that the ceiling has dropped */
	u64 waited[SLOTS];	/* packets delivered, by sojourn time */
	u64 longest;		/* sojourn time of them, ns */
};

/* codel.h asks a function without arguments */
static struct rng sim_rng;
static u64 sim_draws;

static u32 sim_random(void)
{
	sim_draws++;
	return rng_u32(&sim_rng);
}

static const struct codel_params internet = {
	.target = 5 * MS, .interval = 100 * MS, .ceiling = 50 * MS
};

static struct sim *sim_new(u64 rate)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		exit(2);
	sim->queue.slot = calloc(FIFO_SIZE, sizeof(*sim->queue.slot));
	if (!sim->queue.slot)
		exit(2);
	sim->params = internet;
	sim->rate = rate;
	sim->now = 1;	/* codel.h requires more than 0 */
	sim->idle = true;
	sim_draws = 0;
	rng_seed(&sim_rng, 0);
	return sim;
}

static void sim_free(struct sim *sim)
{
	free(sim->queue.slot);
	free(sim);
}

static u64 sim_time(const struct sim *sim, u64 bytes)
{
	return bytes * 8 * SEC / sim->rate;
}

/* @percent of the link, from now on */
static void sim_flood(struct sim *sim, unsigned int percent, enum ect ect)
{
	sim->sender[0] = (struct sender) {
		.period = percent ? sim_time(sim, FULL) * 100 / percent : 0,
		.next = sim->now, .len = FULL, .ect = ect,
	};
}

static struct accounting *sim_accounting(struct sim *sim, const struct packet *pkt)
{
	static struct accounting before;

	if (pkt->enqueued < sim->begin)
		return &before;
	return &sim->accounting[pkt->id][pkt->markable];
}

static void sim_send(struct sim *sim, unsigned int i)
{
	struct sender *sender = &sim->sender[i];
	unsigned int packets = 1 + sender->more;
	struct packet pkt = {
		.id = i, .len = sender->len, .enqueued = sim->now,
		.markable = sender->ect == ECT_ALL,
	};

	if (sender->ect == ECT_HALF)
		pkt.markable = sender->next / sender->period % 2;
	sender->next += sender->period;
	while (packets-- && fifo_len(&sim->queue) < LIMIT) {
		fifo_put(&sim->queue, &pkt);
		sim_accounting(sim, &pkt)->sent++;
	}
}

static enum codel_waiting sim_waiting(const struct sim *sim)
{
	if (sim->queue.bytes <= MTU)
		return CODEL_LITTLE;
	return sim->queue.bytes <= CODEL_MUCH_MTUS * MTU ? CODEL_STANDING :
							   CODEL_MUCH;
}

static void sim_deliver(struct sim *sim, const struct packet *pkt)
{
	u64 sojourn = sim->now - pkt->enqueued;
	u64 slot = sojourn / (100 * US);

	sim->free = sim->now + sim_time(sim, pkt->len) + sim->pause;
	sim->pause = 0;
	if (sim->now < sim->begin)
		return;
	sim_accounting(sim, pkt)->delivered++;
	sim->waited[slot < SLOTS ? slot : SLOTS - 1]++;
	if (sojourn > sim->longest)
		sim->longest = sojourn;
}

static enum codel_verdict sim_ask(struct sim *sim, const struct packet *pkt)
{
	u64 sojourn = sim->now - pkt->enqueued;
	struct codel_head head = {
		.sojourn = sojourn,
		.backlog = sim->queue.bytes,
		.waiting = sim_waiting(sim),
		.shared = !sim->own,
	};

	if (sojourn >= sim->params.target)
		codel_departure(&sim->link, &sim->params, sim->now, sojourn);
	head.held = codel_held(&sim->link, sim->now, sojourn);
	return codel_signal(&sim->vars, &sim->params, sim->now, &head, sim_random);
}

static void sim_dequeue(struct sim *sim)
{
	unsigned int drops = 0;
	struct packet *pkt;

	while ((pkt = fifo_take(&sim->queue))) {
		enum codel_verdict verdict = CODEL_PASS;

		if (drops < BOUND)
			verdict = sim_ask(sim, pkt);
		if (verdict == CODEL_PASS ||
		    (verdict == CODEL_SIGNAL && pkt->markable)) {
			sim_deliver(sim, pkt);
			return;
		}
		drops++;
		sim->over += verdict == CODEL_OVER;
		sim_accounting(sim, pkt)->lost++;
	}
	codel_empty(&sim->vars);
	sim->idle = true;
}

static void sim_run(struct sim *sim, u64 end)
{
	for (;;) {
		u64 next = sim->idle ? ~0ULL : sim->free;
		unsigned int i, first = SENDERS;

		for (i = 0; i < SENDERS; i++) {
			if (!sim->sender[i].period || sim->sender[i].next > next)
				continue;
			next = sim->sender[i].next;
			first = i;
		}
		if (next >= end)
			break;
		sim->now = next;
		if (first == SENDERS) {
			sim_dequeue(sim);
			continue;
		}
		sim_send(sim, first);
		if (sim->idle) {
			sim->idle = false;
			if (sim->free < sim->now)
				sim->free = sim->now;
		}
	}
	sim->now = end;
}

/* the bound below which @percent of the delivered packets waited, ns */
static u64 sim_percentile(const struct sim *sim, unsigned int percent)
{
	u64 all = 0, seen = 0;
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		all += sim->waited[i];
	for (i = 0; i < SLOTS - 1; i++) {
		seen += sim->waited[i];
		if (seen * 100 >= all * percent)
			break;
	}
	return (i + 1) * 100 * US;
}

static double accounting_share(const struct accounting *accounting, u64 part)
{
	u64 all = accounting->delivered + accounting->lost;

	return all ? (double)part / all : 0;
}

/* From 1 s on the wait is bounded, and ECT packets gain nothing. */
static bool flood_right(unsigned int percent, enum ect ect)
{
	static const char *const names[] = { "not ECT", "ECT", "half ECT" };
	struct sim *sim = sim_new(10 * MBIT);
	const struct accounting *not = &sim->accounting[0][0];
	const struct accounting *can = &sim->accounting[0][1];
	double fair;
	u64 p99;

	sim->begin = SEC;
	sim_flood(sim, percent, ect);
	sim_run(sim, 41 * SEC);
	p99 = sim_percentile(sim, 99);
	fair = ect == ECT_HALF ? accounting_share(can, can->delivered) /
				 accounting_share(not, not->delivered) : 1;
	ktap_note("%u%%, %s: 99%% wait %.1f ms at most, the longest %.1f ms, ECT delivered %.3f times as often",
		  percent, names[ect], p99 / 1e6, sim->longest / 1e6, fair);
	sim_free(sim);
	return p99 <= 50 * MS && fair >= 0.95 && fair <= 1.05;
}

static u64 flood_p99(unsigned int percent, u64 seed)
{
	struct sim *sim = sim_new(20 * MBIT);
	u64 p99;

	rng_seed(&sim_rng, seed);
	sim_flood(sim, percent, ECT_NOT);
	sim_run(sim, 18 * SEC);
	p99 = sim_percentile(sim, 99);
	sim_free(sim);
	return p99;
}

/* With their first packets, for which a queue cannot be told from that of a burst. */
static bool ceiling_floods_begin(void)
{
	static const struct {
		unsigned int percent;
		u64 p99;	/* the longest of ten seeds */
	} floods[] = { { 110, 45 * MS }, { 150, 46 * MS }, { 200, 65 * MS }, { 1000, 114 * MS } };
	bool ok = true;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		u64 seed, p99, least = ~0ULL, most = 0;

		for (seed = 0; seed < 10; seed++) {
			p99 = flood_p99(floods[i].percent, seed);
			least = p99 < least ? p99 : least;
			most = p99 > most ? p99 : most;
		}
		ktap_note("%u%% of 20 Mbit/s for 18 s: 99%% wait %.1f to %.1f ms at most, ten seeds",
			  floods[i].percent, least / 1e6, most / 1e6);
		ok &= most <= floods[i].p99;
	}
	return ok;
}

static bool ceiling_floods(void)
{
	static const unsigned int percents[] = { 110, 150, 200, 1000 };
	bool ok = true;
	unsigned int i, ect;

	for (i = 0; i < 4; i++)
		for (ect = ECT_NOT; ect <= ECT_HALF; ect++)
			ok &= flood_right(percents[i], ect);
	return ok;
}

/*
 * Set any history of signals. Keep first_above_time: only the queue itself shows
 * whether its delay persists.
 */
static void bound_history(struct sim *sim, struct rng *rng)
{
	struct codel_vars *vars = &sim->vars;
	bool persists = vars->first_above_time && vars->first_above_time <= sim->now;

	vars->count = rng_pick(rng, (struct range){ 1, UINT32_MAX });
	vars->lastcount = rng_pick(rng, (struct range){ 1, vars->count });
	vars->drop_next = sim->now + rng_pick(rng, (struct range){ 0, SEC });
	vars->dropping = persists && rng_percent(rng, 50);
	vars->next_pending = rng_percent(rng, 50);
	vars->answered = rng_percent(rng, 50);
	vars->backlog = rng_pick(rng, (struct range){ 0, UINT32_MAX });
	vars->stands = persists && rng_percent(rng, 50);
	vars->chance = vars->stands ? rng_even(rng, 0, CODEL_CERTAIN) : 0;
}

/*
 * Floods of any strength, one after the other, with times without one: each begins with
 * the queue that the last has left, and its state or another one. The link stands still for
 * @pause in some of them.
 */
static bool bound_right(u64 rate, u64 pause, u64 ceiling)
{
	struct sim *sim = sim_new(rate);
	u64 bound = sim->params.target + sim->params.interval * 5 / 4 + sim_time(sim, 7 * MTU) +
		    (pause ? pause + sim->params.interval / 2 : 0);
	struct rng rng;
	unsigned int i;
	u64 length, longest;

	sim->params.ceiling = ceiling;
	rng_seed(&rng, rate);
	for (i = 0; i < 150; i++) {
		bool none = rng_percent(&rng, 30);

		if (rng_percent(&rng, 50))
			bound_history(sim, &rng);
		sim_flood(sim, none ? 0 : rng_even(&rng, 1, 1000),
			  rng_even(&rng, ECT_NOT, ECT_HALF));
		if (rng_percent(&rng, 50))
			sim->pause = pause;
		length = rng_pick(&rng, (struct range){ MS, 2 * SEC });
		if (sim->pause)
			length += pause + SEC;
		sim_run(sim, sim->now + length);
	}
	longest = sim->longest;
	ktap_note("%llu Mbit/s, pauses of %llu ms, ceiling %llu ms: the longest wait is %.1f ms, the bound %.1f ms",
		  (unsigned long long)(rate / MBIT), (unsigned long long)(pause / MS),
		  (unsigned long long)(ceiling / MS), longest / 1e6, bound / 1e6);
	sim_free(sim);
	return longest <= bound;
}

static bool ceiling_bounds(void)
{
	static const u64 rates[] = { MBIT, 4 * MBIT, 10 * MBIT, 100 * MBIT };
	static const u64 pauses[] = { 0, 40 * MS, 60 * MS, 200 * MS, SEC };
	bool ok = true;
	unsigned int i, k;

	for (i = 0; i < 4; i++) {
		for (k = 0; k < 5; k++)
			ok &= bound_right(rates[i], pauses[k], 50 * MS);
		ok &= bound_right(rates[i], 0, 110 * MS);
	}
	return ok;
}

/*
 * A queue stands, and then its delay is just below half of the ceiling for two intervals. It
 * stands no longer when a flood comes, which has the same bound.
 */
static bool ceiling_after_standing(void)
{
	struct sim *sim = sim_new(10 * MBIT);
	u64 bound = sim->params.target + sim->params.interval * 5 / 4 + sim_time(sim, 7 * MTU);
	u64 longest;
	bool stood;

	sim->params.ceiling = 110 * MS;
	sim_flood(sim, 200, ECT_ALL);
	sim_run(sim, 2 * SEC);
	stood = sim->vars.stands;
	sim_flood(sim, 50, ECT_ALL);
	while (sim->vars.stands && sim->vars.chance)
		sim_run(sim, sim->now + MS);
	sim_flood(sim, 100, ECT_ALL);
	sim_run(sim, sim->now + 147 * MS);
	sim->begin = sim->now;
	sim_flood(sim, 1000, ECT_ALL);
	/* for a half of the ceiling, the flood is behind other packets */
	sim_run(sim, sim->now + 55 * MS);
	stood &= !sim->vars.stands;
	sim_run(sim, sim->now + SEC);
	longest = sim->longest;
	ktap_note("the longest wait is %.1f ms, the bound %.1f ms", longest / 1e6, bound / 1e6);
	sim_free(sim);
	return stood && longest <= bound;
}

#define FRAME		1222	/* bytes */
#define FRAMES		60	/* percent of the share, in frames of three packets */

/*
 * A queue of its own at its share of the link: small frames that keep coming, and a burst that
 * takes @drain, each @period. Return the number of packets that the ceiling drops.
 */
static u64 burst_over(unsigned int packets, u64 drain, u64 period, enum ect ect)
{
	u64 rate = packets * FRAME * 8ULL * SEC / drain * 100 / (100 - FRAMES);
	struct sim *sim = sim_new(rate);
	u64 over;

	sim->own = true;
	sim->sender[0] = (struct sender) {
		.period = sim_time(sim, 3 * FRAME) * 100 / FRAMES, .next = 1,
		.len = FRAME, .ect = ect, .more = 2,
	};
	sim->sender[1] = (struct sender) {
		.period = period, .next = SEC, .len = FRAME, .ect = ect, .more = packets - 1,
	};
	sim_run(sim, 20 * SEC);
	over = sim->over;
	ktap_note("%u packets that drain in %llu ms at %.2f Mbit/s, each %llu ms: %llu of %llu dropped by the ceiling, the longest wait is %.0f ms",
		  packets, (unsigned long long)(drain / MS), rate / 1e6,
		  (unsigned long long)(period / MS), (unsigned long long)over,
		  (unsigned long long)(sim->accounting[0][ect != ECT_NOT].sent +
				       sim->accounting[1][ect != ECT_NOT].sent),
		  sim->longest / 1e6);
	sim_free(sim);
	return over;
}

/* A burst that drains by an eighth in each interval loses no packet to the ceiling. */
static bool ceiling_bursts(void)
{
	static const unsigned int packets[] = { 40, 100, 400 };
	static const u64 drains[] = { 200 * MS, 400 * MS, 650 * MS, 800 * MS };
	bool ok = true;
	unsigned int i, k, ect;

	for (i = 0; i < 3; i++) {
		for (k = 0; k < 4; k++) {
			for (ect = ECT_NOT; ect <= ECT_ALL; ect++) {
				ok &= !burst_over(packets[i], drains[k], 100 * SEC, ect);
				ok &= !burst_over(packets[i], drains[k], 3 * SEC, ect);
			}
		}
	}
	return ok;
}

/* One that comes again before it has drained is a flood, and so is one that drains slowly. */
static bool ceiling_bursts_stand(void)
{
	static const unsigned int packets[] = { 40, 100, 400 };
	static const u64 drains[] = { 2 * SEC, 6 * SEC };
	bool ok = true;
	unsigned int i, k;

	for (i = 0; i < 3; i++) {
		ok &= burst_over(packets[i], 400 * MS, 200 * MS, ECT_NOT) > 0;
		for (k = 0; k < 2; k++)
			ok &= burst_over(packets[i], drains[k], 100 * SEC, ECT_NOT) > 0;
	}
	return ok;
}

/* A sparse sender beside a flood loses the same share. */
static bool sparse_right(unsigned int percent, u64 period)
{
	struct sim *sim = sim_new(10 * MBIT);
	const struct accounting *flood = &sim->accounting[0][0];
	const struct accounting *sparse = &sim->accounting[1][0];
	double ratio;

	sim->begin = SEC;
	sim_flood(sim, percent, ECT_NOT);
	sim->sender[1] = (struct sender) {
		.period = period, .next = 777 * US, .len = 100
	};
	sim_run(sim, SEC + (percent < 1000 ? 4000 : 500) * period);
	ratio = accounting_share(sparse, sparse->lost) /
		accounting_share(flood, flood->lost);
	ktap_note("%u%%, 100 bytes every %.1f ms: %llu of %llu lost, %.3f times as often as those of the flood",
		  percent, period / 1e6, (unsigned long long)sparse->lost,
		  (unsigned long long)sparse->sent, ratio);
	sim_free(sim);
	return ratio >= 0.9 && ratio <= 1.1;
}

static bool ceiling_sparse(void)
{
	static const unsigned int percents[] = { 150, 200, 1000 };
	static const u64 periods[] = { 50 * MS, 51700 * US, 20 * MS };
	bool ok = true;
	unsigned int i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			ok &= sparse_right(percents[i], periods[k]);
	return ok;
}

/* Without a ceiling no number is drawn, and no ECT packet is lost. */
static bool ceiling_off(void)
{
	struct sim *sim = sim_new(10 * MBIT);
	bool ok;

	sim->params.ceiling = CODEL_CEILING_OFF;
	sim_flood(sim, 300, ECT_ALL);
	sim_run(sim, 20 * SEC);
	ktap_note("%llu random numbers, %llu lost, the longest wait is %.1f ms",
		  (unsigned long long)sim_draws,
		  (unsigned long long)sim->accounting[0][1].lost,
		  sim->longest / 1e6);
	ok = !sim_draws && !sim->accounting[0][1].lost && sim->longest > SEC;
	sim_free(sim);
	return ok;
}

static const struct {
	const char *name;
	bool (*run)(void);
} ceilings[] = {
	{ "ceiling: off, no number is drawn and no ECT packet is lost", ceiling_off },
	{ "ceiling: floods wait for 50 ms at most, ECT or not", ceiling_floods },
	{ "ceiling: floods with their first packets", ceiling_floods_begin },
	{ "ceiling: a queue that stands no longer has the same bound", ceiling_after_standing },
	{ "ceiling: a burst in a queue of its own that drains in 0.8 s loses nothing", ceiling_bursts },
	{ "ceiling: one that comes again at once, or drains in 2 s, stands", ceiling_bursts_stand },
	{ "ceiling: no wait longer than target, 5/4 interval and seven MTUs, and a pause", ceiling_bounds },
	{ "ceiling: a sparse sender beside a flood loses the same share", ceiling_sparse },
};

int ceiling_cases(void)
{
	return sizeof(ceilings) / sizeof(ceilings[0]);
}

void ceiling_run(void)
{
	int i;

	for (i = 0; i < ceiling_cases(); i++)
		ktap_result(ceilings[i].run(), ceilings[i].name);
}
