// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The flow table and its scheduler, called in the same way as by the qdisc: random
 * arrivals, departures, drops and classes. After every step all
 * invariants are checked, and each dequeued packet is the next one of its source.
 *
 *	flows [-x] SEEDS	KTAP, a result per seed; -x: end at the first failure
 */
#include "invariants.h"
#include "timing.h"

#define STEPS		40000
#define CROWD		600	/* sources of the random steps */
#define PACKETS		3000

/* ---- random steps ---- */

static void push(u32 source)
{
	now++;
	push_bytes(source, rng_percent(&rng, 5) ? 0 :
			   rng_percent(&rng, 1) ? rng_pick(&rng, (struct range) { 60, 1 << 24 }) :
			   rng_pick(&rng, (struct range) { 60, 65536 }));
}

/* Phases with few and with many sources, with more arrivals and with more departures */
static bool step(u32 n)
{
	u32 phase = n / 500;
	u32 sources = phase % 3 ? phase % 3 == 1 ? CROWD : 30 : CROWD + CLASSES;
	u32 arrivals = phase % 2 ? 60 : 45, source;

	if (queued > limit) {
		must(drop_largest(NULL, 1));
	} else if (rng_percent(&rng, arrivals)) {
		source = rng_even(&rng, 0, sources - 1);
		push(source < CROWD ? source : SOURCES + source - CROWD);
	} else if (rng_percent(&rng, 90)) {
		must(dequeue_one());
	} else {
		fq_codel_drr_rank_all(&table->drr);	/* as if the limit were changed */
		must(drop_largest(NULL, rng_even(&rng, 1, 64)));
	}
	return true;
}

static bool run(u64 seed)
{
	u32 n;

	rng_seed(&rng, seed);
	limit = PACKETS;
	signals = seed % 3 * 10;
	must(fresh(seed % 8 ? rng_pick(&rng, (struct range) { 1, 2048 }) : 65536));
	for (n = 0; n < STEPS; n++) {
		must(step(n));
		if (table->count < 64 || n % (table->count > 2048 ? 512 : 16) == 0)
			must(table_is_right());
	}
	signals = 0;
	must(drained());
	return table_is_right();
}

/* ---- a recurring flow ---- */

/* Flow 1 and 2 wait with @packets each and have had a turn; flow 0 sends @len bytes, alone. */
static bool run_out(u32 len, u32 packets)
{
	u32 n;

	must(fresh(64));
	for (n = 0; n < packets; n++) {
		push_bytes(1, QUANTUM);
		push_bytes(2, QUANTUM);
	}
	for (n = 0; n < packets; n += 4)
		must(dequeue_one());
	push_bytes(0, len);
	while (seen[0] < sent[0])
		must(dequeue_one());
	return true;
}

/* The next packets are of these sources. */
static bool leave_as(const char *sources)
{
	for (; *sources; sources++) {
		u32 source = *sources - '0';
		u64 before = seen[source];

		must(dequeue_one());
		must(seen[source] == before + 1);
	}
	return true;
}

/* The flow that the hash of the source owns */
static struct fq_codel_flow *flow_of(u32 source)
{
	const struct sk_buff skb = { .enqueue_time = now };

	return fq_codel_table_lookup(table, source_hash(source), &skb);
}

static struct fq_codel_flow *flow_0(void)
{
	return flow_of(0);
}

/* The flow used up its quantum: it waits for its turn on old_flows. */
static bool waits_for_turn(void)
{
	must(run_out(QUANTUM, 8));
	must(leave_as("1"));
	must(!fq_codel_is_idle(flow_0()) && flow_0()->deficit == QUANTUM);
	push_bytes(0, QUANTUM);
	must(leave_as("2012"));
	return drained();
}

/* The flow did not use up its quantum: it is new again, with the rest of that quantum. */
static bool quantum_per_round(void)
{
	must(run_out(QUANTUM - 100, 8));
	must(leave_as("1"));
	must(fq_codel_is_idle(flow_0()) && flow_0()->deficit == 100);
	push_bytes(0, QUANTUM);
	push_bytes(0, QUANTUM);
	must(flow_0()->deficit == 100);
	must(leave_as("0201"));
	return drained();
}

/* The round is over: the flow has a new quantum. */
static bool quantum_next_round(void)
{
	must(run_out(QUANTUM - 100, 8));
	must(leave_as("121"));
	push_bytes(0, QUANTUM);
	must(flow_0()->deficit == QUANTUM);
	must(leave_as("0212"));
	return drained();
}

/* The round is over because its flows are idle. */
static bool quantum_after_all(void)
{
	must(fresh(64));
	push_bytes(1, QUANTUM);
	push_bytes(1, 100);
	push_bytes(2, QUANTUM);
	push_bytes(2, 100);
	must(leave_as("12"));
	push_bytes(0, 100);
	must(leave_as("012") && !dequeue());
	push_bytes(0, 100);
	must(flow_0()->deficit == QUANTUM);
	return drained();
}

/* A debt of two quanta keeps the flow on old_flows for two rounds. */
static bool debt_of_rounds(void)
{
	must(run_out(3 * QUANTUM, 12));
	must(leave_as("21"));
	push_bytes(0, QUANTUM);
	must(leave_as("2120"));
	return drained();
}

#define BULK_FOR	(CODEL_RESUME_INTERVALS * INTERVAL)

/* Flow 0 sends a packet of @len bytes, and becomes idle. */
static bool idle_after(u32 len)
{
	must(run_out(len, 16));
	must(leave_as("121"));
	now = 1000 + BULK_FOR;
	return true;
}

/*
 * Flow 0 is signalled at @signal. The next packets are one of flow 0, of @len bytes, and one of
 * flow 3, which are both idle.
 */
static bool order_is(u32 len, u64 signal, const char *sources)
{
	must(fq_codel_is_idle(flow_0()));
	flow_0()->queue.vars.drop_next = signal;
	push_bytes(0, len);
	push_bytes(3, 100);
	must(leave_as(sources));
	return drained();
}

/*
 * For as long as CoDel would resume after a signal, a flow is old if it used up a quantum when it was
 * active last.
 */
static bool recent_signal(void)
{
	must(idle_after(QUANTUM) && order_is(100, now, "3201"));
	must(order_is(100, now, "03"));
	must(idle_after(QUANTUM) && order_is(QUANTUM, now, "3201"));
	must(order_is(100, now, "30"));
	must(idle_after(QUANTUM) && order_is(100, 1001, "3201"));
	must(idle_after(QUANTUM) && order_is(100, 1000, "0321"));
	must(idle_after(QUANTUM) && order_is(100, 0, "0321"));
	must(order_is(100, now, "03"));
	must(idle_after(QUANTUM - 100) && order_is(100, now, "0321"));
	return true;
}

static bool recurring(void)
{
	return waits_for_turn() && quantum_per_round() && quantum_next_round() &&
	       quantum_after_all() && debt_of_rounds();
}

/* ---- CoDel's state while a flow has no packet ---- */

static bool codel_state(void)
{
	struct codel_vars *vars;

	must(run_out(QUANTUM, 8));
	vars = &flow_0()->queue.vars;
	vars->dropping = true;
	vars->first_above_time = 7;
	must(leave_as("1"));	/* the turn of flow 0 has not come */
	must(vars->dropping && vars->first_above_time);
	must(leave_as("21"));	/* it has */
	must(!vars->dropping && !vars->first_above_time);
	return drained();
}

/* ---- rounds of more turns than 16 bits can count ---- */

static bool many_old(void)
{
	u32 n;

	must(fresh(65536));
	for (n = 1; n < 50000; n++)
		push_bytes(n, QUANTUM);
	for (n = 1; n < 50000; n++) {
		must(dequeue_one());
		push_bytes(n, QUANTUM);
	}
	push_bytes(0, 100);
	must(leave_as("0") && dequeue_one());
	must(fq_codel_is_idle(flow_0()));
	push_bytes(0, 100);
	must(flow_0()->deficit == QUANTUM - 100);	/* no round has passed */
	return drained();
}

/* ---- debts of many quanta ---- */

/* All sources have packets that cost up to 700 quanta. Record the order of the packets and the
 * largest number of turns that a dequeue takes.
 */
static bool owe_much(u32 *order, u32 *most)
{
	u32 i, turn;

	must(fresh(1024));
	rng_seed(&rng, 1);
	for (i = 0; i < 3 * CROWD; i++)
		push_bytes(i % CROWD, rng_even(&rng, 1 << 19, 1 << 20));
	for (i = 0; i < 3 * CROWD; i++) {
		struct sk_buff *skb;

		turn = table->drr.turn;
		skb = dequeue();
		must(skb);
		*most = max(*most, table->drr.turn - turn);
		order[i] = skb->source;
		free(skb);
	}
	must(!queued);
	return true;
}

/* Rounds in which no flow may send are skipped, and the order is as if they were not. */
static bool skips(void)
{
	static u32 order[2][3 * CROWD];
	u32 most = 0;

	one_by_one = true;
	must(owe_much(order[0], &most) && most > 10 * CROWD);
	one_by_one = false;
	most = 0;
	must(owe_much(order[1], &most) && most <= 3 * CROWD + 1);
	must(!memcmp(order[0], order[1], sizeof(order[0])));
	return true;
}

/* No flow has a packet: 10,000 debts of many quanta are forgiven at once. */
static bool forgives(void)
{
	u32 n;

	must(fresh(16384));
	for (n = 0; n < 10000; n++)
		push_bytes(n, QUANTUM * (1 + n % 700));
	must(drained());
	must(!dequeue() && !fq_codel_table_active(table));
	return table_is_right();
}

/* ---- few flows ---- */

/* Each of @count hashes gets its own flow, after @count others were active several times. */
static bool few(u32 count)
{
	u32 i;

	must(fresh(count));
	for (i = 0; i < 4 * count; i++) {
		push_bytes(i % count, 60);
		must(dequeue_one() && !queued);
	}
	for (i = 0; i < 2 * count; i++)
		push_bytes(count + i % count, QUANTUM);
	must(table->collisions == (count < 32 ? 0 : 2 * (count / 32)));
	must(table_is_right());
	return drained();
}

/* A new hash does not inherit the debt of a flow. */
static bool no_heir(void)
{
	must(fresh(1));
	must(push_bytes(0, 3 * QUANTUM) && dequeue_one());
	must(push_bytes(1, QUANTUM)->deficit > 0 && !table->collisions);
	return drained();
}

static bool fews(void)
{
	u32 n;

	for (n = 1; n <= 32; n++)
		must(few(n));
	return no_heir();
}

/* ---- a flow of any backlog ---- */

static bool sizes(void)
{
	struct fq_codel_flow *flow;
	u32 size;

	must(fresh(4));
	flow = push_bytes(0, QUANTUM);
	for (size = 1; size; size <<= 1) {
		flow->queue.backlog = size;
		fq_codel_rank(&table->drr.lists, flow);
		must(flow->list < FQ_CODEL_LISTS && fq_codel_largest(&table->drr.lists) == flow);
	}
	flow->queue.backlog = U32_MAX;
	fq_codel_rank(&table->drr.lists, flow);
	must(flow->list == FQ_CODEL_LISTS - 1);
	flow->queue.backlog = QUANTUM;
	fq_codel_rank(&table->drr.lists, flow);
	return drained();
}

/* ---- many flows that wait without packets ---- */

/* 100 flows send more than their quantum, flow 3 three: of the others, 64 wait on old_flows. */
static bool crowd(void)
{
	u32 n;

	must(fresh(1024));
	for (n = 0; n < 8; n++)
		push_bytes(0, QUANTUM);
	must(leave_as("0"));
	for (n = 100; n < 200; n++)
		push_bytes(n, QUANTUM + 14);
	for (n = 100; n < 200; n++)
		must(dequeue_one());
	push_bytes(3, 3 * QUANTUM);
	push_bytes(4, QUANTUM + 14);
	push_bytes(5, 60);
	must(leave_as("345"));
	must(table->drr.waiting == FQ_CODEL_WAITING_MAX);
	must(fq_codel_is_idle(flow_of(3)) && flow_of(3)->deficit == -2 * QUANTUM);
	must(fq_codel_is_idle(flow_of(4)) && flow_of(4)->deficit == -14);
	push_bytes(3, QUANTUM);
	push_bytes(4, QUANTUM);
	must(leave_as("0"));
	must(flow_of(4)->deficit == QUANTUM - 14);	/* after the others */
	must(leave_as("40"));
	must(flow_of(3)->deficit == 0);	/* pays with each quantum */
	must(leave_as("03"));
	must(drained() && !dequeue());
	push_bytes(199, QUANTUM);	/* after a round the hash still owes, others do not */
	must(flow_of(199)->deficit == QUANTUM - 14);
	for (n = 1000; n < 1990; n++)	/* more than flows that were never used */
		must(push_bytes(n, 60)->deficit == QUANTUM);
	must(!table->collisions);
	return drained();
}

/* 1,000 flows send a packet of 43 quanta each: no dequeue passes many of them when they are empty. */
static bool crowd_in_debt(void)
{
	u32 n, turn;

	must(fresh(1024));
	for (n = 0; n < 50; n++)
		push_bytes(0, QUANTUM);
	must(leave_as("0"));
	for (n = 100; n < 1100; n++)
		push_bytes(n, 65000);
	for (n = 0; n < 1049; n++) {
		turn = table->drr.turn;
		must(dequeue_one());
		must(table->drr.turn - turn <= FQ_CODEL_WAITING_MAX + 1);
		must(n < 1000 || fq_codel_table_active(table) <= FQ_CODEL_WAITING_MAX + 2);
	}
	must(!queued);
	return table_is_right();
}

/* One packet at a time of many hashes: old flows without packets are behind it. */
static bool one_by_one_hashes(void)
{
	u32 n, turn;

	must(fresh(256));
	for (n = 0; n < 5000; n++) {
		turn = table->drr.turn;
		push_bytes(n, QUANTUM);
		must(dequeue_one());
		must(table->drr.turn - turn <= FQ_CODEL_WAITING_MAX + 1);
	}
	must(!table->collisions);
	must(table_is_right());
	return drained();
}

/* ---- a hash takes over no flow within a round ---- */

static bool no_takeover(void)
{
	u32 n;

	must(run_out(100, 8));	/* flow 0 is idle, its round is not over */
	for (n = 10; n < 10 + 61; n++)	/* all other flows */
		push_bytes(n, 100);
	must(!table->collisions);
	for (n = 0; n < 61; n++)
		must(dequeue_one());
	push_bytes(100, 100);
	must(table->collisions == 1);
	must(table_is_right());
	return drained();
}

/* ---- which recurring flow another hash gets ---- */

/* The flow of the source is active three times: it is recurring. */
static bool recur(u32 source)
{
	u32 n;

	for (n = 0; n < 3; n++) {
		push_bytes(source, 60);
		must(dequeue_one() && !dequeue());
	}
	return true;
}

/* The hashes 0 to 63 own all flows. */
static bool all_recur(void)
{
	u32 n;

	must(fresh(64));
	for (n = 0; n < 64; n++)
		must(recur(n));
	return true;
}

/* A flow that was active since the last search is protected; one that has packets, too. */
static bool protected(void)
{
	struct fq_codel_flow *second, *third, *fifth;

	must(all_recur());
	second = flow_of(1);
	third = flow_of(2);
	fifth = flow_of(4);
	must(recur(100));	/* gets the flow of hash 0 */
	must(recur(1) && recur(101) && flow_of(101) == third);
	push_bytes(3, 60);
	must(push_bytes(102, 60) == fifth);
	must(flow_of(1) == second && !table->collisions);
	must(table_is_right());
	return drained();
}

/* Of 64 flows, 40 are active and the first of their list: another hash finds an idle one. */
static bool behind_active(void)
{
	u32 n;

	must(all_recur());
	for (n = 0; n < 40; n++)
		push_bytes(n, 60);
	must(table_is_right());
	push_bytes(100, 60);
	must(!table->collisions);
	must(table_is_right());
	return drained();
}

/* ---- overflow flows ---- */

/* Sixteen hashes that share keep packets in all overflow flows; @packets leave. */
static bool keep_sharing(u32 packets)
{
	u32 n, i;

	for (n = 0; n < packets; n++, now++) {
		for (i = 1060; i < 1060 + 16; i++)
			while (sent[i] < seen[i] + 4)
				push_bytes(i, QUANTUM);
		must(dequeue_one());
	}
	for (i = 0; i < 8; i++)
		must(fq_codel_table_flow(table, table->overflow + i)->queue.tail);
	return true;
}

/* After a burst of hashes, nearly all of 1,024 flows are idle: newcomers own flows, although all overflow
 * flows have packets. All newcomers at once are a flood: seven in each round own flows.
 */
static bool newcomers(void)
{
	u32 n, shared = 0;

	must(fresh(1024));
	for (n = 0; n < 1100; n++, now++)
		push_bytes(n, QUANTUM);
	must(table->collisions == 76 && keep_sharing(20000));
	must(fq_codel_table_active(table) <= 8);
	for (n = 2000; n < 3000; n++) {
		struct fq_codel_flow *flow = push_bytes(n, 60);

		shared += is_overflow(fq_codel_table_index(table, flow));
		must(keep_sharing(3));
	}
	printf("# newcomers that share: %u of 1000\n", shared);
	must(shared < 50);	/* 16 of 512 buckets have packets */
	for (n = 3000; n < 3100; n++, now++) {
		struct fq_codel_flow *flow = push_bytes(n, 60);

		must(n < 3050 || is_overflow(fq_codel_table_index(table, flow)));
	}
	must(table_is_right());
	return drained();
}

/* A hash stays in its overflow flow until its last packet there has left. */
static bool stays(void)
{
	struct fq_codel_flow *shared;
	u32 n;

	must(fresh(64));
	for (n = 0; n < 64; n++, now++)
		push_bytes(n, QUANTUM);
	shared = push_bytes(100, QUANTUM);
	now++;
	must(is_overflow(fq_codel_table_index(table, shared)));
	for (n = 0; seen[100] == 0; n++, now++) {
		must(push_bytes(100, 60) == shared);
		must(dequeue_one());
	}
	must(table->count - fq_codel_table_active(table) > 60);
	must(push_bytes(100, 60) == shared);
	for (; seen[100] < sent[100]; now++)
		must(dequeue_one());
	push_bytes(200 + shared->queue.backlog, 60);
	must(push_bytes(100, 60) != shared);
	must(table_is_right());
	return drained();
}

/* ---- flows that filters select ---- */

/* The first class shares its flow after all others, and not before flows that were active once. */
static bool classes(void)
{
	u32 n;

	must(fresh(512));
	for (n = 0; n < 511; n++)
		must(fq_codel_table_index(table, push_bytes(n, 60)) > 0);
	must(fresh(512));
	for (n = 0; n < 2; n++)
		must(fq_codel_table_index(table, push_bytes(SOURCES, 60)) == 0 && drained() &&
		     !dequeue());
	for (n = 0; n < 511; n++)
		push_bytes(n, 60);
	must(drained() && !dequeue() && table_is_right());
	must(fq_codel_table_index(table, push_bytes(n, 60)) > 0);
	must(!table->collisions && table_is_right());
	return drained();
}

/* ---- a reset ---- */

/* Free all packets and clear the table, as a reset of the qdisc does. */
static void reset(void)
{
	u32 i;

	for (i = 0; i < fq_codel_table_size(table); i++) {
		struct fq_codel_flow *flow = fq_codel_table_flow(table, i);

		while (flow->queue.tail)
			free(take_head(flow));
	}
	fq_codel_table_clear(table);
}

/* Flows with packets and flows that wait without: after a reset all are idle and owe nothing. */
static bool resets(void)
{
	u32 n;

	must(fresh(1024));
	for (n = 0; n < 100; n++)
		push_bytes(n, 3 * QUANTUM);
	for (n = 0; n < 100; n++)
		must(dequeue_one());
	push_bytes(100, QUANTUM);
	must(dequeue_one() && table->drr.waiting);
	push_bytes(101, QUANTUM);
	reset();
	must(table_is_right() && !dequeue());
	must(push_bytes(0, QUANTUM)->deficit == QUANTUM);
	return drained();
}

static const struct {
	const char *name;
	bool (*passes)(void);
} cases[] = {
	{ "a recurring flow", recurring },
	{ "a flow that CoDel has signalled", recent_signal },
	{ "CoDel's state while a flow has no packet", codel_state },
	{ "50,000 old flows", many_old },
	{ "debts of many quanta", skips },
	{ "debts, and no packet", forgives },
	{ "few flows", fews },
	{ "a flow of any backlog", sizes },
	{ "many flows that wait without packets", crowd },
	{ "many flows that owe much", crowd_in_debt },
	{ "one packet at a time of many hashes", one_by_one_hashes },
	{ "no takeover within a round", no_takeover },
	{ "a flow that was active is protected", protected },
	{ "an idle flow behind active ones", behind_active },
	{ "newcomers while overflow flows have packets", newcomers },
	{ "a hash that shares an overflow flow", stays },
	{ "the first class", classes },
	{ "a reset", resets },
	{ "timing adversaries", adversaries },
	{ "sparse flows", sparse },
	{ "a flood on 16 flows", flooded },
	{ "Jain's index of many flows", equals },
};

int main(int argc, char **argv)
{
	bool first = argc > 1 && !strcmp(argv[1], "-x"), right, bad = false;
	int count = sizeof(cases) / sizeof(cases[0]), i, seed, seeds;

	argc -= first;
	argv += first;
	seeds = argc > 1 ? atoi(argv[1]) : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", count + seeds);
	for (i = 0; i < count && !(first && bad); i++) {
		right = cases[i].passes();
		printf("%sok %d %s\n", right ? "" : "not ", i + 1, cases[i].name);
		bad |= !right;
	}
	for (seed = 1; seed <= seeds && !bad; seed++) {
		bad = !run(seed);
		printf("%sok %d %d steps, seed %d\n", bad ? "not " : "", count + seed, STEPS, seed);
	}
	fq_codel_table_release(table);
	return bad;
}
