// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The pool of flows, driven like the qdisc drives it, by random arrivals, departures,
 * drops, classes and changes of its size. After every step all of its links are looked
 * at, and each packet that leaves is the next one of its source.
 *
 *	pool SEEDS [MORE]	KTAP, a result per seed, and MORE that others will print
 */
#include <stdio.h>

#include "fq_codel_move.h"
#include "rng.h"

#define STEPS		40000
#define SOURCES		600
#define CLASSES		8	/* the sources from here on have no hash but a class */
#define PACKETS		3000
#define QUANTUM		1514

static struct fq_codel_table *pool;
static struct rng rng;
static u64 now, queued;
static u64 sent[SOURCES + CLASSES], seen[SOURCES + CLASSES];
static u64 moved[SOURCES + CLASSES];	/* sent before the last change of the pool */

#define must(condition) do {						\
	if (!(condition)) {						\
		printf("# pool.c:%d: not so: %s\n", __LINE__, #condition); \
		return false;						\
	}								\
} while (0)

static u32 source_hash(u32 source)
{
	return (source + 1) * 0x9e3779b1u;
}

/* ---- what the qdisc does ---- */

static void push(u32 source)
{
	struct fq_codel_flow *flow;
	struct sk_buff *skb = calloc(1, sizeof(*skb));

	skb->source = source;
	skb->number = ++sent[source];
	skb->enqueue_time = ++now;
	skb->len = rng_percent(&rng, 5) ? 0 : rng_pick(&rng, (struct range) { 60, 65536 });
	if (source < SOURCES)
		flow = fq_codel_lookup(pool, source_hash(source));
	else
		flow = fq_codel_class(pool, (source - SOURCES) % pool->count);
	skb->next = skb;
	if (flow->queue.tail) {
		skb->next = flow->queue.tail->next;
		flow->queue.tail->next = skb;
	}
	flow->queue.tail = skb;
	flow->queue.backlog += skb->len;
	if (!(flow->fq_codel_flags & FQ_CODEL_ACTIVE))
		fq_codel_activate(pool, flow, QUANTUM);
	fq_codel_resized(pool, flow);
	queued++;
}

/*
 * The packets of a source come in order; some may have been dropped. Those of a class
 * that hashes share may be divided when the pool changes.
 */
static bool leave(struct fq_codel_flow *flow)
{
	struct sk_buff *skb = flow->queue.tail->next;

	if (skb == flow->queue.tail)
		flow->queue.tail = NULL;
	else
		flow->queue.tail->next = skb->next;
	flow->queue.backlog -= skb->len;
	flow->deficit -= skb->len;
	queued--;
	must(skb->number > seen[skb->source] ||
	     (skb->source >= SOURCES && skb->number <= moved[skb->source]));
	seen[skb->source] = max(skb->number, seen[skb->source]);
	free(skb);
	return true;
}

static bool pull(void)
{
	while (pool->new.len || pool->old.len) {
		u32 first = pool->new.len ? pool->new.first : pool->old.first;
		struct fq_codel_flow *flow = &pool->flows[first];

		if (!flow->queue.tail) {
			fq_codel_retire(pool, flow);
			continue;
		}
		if (flow->deficit <= 0) {
			fq_codel_pass(pool, flow, QUANTUM);
			continue;
		}
		must(leave(flow));
		if (flow->queue.tail)
			fq_codel_resized(pool, flow);
		return true;
	}
	must(!queued);
	return true;
}

/* From a flow that is larger than half of the largest */
static bool drop(void)
{
	struct fq_codel_flow *flow = fq_codel_fattest(pool);
	u64 largest = 0;
	u32 i;

	must(!flow == !queued);
	if (!flow)
		return true;
	for (i = 0; i < pool->count; i++)
		largest = max(largest, pool->flows[i].queue.backlog);
	must(flow->queue.tail && flow->queue.backlog >= largest / 2);
	must(leave(flow));
	if (flow->queue.tail)
		fq_codel_resized(pool, flow);
	else
		fq_codel_retire(pool, flow);
	return true;
}

static void change(void)
{
	u32 count = rng_pick(&rng, (struct range) { 1, 2048 });
	struct fq_codel_table *to = fq_codel_table_new(count);

	memcpy(moved, sent, sizeof(sent));
	fq_codel_table_move(to, pool);
	fq_codel_table_free(pool);
	pool = to;
}

/* ---- what must be so ---- */

static bool line_is_right(const struct fq_codel_line *line, u8 old)
{
	u32 i = line->first, n, before = 0;

	for (n = 0; n < line->len; n++) {
		struct fq_codel_flow *flow = &pool->flows[i];

		must(i < pool->count);
		must(flow->fq_codel_flags & FQ_CODEL_ACTIVE);
		must((flow->fq_codel_flags & FQ_CODEL_OLD) == old);
		must(!n || pool->turn_prev[i] == before);
		must(!n || flow->queue.tail);
		before = i;
		if (n < line->len - 1)
			i = flow->turn_next;
	}
	must(!line->len || line->last == i);
	return true;
}

static bool ring_is_right(u32 ring, u32 *members)
{
	u32 first = pool->rings[ring], i = first;

	if (!(pool->rings_used & BIT_ULL(ring)))
		return true;
	do {
		must(i < pool->count && ++*members <= pool->count);
		must(pool->flows[i].fq_codel_ring == ring);
		must(pool->flows[pool->flows[i].ring_next].ring_prev == i);
		i = pool->flows[i].ring_next;
	} while (i != first);
	return true;
}

static bool bucket_is_right(u32 bucket, u32 *hashed)
{
	u32 i = pool->buckets[bucket];

	while (i != FQ_CODEL_NONE) {
		struct fq_codel_flow *flow = &pool->flows[i];

		must(i < pool->count && ++*hashed <= pool->count);
		must(flow->fq_codel_flags & FQ_CODEL_HASHED);
		must(fq_codel_bucket(pool, flow->hash) == &pool->buckets[bucket]);
		i = flow->bucket_next == i ? FQ_CODEL_NONE : flow->bucket_next;
	}
	return true;
}

static bool flow_is_right(const struct fq_codel_flow *flow, u64 *packets)
{
	const struct sk_buff *skb = flow->queue.tail;
	u64 bytes = 0, last = 0;

	if (!(flow->fq_codel_flags & FQ_CODEL_ACTIVE)) {
		must(!skb && !flow->queue.backlog);
		must(flow->fq_codel_ring <= FQ_CODEL_RING_NONE);
		must(!(flow->fq_codel_flags & FQ_CODEL_SHARED));
		return true;
	}
	while (skb) {
		skb = skb->next;
		bytes += skb->len;
		++*packets;
		must(skb->enqueue_time > last);
		last = skb->enqueue_time;
		if (skb == flow->queue.tail)
			break;
	}
	must(bytes == flow->queue.backlog);
	must(!flow->queue.tail || flow->fq_codel_ring ==
	     min(FQ_CODEL_RING_MIN + fls64(bytes), FQ_CODEL_RINGS - 1));
	return true;
}

static bool pool_is_right(void)
{
	u32 members = 0, hashed = 0, known = 0, outside = 0, active = 0, i;
	u64 packets = 0;

	must(line_is_right(&pool->new, 0));
	must(line_is_right(&pool->old, FQ_CODEL_OLD));
	for (i = 0; i < FQ_CODEL_RINGS; i++)
		must(ring_is_right(i, &members));
	for (i = 0; i < pool->count; i++) {
		struct fq_codel_flow *flow = &pool->flows[i];

		must(bucket_is_right(i, &hashed));
		must(flow_is_right(flow, &packets));
		outside += flow->fq_codel_ring == FQ_CODEL_RING_NONE;
		active += !!(flow->fq_codel_flags & FQ_CODEL_ACTIVE);
		known += !!(flow->fq_codel_flags & FQ_CODEL_HASHED);
	}
	must(members + outside == pool->count);
	must(active == pool->new.len + pool->old.len);
	must(known == hashed);
	must(packets == queued);
	return true;
}

/* ---- */

/* Now few sources and now many, now more arrivals and now more departures */
static bool step(u32 n)
{
	u32 phase = n / 500;
	u32 sources = phase % 3 ? phase % 3 == 1 ? SOURCES : 30 : SOURCES + CLASSES;
	u32 arrivals = phase % 2 ? 60 : 45;

	if (rng_percent(&rng, 1) && rng_percent(&rng, 30))
		change();
	else if (queued > PACKETS)
		return drop();
	else if (rng_percent(&rng, arrivals))
		push(rng_even(&rng, 0, sources - 1));
	else if (rng_percent(&rng, 90))
		return pull();
	else
		return drop();
	return true;
}

static bool run(u64 seed)
{
	u32 n;

	rng_seed(&rng, seed);
	memset(sent, 0, sizeof(sent));
	memset(seen, 0, sizeof(seen));
	memset(moved, 0, sizeof(moved));
	pool = fq_codel_table_new(rng_pick(&rng, (struct range) { 1, 2048 }));
	for (n = 0; n < STEPS; n++) {
		must(step(n));
		if (pool->count < 64 || n % 16 == 0)
			must(pool_is_right());
	}
	while (queued)
		must(pull());
	must(pool_is_right());
	fq_codel_table_free(pool);
	return true;
}

int main(int argc, char **argv)
{
	int seeds = argc > 1 ? atoi(argv[1]) : 1, more = argc > 2 ? atoi(argv[2]) : 0;
	int seed, bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", seeds + more);
	for (seed = 1; seed <= seeds && !bad; seed++) {
		bad = !run(seed);
		printf("%sok %d %d steps, seed %d\n", bad ? "not " : "", seed, STEPS, seed);
	}
	return bad;
}
