// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "ktap.h"
#include "qdisc/codel_far_marks.h"
#include "rng.h"

#define FLOWS	60

/* A naive table: a list of marks from old to new */
static struct {
	struct { u32 key, number; u64 at; bool used; } mark[CODEL_FAR_MARKS];
	u32 count;
} naive;

static void naive_add(u32 key, u32 number, u64 at)
{
	if (naive.count == CODEL_FAR_MARKS) {
		memmove(naive.mark, naive.mark + 1, sizeof(*naive.mark) * (CODEL_FAR_MARKS - 1));
		naive.count--;
	}
	naive.mark[naive.count].key = key;
	naive.mark[naive.count].number = number;
	naive.mark[naive.count].at = at;
	naive.mark[naive.count++].used = true;
}

/* Return the time of the latest mark up to @number; 0 if there is none. */
static u64 naive_answer(u32 key, u32 number)
{
	u64 at = 0;
	u32 i;

	for (i = 0; i < naive.count; i++) {
		if (!naive.mark[i].used || naive.mark[i].key != key || (s32)(naive.mark[i].number - number) > 0)
			continue;
		naive.mark[i].used = false;
		at = naive.mark[i].at;
	}
	return at;
}

static struct codel_far_marks table;

/* The links are sound: each used entry is on the list of its flow, once. */
static bool sound(const struct codel_far_marks *m)
{
	u32 i, k, listed = 0, used = 0;

	for (i = 0; i < CODEL_FAR_FLOWS; i++)
		for (k = m->flows[i].first; k != CODEL_FAR_NONE; k = m->ring[k].next) {
			if (k >= CODEL_FAR_MARKS || m->ring[k].flow != i || ++listed > CODEL_FAR_MARKS)
				return false;
		}
	for (i = 0; i < CODEL_FAR_MARKS; i++)
		used += m->ring[i].flow != CODEL_FAR_NONE;
	return used == listed;
}

/* Random flows without collisions, numbers that wrap, answers in and out of order */
static bool test_naive(uint64_t seed)
{
	u32 sent[FLOWS], answered[FLOWS], i, f, number, key;
	struct codel_far_match match;
	struct rng rng;
	u64 now = SEC, at;

	rng_seed(&rng, seed);
	codel_far_marks_start(&table);
	memset(&naive, 0, sizeof(naive));
	for (i = 0; i < FLOWS; i++)
		sent[i] = answered[i] = rng_percent(&rng, 50) ? rng_u32(&rng) : ~0U - rng_even(&rng, 0, 100000);
	for (i = 0; i < 400000; i++) {
		now += rng_even(&rng, 1, MS);
		f = rng_even(&rng, 0, rng_even(&rng, 0, FLOWS - 1));
		key = ((u64)(2 * f + 1) << 32) / (2 * CODEL_FAR_FLOWS);
		if (rng_percent(&rng, 60)) {
			u32 place = codel_far_flow_get(&table, now, key, sent[f], true);

			sent[f] += rng_even(&rng, 1, 1448);
			if (place != f || !codel_far_flow_sends(&table, place, sent[f]))
				return false;
			codel_far_marks_add(&table, place, sent[f])->at = now;
			naive_add(key, sent[f], now);
		} else {
			number = answered[f] + rng_even(&rng, 0, sent[f] - answered[f]);
			at = (s32)(number - answered[f]) > 0 ? naive_answer(key, number) : 0;
			match.mark.at = 0;
			if (codel_far_marks_answer(&table, &match, key, number) != !!at || (at && match.mark.at != at) ||
			    (at && match.advance != number - answered[f])) {
				ktap_note("step %u: %llu, not %llu", i, (unsigned long long)match.mark.at,
					  (unsigned long long)at);
				return false;
			}
			if (codel_far_is_after(number, answered[f]))
				answered[f] = number;
		}
		if (i % 1000 == 0 && !sound(&table))
			return false;
	}
	return sound(&table);
}

/* Keys at random: nothing breaks, and busy flows keep their places. */
static bool test_flood(uint64_t seed)
{
	struct codel_far_match match;
	u32 i, place, key, kept = 0, asked = 0, number = 0;
	struct rng rng;
	u64 now = SEC;

	rng_seed(&rng, seed);
	codel_far_marks_start(&table);
	for (i = 0; i < 400000; i++) {
		now += 10 * US;
		key = rng_percent(&rng, 50) ? rng_u32(&rng) : rng_u32(&rng) % 256 << 24;
		place = codel_far_flow_get(&table, now, key, rng_u32(&rng), rng_percent(&rng, 50));
		if (place != CODEL_FAR_NONE) {
			u32 n = rng_u32(&rng);

			if (codel_far_flow_sends(&table, place, n))
				codel_far_marks_add(&table, place, n)->at = now;
		}
		codel_far_marks_answer(&table, &match, rng_percent(&rng, 50) ? key : rng_u32(&rng), rng_u32(&rng));
		/* one flow that is there from the beginning */
		if (i % 50)
			continue;
		place = codel_far_flow_get(&table, i ? now : SEC, 12345, number, true);
		asked++;
		if (!i && place == CODEL_FAR_NONE)
			return true;	/* the flood was first */
		kept += place != CODEL_FAR_NONE && table.flows[place].key == 12345;
		number += 1000;
		if (i % 20000 == 0 && !sound(&table))
			return false;
	}
	if (kept != asked)
		ktap_note("kept its place %u times of %u", kept, asked);
	return kept == asked && sound(&table);
}

static bool asks(u32 number, bool found, bool exact, bool timed)
{
	struct codel_far_match match = {};
	bool got = codel_far_marks_answer(&table, &match, 7, number);

	if (got == found && (!found || (match.exact == exact && match.timed == timed)))
		return true;
	ktap_note("%u: found %d, exact %d, timed %d", number, got, match.exact, match.timed);
	return false;
}

static void sends(u32 number)
{
	u32 place = codel_far_flow_get(&table, SEC, 7, number - 1000, true);

	if (codel_far_flow_sends(&table, place, number))
		codel_far_marks_add(&table, place, number)->at = number;
}

/* Karn; numbers between two marks; answers to what never left, and twice */
static bool test_answers(uint64_t seed)
{
	(void)seed;
	codel_far_marks_start(&table);
	sends(1000);
	sends(2000);
	sends(3000);
	if (!asks(500, false, false, false) || !asks(1000, true, true, true) || !asks(1000, false, false, false) ||
	    !asks(2500, true, false, true) || !asks(2000, false, false, false))
		return false;
	sends(2000);	/* again */
	sends(4000);
	if (!asks(3000, true, true, false) || !asks(4000, true, true, true))
		return false;
	sends(5000);
	if (!asks(5000 + CODEL_FAR_UNMARKED + 1, false, false, false) || !asks(5600, true, false, true))
		return false;
	return asks(5000, false, false, false);
}

static bool test_idle_flow_leaves(uint64_t seed)
{
	u32 place, other = 9;

	(void)seed;
	codel_far_marks_start(&table);
	place = codel_far_flow_get(&table, SEC, 7, 0, true);
	codel_far_flow_sends(&table, place, 1000);
	codel_far_marks_add(&table, place, 1000);
	if (codel_far_flow_get(&table, SEC + CODEL_FAR_FLOW_IDLE - 1, other, 5, true) != CODEL_FAR_NONE)
		return false;
	if (codel_far_flow_get(&table, SEC + CODEL_FAR_FLOW_IDLE, other, 5, true) != place)
		return false;
	return sound(&table) && table.flows[place].first == CODEL_FAR_NONE && table.flows[place].answered == 5;
}

/* An upload's time stamps, as they pass: one mark at most, and its place is that of the first flow with data */
static bool test_without_data(uint64_t seed)
{
	u32 i, place, upload = 9, download = 7;

	(void)seed;
	codel_far_marks_start(&table);
	for (i = 1; i <= 2 * CODEL_FAR_MARKS; i++) {
		place = codel_far_flow_get(&table, SEC, upload, 0, false);
		if (place == CODEL_FAR_NONE || !codel_far_flow_sends(&table, place, i) || table.flows[place].carries)
			return false;
		codel_far_marks_only(&table, place, i)->at = i;
	}
	if (table.head != 1 || table.ring[0].number != i - 1 || table.ring[0].mark.at != i - 1 || !sound(&table))
		return false;
	if (codel_far_flow_get(&table, SEC, download, 5, false) != CODEL_FAR_NONE ||
	    codel_far_flow_get(&table, SEC, download, 5, true) != place || table.flows[place].first != CODEL_FAR_NONE)
		return false;
	return codel_far_flow_get(&table, SEC, upload, 0, true) == CODEL_FAR_NONE && sound(&table);
}

/* The gap before a packet of a flow: what the other side sends meanwhile does not end it. */
static bool test_gap(uint64_t seed)
{
	(void)seed;
	codel_far_marks_start(&table);
	if (codel_far_flow_gap(&table, SEC, 7) != CODEL_FAR_LATE)
		return false;
	codel_far_flow_get(&table, SEC, 7, 0, true);
	codel_far_flow_get(&table, SEC + 4 * MS, 7, 0, false);
	if (codel_far_flow_gap(&table, SEC + 5 * MS, 7) != 5 * MS ||
	    codel_far_flow_gap(&table, SEC + 50 * MS, 7) != CODEL_FAR_LATE)
		return false;
	codel_far_flow_get(&table, SEC + 5 * MS, 7, 0, true);
	return codel_far_flow_gap(&table, SEC + 6 * MS, 7) == MS &&
	       codel_far_flow_gap(&table, SEC + 6 * MS, 9) == CODEL_FAR_LATE;
}

static const struct test_case cases[] = {
	{ "answers find their marks once, the latest up to a number", test_answers },
	{ "a table as a naive one", test_naive },
	{ "a flood of flows breaks nothing, and a busy flow keeps its place", test_flood },
	{ "an idle flow leaves its place", test_idle_flow_leaves },
	{ "the gap before a packet of a flow", test_gap },
	{ "a flow without data has one mark, and leaves its place", test_without_data },
};

const struct group marks_group = { cases, ARRAY_SIZE(cases) };
