// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <math.h>
#include <string.h>

#include "cases.h"
#include "far/codel_far_follow.h"
#include "ktap.h"
#include "rng.h"

#define PACKET	1514

typedef long double real;

static bool wrong(const char *what, const struct codel_far_window *w)
{
	ktap_note("%s: window %llu, delay %llu us, path %llu us, bytes %llu, sent %llu, done %llu", what,
		  (unsigned long long)w->window, (unsigned long long)w->delay / 1000,
		  (unsigned long long)w->path / 1000, (unsigned long long)w->bytes,
		  (unsigned long long)w->sent, (unsigned long long)w->done);
	return false;
}

/* What the law says without rounding, from the documentation of far/codel_far_follow.h alone */
static real model_window(const struct codel_far_window *before, const struct codel_far_window *w,
			 const struct codel_far_mark *mark)
{
	real packet_time = (real)w->rtt * fminl(w->packet, w->bytes) / w->bytes;
	real target = CODEL_FAR_TARGET + 5 * packet_time / 4, path = w->path + w->beside, delay = w->queued;
	real aim = mark->beyond * (path + target) / (path + delay);
	real old = mark->window * (path + target) / (path + delay);
	real window = before->window, busy = fminl(w->news - before->idle, delay);
	bool ends = window && w->news - before->limited >= 10 * SEC;

	if (!window || ends) {
		if (delay < target / 2 || w->news < before->alone_until)
			return 0;
		window = aim;
		if (before->idle && !ends)
			window = fmaxl(aim, (mark->sent - before->idle_done) * (path + target) / busy);
	} else if (w->alone_until != before->alone_until) {
		return 0;
	} else if (!mark->window) {
		return window;
	} else if (delay > target) {
		window = fminl(window, fmaxl(fmaxl(aim, old), mark->window / 2));
	} else if (before->limited >= mark->at) {
		if (delay < target / 2)
			aim = (mark->beyond + PACKET / 2) * (path + fmaxl(target, path / 4)) / (path + delay);
		window = fmaxl(window, fminl(aim, 4 * mark->window));
	}
	return fminl(fmaxl(window, 2 * PACKET), 1 << 30);
}

static bool same(real a, real b)
{
	return fabsl(a - b) <= 2 + a / 1e6;
}

/* One flow with a queue at random, there and on the way back: each step of the window is the model's. */
static bool test_law(uint64_t seed)
{
	struct codel_far_window w, before;
	struct codel_far_path path = {};
	struct codel_far_mark mark;
	struct codel_far_answer answer = { .path = &path, .timed = true, .stamped = true };
	u64 now = 20 * SEC, beside = 0, begins = 0;
	struct rng rng;
	u32 i;

	rng_seed(&rng, seed);
	codel_far_window_start(&w, PACKET);
	for (i = 0; i < 100000; i++) {
		u32 packets = rng_even(&rng, 1, 40);

		while (packets-- && (codel_far_may_send(&w, now) || rng_percent(&rng, 3)))
			codel_far_sent(&w, now, rng_even(&rng, 60, PACKET));
		codel_far_ask(&w, &mark, now);
		now += rng_even(&rng, 20 * MS, 22 * MS) + rng_pick(&rng, (struct range) { 1000, 60 * MS });
		answer.stamp = now / MS;
		now += rng_pick(&rng, (struct range) { 1000, 60 * MS });
		if (rng_percent(&rng, 50))
			codel_far_may_send(&w, now - MS);
		if (rng_percent(&rng, 1))
			w.limited = now - CODEL_FAR_VOID;
		before = w;
		answer.now = now;
		codel_far_answered(&w, &mark, &answer);
		if (!same(model_window(&before, &w, &mark), w.window))
			return wrong("not the model's window", &w);
		if (w.done != mark.sent || w.news != now)
			return wrong("not the news", &w);
		if (codel_far_is_open(&w, now) != (now >= w.next && (!w.window || codel_far_has_room(&w, now))) ||
		    (w.window && w.open != w.done + codel_far_allowed(&w, now) - PACKET))
			return wrong("open, or not", &w);
		beside += w.beside;
		begins += !before.window && w.window;
	}
	return (beside / i > 5 * MS && begins > 100) || wrong("nothing waits on the way back, or no begin", &w);
}

/* Steps of hand-made delays from a window of 100,000 bytes, path 40 ms */
static bool test_law_by_hand(uint64_t seed)
{
	static const struct { u64 delay, limited, least, most; } steps[] = {
		{ 0, 1, 125500, 126500 },	/* and half a packet, times 50 / 40 */
		{ 0, 0, 100000, 100000 },	/* not limited */
		{ 8 * MS, 1, 103500, 104500 },	/* times 49.9 / 48 */
		{ 60 * MS, 1, 50500, 51500 },	/* times 50.9 / 100 */
		{ 60 * MS, 0, 50500, 51500 },
		{ 3900 * MS, 0, 50000, 50000 },	/* a half at most */
	};
	u32 i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct codel_far_path path = { .first = SEC, .rtt = { SEC, 40 * MS, 40 * MS } };
		struct codel_far_window w;
		struct codel_far_mark mark;
		struct codel_far_answer answer = { .path = &path, .timed = true };

		codel_far_window_start(&w, PACKET);
		w.window = 100000;
		w.dip = w.watch.since = w.news = w.limited = 2 * SEC;
		w.sent = 100000;
		codel_far_ask(&w, &mark, 3 * SEC);
		mark.window = 100000;
		w.limited += steps[i].limited * SEC;
		answer.now = 3 * SEC + 40 * MS + steps[i].delay;
		codel_far_answered(&w, &mark, &answer);
		if (w.delay != steps[i].delay || w.window < steps[i].least || w.window > steps[i].most)
			return wrong("by hand", &w);
	}
	return true;
}

/*
 * Without answers, any number of bytes may be beyond the device. They count up to the largest window: the product of
 * these with the round trip would wrap, and be small.
 */
static bool test_many_bytes(uint64_t seed)
{
	u64 delay, times, window = 100000;

	(void)seed;
	for (delay = 0; delay <= 100 * MS; delay += 100 * MS)
		for (times = 1; times < 100; times++) {
			struct codel_far_path path = { .first = SEC, .rtt = { SEC, 40 * MS, 40 * MS } };
			struct codel_far_answer answer = { .path = &path, .timed = true };
			u64 packet_time = ((40 * MS + delay) * PACKET) >> 30;
			struct codel_far_window w;
			struct codel_far_mark mark;

			codel_far_window_start(&w, PACKET);
			w.window = window;
			w.dip = w.watch.since = 2 * SEC;
			w.sent = (~0ULL / (55 * MS + packet_time) + 1) * times;
			codel_far_ask(&w, &mark, 3 * SEC);
			w.limited = 3 * SEC;
			answer.now = 3 * SEC + 40 * MS + delay;
			codel_far_answered(&w, &mark, &answer);
			if (w.window != (delay ? window : 4 * window) || w.bytes != CODEL_FAR_WINDOW_MAX)
				return wrong("many bytes", &w);
		}
	return true;
}

static void any_mark(struct codel_far_mark *mark, struct rng *rng)
{
	static const struct range all = { 0, ~0ULL };

	mark->at = rng_pick(rng, all);
	mark->sent = rng_pick(rng, all);
	mark->beyond = rng_pick(rng, all) & CODEL_FAR_WINDOW_MAX;
	mark->window = rng_pick(rng, all) % (CODEL_FAR_WINDOW_MAX + 1);
}

static bool bounded(const struct codel_far_window *w, u64 now)
{
	return w->window >= 2 * w->packet && w->window <= CODEL_FAR_WINDOW_MAX &&
	       codel_far_allowed(w, now) >= 2 * w->packet && codel_far_allowed(w, now) <= w->window &&
	       w->rtt <= CODEL_FAR_RTT_MAX && w->path <= w->rtt &&
	       codel_far_patience(w) <= CODEL_FAR_PATIENCE_MAX && codel_far_patience(w) >= CODEL_FAR_PATIENCE_MIN;
}

/* Whatever the samples are, the window keeps its bounds; the sanitizers look for the rest. */
static bool test_samples_that_lie(uint64_t seed)
{
	struct codel_far_path path[4] = {};
	struct codel_far_window w;
	struct codel_far_mark mark;
	struct rng rng;
	u64 now = SEC;
	u32 i;

	rng_seed(&rng, seed);
	codel_far_window_start(&w, PACKET);
	for (i = 0; i < 300000; i++) {
		struct codel_far_answer answer = {
			.flow = rng_even(&rng, 0, 3), .timed = rng_percent(&rng, 90), .single = rng_percent(&rng, 50),
		};

		if (rng_percent(&rng, 5))
			codel_far_window_start(&w, rng_pick(&rng, (struct range) { 0, ~0U }));
		now = rng_percent(&rng, 3) ? rng_pick(&rng, (struct range) { 1, ~0ULL }) :
			now + rng_pick(&rng, (struct range) { 1, 10 * SEC });
		codel_far_sent(&w, now, rng_pick(&rng, (struct range) { 0, CODEL_FAR_PACKET_MAX }));
		codel_far_ask(&w, &mark, now);
		if (rng_percent(&rng, 80))
			any_mark(&mark, &rng);
		codel_far_may_send(&w, now);
		answer.now = rng_percent(&rng, 50) ? now : rng_pick(&rng, (struct range) { 1, ~0ULL });
		answer.path = &path[answer.flow];
		codel_far_answered(&w, &mark, &answer);
		if (w.window && !bounded(&w, now))
			return wrong("out of bounds", &w);
	}
	return true;
}

/* Without answers nothing is learnt. */
static bool test_without_samples(uint64_t seed)
{
	struct codel_far_window w, before;
	struct codel_far_mark mark;
	struct rng rng;
	u64 now = SEC;
	u32 i;

	rng_seed(&rng, seed);
	codel_far_window_start(&w, PACKET);
	w.window = 50000;
	w.path = w.rtt = 40 * MS;
	w.bytes = 50000;
	for (i = 0; i < 100000; i++) {
		before = w;
		now += rng_pick(&rng, (struct range) { 1, SEC });
		codel_far_may_send(&w, now);
		codel_far_may_send_sparse(&w);
		codel_far_sent(&w, now, PACKET);
		codel_far_ask(&w, &mark, now);
		if (w.window != before.window || w.path != before.path || w.delay != before.delay ||
		    w.done != before.done || w.epoch != before.epoch)
			return wrong("changed without a sample", &w);
	}
	return true;
}

/* The same trace at another time gives the same window: nothing wraps. */
static bool test_time_does_not_wrap(uint64_t seed)
{
	static const u64 bases[] = { SEC, (1ULL << 32) - SEC, (1ULL << 42) - SEC, (1ULL << 63) - 5 * SEC };
	u64 windows[ARRAY_SIZE(bases)] = {};
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(bases); k++) {
		struct codel_far_path path = {};
		struct codel_far_window w;
		struct codel_far_mark mark;
		struct codel_far_answer answer = { .path = &path, .timed = true };
		struct rng rng;
		u64 now = bases[k];

		rng_seed(&rng, seed);
		codel_far_window_start(&w, PACKET);
		for (i = 0; i < 3000; i++) {
			while (codel_far_may_send(&w, now) && codel_far_beyond(&w) < 60 * PACKET)
				codel_far_sent(&w, now, PACKET);
			codel_far_ask(&w, &mark, now);
			now += rng_even(&rng, 20 * MS, 50 * MS);
			answer.now = now;
			codel_far_answered(&w, &mark, &answer);
			windows[k] = windows[k] * 31 + w.window;
		}
		if (windows[k] != windows[0])
			return wrong("another window at another time", &w);
	}
	return true;
}

/* An answer that was overtaken changes only its flow's path; one that is not timed only what has left. */
static bool test_news(uint64_t seed)
{
	struct codel_far_path path = {}, other = {};
	struct codel_far_window w, before;
	struct codel_far_mark early, late;
	struct codel_far_answer answer = { .path = &path, .timed = true };

	(void)seed;
	codel_far_window_start(&w, PACKET);
	codel_far_sent(&w, SEC, PACKET);
	codel_far_ask(&w, &early, SEC);
	codel_far_sent(&w, SEC, PACKET);
	codel_far_ask(&w, &late, SEC);
	answer.now = SEC + 40 * MS;
	codel_far_answered(&w, &late, &answer);
	before = w;
	answer.now += 500 * MS;
	answer.path = &other;
	answer.flow = 1;
	codel_far_answered(&w, &early, &answer);
	if (memcmp(&w.sent, &before.sent, offsetof(struct codel_far_window, excess)) ||
	    codel_far_path_rtt(&other) != 540 * MS)
		return wrong("overtaken", &w);
	codel_far_sent(&w, SEC, PACKET);
	codel_far_ask(&w, &late, 2 * SEC);
	answer.timed = false;
	answer.now = 5 * SEC;
	before = w;
	codel_far_answered(&w, &late, &answer);
	if (w.done != w.sent || w.window != before.window || w.delay != before.delay || w.news != 5 * SEC)
		return wrong("not timed", &w);
	return true;
}

/* A flow that is late by 200 ms beside one that is not does not close the window. */
static bool test_one_late_flow(uint64_t seed)
{
	struct codel_far_path good = {}, bad = {};
	struct codel_far_window w;
	struct codel_far_mark marks[2];
	struct codel_far_answer answer = { .timed = true };
	u64 now = SEC;
	u32 i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	w.window = 20 * PACKET;
	w.limited = now;
	for (i = 0; i < 2000; i++) {
		bool odd = i % 2;

		codel_far_sent(&w, now, 20 * PACKET);
		codel_far_ask(&w, &marks[odd], now);
		now += 40 * MS;
		answer.now = now + (odd && i > 10 ? 200 * MS : 0);
		now = answer.now;
		answer.path = odd ? &bad : &good;
		answer.flow = odd;
		w.news = now - MS;
		w.limited = now;
		codel_far_answered(&w, &marks[odd], &answer);
	}
	return w.window >= 10 * PACKET || wrong("closed by one flow", &w);
}

/* 16 flows with a packet each beside others: every acknowledgement comes 40 ms late, and the window does not close. */
static bool test_late_acknowledgements(uint64_t seed)
{
	struct codel_far_path path[16] = {};
	struct codel_far_window w;
	struct codel_far_mark mark;
	struct codel_far_answer answer = { .timed = true, .single = true };
	u64 now = SEC;
	u32 i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	w.window = 20 * PACKET;
	w.limited = now;
	for (i = 0; i < 3200; i++) {
		codel_far_sent(&w, now, 20 * PACKET);
		codel_far_ask(&w, &mark, now);
		now += 20 * MS + (i < 16 ? 0 : 40 * MS);
		answer.now = w.limited = now;
		answer.path = &path[i % 16];
		answer.flow = i % 16;
		w.news = now - MS;
		codel_far_answered(&w, &mark, &answer);
		if (w.window < 20 * PACKET || w.epoch)
			return wrong("closed by late acknowledgements", &w);
	}
	return true;
}

/*
 * A window of 10 packets at first, and 20 marks: 10 answers without delay, and 10 that are 3 s late. In between come @others, to packets
 * that were sent again. Return the window.
 */
static u64 window_after_3s(u32 others)
{
	struct codel_far_path path = {};
	struct codel_far_window w;
	struct codel_far_mark marks[621];
	struct codel_far_answer answer = { .path = &path, .timed = true };
	u64 now = SEC;
	u32 i;

	codel_far_window_start(&w, PACKET);
	w.window = 10 * PACKET;
	w.limited = now;
	for (i = 0; i < 21 + others; i++) {
		codel_far_sent(&w, now, PACKET);
		codel_far_ask(&w, &marks[i], now);
		marks[i].beyond = 10 * PACKET;
		answer.now = now + 40 * MS;
		if (!i)
			codel_far_answered(&w, &marks[i], &answer);
		now += i ? 0 : SEC;	/* the reduction of a new window is over */
	}
	now += 40 * MS;
	for (i = 1; i < 21 + others; i++) {
		answer.timed = i <= 10 || i > 10 + others;
		now += answer.timed ? MS / 50 : 3 * SEC / others;
		now += !others && i == 11 ? 3 * SEC : 0;
		answer.now = now;
		codel_far_answered(&w, &marks[i], &answer);
	}
	return w.window;
}

/* A queue of 3 s halves the window once, and not for each answer. A standstill of 3 s does not: the link was not slower. */
static bool test_standstill(uint64_t seed)
{
	u64 queue = window_after_3s(600), standstill = window_after_3s(0);

	(void)seed;
	if (standstill > 10 * PACKET && queue == standstill / 2)
		return true;
	ktap_note("a queue leaves %llu bytes, a standstill %llu", (unsigned long long)queue, (unsigned long long)standstill);
	return false;
}

/* A link that stands still for 300 ms and, three packets later, for 3 s: only the latest of these times is no queue. */
static bool test_standstills(uint64_t seed)
{
	static const u64 stood[] = { 0, 300 * MS, 3300 * MS }, before[] = { 0, 0, 300 * MS };
	struct codel_far_path path = {};
	struct codel_far_answer answer = { .path = &path, .timed = true };
	struct codel_far_window w;
	struct codel_far_mark marks[9];
	u32 i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	codel_far_path_start(&path, SEC, 40 * MS);
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		codel_far_sent(&w, SEC, PACKET);
		codel_far_ask(&w, &marks[i], SEC);
	}
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		answer.now = SEC + 40 * MS + stood[i / 3] + i * MS;
		codel_far_answered(&w, &marks[i], &answer);
		if (w.delay != stood[i / 3] + i * MS || w.queued < before[i / 3] || w.queued > before[i / 3] + i * MS)
			return wrong("standstills", &w);
	}
	return true;
}

/*
 * A flow with one packet in flight, and then one that sends each 50 ms, among packets of others that wait for longer: their
 * answers come rarely, and no time of it is a standstill.
 */
static bool test_rare_answers(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_answer answer = { .path = &path, .timed = true };
	struct codel_far_window w;
	struct codel_far_mark marks[20];
	u64 now = SEC;
	u32 i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	codel_far_path_start(&path, now, 40 * MS);
	for (i = 0; i < 5; i++) {
		codel_far_sent(&w, now, 100 * PACKET);
		codel_far_ask(&w, &marks[0], now);
		answer.now = now += 240 * MS;
		codel_far_answered(&w, &marks[0], &answer);
		if (w.queued != 200 * MS)
			return wrong("one packet in flight", &w);
	}
	codel_far_window_start(&w, PACKET);
	codel_far_path_start(&path, now, 40 * MS);
	for (i = 0; i < 20; i++, now += 50 * MS) {
		codel_far_sent(&w, now, 50000);
		codel_far_ask(&w, &marks[i], now);
		answer.now = now + 10 * MS;
		if (i < 5)
			continue;
		codel_far_answered(&w, &marks[i - 5], &answer);
		if (w.queued != 220 * MS)
			return wrong("a packet each 50 ms", &w);
	}
	return true;
}

/* A path that becomes longer by 50 ms is found when the window has shrunk for a second, and no path is kept. */
static bool test_new_path(uint64_t seed)
{
	struct codel_far_path path = {};
	struct codel_far_window w;
	struct codel_far_mark mark;
	struct codel_far_answer answer = { .path = &path, .timed = true };
	u64 now = SEC, rtt, least = ~0ULL, end = 0;
	u32 i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	w.window = 10 * PACKET;
	w.limited = now;
	for (i = 0; i < 400; i++) {
		codel_far_sent(&w, now, w.window > 60 * PACKET ? 60 * PACKET : w.window);
		codel_far_ask(&w, &mark, now);
		rtt = i < 200 ? 40 * MS : 90 * MS;
		now += rtt;
		w.news = now - MS;
		answer.now = now;
		w.limited = now;
		codel_far_answered(&w, &mark, &answer);
		if (i > 200 && w.window < least)
			least = w.window;
		if (!end && w.epoch)
			end = i;
	}
	return (end > 200 && end < 218 && least < 20 * PACKET && codel_far_path_rtt(&path) == 90 * MS &&
		w.window > 60 * PACKET) || wrong("path +50 ms", &w);
}

/*
 * A burst of 20 packets on an idle link of 20 Mbit/s, path 40 ms: the rate is that at which its answers come. The window has
 * held nothing back for ten seconds, and ends.
 */
static bool test_begin_and_end(uint64_t seed)
{
	struct codel_far_path path = { .first = SEC, .rtt = { SEC, 40 * MS, 40 * MS } };
	struct codel_far_answer answer = { .path = &path, .timed = true };
	struct codel_far_mark marks[20];
	struct codel_far_window w;
	u32 i;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		codel_far_sent(&w, 2 * SEC, PACKET);
		codel_far_ask(&w, &marks[i], 2 * SEC);
	}
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		answer.now = 2 * SEC + 40 * MS + i * 605600;
		codel_far_answered(&w, &marks[i], &answer);
		if (!i && w.window)
			return wrong("a window without a queue", &w);
	}
	if (w.window < 51 * 2500 * .95 || w.window > 53 * 2500 * 1.1)
		return wrong("20 Mbit/s", &w);
	for (i = 0; i < 2; i++) {
		codel_far_sent(&w, answer.now, PACKET);
		codel_far_ask(&w, &marks[i], answer.now);
		answer.now = w.limited + (i ? CODEL_FAR_VOID : CODEL_FAR_VOID - MS);
		marks[i].at = answer.now - 40 * MS;
		codel_far_answered(&w, &marks[i], &answer);
		if ((w.window == 0) != i)
			return wrong("held nothing back", &w);
	}
	return true;
}

/* Few packets at once: each is marked. Many: one in 64 of the bytes beyond the device. */
static bool test_not_each_is_marked(uint64_t seed)
{
	struct codel_far_window w;
	struct codel_far_mark mark;
	u32 i, marks = 0;

	(void)seed;
	codel_far_window_start(&w, PACKET);
	for (i = 0; i < 6400; i++) {
		codel_far_sent(&w, SEC, PACKET);
		if (!codel_far_wants_mark(&w))
			continue;
		marks++;
		codel_far_ask(&w, &mark, SEC);
		if (i < 64 && mark.sent != w.sent)
			return wrong("not marked", &w);
		if (i < 64 && marks != i + 1)
			return wrong("not each of few", &w);
	}
	return (marks > 200 && marks < 400) || wrong("many marks", &w);
}

static const struct test_case cases[] = {
	{ "the window follows the law by hand", test_law_by_hand },
	{ "the window follows the law of a model", test_law },
	{ "bytes without an answer count up to the largest window", test_many_bytes },
	{ "answers that were overtaken, or not timed", test_news },
	{ "samples that lie keep the window in its bounds", test_samples_that_lie },
	{ "nothing is learnt without samples", test_without_samples },
	{ "time does not wrap", test_time_does_not_wrap },
	{ "one late flow does not close the window for another", test_one_late_flow },
	{ "late acknowledgements of single packets do not close the window", test_late_acknowledgements },
	{ "a queue halves the window, whatever the delay, and a standstill does not", test_standstill },
	{ "of several standstills, the latest counts", test_standstills },
	{ "answers that are rare show no standstill", test_rare_answers },
	{ "a longer path is found", test_new_path },
	{ "a window begins with the rate of the link, and ends", test_begin_and_end },
	{ "not each packet is marked", test_not_each_is_marked },
};

const struct group window_group = { cases, ARRAY_SIZE(cases) };
