// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cases.h"
#include "far/codel_far_up.h"
#include "ktap.h"
#include "rng.h"

#define TARGET	CODEL_FAR_UP_TARGET

static struct codel_far_up started(void)
{
	struct codel_far_up up;

	codel_far_up_start(&up, 1500);
	return up;
}

/* An answer without a time stamp */
static bool answered(struct codel_far_up *up, u64 now, u64 rtt, struct codel_far_path *path, u32 flow)
{
	const struct codel_far_answer answer = { .now = now, .path = path, .flow = flow };

	return codel_far_up_answered(up, &answer, rtt);
}

/* The verdict is CoDel's, with the delay of the latest answer as its sojourn time, and none when it is old. */
static bool test_verdicts(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_up up = started();
	struct codel_vars vars = {};
	u64 now = SEC, rtt = 40 * MS, delay = 0, news = 0;
	struct rng rng;
	u32 i, signals = 0;

	rng_seed(&rng, seed);
	codel_far_path_start(&path, now, 40 * MS);
	codel_far_path_sample(&path, now, 40 * MS, 0, CODEL_FAR_PATH_WINDOW);
	for (i = 0; i < 200000; i++) {
		bool slow = false;
		enum codel_verdict want, got;
		struct codel_head head;

		now += rng_pick(&rng, (struct range) { 10 * US, rng_percent(&rng, 1) ? 300 * MS : 3 * MS });
		if (rng_percent(&rng, 30)) {
			rtt = 40 * MS + rng_even(&rng, i / 5000 % 2 ? 30 * MS : 0, (i / 5000 % 2 ? 80 : 20) * MS);
			slow = answered(&up, now, rtt, &path, 1);
			delay = rtt - codel_far_path_rtt(&path);
			news = now;
		}
		if (now - news > CODEL_FAR_RECENT + rtt)
			delay = 0;
		head = (struct codel_head) { .sojourn = delay, .waiting = CODEL_STANDING };
		want = codel_signal(&vars, &up.params, now, &head, NULL);
		got = codel_far_up_signal(&up, now, 1500);
		signals += got != CODEL_PASS;
		(void)slow;
		if (got != want || up.delay != delay) {
			ktap_note("step %u: verdict %d, not %d; delay %llu, not %llu", i, got, want, up.delay, delay);
			return false;
		}
	}
	return signals > 100;
}

/*
 * A queue of 20 ms that never empties from the second second on. When the window is over, each flow is asked once to slow
 * down, and the old minimum holds until then. A flow alone is asked only if its minimum has grown.
 */
static bool doubted(u32 flows, u64 from, u64 to)
{
	struct codel_far_path path[3] = {};
	struct codel_far_up up = started();
	u64 now = SEC, begin = 0;
	u32 asked[3] = {}, i;

	for (i = 0; now < 22 * SEC; i++) {
		u32 flow = i % flows;
		u64 queue = now < 2 * SEC ? 0 : 20 * MS;

		now += 3 * MS;
		if (answered(&up, now, 40 * MS + queue, &path[flow], flow)) {
			asked[flow]++;
			begin = begin ? begin : now;
		}
		if ((begin && now > begin + SEC / 2) || codel_far_path_rtt(&path[flow]) != 40 * MS)
			break;
	}
	for (i = 0; i < flows; i++)
		if (asked[i] != 1 || begin < from || begin > to) {
			ktap_note("flow %u of %u: asked %u times, first at %llu ms", i, flows, asked[i], begin / MS);
			return false;
		}
	return true;
}

static bool test_doubt(uint64_t seed)
{
	(void)seed;
	return doubted(3, 6 * SEC, 6 * SEC + 100 * MS) && doubted(1, 11 * SEC, 12 * SEC);
}

/*
 * The rate falls while the delay stays, @swing more in every other 700 ms: a path. It does not fall, or one delay in a
 * hundred is acceptable and so ends CoDel's dropping state: a queue.
 */
static bool found_path(u64 before, u64 after, u64 delay, u64 swing, bool ends)
{
	struct codel_far_path path = {};
	struct codel_far_up up = started();
	u64 now = SEC;
	u32 i;

	for (i = 0; i < 8000; i++) {
		u64 present = delay + now / (700 * MS) % 2 * swing;

		now += MS;
		answered(&up, now, 40 * MS + (now < 3 * SEC || (ends && i % 97 == 0) ? 0 : present), &path, 1);
		codel_far_up_signal(&up, now, now < 4 * SEC ? before : after);
	}
	return up.epoch && (ends || codel_far_path_rtt(&path) == 40 * MS + delay);
}

static bool test_path(uint64_t seed)
{
	(void)seed;
	return found_path(1500, 300, 50 * MS, 12 * MS, false) && !found_path(1500, 500, 50 * MS, 12 * MS, false) &&
	       !found_path(1500, 1500, 50 * MS, 12 * MS, false) && !found_path(500, 1500, 50 * MS, 12 * MS, false) &&
	       found_path(1500, 300, 18 * MS, 0, false) && !found_path(1500, 300, 50 * MS, 0, true);
}

/* If it is steady within 9 ms, the rate falls to three quarters. */
static bool test_steady_path(uint64_t seed)
{
	(void)seed;
	return found_path(1500, 1100, 50 * MS, 9 * MS, false) && !found_path(1500, 1150, 50 * MS, 9 * MS, false) &&
	       !found_path(1500, 1500, 50 * MS, 0, false) && !found_path(1500, 1100, 50 * MS, 0, true);
}

/* In three periods of 250 ms: the first one has the rate before. */
static bool test_steady_path_at_once(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_up up = started();
	u64 now = SEC, began = 3 * SEC;

	(void)seed;
	while (!up.epoch && now < 9 * SEC) {
		now += MS;
		answered(&up, now, 40 * MS + (now < began ? 0 : 50 * MS), &path, 1);
		codel_far_up_signal(&up, now, now < began + 250 * MS ? 1500 : 1000);
	}
	if (now >= began + 700 * MS && now <= began + 1010 * MS)
		return true;
	ktap_note("found after %llu ms", (now - began) / MS);
	return false;
}

/* The target has the time of a packet at the delivered rate: 1.2 ms at 10 Mbit/s, 12 ms at 1 Mbit/s, and 60 ms at most. */
static bool test_target(uint64_t seed)
{
	static const struct { u64 every, time; } rates[] = {
		{ 1200 * US, 1200 * US }, { 12 * MS, 12 * MS }, { 120 * MS, 60 * MS }, { 1200 * US, 1200 * US },
	};
	struct codel_far_path path = {};
	struct codel_far_up up = started();
	u64 now = SEC, end, want;
	u32 i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (end = now + 2 * SEC; now < end; now += rates[i].every) {
			codel_far_up_signal(&up, now, 1500);
			answered(&up, now, 40 * MS, &path, 1);
		}
		want = TARGET + rates[i].time;
		if (up.params.target < want - want / 50 || up.params.target > want + want / 50) {
			ktap_note("target %llu us, not %llu", up.params.target / US, want / US);
			return false;
		}
	}
	return up.params.interval == CODEL_FAR_UP_INTERVAL && up.params.ceiling == CODEL_CEILING_OFF;
}

/* An answer that may have waited for data of its own tells less, never more. */
static bool test_late(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_up up = started();
	struct codel_far_answer answer = { .now = SEC, .path = &path, .flow = 1 };

	(void)seed;
	answered(&up, SEC, 40 * MS, &path, 1);
	answer.now += MS;
	answer.late = 7 * MS;
	codel_far_up_answered(&up, &answer, 60 * MS);
	if (up.delay != 13 * MS)
		return false;
	answer.late = 40 * MS;
	codel_far_up_answered(&up, &answer, 60 * MS);
	return !up.delay && codel_far_path_rtt(&path) == 40 * MS;
}

/*
 * A flow that begins is asked to slow down when the delay is more than twice the target, once in a round trip, but not in
 * its first, and not after two seconds.
 */
static bool test_begins(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_up up = started();
	u64 now, first = 2 * SEC, excess, asked[3] = {};
	u32 phase;

	(void)seed;
	for (now = first; now < first + 4 * SEC; now += 5 * MS) {
		excess = now == first ? 0 : now < first + 1 * SEC ? 2 * TARGET : 2 * TARGET + MS;
		phase = now < first + SEC ? 0 : now < first + CODEL_FAR_UP_BEGIN ? 1 : 2;
		asked[phase] += answered(&up, now, 40 * MS + excess, &path, 1);
	}
	/* a round trip of 73 ms in the second second */
	if (asked[0] || asked[1] < 13 || asked[1] > 14 || asked[2])
		return false;
	path = (struct codel_far_path) {};
	answered(&up, now, 40 * MS, &path, 1);
	return !answered(&up, now + 90 * MS, 140 * MS, &path, 1) && answered(&up, now + 150 * MS, 140 * MS, &path, 1);
}

static const struct test_case cases[] = {
	{ "the verdicts are CoDel's", test_verdicts },
	{ "the target has the time of a packet", test_target },
	{ "a minimum that grows is doubted", test_doubt },
	{ "an answer that may be late", test_late },
	{ "a flow that begins slows down early", test_begins },
	{ "a longer path is told from a queue by the delivered rate", test_path },
	{ "a steady path, by a rate that has fallen less", test_steady_path },
	{ "a steady path is found in three periods", test_steady_path_at_once },
};

const struct group up_group = { cases, ARRAY_SIZE(cases) };
