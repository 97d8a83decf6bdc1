// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The drop schedule of codel.h against interval / sqrt(count). */
#include <math.h>

#include "codel.h"
#include "ktap.h"
#include "model.h"
#include "groups.h"

#define US		1000ULL
#define MS		(1000 * US)
#define SEC		(1000 * MS)
#define LONGEST		(4294967295ULL * US)
#define LARGEST		(1ULL << 43)

static const u64 intervals[] = {
	1, 2, 7, 999, US, 1001, 50 * US, MS, 10 * MS, 33333333, 100 * MS,
	100 * MS + 1, SEC, 4000 * SEC, LONGEST, LARGEST - 1, LARGEST,
};

#define INTERVALS	(sizeof(intervals) / sizeof(intervals[0]))

static u64 dense;

/* every count at first, then about 2000 in each octave, and their edges */
static u64 next_count(u64 count)
{
	u64 octave = 1ULL << (63 - __builtin_clzll(count));
	u64 next = count + 1 + octave / 2003;

	if (count < dense)
		return count + 1;
	if (count == octave * 2 - 2 || count == octave * 2 - 1)
		return count + 1;
	if (next >= octave * 2)
		return octave * 2 - 2;
	return count == octave ? count + 1 : next;
}

static void note(const char *what, u64 interval, u64 count, u64 step)
{
	ktap_note("%s: interval %llu count %llu step %llu, exact %.4Lf", what,
		  (unsigned long long)interval, (unsigned long long)count,
		  (unsigned long long)step,
		  model_exact_step(interval, count));
}

/* 0.1% or, where that is finer than a ns, the nearest one; but never 0 */
static bool step_within(u64 interval, u64 count, u64 step)
{
	long double exact = model_exact_step(interval, count);
	long double error = fabsl(step - exact);

	if (step == 0)
		return false;
	return error <= exact / 1000 || error <= 0.51L ||
	       (step == 1 && exact < 1);
}

static bool law_within(void)
{
	u64 checked = 0;
	unsigned int i;
	u64 count;

	for (i = 0; i < INTERVALS; i++) {
		for (count = 1; count <= UINT32_MAX; count = next_count(count)) {
			u64 step = codel_step(intervals[i], count);

			checked++;
			if (step_within(intervals[i], count, step))
				continue;
			note("not within 0.1%", intervals[i], count, step);
			return false;
		}
	}
	ktap_note("%llu pairs of interval and count", (unsigned long long)checked);
	return true;
}

static bool law_last_ns(void)
{
	long double worst = 0;
	u64 count;

	for (count = 1; count <= UINT32_MAX; count = next_count(count)) {
		u64 step = codel_step(100 * MS, count);
		long double error =
			fabsl(step - model_exact_step(100 * MS, count));

		if (error > worst)
			worst = error;
	}
	ktap_note("worst error %.4Lf ns", worst);
	return worst < 0.51L;
}

/* a longer interval shows the error of the root, which has 31 bits */
static bool law_last_bits(void)
{
	long double worst = 0;
	u64 count;

	for (count = 1; count <= UINT32_MAX; count = next_count(count)) {
		long double exact = model_exact_step(LARGEST, count);
		u64 step = codel_step(LARGEST, count);
		long double error = (fabsl(step - exact) - 0.51L) / exact;

		if (error > worst)
			worst = error;
	}
	ktap_note("worst error %.3Lg of the step, rounding apart", worst);
	return worst < 2e-9L;
}

/*
 * Where two counts differ by less than the last bit of the root, the step may
 * rise by a ns; not among those that are tried here.
 */
static bool law_falls(void)
{
	unsigned int i;
	u64 count;

	for (i = 0; i < INTERVALS; i++) {
		u64 last = codel_step(intervals[i], 1);

		for (count = 2; count <= UINT32_MAX;
		     count = next_count(count)) {
			u64 step = codel_step(intervals[i], count);

			if (step > last) {
				note("rises", intervals[i], count, step);
				return false;
			}
			last = step;
		}
	}
	return true;
}

/* from a count to the one that it is followed by after a pause */
struct history {
	u32 count;
	u32 lastcount;
	u32 resumed;
};

static const struct history histories[] = {
	{ 0, 0, 1 },
	{ 1, 1, 1 },
	{ 2, 1, 1 },
	{ 3, 1, 2 },
	{ 5, 1, 4 },
	{ 100, 1, 99 },
	{ 100, 98, 2 },
	{ 100, 99, 1 },
	{ 65536, 65535, 1 },
	{ 65537, 1, 65536 },
	{ 1U << 31, 1, (1U << 31) - 1 },
	{ UINT32_MAX, UINT32_MAX, 1 },
	{ UINT32_MAX, UINT32_MAX - 1, 1 },
	{ UINT32_MAX, UINT32_MAX - 2, 2 },
	{ UINT32_MAX, 1, UINT32_MAX - 1 },
	{ UINT32_MAX, 0, UINT32_MAX },
};

#define HISTORIES	(sizeof(histories) / sizeof(histories[0]))
#define SIGNALS		2000

static unsigned int draws;

static u32 law_random(void)
{
	draws++;
	return 0;
}

static enum codel_verdict law_ask(struct codel_vars *vars,
				  const struct codel_params *params, u64 now)
{
	const struct codel_head head = { .sojourn = 2, .waiting = CODEL_STANDING };

	return codel_signal(vars, params, now, &head, law_random);
}

/* Every step of a dropping state after each history is the right one. */
static bool history_right(const struct history *history, u64 interval)
{
	const struct codel_params params = {
		.target = 1, .interval = interval, .ceiling = CODEL_CEILING_OFF
	};
	struct codel_vars vars = {
		.count = history->count,
		.lastcount = history->lastcount,
		.first_above_time = 1,
		.drop_next = 1,
	};
	u64 count = history->resumed;
	u64 now = 2;
	int i;

	for (i = 0; i < SIGNALS; i++) {
		u64 step;

		/* the schedule moves when the next packet is seen */
		if (law_ask(&vars, &params, now) != CODEL_SIGNAL ||
		    law_ask(&vars, &params, now) != CODEL_PASS ||
		    vars.count != count || vars.drop_next <= now || draws) {
			note("no signal, another count, or a draw", interval, count, 0);
			return false;
		}
		step = vars.drop_next - now;
		if (!step_within(interval, count, step)) {
			note("not within 0.1%", interval, count, step);
			return false;
		}
		now += step;
		count += count < UINT32_MAX;
	}
	return true;
}

static bool law_forgets(void)
{
	unsigned int i, k;

	for (i = 0; i < HISTORIES; i++) {
		for (k = 0; k < INTERVALS; k++) {
			if (history_right(&histories[i], intervals[k]))
				continue;
			ktap_note("after count %u, lastcount %u",
				  histories[i].count, histories[i].lastcount);
			return false;
		}
	}
	return true;
}

static const struct {
	const char *name;
	bool (*run)(void);
} laws[] = {
	{ "law: within 0.1% or to the nearest ns, never 0", law_within },
	{ "law: to the nearest ns at 100 ms", law_last_ns },
	{ "law: to the last bits of the root at 2^43 ns", law_last_bits },
	{ "law: a higher count has no longer step", law_falls },
	{ "law: no history makes a step wrong", law_forgets },
};

int law_cases(void)
{
	return sizeof(laws) / sizeof(laws[0]);
}

void law_run(const struct group_options *options)
{
	int i;

	dense = options->dense;
	for (i = 0; i < law_cases(); i++)
		ktap_result(laws[i].run(), laws[i].name);
}
