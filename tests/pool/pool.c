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
#define CLASSES		12	/* the sources from here on have no hash but a class */
#define FILTERED	8	/* of these by a filter, the others by their priority */
#define PACKETS		3000
#define QUANTUM		1514
#define CROWD		FQ_CODEL_LINGERING

static struct fq_codel_table *pool;
static struct rng rng;
static u64 now, queued;
static u64 sent[SOURCES + CLASSES], seen[SOURCES + CLASSES];
static u64 moved[SOURCES + CLASSES];	/* sent before the last change of the pool */
static u32 last_source;	/* of the packet that left last */
static u64 turns_ended;	/* in all searches for a flow that may send */
static bool one_by_one;	/* no round is skipped */

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

static struct fq_codel_flow *push_bytes(u32 source, u32 len)
{
	struct fq_codel_flow *flow;
	struct sk_buff *skb = calloc(1, sizeof(*skb));

	skb->source = source;
	skb->number = ++sent[source];
	skb->enqueue_time = ++now;
	skb->len = len;
	if (source < SOURCES)
		flow = fq_codel_lookup(pool, source_hash(source));
	else if (source < SOURCES + FILTERED)
		flow = fq_codel_class(pool, (source - SOURCES) % pool->count);
	else
		flow = fq_codel_join(pool, (source - SOURCES) % pool->count);
	skb->next = skb;
	if (flow->queue.tail) {
		skb->next = flow->queue.tail->next;
		flow->queue.tail->next = skb;
	}
	flow->queue.tail = skb;
	flow->queue.backlog += skb->len;
	if (!(flow->fq_codel_flags & FQ_CODEL_ACTIVE))
		fq_codel_activate(pool, flow, QUANTUM);
	else if (flow->fq_codel_flags & FQ_CODEL_LINGERS)
		fq_codel_linger_end(pool, flow);
	fq_codel_resized(pool, flow);
	queued++;
	return flow;
}

static void push(u32 source)
{
	push_bytes(source, rng_percent(&rng, 5) ? 0 :
			   rng_pick(&rng, (struct range) { 60, 65536 }));
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
	last_source = skb->source;
	free(skb);
	return true;
}

static bool pull(void)
{
	u32 turns = 0;

	while (pool->new.len || pool->old.len) {
		u32 first = pool->new.len ? pool->new.first : pool->old.first;
		struct fq_codel_flow *flow = &pool->flows[first];

		if (fq_codel_remains(pool, flow)) {
			turns_ended++;
			turns = fq_codel_turn_end(pool, flow, QUANTUM, turns);
			turns = one_by_one ? 0 : turns;
			continue;
		}
		if (!flow->queue.tail) {
			fq_codel_retire(pool, flow);
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

static void change(u32 count)
{
	struct fq_codel_table *to = fq_codel_table_new(count);

	memcpy(moved, sent, sizeof(sent));
	fq_codel_table_move(to, pool);
	fq_codel_table_free(pool);
	pool = to;
}

/* ---- what must be so ---- */

static bool lingers(const struct fq_codel_flow *flow)
{
	return flow->fq_codel_flags & FQ_CODEL_ACTIVE &&
	       flow->fq_codel_flags & FQ_CODEL_LINGERS;
}

static bool line_is_right(const struct fq_codel_line *line, u8 old)
{
	u32 i = line->first, n, before = 0;

	for (n = 0; n < line->len; n++) {
		struct fq_codel_flow *flow = &pool->flows[i];

		must(i < pool->count);
		must(flow->fq_codel_flags & FQ_CODEL_ACTIVE);
		must((flow->fq_codel_flags & FQ_CODEL_OLD) == old);
		must(!n || pool->turn_prev[i] == before);
		must(!n || flow->queue.tail || lingers(flow));
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

	must(!lingers(flow) || (flow->fq_codel_flags & FQ_CODEL_OLD && !skb));
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
	     FQ_CODEL_RING_MIN + fls64(bytes >> FQ_CODEL_RING_SHIFT));
	return true;
}

static bool pool_is_right(void)
{
	u32 members = 0, hashed = 0, known = 0, outside = 0, active = 0, lingering = 0, i;
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
		lingering += lingers(flow);
		known += !!(flow->fq_codel_flags & FQ_CODEL_HASHED);
	}
	must(members + outside == pool->count);
	must(active == pool->new.len + pool->old.len);
	must(lingering == pool->lingering && lingering <= FQ_CODEL_LINGERING);
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
		change(rng_pick(&rng, (struct range) { 1, 2048 }));
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

static bool drained(void)
{
	while (queued)
		must(pull());
	must(pool_is_right());
	return true;
}

/* Another pool, of which nothing is known */
static bool fresh(u32 count)
{
	if (pool)
		must(drained());
	fq_codel_table_free(pool);
	memset(sent, 0, sizeof(sent));
	memset(seen, 0, sizeof(seen));
	memset(moved, 0, sizeof(moved));
	pool = fq_codel_table_new(count);
	return true;
}

/* ---- CoDel's state while a flow has no packet ---- */

static struct codel_vars *above(struct fq_codel_flow *flow)
{
	flow->queue.vars.first_above_time = 7;
	flow->queue.vars.dropping = true;
	return &flow->queue.vars;
}

static bool ended(const struct codel_vars *vars)
{
	return !vars->dropping && !vars->first_above_time;
}

/* Flow 0 has sent a packet of @len bytes and its turn is over, without another; flows 1 and
 * 2 are old, with a quantum in each of @packets. @others linger, too.
 */
static bool run_out(u32 len, u32 packets, u32 others, struct codel_vars **vars)
{
	u32 n;

	must(fresh(64));
	for (n = 0; n < packets; n++) {
		push_bytes(1, QUANTUM);
		push_bytes(2, QUANTUM);
	}
	for (n = 0; n < packets; n += 4)
		must(pull());
	*vars = above(push_bytes(0, len));
	while (seen[0] < sent[0])
		must(pull());
	pool->lingering = others;
	must(pull());
	pool->lingering -= others;
	return true;
}

static bool waits(void)
{
	struct codel_vars *vars;

	must(run_out(QUANTUM, 8, CROWD, &vars));	/* back before its turn */
	must(!vars->dropping);
	push_bytes(0, QUANTUM);
	must(vars->dropping && vars->first_above_time);

	must(run_out(QUANTUM, 8, CROWD, &vars));	/* back after it */
	must(pull() && pull() && pull());
	push_bytes(0, QUANTUM);
	must(ended(vars));

	must(run_out(QUANTUM - 1, 8, 0, &vars));	/* it might have sent more */
	must(ended(vars));
	must(run_out(QUANTUM, 0, 0, &vars));	/* there is no other */
	must(ended(vars));
	return true;
}

/* ---- whose turn it is when a flow is back within the round ---- */

/* The next packets are of these sources */
static bool leave_as(const char *sources)
{
	for (; *sources; sources++) {
		u32 source = *sources - '0';
		u64 before = seen[source];

		must(pull());
		must(seen[source] == before + 1);
	}
	return true;
}

/* The flow has used up its quantum, is an old one, and waits for its turn */
static bool in_line(u32 lingering)
{
	struct fq_codel_flow *flow = fq_codel_lookup(pool, source_hash(0));

	must(pool->lingering == lingering);
	must(flow->fq_codel_flags & FQ_CODEL_OLD && flow->deficit == QUANTUM);
	must(flow->queue.vars.dropping && flow->queue.vars.first_above_time);
	return true;
}

static bool comes_back(u32 others)
{
	struct codel_vars *vars;

	must(run_out(QUANTUM, 8, others, &vars));
	must(others == CROWD || in_line(1));
	push_bytes(0, QUANTUM);
	must(in_line(0));
	must(leave_as("20121"));
	must(ended(vars));	/* out of packets for a whole turn */
	must(pool_is_right());
	return true;
}

/* ---- a debt larger than a quantum ---- */

static bool owes(void)
{
	struct codel_vars *vars;

	must(run_out(3 * QUANTUM, 8, 0, &vars));
	must(pool->lingering == 1);
	must(leave_as("21") && !pool->lingering);	/* for a turn, no more */
	push_bytes(0, QUANTUM);
	must(leave_as("2120"));
	return true;
}

static bool places(void)
{
	u32 n;

	must(fresh(64));
	for (n = 0; n < 4; n++) {
		push_bytes(1, QUANTUM);
		push_bytes(2, QUANTUM);
	}
	must(pull() && pull());
	push_bytes(0, 100);
	push_bytes(3, QUANTUM);
	push_bytes(3, QUANTUM);
	must(pull() && pull() && pull());	/* 0; 3, which becomes old after that; 1 */
	must(seen[0] == 1 && seen[3] == 1 && seen[1] == 2);
	push_bytes(0, 100);	/* has had its turn as a new flow: before 3, as if it had waited */
	must(leave_as("203"));
	change(32);
	push_bytes(0, 100);	/* did not need all of its turn as an old one: new again */
	must(leave_as("01212"));
	must(!queued);
	return true;
}

static bool returns(void)
{
	return waits() && comes_back(0) && comes_back(CROWD) && owes() && places();
}

/* ---- a flow that is back after as many rounds as 16 bits can count ---- */

/* Flow 1 sends until @rounds have passed since flow 0 was active. */
static bool rounds_pass(const struct fq_codel_flow *idle, u64 rounds)
{
	u32 before, start = idle->fq_codel_idle_round;
	u64 passed;

	for (passed = pool->round - start; passed < rounds;
	     passed += pool->round - before) {
		before = pool->round;
		push_bytes(1, QUANTUM);
		must(pull());
	}
	must(passed == rounds);
	return true;
}

static bool comes_late(u64 rounds)
{
	struct fq_codel_flow *flow;
	struct codel_vars *vars;

	must(run_out(QUANTUM, 8, CROWD, &vars));
	flow = fq_codel_lookup(pool, source_hash(0));
	must(!(flow->fq_codel_flags & FQ_CODEL_ACTIVE));
	must(flow->fq_codel_flags & FQ_CODEL_DROPPING && vars->first_above_time);
	must(rounds_pass(flow, rounds));
	push_bytes(0, QUANTUM);
	must(ended(vars) && !(flow->fq_codel_flags & FQ_CODEL_OLD));
	must(flow->deficit == QUANTUM);
	return true;
}

static bool late(void)
{
	return comes_late(65535) && comes_late(65536) && comes_late(65537) &&
	       comes_late(2 * 65536) && comes_late(5 * 65536);
}

/* ---- debts of many quanta ---- */

/* All sources have packets that cost up to 700 quanta: which leaves first, and after how
 * many turns at most?
 */
static bool owe_much(bool skip, u32 *order, u64 *most)
{
	u32 i;

	must(fresh(1024));
	rng_seed(&rng, 1);
	one_by_one = !skip;
	*most = 0;
	for (i = 0; i < 3 * SOURCES; i++)
		push_bytes(i % SOURCES, rng_even(&rng, 1 << 19, 1 << 20));
	for (i = 0; i < 3 * SOURCES; i++) {
		turns_ended = 0;
		must(pull());
		order[i] = last_source;
		*most = max(*most, turns_ended);
	}
	one_by_one = false;
	must(!queued);
	return true;
}

/* Rounds in which no flow may send are skipped, and the order is as if they were not. */
static bool skips(void)
{
	static u32 order[2][3 * SOURCES];
	u64 most;

	must(owe_much(false, order[0], &most) && most > 10 * SOURCES);
	must(owe_much(true, order[1], &most));
	must(most <= 2 * SOURCES + 1);
	must(!memcmp(order[0], order[1], sizeof(order[0])));
	return true;
}

/* ---- many queues become one ---- */

static bool merges(void)
{
	u32 i, packets = 5 * SOURCES;

	must(fresh(1024));
	for (i = 0; i < packets; i++)
		push_bytes(rng_even(&rng, 0, SOURCES - 1), QUANTUM);
	skbs_looked_at = 0;
	change(1);
	must(skbs_looked_at <= 2 * packets * 12);	/* two in each comparison; log2(SOURCES) + 2 */
	must(pool_is_right());
	return drained();
}

/* ---- few flows: none is kept idle ---- */

static bool few(u32 count)
{
	u32 i;

	must(fresh(count));
	for (i = 0; i < 4 * count; i++) {	/* all have come back before */
		push_bytes(i % count, 60);	/* not a whole turn, or the flow may linger */
		must(pull() && !queued);
	}
	for (i = 0; i < 2 * count; i++)
		push_bytes(count + i % count, QUANTUM);
	must(pool->shared == (count < 32 ? 0 : 2 * (count / 32)));
	must(pool_is_right());
	return drained();
}

/* A debt stays with the flow that made it. */
static bool no_heir(void)
{
	must(fresh(1));
	must(push_bytes(0, 3 * QUANTUM) && pull());
	must(pool->flows[0].deficit < 0);
	must(push_bytes(1, QUANTUM)->deficit >= 0 && !pool->shared);
	return drained();
}

static bool fews(void)
{
	return no_heir() && few(1) && few(2) && few(3) && few(4) && few(8) && few(16) && few(31) && few(32);
}

/* ---- a flow of any size ---- */

static bool sizes(void)
{
	struct fq_codel_flow *flow;
	u64 size;

	must(fresh(4));
	flow = push_bytes(0, QUANTUM);
	for (size = 1; size; size <<= 1) {
		flow->queue.backlog = size;
		fq_codel_resized(pool, flow);
		must(flow->fq_codel_ring < FQ_CODEL_RINGS && fq_codel_fattest(pool) == flow);
	}
	flow->queue.backlog = QUANTUM;
	fq_codel_resized(pool, flow);
	return drained();
}

static const struct {
	const char *name;
	bool (*passes)(void);
} cases[] = {
	{ "a flow that was out of packets at its turn", returns },
	{ "a flow that is back after 65,536 rounds", late },
	{ "debts of many quanta", skips },
	{ "600 queues become one", merges },
	{ "few flows: none is kept idle", fews },
	{ "a flow of any size", sizes },
};

static bool run(u64 seed)
{
	u32 n;

	rng_seed(&rng, seed);
	must(fresh(rng_pick(&rng, (struct range) { 1, 2048 })));
	for (n = 0; n < STEPS; n++) {
		must(step(n));
		if (pool->count < 64 || n % 16 == 0)
			must(pool_is_right());
	}
	return drained();
}

int main(int argc, char **argv)
{
	int seeds = argc > 1 ? atoi(argv[1]) : 1, more = argc > 2 ? atoi(argv[2]) : 0;
	int count = sizeof(cases) / sizeof(cases[0]), i, seed;
	bool right, bad = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", count + seeds + more);
	for (i = 0; i < count; i++) {
		right = cases[i].passes();
		printf("%sok %d %s\n", right ? "" : "not ", i + 1, cases[i].name);
		bad |= !right;
	}
	for (seed = 1; seed <= seeds && !bad; seed++) {
		bad = !run(seed);
		printf("%sok %d %d steps, seed %d\n", bad ? "not " : "", count + seed, STEPS, seed);
	}
	fq_codel_table_free(pool);
	return bad;
}
