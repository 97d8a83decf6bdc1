// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A delay that does not follow the window, or that may be another one */
#include "cases.h"
#include "far/codel_far_follow.h"
#include "ktap.h"

#define PACKET	1514

static bool wrong(const char *what, u64 got, u64 want)
{
	ktap_note("%s: %llu, not %llu", what, (unsigned long long)got, (unsigned long long)want);
	return false;
}

/* Round trips one after another, from 1 s on; the rate is in percent of the first one */
struct trip {
	u64 rtt;
	u32 rate;
};

/* Which of the round trips is the first whose cause is not CODEL_FAR_OURS? @count if none is. */
static u32 first_cause(const struct trip *trips, u32 count, enum codel_far_cause *cause)
{
	struct codel_far_watch w;
	u64 now = SEC;
	u32 i;

	codel_far_watch_start(&w, now, 10 * MS);
	for (i = 0; i < count; i++) {
		now += trips[i].rtt;
		*cause = codel_far_watch(&w, now, trips[i].rtt, 10000 * trips[i].rate);
		if (*cause != CODEL_FAR_OURS)
			break;
	}
	return i;
}

static bool is_cause(const char *what, const struct trip *trips, u32 count, u32 at, enum codel_far_cause want)
{
	enum codel_far_cause cause;
	u32 i = first_cause(trips, count, &cause);

	if (i != at)
		return wrong(what, i, at);
	return i == count || cause == want || wrong(what, cause, want);
}

/* The delay rises and falls by itself. The rate falls to three quarters in four round trips and a second, or the delay stays. */
static bool test_foreign(uint64_t seed)
{
	struct trip trips[16];
	u32 i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(trips); i++)
		trips[i] = (struct trip) { 500 * MS + i * 10 * MS, i < 4 ? 100 - 5 * i : 75 };
	if (!is_cause("a rate that falls", trips, ARRAY_SIZE(trips), 4, CODEL_FAR_OTHERS))
		return false;
	trips[4].rate = trips[5].rate = 76;
	if (!is_cause("a rate that falls later", trips, ARRAY_SIZE(trips), 6, CODEL_FAR_OTHERS))
		return false;
	for (i = 0; i < ARRAY_SIZE(trips); i++)
		trips[i] = (struct trip) { 110 * MS - i * 2 * MS, i ? 30 : 100 };
	if (!is_cause("a second", trips, ARRAY_SIZE(trips), 9, CODEL_FAR_OTHERS))
		return false;
	for (i = 0; i < ARRAY_SIZE(trips); i++)
		trips[i] = (struct trip) { 900 * MS - i * 10 * MS, 100 };
	return is_cause("a rate that stays", trips, ARRAY_SIZE(trips), 8, CODEL_FAR_OTHERS);
}

/* A link that has become slower, to a sixtieth: the delay follows the window, and the rate does not. */
static bool test_slower(uint64_t seed)
{
	static const struct trip trips[] = {
		{ 3200 * MS, 100 }, { 1600 * MS, 100 }, { 800 * MS, 100 }, { 400 * MS, 100 }, { 200 * MS, 100 }, { 100 * MS, 100 },
		{ 60 * MS, 100 },
	};

	(void)seed;
	return is_cause("slower", trips, ARRAY_SIZE(trips), ARRAY_SIZE(trips), CODEL_FAR_OURS);
}

/* Answers of one round trip are no more than that. */
static bool test_turns(uint64_t seed)
{
	struct codel_far_watch w;
	u64 now = SEC;
	u32 i;

	(void)seed;
	codel_far_watch_start(&w, now, 10 * MS);
	for (i = 0; i < 90; i++) {
		now += 100 * MS;
		if (codel_far_watch(&w, now, i % 2 ? 1900 * MS : 2000 * MS, 1000) != CODEL_FAR_OURS)
			return wrong("the answer", i, 90);
	}
	return w.turns == 4 || wrong("round trips", w.turns, 4);
}

/* Eight round trips, and a second. The rate falls with the window. */
static bool test_steady(uint64_t seed)
{
	struct trip trips[64];
	u32 i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(trips); i++)
		trips[i] = (struct trip) { 240 * MS + (i ? i % 2 * 9 * MS : 60 * MS), i < 8 ? 100 >> i : 1 };
	if (!is_cause("200 ms longer", trips, ARRAY_SIZE(trips), 8, CODEL_FAR_PATH))
		return false;
	for (i = 0; i < ARRAY_SIZE(trips); i++)
		trips[i].rtt = 90 * MS;
	if (!is_cause("50 ms longer", trips, ARRAY_SIZE(trips), 11, CODEL_FAR_PATH))
		return false;
	for (i = 0; i < ARRAY_SIZE(trips); i++)
		trips[i].rtt = 90 * MS + i % 2 * 10 * MS;
	return is_cause("not steady", trips, ARRAY_SIZE(trips), 10, CODEL_FAR_OTHERS);
}

/* A sender that always has packets, as many as the window allows; 100 without one */
struct sender {
	struct codel_far_window w;
	struct codel_far_path path;
	bool stamped;
	u64 arrived;
	u64 now;
};

static void sender_start(struct sender *s)
{
	*s = (struct sender) { .now = 10 * SEC };
	codel_far_window_start(&s->w, PACKET);
	s->path = (struct codel_far_path) { .first = SEC, .rtt = { SEC, 40 * MS, 40 * MS } };
}

/* A round trip, in which @arrived bytes come in */
static void sender_trip(struct sender *s, u64 rtt, u64 arrived)
{
	struct codel_far_answer answer = { .path = &s->path, .timed = true, .stamped = s->stamped };
	struct codel_far_mark mark;

	codel_far_sent(&s->w, s->now, s->w.window ? codel_far_allowed(&s->w, s->now) : 100 * PACKET);
	codel_far_ask(&s->w, &mark, s->now);
	s->w.news = s->now += rtt;
	s->w.limited = s->now;
	s->arrived += arrived;
	s->path.rtt.begin = s->now;	/* it is not forgotten */
	answer.now = s->now;
	answer.stamp = s->now / MS;
	answer.arrived = s->arrived;
	codel_far_answered(&s->w, &mark, &answer);
}

/*
 * Others fill the far queue: for eight round trips there is no window, then for 16 times as long, and for five minutes at
 * most. When they have gone, the window stays, and each regular reduction halves what the next time would take.
 */
static bool test_alone(uint64_t seed)
{
	static const u64 alone[] = { 8 * 1100 * MS, 128 * 1100 * MS, CODEL_FAR_ALONE_MAX, CODEL_FAR_ALONE_MAX };
	struct sender s;
	u32 i, k;
	u64 end;

	(void)seed;
	sender_start(&s);
	for (i = 0; i < ARRAY_SIZE(alone); i++) {
		for (k = 0; k < 6 && s.now >= s.w.alone_until; k++)
			sender_trip(&s, 1100 * MS - k % 2 * 20 * MS, 0);
		end = s.w.alone_until;
		if (k == 6 || s.w.window || s.w.alone != end - s.now ||
		    s.w.alone > alone[i] || s.w.alone < alone[i] - alone[i] / 50)
			return wrong("alone, ms", s.w.alone / MS, alone[i] / MS);
		while (s.now < end) {
			if (s.w.window)
				return wrong("a window", s.w.window, 0);
			sender_trip(&s, 1100 * MS, 0);
		}
	}
	for (k = 0; k < 40 || !s.w.window; k++)
		sender_trip(&s, 50 * MS, 0);
	for (end = s.now + 35 * SEC; s.now < end;)
		sender_trip(&s, 50 * MS, 0);
	return s.w.window && s.w.alone == CODEL_FAR_ALONE_MAX / 8;
}

/* In 100 ms at least, more has to come in than half of what leaves, and than 8,000 bytes/s. */
static bool test_busy(uint64_t seed)
{
	static const struct { u64 part; bool stamped, unclear; } cases[] = {
		{ 49, false, false }, { 52, false, true }, { 52, true, false }, { 1000, false, true }, { 1000, true, false },
	};
	struct sender s;
	u32 i, k;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sender_start(&s);
		s.stamped = cases[i].stamped;
		for (k = 0; k < 10; k++)
			sender_trip(&s, 45 * MS, (s.w.window ? s.w.window : 100 * PACKET) * cases[i].part / 100);
		if (s.w.unclear != cases[i].unclear)
			return wrong("unclear", s.w.unclear, cases[i].unclear);
	}
	return true;
}

/* On a slow link, a few pings on the way back fill nothing. */
static bool test_little(uint64_t seed)
{
	static const struct { u64 bytes; bool busy; } cases[] = { { 7900, false }, { 8100, true } };
	u32 i, k;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct codel_far_answer answer = { .now = SEC };
		struct codel_far_back b = {};
		bool busy = false;

		for (k = 0; k < 10; k++) {
			answer.now += SEC;
			answer.arrived += cases[i].bytes;
			busy = codel_far_back_is_busy(&b, &answer, SEC, 2 * PACKET);
		}
		if (busy != cases[i].busy)
			return wrong("busy, bytes/s", cases[i].bytes, 8000);
	}
	return true;
}

/* A busy way back before there is a window: that begins as soon as the far queue stands and little comes in. */
static bool test_busy_before(uint64_t seed)
{
	struct sender s;
	u32 k;

	(void)seed;
	sender_start(&s);
	for (k = 0; k < 100; k++)
		sender_trip(&s, (k < 5 ? 41 : 49) * MS, 1000 * PACKET);
	if (s.w.window || !s.w.unclear)
		return wrong("a window", s.w.window, 0);
	for (k = 0; k < 10; k++)
		sender_trip(&s, 49 * MS, 0);
	return s.w.window || wrong("no window", s.w.window, 1);
}

/* A delay just above the target is neither a path nor that of others. */
static bool test_hardly_too_long(uint64_t seed)
{
	struct sender s;
	u32 k;

	(void)seed;
	sender_start(&s);
	for (k = 0; k < 100; k++)
		sender_trip(&s, 40 * MS + 17 * codel_far_target(&s.w) / 16, 0);
	return (s.w.window && !s.w.epoch && !s.w.alone) || wrong("epoch", s.w.epoch, 0);
}

/*
 * While the way back is busy, and for ten seconds more, nothing is learnt without time stamps, and there is no window as
 * soon as the latest delay is old.
 */
static bool test_unclear(uint64_t seed)
{
	struct sender s;
	u64 end;
	u32 k;

	(void)seed;
	sender_start(&s);
	for (k = 0; k < 50; k++)
		sender_trip(&s, 49 * MS, 0);
	if (!s.w.window || s.w.path != 40 * MS)
		return wrong("a window at first", s.w.window, 1);
	for (end = s.now + 60 * SEC; s.now < end;)
		sender_trip(&s, 800 * MS, 10000000);
	if (s.w.window || s.w.path != 40 * MS || s.w.rtt != 49 * MS || !s.w.unclear)
		return wrong("window", s.w.window, 0);
	for (end = s.now + 9900 * MS; s.now < end;) {
		sender_trip(&s, 55 * MS, 0);
		if (s.w.window)
			return wrong("window", s.w.window, 0);
	}
	for (k = 0; k < 30; k++)
		sender_trip(&s, 55 * MS, 0);
	return s.w.window && !s.w.unclear;
}

static const struct test_case cases[] = {
	{ "a delay that does not follow the window", test_foreign },
	{ "a link that has become slower", test_slower },
	{ "a delay is watched in round trips", test_turns },
	{ "a steady delay is that of a path", test_steady },
	{ "no window while others fill the far queue", test_alone },
	{ "a delay just above the target", test_hardly_too_long },
	{ "a way back that is busy", test_busy },
	{ "a way back with little", test_little },
	{ "a way back that is busy before there is a window", test_busy_before },
	{ "no window while the delay may be that of the way back", test_unclear },
};

const struct group watch_group = { cases, ARRAY_SIZE(cases) };
