/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Every state that the scheduler of fq/ reaches with small quanta, from empty queues, by any number
 * of arrivals, losses and departures.
 *
 * In a window, the flow STEADY always has packets; the flow OTHER has packets or not, as its sender
 * likes. A state contains how many bytes OTHER has sent more than STEADY since the best begin of
 * a window. A flow has packets or none: their number is arbitrary, so one packet stands for all.
 */
#ifndef SHARE_H
#define SHARE_H

#include <stdio.h>

#include "kernel.h"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "fq/fq_codel_table.h"

#define FLOWS_MAX	5
#define SLOTS		(1U << 25)
#define STEADY		0
#define OTHER		1

/* In the place of the turns that were: the counter wraps in each step. */
#define TURN		U32_MAX

struct kept {
	u8 place;	/* 0: idle, 1: new_flows, 2: old_flows */
	u8 before;	/* flows before it there */
	u8 flags;
	bool waits;
	signed char deficit;
	u8 remaining;	/* turns of its round */
};

struct state {
	struct kept flows[FLOWS_MAX];
	u8 ahead;
	bool bulk;
	bool used;
};

static struct setup {
	u32 flows;
	u32 quantum;	/* bytes */
	u32 longest;	/* packet, bytes */
} setup;

static struct state *states;	/* a hash table, and in it the queue of states to visit */
static u32 *order;
static u32 found, wrong_share, wrong_turn, highest[2];

static struct fq_codel_flow flows[FLOWS_MAX];
static struct fq_codel_table table;
static struct fq_codel_drr *const drr = &table.drr;
static struct sk_buff packet;
static u32 ahead;
static bool bulk;	/* STEADY was sent to old_flows when it became active */

/* ---- states ---- */

static void restore(const struct state *s)
{
	u32 i, place, n;

	memset(&table, 0, sizeof(table));
	table.count = setup.flows;
	*drr = (struct fq_codel_drr) {
		.lists.flows = flows, .turn = TURN, .quantum = setup.quantum,
	};
	ahead = s->ahead;
	bulk = s->bulk;
	for (i = 0; i < setup.flows; i++) {
		const struct kept *kept = &s->flows[i];

		flows[i] = (struct fq_codel_flow) {
			.queue.tail = kept->waits ? &packet : NULL, .deficit = kept->deficit,
			.refill_turn = TURN + kept->remaining, .flags = kept->flags,
		};
		drr->waiting += !!(kept->flags & FQ_CODEL_WAITING);
		fq_codel_list_add(&drr->lists, &flows[i], FQ_CODEL_LIST_ONCE);
	}
	for (place = 1; place <= 2; place++)
		for (n = 0; n < setup.flows; n++)
			for (i = 0; i < setup.flows; i++)
				if (s->flows[i].place == place && s->flows[i].before == n)
					fq_codel_turns_append(drr, place == 1 ? &drr->new_flows :
							      &drr->old_flows, &flows[i]);
}

static void keep_list(struct state *s, const struct fq_codel_turns *turns, u8 place)
{
	const struct fq_codel_flow *flow = turns->first;
	u32 n;

	for (n = 0; n < turns->len; n++, flow = &flows[flow->turn_next]) {
		s->flows[flow - flows].place = place;
		s->flows[flow - flows].before = n;
	}
}

static u32 slot_of(const struct state *s)
{
	const u8 *bytes = (const u8 *)s;
	u64 hash = 0;
	u32 i;

	for (i = 0; i < sizeof(*s); i++)
		hash = (hash + bytes[i] + 1) * 0x9e3779b97f4a7c15ULL;
	for (i = hash >> 40; ; i++)
		if (!states[i % SLOTS].used || !memcmp(&states[i % SLOTS], s, sizeof(*s)))
			return i % SLOTS;
}

/* The other flows are alike: one order of them stands for all. */
static void sort_others(struct state *s)
{
	u32 i, k;

	for (i = OTHER + 2; i < setup.flows; i++)
		for (k = i; k > OTHER + 1; k--) {
			struct kept before = s->flows[k - 1];

			if (memcmp(&before, &s->flows[k], sizeof(before)) <= 0)
				break;
			s->flows[k - 1] = s->flows[k];
			s->flows[k] = before;
		}
}

/* The state after a step */
static void keep(void)
{
	struct state s;
	u32 i, slot;

	memset(&s, 0, sizeof(s));
	s.used = true;
	s.ahead = flows[STEADY].queue.tail ? ahead : 0;
	s.bulk = bulk && !fq_codel_is_idle(&flows[STEADY]);
	for (i = 0; i < setup.flows; i++) {
		s32 remaining = (s32)(flows[i].refill_turn - drr->turn);

		s.flows[i].waits = flows[i].queue.tail;
		s.flows[i].deficit = flows[i].deficit;
		s.flows[i].flags = flows[i].flags & ~FQ_CODEL_RECENT;
		s.flows[i].remaining = remaining > 0 ? remaining : 0;
	}
	keep_list(&s, &drr->new_flows, 1);
	keep_list(&s, &drr->old_flows, 2);
	if (s.ahead > highest[s.bulk])
		highest[s.bulk] = s.ahead;
	if (s.ahead > (s.bulk ? 3 : 2) * setup.quantum + 2 * (setup.longest - 1)) {
		wrong_share++;
		return;
	}
	sort_others(&s);
	slot = slot_of(&s);
	if (states[slot].used)
		return;
	if (found >= SLOTS / 2) {
		printf("too many states\n");
		exit(1);
	}
	states[slot] = s;
	order[found++] = slot;
}

/* ---- steps ---- */

static void arrive(const struct state *s, u32 i, bool recent)
{
	const struct codel_params params = { .interval = 1 };
	bool empty;

	restore(s);
	empty = !flows[i].queue.tail;
	flows[i].queue.tail = &packet;
	flows[i].queue.vars.drop_next = recent;
	if (empty && fq_codel_drr_arrival(drr, &flows[i], &params) && i == STEADY)
		bulk = drr->old_flows.len && drr->old_flows.last == &flows[STEADY];
	keep();
}

static void lose(const struct state *s, u32 i)
{
	restore(s);
	flows[i].queue.tail = NULL;
	keep();
}

static void depart(const struct state *s, u32 len, bool more)
{
	struct fq_codel_flow *flow = NULL;
	enum fq_codel_turn turn;

	restore(s);
	while ((turn = fq_codel_drr_next(drr, &flow)) == FQ_CODEL_TURN_LEFT)
		fq_codel_table_go_idle(&table, flow);
	if (turn == FQ_CODEL_TURN_SEND) {
		flow->deficit -= len;
		flow->queue.tail = more ? &packet : NULL;
		if (flow == &flows[OTHER])
			ahead += len;
		if (flow == &flows[STEADY])
			ahead -= len < ahead ? len : ahead;
	} else {
		u32 i;

		for (i = 0; i < setup.flows; i++)
			wrong_turn += !!flows[i].queue.tail;
	}
	keep();
}

static void visit(const struct state *s)
{
	u32 i, len;

	for (i = 0; i < setup.flows; i++) {
		arrive(s, i, false);
		arrive(s, i, true);
		lose(s, i);
	}
	for (len = 1; len <= setup.longest; len++) {
		depart(s, len, false);
		depart(s, len, true);
	}
}

static void *allocate(size_t size)
{
	void *array = calloc(SLOTS, size);

	if (!array)
		exit(1);
	return array;
}

/* Return the number of states. */
static u32 explore(const struct setup *of)
{
	u32 i;

	setup = *of;
	states = allocate(sizeof(*states));
	order = allocate(sizeof(*order));
	memset(flows, 0, sizeof(flows));
	memset(highest, 0, sizeof(highest));
	found = 0;
	restore(&(struct state) {});
	keep();
	for (i = 0; i < found; i++) {
		struct state s = states[order[i]];

		visit(&s);
	}
	printf("%u flows, quantum %u, packets up to %u: %u states; ahead: %u, of a bulk flow %u\n",
	       of->flows, of->quantum, of->longest, found, highest[0], highest[1]);
	free(states);
	free(order);
	return found;
}

/* Explore each of @setups, which ends with one of no flows, and print what is wrong. */
static void explore_all(const struct setup *setups)
{
	u32 inputs = 0;

	for (; setups->flows; setups++)
		inputs += explore(setups);
	printf("inputs: %u\n", inputs);
	printf("wrong, a flow sends more than its share: %u\n", wrong_share);
	printf("wrong, a flow with packets has no turn: %u\n", wrong_turn);
}

#endif /* SHARE_H */
