// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cases.h"
#include "far/codel_far_follow.h"
#include "ktap.h"
#include "rng.h"

#define PACKET	1500

static void start(struct codel_far_window *w, u64 window, u64 rtt)
{
	codel_far_window_start(w, PACKET);
	w->window = window;
	w->rtt = w->path = rtt;
	w->bytes = window;
}

static void fill(struct codel_far_window *w, u64 now, u64 bytes)
{
	struct codel_far_mark mark;

	while (codel_far_beyond(w) < bytes) {
		codel_far_sent(w, now, PACKET);
		codel_far_ask(w, &mark, now);
	}
}

/* No bound before there is a window, and none where no answer is expected. */
static bool test_no_bound(uint64_t seed)
{
	struct codel_far_window w;
	u64 now = 100 * SEC;
	int i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	fill(&w, now, 1000 * PACKET);
	if (!codel_far_may_send(&w, now))
		return false;
	start(&w, 10 * PACKET, 40 * MS);
	w.news = now;
	for (i = 0; i < 1000; i++)
		codel_far_sent(&w, now, PACKET);
	return codel_far_may_send(&w, now);
}

static bool test_window_holds(uint64_t seed)
{
	struct codel_far_window w;
	u64 now = 100 * SEC;
	int i;

	(void)seed;
	start(&w, 10 * PACKET, 40 * MS);
	w.dip = now - SEC;
	for (i = 0; codel_far_may_send(&w, now); i++)
		fill(&w, now, (i + 1) * PACKET);
	if (i != 10 || w.limited != now)
		ktap_note("%d packets", i);
	return i == 10 && w.limited == now;
}

/*
 * Without an answer, a packet leaves after the patience, one at a time, and all after CODEL_FAR_BLIND: a standstill
 * of any length ends.
 */
static bool test_standstill_ends(uint64_t seed)
{
	struct rng rng;
	u32 i;

	rng_seed(&rng, seed);
	for (i = 0; i < 2000; i++) {
		u64 window = rng_pick(&rng, (struct range) { 2 * PACKET, CODEL_FAR_WINDOW_MAX });
		u64 begin = 100 * SEC, now = begin, last = begin, patience;
		struct codel_far_window w;
		u32 released = 0;

		start(&w, window, rng_pick(&rng, (struct range) { 1, CODEL_FAR_RTT_MAX }));
		w.dip = begin - 20 * SEC;
		codel_far_sent(&w, now, window > PACKET ? window - PACKET : 0);
		fill(&w, begin, window);
		patience = codel_far_patience(&w);
		for (; now < begin + CODEL_FAR_BLIND; now += MS) {
			if (codel_far_release(&w) > last + patience)
				return false;
			if (!codel_far_may_send(&w, now))
				continue;
			if (now - last < patience || now - last > patience + 2 * MS) {
				ktap_note("released after %llu us of %llu", (now - last) / 1000, patience / 1000);
				return false;
			}
			released++;
			last = now;
			codel_far_sent(&w, now, PACKET);
			if (codel_far_may_send(&w, now))
				return false;
		}
		if (!released || !codel_far_may_send(&w, now) || !codel_far_is_blind(&w, now))
			return false;
	}
	return true;
}

/* What a link of 1 and of 20 Mbit/s takes for an answer, and some packets */
static bool test_patience_scales(uint64_t seed)
{
	struct codel_far_window w;
	u64 slow, fast;

	(void)seed;
	start(&w, 1000000 / 8 / 20, 50 * MS);
	slow = codel_far_patience(&w);
	start(&w, 20000000 / 8 / 20, 50 * MS);
	fast = codel_far_patience(&w);
	if (slow < 145 * MS || slow > 147 * MS || fast < 71 * MS || fast > 72 * MS)
		ktap_note("%llu and %llu us", slow / 1000, fast / 1000);
	return slow > 145 * MS && slow < 147 * MS && fast > 71 * MS && fast < 72 * MS;
}

static bool test_sparse(uint64_t seed)
{
	struct codel_far_window w;
	u64 now = 100 * SEC;
	int i;

	(void)seed;
	start(&w, 10 * PACKET, 40 * MS);
	fill(&w, now, 10 * PACKET);
	for (i = 0; i < 1000 && codel_far_may_send_sparse(&w); i++)
		codel_far_sent(&w, now, PACKET);
	return i == 21;
}

/*
 * A window of 100 packets on a path of 40 ms, all of which are wanted at once: bursts of 2 ms, and then a packet each 0.41 ms,
 * which is 4/5 of the time that the window has for it
 */
static bool test_pace(uint64_t seed)
{
	struct codel_far_window w;
	u64 begin = 100 * SEC, now = begin, last = 0;
	u32 sent = 0, burst = 0;

	(void)seed;
	start(&w, 100 * PACKET, 40 * MS);
	w.dip = now - SEC;
	w.news = now;
	codel_far_set_pace(&w);
	while (sent < 80) {
		struct codel_far_mark mark;

		if (!codel_far_may_send(&w, now)) {
			if (w.limited != now || codel_far_ask_again(&w, now) <= now)
				return false;
			now = codel_far_ask_again(&w, now);
			continue;
		}
		burst = now == last ? burst + 1 : 1;
		last = now;
		if (burst > 6)
			ktap_note("%u packets at once", burst);
		if (burst > 6)
			return false;
		codel_far_sent(&w, now, PACKET);
		codel_far_ask(&w, &mark, now);
		sent++;
	}
	if (now - begin < 30 * MS || now - begin > 36 * MS)
		ktap_note("80 packets in %llu us", (now - begin) / 1000);
	return now - begin >= 30 * MS && now - begin <= 36 * MS;
}

/* A dip is three quarters of the path's share, for a round trip, and then over. */
static bool test_dip(uint64_t seed)
{
	struct codel_far_window w;
	u64 now = 100 * SEC, dip;

	(void)seed;
	start(&w, 100 * PACKET, 40 * MS);
	w.dip = now;
	dip = 100 * PACKET * 3 / 4 * 400 / (400 + 90 + 5);
	if (codel_far_allowed(&w, now) < dip - PACKET || codel_far_allowed(&w, now) > dip + PACKET)
		return false;
	if (codel_far_allowed(&w, now + 48 * MS) > dip + PACKET || codel_far_allowed(&w, now + 50 * MS) != 100 * PACKET)
		return false;
	start(&w, 2 * PACKET, 40 * MS);
	w.dip = now;
	return codel_far_allowed(&w, now) == 2 * PACKET;
}

/* An answer every few ms to a window that is always full: it dips once in ten seconds. */
static bool test_dips_come(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_window w;
	struct codel_far_mark mark;
	struct codel_far_answer answer = { .path = &path, .timed = true };
	u64 now = SEC, dip = 0;
	u32 dips = 0;

	(void)seed;
	start(&w, 10 * PACKET, 40 * MS);
	w.limited = now;
	while (now < 62 * SEC) {
		w.limited = now;
		fill(&w, now, 10 * PACKET);
		codel_far_ask(&w, &mark, now);
		now += 40 * MS;
		answer.now = now;
		codel_far_answered(&w, &mark, &answer);
		dips += w.dip != dip;
		dip = w.dip;
	}
	if (dips != 6)
		ktap_note("%u dips", dips);
	return dips == 6;
}

static const struct test_case cases[] = {
	{ "no bound before there is a window, nor without one to come", test_no_bound },
	{ "a window holds its bytes", test_window_holds },
	{ "a standstill of any length ends", test_standstill_ends },
	{ "packets are held for what the link takes", test_patience_scales },
	{ "sparse flows pass, and not without end", test_sparse },
	{ "a window is spread over its round trip", test_pace },
	{ "a dip shows the path", test_dip },
	{ "a dip in ten seconds", test_dips_come },
};

const struct group hold_group = { cases, ARRAY_SIZE(cases) };
