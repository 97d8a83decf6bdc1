// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Queues that share a link: what each gets, how long it waits, and the sum. */
#include <pthread.h>
#include <string.h>

#include "cases.h"
#include "ktap.h"
#include "sharing.h"

#define MTU	1514

static struct sharing s;

/* bytes/s: 20 Mbit/s, 100 Mbit/s, 1 Gbit/s, 10 Gbit/s */
static const u64 rates[] = { 2500000, 12500000, 125000000, 1250000000 };
static const u64 lates[] = { 0, 50 * US };

/* Let the queues settle, and measure the time that the link takes for @packets. */
static u64 measure(u32 packets)
{
	u64 time = (u64)packets * MTU * SEC / s.rate;

	sharing_run(&s, s.now + time / 4);
	sharing_clear(&s);
	sharing_run(&s, s.now + time);
	return time;
}

static bool is_part(const char *what, u64 bytes, double part, double error, u64 time)
{
	double got = (double)bytes * SEC / time / s.rate;

	if (got >= part - error && got <= part + error)
		return true;
	ktap_note("%s: %.5f of %llu bytes/s, not %.5f +- %.5f, timers late by up to %llu us", what,
		  got, (unsigned long long)s.rate, part, error,
		  (unsigned long long)(s.late_max / US));
	return false;
}

/* The sum is the rate within 0.5%, and at once N slices and what timers are late by, at most. */
static bool sum_is_right(u64 time)
{
	u64 burst = s.count * sharing_slice(&s) + s.late_max;

	if (s.ahead > burst) {
		ktap_note("%llu us ahead of %llu bytes/s, more than %llu",
			  (unsigned long long)(s.ahead / US), (unsigned long long)s.rate,
			  (unsigned long long)(burst / US));
		return false;
	}
	return is_part("sum", sharing_bytes(&s), 1, 0.005, time);
}

/* Wait of a packet: a slice of each other queue, and timers */
static bool waits_at_most(const struct shared_queue *queue, u64 slices)
{
	u64 most = slices * (sharing_slice(&s) + s.late_max) + s.late_max;

	if (queue->longest <= most)
		return true;
	ktap_note("a packet waits for %llu us, more than %llu, at %llu bytes/s",
		  (unsigned long long)(queue->longest / US), (unsigned long long)(most / US),
		  (unsigned long long)s.rate);
	return false;
}

/* Each case with each rate, and with timers in time and late */
static bool each(bool (*run)(uint64_t seed), uint64_t seed)
{
	unsigned int i, k;
	bool good = true;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (k = 0; k < ARRAY_SIZE(lates); k++) {
			sharing_start(&s, rates[i], lates[k], seed);
			good &= run(seed);
		}
	}
	return good;
}

static bool one_queue(uint64_t seed)
{
	(void)seed;
	sharing_add(&s, MTU, 1);
	return sum_is_right(measure(4000)) && waits_at_most(&s.queues[0], 1);
}

static bool equal_queues(uint64_t seed)
{
	bool good = true;
	u64 time;
	u32 i;

	(void)seed;
	for (i = 0; i < SHARING_QUEUES; i++)
		sharing_add(&s, MTU, 4);
	time = measure(64000);
	for (i = 0; i < s.count; i++)
		good &= is_part("one of 16", s.queues[i].bytes, 1.0 / 16, 0.002, time) &&
			waits_at_most(&s.queues[i], 2 * SHARING_QUEUES);
	return good && sum_is_right(time);
}

/* A flow has the same share, whatever the number of flows in its queue. */
static bool flows_are_equal(uint64_t seed)
{
	static const u32 flows[] = { 1, 3, 20, 40 };
	bool good = true;
	unsigned int i;
	u64 time;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(flows); i++)
		sharing_add(&s, MTU, flows[i]);
	time = measure(200000);
	for (i = 0; i < ARRAY_SIZE(flows); i++)
		good &= is_part("64 flows", s.queues[i].bytes, flows[i] / 64.0,
				flows[i] / 64.0 * 0.03, time);
	return good && sum_is_right(time);
}

/* The same with lengths of packets, the largest of them super-packets */
static bool lengths_are_equal(uint64_t seed)
{
	static const u32 lens[] = { 100, MTU, 9000, 65000 };
	bool good = true;
	unsigned int i;
	u64 time;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		sharing_add(&s, lens[i], 1);
	time = measure(400000);
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		good &= is_part("lengths", s.queues[i].bytes, 0.25, 0.01, time);
	return good;
}

/* Sparse queues get what they need, at once, and the busy one gets all that they leave. */
static bool sparse_queues(uint64_t seed)
{
	u32 len = s.rate < 12500000 ? 64 : 250, i;
	double part = 5000.0 * len / s.rate;
	bool good = true;
	u64 time;

	(void)seed;
	sharing_add(&s, MTU, 1);
	for (i = 0; i < 3; i++)
		sharing_add_sparse(&s, len, SEC / 5000);
	time = measure(20000);
	for (i = 1; i < 4; i++)
		good &= is_part("sparse", s.queues[i].bytes, part, 0.002, time) &&
			waits_at_most(&s.queues[i], 3);
	return good && is_part("busy", s.queues[0].bytes, 1 - 3 * part, 0.005, time) &&
	       sum_is_right(time);
}

/* A queue that sends more than its share, without ever having two packets, gets its share. */
static bool unresponsive_queue(uint64_t seed)
{
	struct shared_queue *queue;
	u64 time;

	(void)seed;
	sharing_add(&s, MTU, 9);
	queue = sharing_add_sparse(&s, MTU, MTU * SEC / s.rate * 2);
	time = measure(20000);
	return is_part("half of the rate, from one of 10 flows", queue->bytes, 0.1, 0.01, time) &&
	       sum_is_right(time);
}

/* Queues that come and go: what they leave, another one gets. */
static bool queues_come_and_go(uint64_t seed)
{
	u64 time;
	u32 i;

	(void)seed;
	sharing_add(&s, MTU, 1);
	for (i = 1; i < 4; i++)
		sharing_add(&s, MTU, i)->on = 50 * MS / i;
	time = 2 * SEC;
	sharing_run(&s, s.now + 100 * MS);
	sharing_clear(&s);
	sharing_run(&s, s.now + time);
	return sum_is_right(time);
}

/* Queues are deleted with slices, and added, each 10 ms. */
static bool queues_are_deleted(uint64_t seed)
{
	u64 time = 0;
	u32 i;

	(void)seed;
	sharing_add(&s, MTU, 1);
	sharing_run(&s, s.now + 50 * MS);
	sharing_clear(&s);
	for (i = 0; i < 100; i++) {
		struct shared_queue *queue = sharing_add(&s, MTU, 1 + i % 8);

		s.count--;
		sharing_run(&s, s.now + 10 * MS);
		s.count++;
		sharing_run(&s, s.now + 5 * MS);
		sharing_delete(&s, queue);
		s.queues[0].bytes += queue->bytes;
		s.count--;
		time += 15 * MS;
	}
	return atomic_read(&s.link.queues) % CODEL_SHARED_HOLDER == 1 && sum_is_right(time);
}

/*
 * A queue above the level of the link waits for those that have a slice, but no longer than for
 * one that dies with its slice.
 */
static bool holder_dies(uint64_t seed)
{
	struct shared_queue *dead;

	(void)seed;
	sharing_add(&s, MTU, 1);
	dead = sharing_add(&s, MTU, 1);
	sharing_run(&s, s.now + 100 * MS);
	while (!dead->slice.holds)
		sharing_run(&s, s.now + US);
	/* no timer asks for it any more */
	dead->timer = SHARING_NEVER;
	sharing_clear(&s);
	sharing_run(&s, s.now + SEC);
	return waits_at_most(&s.queues[0], 3) && is_part("alone", s.queues[0].bytes, 1, 0.01, SEC);
}

static bool shared_one(uint64_t seed)
{
	return each(one_queue, seed);
}

static bool shared_equal(uint64_t seed)
{
	return each(equal_queues, seed);
}

static bool shared_flows(uint64_t seed)
{
	return each(flows_are_equal, seed);
}

static bool shared_lengths(uint64_t seed)
{
	return each(lengths_are_equal, seed);
}

static bool shared_sparse(uint64_t seed)
{
	return each(sparse_queues, seed);
}

static bool shared_unresponsive(uint64_t seed)
{
	return each(unresponsive_queue, seed);
}

static bool shared_come_and_go(uint64_t seed)
{
	return each(queues_come_and_go, seed);
}

static bool shared_deleted(uint64_t seed)
{
	return each(queues_are_deleted, seed);
}

static bool shared_dies(uint64_t seed)
{
	return each(holder_dies, seed);
}

/* ---- by hand: 8 Gbit/s, 1 ns for a byte ---- */

struct hand {
	struct codel_shared link;
	struct codel_slice slice;
	struct codel_clock clock;
	struct codel_pace pace;
};

static void hand_start(struct hand *hand, u64 next)
{
	memset(hand, 0, sizeof(*hand));
	codel_pace_set(&hand->pace, 1000000000);
	codel_slice_set(&hand->slice, &hand->pace, 1000000000, MTU);
	hand->link.next.counter = next;
}

static bool turn(struct hand *hand, u64 now, u32 bytes, u32 flows)
{
	return codel_slice_turn(&hand->slice, &hand->clock, &hand->link, now,
				codel_slice_time(&hand->slice, &hand->pace, bytes), flows);
}

static bool is_next(const struct hand *hand, u64 next, u64 clock)
{
	if ((u64)atomic64_read(&hand->link.next) == next && hand->clock.next == clock)
		return true;
	ktap_note("link %lld, clock %lld, not %lld and %lld", (long long)hand->link.next.counter,
		  (long long)hand->clock.next, (long long)next, (long long)clock);
	return false;
}

/* A slice of 100 us; a packet that takes more; none while the link is not free */
static bool hand_slice(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, 0);
	if (!turn(&hand, SEC, 1 << 20, 2) || !is_next(&hand, SEC + 100000, SEC))
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 99999, false);
	if (!codel_slice_is_due(&hand.slice, &hand.clock, SEC + 99999))
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 1001, false);
	if (turn(&hand, SEC + 99999, 1 << 20, 2) || !is_next(&hand, SEC + 101000, SEC + 101000))
		return false;
	/* two flows have had 101 us */
	return hand.slice.level == 50500 && turn(&hand, SEC + 101000, 1 << 20, 2) &&
	       is_next(&hand, SEC + 201000, SEC + 101000) &&
	       atomic64_read(&hand.link.level) == 50500;
}

/* What is not used is given back, at once. */
static bool hand_give_back(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, SEC + 500);
	if (turn(&hand, SEC, 10000, 1) || !is_next(&hand, SEC + 10500, SEC + 500) ||
	    atomic_read(&hand.link.queues) != CODEL_SHARED_HOLDER + 1)
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 1000, true);
	codel_slice_idle(&hand.slice, &hand.clock, &hand.link);
	if (!is_next(&hand, SEC + 1500, SEC + 1500) || atomic_read(&hand.link.queues))
		return false;
	/* and all of it, if no packet has left */
	hand.link.level.counter = 1000;
	if (turn(&hand, SEC + 600, 200, 1) || !is_next(&hand, SEC + 1700, SEC + 1500))
		return false;
	codel_slice_idle(&hand.slice, &hand.clock, &hand.link);
	return is_next(&hand, SEC + 1500, SEC + 1500) && hand.slice.level == 1000;
}

/* An idle link gains nothing; one with a queue does not lose the time by which a timer is late. */
static bool hand_late(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, SEC);
	if (!turn(&hand, 2 * SEC, 1000, 1) || !is_next(&hand, 2 * SEC + 1000, 2 * SEC))
		return false;
	hand_start(&hand, SEC);
	hand.link.queues.counter = 1;
	if (!turn(&hand, SEC + 9 * MS, 1000, 1) || !is_next(&hand, SEC + 1000, SEC))
		return false;
	hand_start(&hand, SEC);
	hand.link.queues.counter = 1;
	return turn(&hand, SEC + 15 * MS, 1000, 1) &&
	       is_next(&hand, SEC + 5 * MS + 1000, SEC + 5 * MS);
}

/* Packets that were dropped are paid in the next slice, too, but not after an idle time. */
static bool hand_owed(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, 0);
	if (!turn(&hand, SEC, 100, 1))
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 100, false);
	codel_clock_drop(&hand.clock, &hand.pace, 5000);
	hand.link.next.counter += 1000;
	if (turn(&hand, SEC + 100, 2000, 1) || codel_clock_owed(&hand.clock) != 5000)
		return false;
	codel_slice_idle(&hand.slice, &hand.clock, &hand.link);
	return turn(&hand, SEC + MS, 1000, 1) && !codel_clock_owed(&hand.clock);
}

/* A queue whose device has stopped it does not take the link for as long. */
static bool hand_stopped(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, 0);
	if (!turn(&hand, SEC, 1 << 20, 1))
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 100000, false);
	hand.link.level.counter = 50 * MS;
	if (!turn(&hand, SEC + 5 * MS, 1 << 20, 1) || hand.slice.level != 100 * US)
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 100000, false);
	return turn(&hand, SEC + 50 * MS, 1 << 20, 1) && hand.slice.level == 50 * MS;
}

/* At least a packet, and a nanosecond; 100 us if that is more */
static bool hand_lengths(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, 0);
	if (hand.slice.bytes != 100000 || hand.slice.full != 100000 ||
	    codel_slice_time(&hand.slice, &hand.pace, 99999) != 99999)
		return false;
	codel_pace_set(&hand.pace, 2500000);
	codel_slice_set(&hand.slice, &hand.pace, 2500000, MTU);
	if (hand.slice.bytes != MTU || hand.slice.full != 605600)
		return false;
	codel_pace_set(&hand.pace, CODEL_RATE_MAX);
	codel_slice_set(&hand.slice, &hand.pace, CODEL_RATE_MAX, MTU);
	return codel_slice_time(&hand.slice, &hand.pace, 64) == 1 &&
	       turn(&hand, SEC, 64, 1);
}

/* A queue comes back at the level of the link, whatever it has missed. */
static bool hand_comes_back(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, 0);
	hand.link.level.counter = 7 * MS;
	if (!turn(&hand, SEC, 100, 1) || hand.slice.level != 7 * MS)
		return false;
	codel_clock_send(&hand.clock, &hand.pace, 100, true);
	codel_slice_idle(&hand.slice, &hand.clock, &hand.link);
	return hand.slice.level == 7 * MS + 100 && hand.link.level.counter == 7 * MS;
}

/* A link that becomes shared is behind what is reserved, and not before now. */
static bool hand_take(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, SEC);
	codel_shared_take(&hand.link, SEC / 2, 1000);
	if (!is_next(&hand, SEC + 1000, 0))
		return false;
	codel_shared_take(&hand.link, 2 * SEC, 500);
	return is_next(&hand, 2 * SEC + 500, 0);
}

/* A single packet on an idle link needs no slice, but takes its time. */
static bool hand_free(uint64_t seed)
{
	struct hand hand;

	(void)seed;
	hand_start(&hand, SEC);
	codel_pace_set(&hand.pace, 12500000000);
	if (codel_slice_is_free(&hand.slice, &hand.clock, &hand.link, SEC - 1) ||
	    !codel_slice_is_free(&hand.slice, &hand.clock, &hand.link, SEC))
		return false;
	codel_slice_send_free(&hand.clock, &hand.pace, &hand.link, SEC, 10);
	/* 0.8 ns, and then 1.6 ns, each begun by other queues */
	if (!is_next(&hand, SEC, 0))
		return false;
	codel_slice_send_free(&hand.clock, &hand.pace, &hand.link, 2 * SEC, 10);
	if (!is_next(&hand, 2 * SEC + 1, 0))
		return false;
	hand.link.queues.counter = 1;
	if (codel_slice_is_free(&hand.slice, &hand.clock, &hand.link, 3 * SEC))
		return false;
	hand.link.queues.counter = 0;
	codel_clock_drop(&hand.clock, &hand.pace, 1000);
	hand.clock.settled = 4 * SEC;
	if (codel_slice_is_free(&hand.slice, &hand.clock, &hand.link, 3 * SEC) ||
	    !codel_slice_is_free(&hand.slice, &hand.clock, &hand.link, 4 * SEC))
		return false;
	if (!turn(&hand, 5 * SEC, 2000, 1))
		return false;
	/* a queue with a slice goes on with that */
	hand.link.queues.counter = 0;
	return !codel_slice_is_free(&hand.slice, &hand.clock, &hand.link, 6 * SEC);
}

/* ---- processors ---- */

#define THREADS	4
#define TURNS	500000

static struct codel_shared contended;
static pthread_barrier_t ready;

struct worker {
	pthread_t thread;
	uint64_t seed;
	u64 used;
};

/* Always behind the link, as time stands still: what it reserves and does not use is the sum. */
static void *work(void *data)
{
	struct worker *worker = data;
	struct codel_slice slice = {};
	struct codel_clock clock = {};
	struct codel_pace pace;
	struct rng rng;
	u32 i;

	rng_seed(&rng, worker->seed);
	codel_pace_set(&pace, 1000000000);
	codel_slice_set(&slice, &pace, 1000000000, MTU);
	pthread_barrier_wait(&ready);
	for (i = 0; i < TURNS; i++) {
		u32 len = rng_even(&rng, 1, 3000);

		codel_slice_turn(&slice, &clock, &contended, 0, rng_even(&rng, 1, 2000), 1);
		if (slice.begin != slice.end) {
			codel_clock_send(&clock, &pace, len, false);
			worker->used += len;
		}
		if (rng_percent(&rng, 50))
			codel_slice_idle(&slice, &clock, &contended);
	}
	codel_slice_idle(&slice, &clock, &contended);
	return NULL;
}

/* No time is lost, and none is given twice. */
static bool processors(uint64_t seed)
{
	struct worker workers[THREADS];
	u64 used = 0;
	u32 i;

	memset(&contended, 0, sizeof(contended));
	contended.level.counter = 1ULL << 60;
	pthread_barrier_init(&ready, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker) { .seed = seed + i };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return false;
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		used += workers[i].used;
	}
	if ((u64)atomic64_read(&contended.next) == used && !atomic_read(&contended.queues))
		return true;
	ktap_note("%llu ns were used, the link has %lld; %d queues",
		  (unsigned long long)used, (long long)contended.next.counter,
		  contended.queues.counter);
	return false;
}

static const struct test_case cases[] = {
	{ "shared: a slice, by hand", hand_slice },
	{ "shared: what is not used, by hand", hand_give_back },
	{ "shared: late timers, and an idle link, by hand", hand_late },
	{ "shared: dropped packets that are owed, by hand", hand_owed },
	{ "shared: a queue that was stopped, by hand", hand_stopped },
	{ "shared: the length of a slice, by hand", hand_lengths },
	{ "shared: a queue that comes back, by hand", hand_comes_back },
	{ "shared: what the link sends first, by hand", hand_take },
	{ "shared: a packet on an idle link, by hand", hand_free },
	{ "shared: a queue alone has the rate", shared_one },
	{ "shared: 16 equal queues, 20 Mbit/s to 10 Gbit/s", shared_equal },
	{ "shared: equal shares of 64 flows in queues of 1, 3, 20 and 40", shared_flows },
	{ "shared: equal shares of packets of 100 to 65000 bytes", shared_lengths },
	{ "shared: sparse queues beside a busy one", shared_sparse },
	{ "shared: a flow that sends half of the rate, beside 9 flows", shared_unresponsive },
	{ "shared: queues that come and go", shared_come_and_go },
	{ "shared: queues that are deleted with their slices", shared_deleted },
	{ "shared: a queue that stands still with a slice", shared_dies },
	{ "shared: four processors", processors },
};

const struct group shared_group = { cases, ARRAY_SIZE(cases) };
