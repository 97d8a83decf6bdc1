// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A clock that is young, that stands still, or that goes on by years. */
#include "cases.h"
#include "exact.h"
#include "ktap.h"

#define LEN	1500
#define YEAR	(365 * 86400 * SEC)

static struct codel_pace pace_of(u64 rate)
{
	struct codel_pace pace;

	codel_pace_set(&pace, rate);
	return pace;
}

/* Offer a packet; more of them wait. Return whether it leaves. */
static bool offer(struct codel_clock *clock, const struct codel_pace *pace, u64 now)
{
	if (!codel_clock_is_due(clock, now)) {
		codel_clock_wait(clock, true);
		return false;
	}
	codel_clock_send(clock, pace, LEN, false);
	return true;
}

/* In the first 10 ms of a machine's time, a link begins now, and no packet waits for longer. */
static bool times_young(uint64_t seed)
{
	const struct codel_pace pace = pace_of(1000000);	/* 1.5 ms */
	u64 now;

	(void)seed;
	for (now = 0; now <= 20 * MS; now += 100 * US) {
		struct codel_clock idle = {}, busy = {};
		u64 late = now < 10 * MS ? now : 10 * MS;

		codel_clock_wait(&busy, true);
		if (!offer(&idle, &pace, now) || idle.next != now + 1500 * US ||
		    !offer(&busy, &pace, now) || busy.next != now - late + 1500 * US) {
			ktap_note("at %llu ns: next %llu, and %llu with a queue",
				  (unsigned long long)now, (unsigned long long)idle.next,
				  (unsigned long long)busy.next);
			return false;
		}
	}
	return true;
}

/* One packet leaves, and no other one, even if the rate changes. */
static bool times_stand_still(uint64_t seed)
{
	static const u64 rates[] = { 1, 1000000, 8000, 125000000 };
	struct codel_pace pace = pace_of(rates[0]);
	struct codel_clock clock = {};
	unsigned int i, sent = 0;

	(void)seed;
	for (i = 0; i < 4000; i++) {
		sent += offer(&clock, &pace, YEAR);
		pace = pace_of(rates[(i + 1) % 4]);
		codel_clock_change(&clock, YEAR, rates[i % 4], rates[(i + 1) % 4]);
	}
	ktap_note("%u of %u left", sent, i);
	return sent == 1;
}

/*
 * Return whether a clock that was last looked at @before gives no credit for the time since. The
 * fraction stays: it is less than a nanosecond.
 */
static bool no_credit(u64 before, u64 now, u64 rate)
{
	const struct codel_pace pace = pace_of(rate);
	struct codel_clock idle = { .next = before, .fraction = 255 }, busy = idle;
	exact time = codel_pace_time(&pace, LEN) + 255;

	codel_clock_wait(&busy, true);
	return offer(&idle, &pace, now) && offer(&busy, &pace, now) &&
	       exact_now(&idle) == (exact)now * 256 + time &&
	       exact_now(&busy) == (exact)(now - 10 * MS) * 256 + time;
}

/* The time of the kernel has 63 bits, which are 292 years. */
static bool times_years(uint64_t seed)
{
	static const u64 rates[] = { CODEL_RATE_MIN, 8000, 2500000, CODEL_RATE_MAX };
	unsigned int i;
	u64 now, step;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(rates); i++)
		for (step = YEAR; step <= 100 * YEAR; step *= 7)
			for (now = step; now <= 290 * YEAR; now += step)
				if (!no_credit(now - step, now, rates[i])) {
					ktap_note("%llu ns after %llu at %llu bytes/s",
						  (unsigned long long)step,
						  (unsigned long long)(now - step),
						  (unsigned long long)rates[i]);
					return false;
				}
	return true;
}

/* At 8 bit/s a packet takes 25 minutes, and the longest one more than a year. */
static bool times_slowest(uint64_t seed)
{
	const struct codel_pace pace = pace_of(CODEL_RATE_MIN);
	struct codel_clock clock = {};

	(void)seed;
	if (!offer(&clock, &pace, YEAR))
		return false;
	if (clock.next != YEAR + 1500 * SEC || offer(&clock, &pace, clock.next - 1))
		return false;
	codel_clock_send(&clock, &pace, CODEL_WIRE_MAX, false);
	return clock.next == YEAR + (1500 + (1ULL << 25)) * SEC && !clock.fraction;
}

static const struct test_case cases[] = {
	{ "times: the first 20 ms", times_young },
	{ "times: while time stands still one packet leaves", times_stand_still },
	{ "times: years give no credit", times_years },
	{ "times: packets of 25 minutes, and of a year", times_slowest },
};

const struct group times_group = { cases, ARRAY_SIZE(cases) };
