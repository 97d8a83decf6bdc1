// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A link with a queue and late timers: what leaves, and when. */
#include "cases.h"
#include "ktap.h"
#include "link.h"

#define MTU	1514
#define DEEP	1000	/* packets that wait: more than leave in 10 ms */

static struct link link;

/* Packets arrive, some of them together, at @percent of the rate. */
static bool arrive_at_random(struct link *link, u32 percent, u32 packets)
{
	u64 gap = exact_time(1000, link->rate) / 256 * 200 / percent;
	u32 limit = link->count + packets;

	while (link->count < limit) {
		u32 burst = rng_percent(&link->rng, 5) ? rng_even(&link->rng, 1, 40) : 1;
		u64 pause = 0;

		while (burst--) {
			pause += rng_even(&link->rng, 0, gap);
			if (!link_arrive(link, rng_even(&link->rng, 40, 1960)))
				return false;
		}
		if (!link_wait(link, link->now + pause))
			return false;
	}
	return true;
}

/*
 * Each packet leaves when the link is free and its timer has fired, and the clock is the
 * model's. Fewer bytes than the rate, as many, and more; some timers are late by 200 ms.
 */
static bool traffic_random(uint64_t seed)
{
	static const u64 rates[] = {
		1, 8000, 125000, 2500000, 125000000, 1250000000, 12500000000, CODEL_RATE_MAX,
	};
	static const u32 loads[] = { 30, 95, 100, 105, 300 };
	unsigned int i, k;
	u64 burst = 0;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (k = 0; k < ARRAY_SIZE(loads); k++) {
			link_start(&link, rates[i], 10 * MS, seed + k);
			link.stalls = 2;
			if (!arrive_at_random(&link, loads[k], 10000)) {
				ktap_note("%u%% of the rate", loads[k]);
				return false;
			}
			if (link.burst / rates[i] > burst)
				burst = link.burst / rates[i];
		}
	}
	ktap_note("packets leave up to %llu us before a link without late timers",
		  (unsigned long long)(burst / US));
	return burst > 9 * MS;
}

struct windows {
	exact most;
	exact least;
	u32 packets;	/* of a window, at most */
};

/* The bytes of every second that begins as a packet leaves; @most counts that packet. */
static bool windows_measure(const struct link *link, struct windows *windows)
{
	u32 first, next = 0;
	exact bytes = 0;

	*windows = (struct windows) { .least = (exact)1 << 100 };
	if (link->count > LINK_LOG)
		return false;
	for (first = 0; first < link->count; first++) {
		u64 end = link_log[first].time + SEC;

		for (; next < link->count && link_log[next].time <= end; next++)
			bytes += link_log[next].len;
		if (next == link->count)
			return first > 0;
		if (bytes > windows->most)
			windows->most = bytes;
		if (next - first > windows->packets)
			windows->packets = next - first;
		bytes -= link_log[first].len;
		if (bytes < windows->least)
			windows->least = bytes;
	}
	return false;
}

/* Return whether no second has more than the rate gives in it and in 10 ms, and a packet. */
static bool windows_most(const struct link *link, u32 len)
{
	struct windows windows;
	exact cut, most;

	if (!windows_measure(link, &windows))
		return false;
	/* what the clock cuts: see rate.c */
	cut = windows.packets / 256 + 33;
	most = (1010 * MS + cut) * link->rate / SEC + len;
	ktap_note("%llu bytes/s: %llu bytes in a second at most, %llu are allowed",
		  (unsigned long long)link->rate, (unsigned long long)windows.most,
		  (unsigned long long)most);
	return windows.most <= most;
}

static bool traffic_seconds(uint64_t seed)
{
	static const struct { u64 rate; u32 packets; } runs[] = {
		{ 8000, 2000 }, { 125000, 20000 }, { 2500000, 100000 }, { 125000000, 500000 },
	};
	static const u32 loads[] = { 90, 150 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		for (k = 0; k < ARRAY_SIZE(loads); k++) {
			link_start(&link, runs[i].rate, 10 * MS, seed + k);
			link.stalls = 5;
			if (!arrive_at_random(&link, loads[k], runs[i].packets) ||
			    !windows_most(&link, 1960))
				return false;
		}
	}
	return true;
}

/*
 * With a queue, no time of the link is lost: the clock is where the bytes that left put it. A
 * second has less than the rate only by the lateness of its last timer, and by a packet.
 */
static bool stands_full(u64 rate, u64 late, uint64_t seed)
{
	struct windows windows;
	exact least, took;

	link_start(&link, rate, late, seed);
	if (!link_stand(&link, link.now + 4 * SEC, DEEP, MTU) || !windows_measure(&link, &windows))
		return false;
	least = (exact)(SEC - late - 1) * rate / SEC - MTU;
	ktap_note("%llu bytes/s, timers late by up to %llu us: %.3f%% of the rate in a second at least",
		  (unsigned long long)rate, (unsigned long long)(late / US),
		  (double)windows.least * 100 / rate);
	took = exact_now(&link.clock) - (exact)SEC * 256;
	if (windows.least < least || took > exact_time(link.bytes, rate)) {
		ktap_note("%llu are allowed", (unsigned long long)least);
		return false;
	}
	return windows_most(&link, MTU);
}

static bool traffic_stands(uint64_t seed)
{
	static const u64 rates[] = { 8000, 125000, 2500000, 125000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (!stands_full(rates[i], 10 * MS, seed))
			return false;
	return true;
}

/* A timer's usual slack, and 99.9% of every second */
static bool traffic_usual(uint64_t seed)
{
	struct windows windows;

	return stands_full(12500000, 500 * US, seed) && windows_measure(&link, &windows) &&
	       windows.least * 1000 >= (exact)link.rate * 999 &&
	       stands_full(125000000, 500 * US, seed) && windows_measure(&link, &windows) &&
	       windows.least * 1000 >= (exact)link.rate * 999;
}

/* Of a pause of @pause, all but 10 ms are lost, and what leaves at once is 10 ms and a packet. */
static bool stalls(u64 rate, u64 pause, uint64_t seed)
{
	exact lost = pause > 10 * MS ? pause - 10 * MS : 0, bytes, before, time, burst;

	link_start(&link, rate, 0, seed);
	if (!link_stand(&link, link.now + SEC, DEEP, MTU))
		return false;
	bytes = link.bytes;
	before = exact_now(&link.clock);
	link.timer = link.clock.next + pause;
	if (!link_wait(&link, link.timer))
		return false;
	bytes = link.bytes - bytes;
	time = exact_now(&link.clock) - before;
	burst = (exact)(pause < 10 * MS ? pause : 10 * MS) * rate / SEC;
	if (bytes <= burst + MTU && bytes > burst - 1 &&
	    time - lost * 256 <= exact_time(bytes, rate) &&
	    time - lost * 256 + bytes / MTU + 256 >= exact_time(bytes, rate))
		return true;
	ktap_note("%llu bytes/s, a pause of %llu us: %llu bytes at once, and %lld us lost",
		  (unsigned long long)rate, (unsigned long long)(pause / US),
		  (unsigned long long)bytes,
		  (long long)((time - exact_time(bytes, rate)) / 256000));
	return false;
}

static bool traffic_stalls(uint64_t seed)
{
	static const u64 rates[] = { 8000, 125000, 2500000, 125000000 };
	static const u64 pauses[] = {
		0, MS, 10 * MS - 1, 10 * MS, 10 * MS + 1, 11 * MS, 100 * MS, 3600 * SEC,
	};
	unsigned int i, k;
	bool good = true;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		for (k = 0; k < ARRAY_SIZE(pauses); k++)
			good &= stalls(rates[i], pauses[k], seed);
	return good;
}

/* After any pause, the second of two packets leaves exactly the first one's time later. */
static bool traffic_idle(uint64_t seed)
{
	static const u64 pauses[] = { 1, MS, 5 * MS, 10 * MS, 11 * MS, SEC, 86400 * SEC };
	u64 time = 605600;	/* 1514 bytes at 20 Mbit/s */
	unsigned int i;

	link_start(&link, 2500000, 0, seed);
	for (i = 0; i < ARRAY_SIZE(pauses); i++) {
		u64 start = link.now += pauses[i];

		if (!link_arrive(&link, MTU) || !link_arrive(&link, MTU) ||
		    !link_wait(&link, link.now + 2 * time))
			return false;
		if (link.count != 2 * i + 2 || link_log[2 * i].time != start ||
		    link_log[2 * i + 1].time != start + time) {
			ktap_note("after a pause of %llu ns", (unsigned long long)pauses[i]);
			return false;
		}
	}
	return true;
}

/*
 * Packets arrive one by one, each a ns before the link is free: each waits for a late timer, the
 * queue is empty after most of them, and still the link keeps pace.
 */
static bool traffic_single(uint64_t seed)
{
	const u64 time = 605600;
	u64 start, worst = 0;
	u32 i;

	link_start(&link, 2500000, 10 * MS, seed);
	start = link.now;
	for (i = 0; i < 100000; i++) {
		if (!link_wait(&link, start + i * time - (i ? 1 : 0)) || !link_arrive(&link, MTU))
			return false;
	}
	if (!link_wait(&link, link.now + SEC) || link.count != i)
		return false;
	for (i = 0; i < link.count; i++)
		if (link_log[i].time - (start + i * time) > worst)
			worst = link_log[i].time - (start + i * time);
	ktap_note("packets leave up to %llu us after their time", (unsigned long long)(worst / US));
	return link.clock.next == start + i * time && worst <= 10 * MS;
}

static const struct test_case cases[] = {
	{ "link: no credit after a pause without packets", traffic_idle },
	{ "link: packets one by one, at the link's rate, with a late timer", traffic_single },
	{ "link: a longer pause of the timer costs all but 10 ms", traffic_stalls },
	{ "link: random arrivals, each packet as in the model", traffic_random },
	{ "link: a standing queue, and timers late by up to 10 ms", traffic_stands },
	{ "link: 99.9% of every second with timers late by up to 0.5 ms", traffic_usual },
	{ "link: no second with more than the rate, 10 ms and a packet", traffic_seconds },
};

const struct group link_group = { cases, ARRAY_SIZE(cases) };
