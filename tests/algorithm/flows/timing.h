/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Fairness in virtual time: timing adversaries, sparse flows, floods, many flows. */
#ifndef FLOWS_TIMING_H
#define FLOWS_TIMING_H

#include "link.h"

#define ADVERSARIES	640
#define ADVERSARY_TIME	(4 * SECOND)

/* The first adversaries repeat one burst with many waits, the others random bursts. */
static void make_adversary(u32 n)
{
	static const u32 sizes[] = { 100, 757, 1513, 1514 };
	struct sender *s = add_bulk(0);
	u32 i;

	s->steps = 1;
	s->burst[0] = 1 + n / 4 % 4;
	s->size[0] = sizes[n % 4];
	s->wait[0] = n / 16 * MS / 3;
	s->next = rng_even(&rng, 0, 5 * MS);
	if (n < ADVERSARIES / 2)
		return;
	s->steps = rng_even(&rng, 1, STEPS_MAX);
	for (i = 0; i < s->steps; i++) {
		s->burst[i] = rng_even(&rng, 1, BURST_MAX);
		s->size[i] = rng_percent(&rng, 30) ? rng_even(&rng, 60, 4 * MTU) :
						     rng_even(&rng, 60, MTU);
		s->wait[i] = rng_percent(&rng, 30) ? 0 : rng_even(&rng, 0, 8 * MS);
	}
}

/* One of three flows times its packets; the fair share is a third of 10 Mbit/s. */
static bool adversaries_signalled(u32 percent)
{
	double rate, best = 0;
	u32 n;

	rng_seed(&rng, 1);
	signals = percent;
	interval = 100 * MS;
	for (n = 0; n < ADVERSARIES; n++) {
		must(fresh(1024));
		link_reset(10000000, 0);
		add_bulk(MTU);
		add_bulk(MTU);
		make_adversary(n);
		must(link_run(ADVERSARY_TIME));
		rate = mbit(&senders[2], ADVERSARY_TIME);
		best = max(best, rate);
	}
	signals = 0;
	interval = INTERVAL;
	printf("# best of %d adversaries: %.2f Mbit/s\n", ADVERSARIES, best);
	must(best > 3.0 && best <= 3.4);
	return drained();
}

static bool adversaries(void)
{
	return adversaries_signalled(0) && adversaries_signalled(2);
}

/* The longest wait of nearly all packets of a flow beside four bulk flows, ms */
static bool sparse_waits(u32 len, u64 every, double most)
{
	double wait;

	must(fresh(1024));
	link_reset(10000000, 0);
	for (u32 n = 0; n < 4; n++)
		add_bulk(MTU);
	add_periodic(len, every, 12345);
	must(link_run(10 * SECOND));
	wait = p99(&senders[4]);
	printf("# %u bytes every %.1f ms: p99 %.2f ms\n", len, (double)every / MS, wait);
	must(senders[4].delays >= 10 * SECOND / every - 10);
	must(wait <= most);
	return drained();
}

static bool sparse(void)
{
	return sparse_waits(100, 2 * MS, 1.22) && sparse_waits(66, 2 * MS / 5, 1.22);
}

/* 65,536 sources send ten times the rate of the link; 16 flows, as in tests/kernel/test_flood.sh */
static bool flooded(void)
{
	u64 quiet = SECOND, noisy = 3 * SECOND;
	struct sender *victim, *bulk;

	quantum = 300;
	must(fresh(16));
	link_reset(20000000, 10240);
	bulk = add_bulk(MTU);
	victim = add_periodic(125, MS, 12345);
	must(link_run(quiet));
	bulk->bytes = 0;
	victim->delays = 0;
	flood = (struct flood) {
		.every = 60567, .len = MTU, .sources = 65000, .next = now,
	};
	must(link_run(noisy));
	printf("# flood: victim lost %lu, p99 %.2f ms; bulk %.1f of 20 Mbit/s\n",
	       (unsigned long)lost[1], p99(victim), mbit(bulk, noisy));
	must(!lost[1] && p99(victim) <= 3);
	must(mbit(bulk, noisy) >= 8);
	must(table->collisions >= 10000);
	quantum = QUANTUM;
	return drained();
}

/*
 * @flows send 1.72 times the rate of the link, and CoDel signals @percent of the packets: Jain's
 * index of their packets sent in three seconds. For two seconds before, packets of hashes that
 * share an overflow flow wait behind all flows that have sent less than their first quantum.
 */
static bool equal(u32 flows, u32 percent, double least)
{
	static u64 before[2000];
	double sum = 0, squares = 0, jain;
	u64 at, next, begin = 2 * SECOND, end = begin + 3 * SECOND;
	u32 n, turn = 0;

	must(fresh(1024));
	link_reset(10000000, 2000);
	signals = percent;
	interval = 100 * MS;
	now = at = next = 0;
	while (at < end) {
		struct sk_buff *skb;

		for (n = 0; n < flows && at < begin && at + time_of(100) >= begin; n++)
			before[n] = sent[n] - lost[n];

		for (; next <= at; next += time_of(100) * 100 / 172) {
			now = next;
			must(offer(turn, 100));
			turn = (turn + 1) % flows;
		}
		skb = dequeue();
		at += time_of(100);
		free(skb);
	}
	for (n = 0; n < flows; n++) {
		double got = sent[n] - lost[n] - before[n];

		sum += got;
		squares += got * got;
	}
	jain = sum * sum / (flows * squares);
	signals = 0;
	interval = INTERVAL;
	printf("# Jain's index of %u flows in 1024 queues: %.4f\n", flows, jain);
	must(jain >= least);
	return drained();
}

static bool equals(void)
{
	return equal(900, 0, 0.995) && equal(900, 5, 0.995) && equal(1100, 0, 0.97) &&
	       equal(2000, 0, 0.95);
}

#endif /* FLOWS_TIMING_H */
