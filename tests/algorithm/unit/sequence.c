// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Tables: the input of codel.h, packet by packet, and the expected verdict. */
#include <stddef.h>

#include "codel.h"
#include "ktap.h"
#include "groups.h"

#define US		1000ULL
#define MS		(1000 * US)
#define SEC		(1000 * MS)
#define LONGEST		(4294967295ULL * US)
#define IDLE		(75 * 60 * SEC)

enum what {
	END,
	ASK,		/* a packet, and the verdict on it */
	EMPTY,
	OVERFLOW,	/* .ns packets were lost */
	TARGET,		/* set to .ns */
	INTERVAL,
	CEILING,
	OTHER,		/* a packet of another queue leaves */
	LATER,		/* time passes, .ns */
};

struct input {
	enum what what;
	u64 ns;		/* ASK: since the last line */
	enum codel_verdict verdict;
	u32 count;	/* after it */
	u64 sojourn;
	enum codel_waiting waiting;
	bool draws;	/* a random number, which is .random */
	u32 random;
	u32 backlog;	/* bytes, 0: BYTES */
	u64 held;
};

struct sequence {
	const char *name;
	struct codel_params params;
	struct codel_vars vars;
	bool turns;	/* the queue takes turns with others */
	bool link;	/* it holds packets; otherwise .held has the time */
	struct input input[24];
};

/* RFC 8289 alone */
#define PARAMS(target, interval) { target, interval, CODEL_CEILING_OFF }
#define INTERNET	.params = PARAMS(5 * MS, 100 * MS)
#define CEILED		.params = { 5 * MS, 100 * MS, 50 * MS }
#define START		SEC	/* the clock at the first line */
#define BYTES		80000	/* behind a packet */

/* time since the last line, verdict, count, sojourn time */
#define WAITED(ns, verdict, count, sojourn) \
	{ ASK, ns, verdict, count, sojourn, CODEL_STANDING, false, 0, 0, 0 }
#define OVER(ns, verdict, count) WAITED(ns, verdict, count, 50 * MS)
#define UNDER(ns, count)	WAITED(ns, 0, count, 5 * MS - 1)
#define LITTLE(ns, count, sojourn) \
	{ ASK, ns, 0, count, sojourn, CODEL_LITTLE, false, 0, 0, 0 }
#define SMALL(ns, count)	LITTLE(ns, count, 50 * MS)

/* the same with much behind it: without a random number, and with this one */
#define MUCH(ns, verdict, count, sojourn) \
	{ ASK, ns, verdict, count, sojourn, CODEL_MUCH, false, 0, 0, 0 }
/* the same with nine eighths of @BYTES behind it */
#define GROWN(ns, verdict, count, sojourn) \
	BEHIND(ns, verdict, count, sojourn, BYTES / 8 * 9)
#define LOT(ns, verdict, count, sojourn, random) \
	{ ASK, ns, verdict, count, sojourn, CODEL_MUCH, true, random, 0, 0 }

/* without a random number: these bytes are behind it; the link held it for so long */
#define BEHIND(ns, verdict, count, sojourn, bytes) \
	{ ASK, ns, verdict, count, sojourn, CODEL_MUCH, false, 0, bytes, 0 }
#define HELD(ns, verdict, count, sojourn, held) \
	{ ASK, ns, verdict, count, sojourn, CODEL_MUCH, false, 0, 0, held }

#define LATE(ns, sojourn) { OTHER, ns, 0, 0, sojourn, 0, false, 0, 0, 0 }

#define PASS		CODEL_PASS
#define SIGNAL		CODEL_SIGNAL
#define LOSE		CODEL_OVER

/* a queue that has stood for an interval at @START */
#define STOOD		.first_above_time = START

/* a dropping state at @START in which the signal after @n is due */
#define IN_STATE(n)	{ START, START, n, 1, true, false }

/* a dropping state that begins at @START, in which no signal is due */
#define BEGUN(n)	{ START, START + IDLE, n, 1, true, false }

/* the same, in which senders had the time to answer, with @BYTES at @START */
#define WATCHED(n)	{ START, START + IDLE, n, 1, true, false, true, false, 0, BYTES }

/* the same in a queue that stands, as a packet shows at @START */
#define STANDS(n)	{ START, START + IDLE, n, 1, true, false, true, true }

#define TURNS		CEILED, .turns = true
#define LINKED		CEILED, .turns = true, .link = true

/* the steps at 100 ms */
#define STEP_2		70710678
#define STEP_3		57735027

static const struct sequence sequences[] = {
	{
		.name = "above target for an interval, to the ns",
		INTERNET, .input = {
			OVER(0, 0, 0), OVER(100 * MS - 1, 0, 0), OVER(1, 1, 1),
		},
	}, {
		.name = "target itself is above, a ns less is not",
		INTERNET, .input = {
			WAITED(0, 0, 0, 5 * MS),
			UNDER(50 * MS, 0),
			WAITED(50 * MS, 0, 0, 5 * MS),
			WAITED(100 * MS, 1, 1, 5 * MS),
		},
	}, {
		.name = "an empty queue forgets first_above_time",
		INTERNET, .input = {
			OVER(0, 0, 0), { EMPTY, 50 * MS }, OVER(50 * MS, 0, 0),
			OVER(100 * MS - 1, 0, 0), OVER(1, 1, 1),
		},
	}, {
		.name = "sparse packets, each alone in the queue, are never hit",
		INTERNET, .input = {
			OVER(0, 0, 0), { EMPTY }, OVER(300 * MS, 0, 0),
			{ EMPTY }, OVER(300 * MS, 0, 0), { EMPTY },
			OVER(300 * MS, 0, 0), { EMPTY }, OVER(IDLE, 0, 0),
		},
	}, {
		.name = "an empty queue ends the dropping state",
		INTERNET, .input = {
			OVER(0, 0, 0), OVER(100 * MS, 1, 1), { EMPTY },
			OVER(100 * MS, 0, 1), OVER(100 * MS - 1, 0, 1),
			OVER(1, 1, 1),
		},
	}, {
		.name = "a signal is pending no more once the queue was empty",
		INTERNET, .vars = IN_STATE(5), .input = {
			OVER(0, 1, 6), { EMPTY }, OVER(1, 0, 6),
			OVER(100 * MS, 1, 5), OVER(44721359, 0, 5),
			OVER(1, 1, 6),
		},
	}, {
		.name = "no signal while at most one MTU waits",
		INTERNET, .input = {
			SMALL(0, 0), SMALL(100 * MS, 0), SMALL(IDLE, 0),
			OVER(0, 0, 0), OVER(100 * MS - 1, 0, 0), SMALL(1, 0),
			OVER(1, 0, 0), OVER(100 * MS, 1, 1),
		},
	}, {
		.name = "at most one MTU waiting ends the dropping state",
		INTERNET, .vars = IN_STATE(5), .input = {
			SMALL(0, 5), OVER(1, 0, 5), OVER(100 * MS - 1, 0, 5),
			OVER(1, 1, 4),
		},
	}, {
		.name = "the schedule: interval / sqrt(count) after each signal",
		INTERNET, .vars = { STOOD }, .input = {
			OVER(0, 1, 1), OVER(0, 0, 1),
			OVER(100 * MS - 1, 0, 1), OVER(1, 1, 2),
			OVER(STEP_2 - 1, 0, 2), OVER(1, 1, 3),
			OVER(STEP_3 - 1, 0, 3), OVER(1, 1, 4),
			OVER(50 * MS - 1, 0, 4), OVER(1, 1, 5),
		},
	}, {
		.name = "the schedule runs from when a signal was due",
		INTERNET, .vars = { STOOD }, .input = {
			OVER(0, 1, 1), OVER(130 * MS, 1, 2), OVER(0, 0, 2),
			OVER(STEP_2 - 30 * MS - 1, 0, 2), OVER(1, 1, 3),
		},
	}, {
		.name = "after a stall the schedule catches up",
		INTERNET, .vars = { STOOD }, .input = {
			OVER(0, 1, 1),
			/* 100, 170.7, 228.4 and 278.4 ms, but not 323.2 */
			OVER(300 * MS, 1, 2), OVER(0, 1, 3), OVER(0, 1, 4),
			OVER(0, 1, 5), OVER(0, 0, 5),
			OVER(23167065 - 1, 0, 5), OVER(1, 1, 6),
		},
	}, {
		.name = "a resume within 16 intervals",
		INTERNET, .vars = { STOOD, START, 10, 2 }, .input = {
			OVER(1600 * MS - 1, 1, 8), OVER(0, 0, 8),
			OVER(35355338, 0, 8), OVER(1, 1, 9),
		},
	}, {
		.name = "no resume after 16 intervals",
		INTERNET, .vars = { STOOD, START, 10, 2 }, .input = {
			OVER(1600 * MS, 1, 1), OVER(100 * MS - 1, 0, 1),
			OVER(1, 1, 2),
		},
	}, {
		.name = "a resume before the next signal was due",
		INTERNET, .vars = { STOOD, START + SEC, 10, 2 },
		.input = { OVER(0, 1, 8) },
	}, {
		.name = "no resume without two signals beyond the first ones",
		INTERNET, .vars = { STOOD, START, 10, 9 },
		.input = { OVER(0, 1, 1) },
	}, {
		.name = "a resume with two signals beyond the first ones",
		INTERNET, .vars = { STOOD, START, 10, 8 },
		.input = { OVER(0, 1, 2) },
	}, {
		.name = "a second resume counts from the first",
		INTERNET, .vars = { STOOD, START, 10, 2 }, .input = {
			OVER(0, 1, 8), UNDER(0, 8), OVER(0, 0, 8),
			OVER(100 * MS, 1, 1),
		},
	}, {
		.name = "bursts every 0.5 s resume",
		INTERNET, .vars = IN_STATE(2), .input = {
			OVER(0, 1, 3), OVER(STEP_3, 1, 4), OVER(0, 0, 4),
			{ EMPTY }, OVER(500 * MS, 0, 4), OVER(100 * MS, 1, 3),
			OVER(STEP_3, 1, 4), OVER(50 * MS, 1, 5),
			{ EMPTY }, OVER(500 * MS, 0, 5), OVER(100 * MS, 1, 2),
		},
	}, {
		.name = "leaving does not move the schedule",
		INTERNET, .vars = IN_STATE(10), .input = {
			OVER(0, 1, 11), UNDER(0, 11), OVER(1500 * MS, 0, 11),
			OVER(100 * MS, 1, 1),
		},
	}, {
		.name = "75 minutes of idle start anew",
		INTERNET, .vars = IN_STATE(10), .input = {
			OVER(0, 1, 11), { EMPTY }, OVER(IDLE, 0, 11),
			OVER(100 * MS - 1, 0, 11), OVER(1, 1, 1),
		},
	}, {
		.name = "a state without packets for 75 minutes",
		INTERNET, .vars = { STOOD, START, 10, 2 },
		.input = { { LATER, IDLE }, OVER(0, 1, 1) },
	}, {
		.name = "target and interval of 4294.967295 s",
		.params = PARAMS(LONGEST, LONGEST), .input = {
			WAITED(0, 0, 0, LONGEST),
			WAITED(LONGEST - 1, 0, 0, LONGEST),
			WAITED(1, 1, 1, LONGEST),
			/* the root has 31 bits, which is 2 us here */
			WAITED(LONGEST - 10 * US, 0, 1, LONGEST),
			WAITED(10 * US, 1, 2, LONGEST),
			WAITED(LONGEST, 1, 3, LONGEST),
			WAITED(0, 0, 3, LONGEST - 1),
			WAITED(0, 0, 3, LONGEST),
			WAITED(LONGEST, 1, 2, LONGEST),
		},
	}, {
		.name = "target 0 accepts no delay at all",
		.params = PARAMS(0, 100 * MS), .input = {
			WAITED(0, 0, 0, 0), WAITED(100 * MS, 1, 1, 0),
			LITTLE(0, 1, 0),
		},
	}, {
		.name = "the count stops at 2^32-1",
		INTERNET, .vars = IN_STATE(UINT32_MAX - 2), .input = {
			OVER(0, 1, UINT32_MAX - 1), OVER(1526, 1, UINT32_MAX),
			OVER(1526, 1, UINT32_MAX), OVER(0, 0, UINT32_MAX),
			OVER(1526, 1, UINT32_MAX), OVER(1526, 1, UINT32_MAX),
		},
	}, {
		.name = "after the last count, a resume and a fresh start",
		INTERNET, .vars = { STOOD, START, UINT32_MAX, 1 }, .input = {
			OVER(0, 1, UINT32_MAX - 1), UNDER(0, UINT32_MAX - 1),
			OVER(0, 0, UINT32_MAX - 1), OVER(100 * MS, 1, 1),
		},
	}, {
		.name = "packets lost by overflow count as signals",
		INTERNET, .vars = IN_STATE(3), .input = {
			OVER(0, 1, 4), { OVERFLOW, 21 }, OVER(0, 0, 25),
			OVER(20 * MS - 1, 0, 25), OVER(1, 1, 26),
		},
	}, {
		.name = "an overflow between two dropping states is resumed with",
		INTERNET, .vars = IN_STATE(3), .input = {
			OVER(0, 1, 4), { EMPTY }, { OVERFLOW, 5 },
			OVER(0, 0, 9), OVER(100 * MS, 1, 8),
		},
	}, {
		.name = "an overflow does not start a dropping state",
		INTERNET, .input = {
			{ OVERFLOW, 1000 }, OVER(0, 0, 1000),
			OVER(100 * MS - 1, 0, 1000), { EMPTY },
			OVER(IDLE, 0, 1000), OVER(100 * MS, 1, 1),
		},
	}, {
		.name = "an overflow before the first signal is no rate to resume",
		INTERNET, .input = {
			{ OVERFLOW, 1000 }, OVER(0, 0, 1000),
			OVER(100 * MS, 1, 1),
		},
	}, {
		.name = "an overflow takes the count to 2^32-1 and not beyond",
		INTERNET, .vars = IN_STATE(UINT32_MAX - 9), .input = {
			{ OVERFLOW, 8 }, OVER(0, 1, UINT32_MAX),
			{ OVERFLOW, 1 }, OVER(0, 0, UINT32_MAX),
			{ OVERFLOW, UINT32_MAX }, OVER(1526, 1, UINT32_MAX),
		},
	}, {
		.name = "1 us: the schedule moves at any count",
		.params = PARAMS(US, US), .vars = IN_STATE(UINT32_MAX), .input = {
			OVER(0, 1, UINT32_MAX), OVER(0, 0, UINT32_MAX),
			OVER(1, 1, UINT32_MAX), OVER(0, 0, UINT32_MAX),
			OVER(3, 1, UINT32_MAX), OVER(0, 1, UINT32_MAX),
			OVER(0, 1, UINT32_MAX), OVER(0, 0, UINT32_MAX),
		},
	}, {
		.name = "a new interval holds from the next step on",
		INTERNET, .vars = { STOOD }, .input = {
			OVER(0, 1, 1), { INTERVAL, 10 * MS },
			OVER(100 * MS - 1, 0, 1), OVER(1, 1, 2),
			OVER(7071068 - 1, 0, 2), OVER(1, 1, 3), OVER(0, 0, 3),
			{ INTERVAL, 100 * MS }, OVER(5773503 - 1, 0, 3),
			OVER(1, 1, 4), OVER(50 * MS - 1, 0, 4), OVER(1, 1, 5),
		},
	}, {
		.name = "a new interval leaves a delay that is being watched",
		INTERNET, .input = {
			OVER(0, 0, 0), { INTERVAL, SEC }, OVER(100 * MS, 1, 1),
			OVER(SEC - 1, 0, 1), OVER(1, 1, 2),
		},
	}, {
		.name = "a shorter interval cuts the wait of an interval short",
		.params = PARAMS(5 * MS, SEC), .input = {
			OVER(0, 0, 0), { INTERVAL, 100 * MS }, OVER(10 * MS, 0, 0),
			OVER(100 * MS - 1, 0, 0), OVER(1, 1, 1),
		},
	}, {
		.name = "a new interval moves the end of the resume",
		INTERNET, .vars = { STOOD, START, 10, 2 }, .input = {
			{ INTERVAL, 10 * MS }, OVER(160 * MS, 1, 1),
		},
	}, {
		.name = "a target above the delay ends the dropping state",
		INTERNET, .vars = IN_STATE(5), .input = {
			{ TARGET, 50 * MS + 1 }, OVER(0, 0, 5),
			{ TARGET, 50 * MS }, OVER(0, 0, 5),
			OVER(100 * MS - 1, 0, 5), OVER(1, 1, 4),
		},
	},
	/* the chance begins at 25 ms and rises by 1/255 each 98,040 ns */
	{
		.name = "ceiling: no chance up to half of it, and a little more",
		CEILED, .vars = STANDS(7), .input = {
			MUCH(0, PASS, 7, 25 * MS), MUCH(0, PASS, 7, 25 * MS + 1),
			MUCH(0, PASS, 7, 25 * MS + 98039),
			MUCH(0, PASS, 7, 25 * MS + 98040),
			LOT(0, LOSE, 7, 25 * MS, 0),
			MUCH(0, PASS, 7, 25 * MS),
		},
	}, {
		.name = "ceiling: the first step is 1/255",
		CEILED, .vars = STANDS(7), .input = {
			MUCH(0, PASS, 7, 25 * MS + 98040),
			LOT(0, LOSE, 7, 25 * MS + 98040, 16843009),
			LOT(0, PASS, 7, 25 * MS + 98040, 16843010),
			LOT(0, PASS, 7, 25 * MS, UINT32_MAX),
			MUCH(0, PASS, 7, 25 * MS),
		},
	}, {
		.name = "ceiling: half of the chance half way",
		CEILED, .vars = STANDS(7), .input = {
			/* 127/255 */
			MUCH(0, PASS, 7, 37500 * US),
			LOT(0, LOSE, 7, 37500 * US, 2139062143),
			LOT(0, PASS, 7, 37500 * US, 2139062144),
		},
	}, {
		.name = "ceiling: certainty there, 254/255 a ns below",
		CEILED, .vars = STANDS(7), .input = {
			LOT(0, LOSE, 7, 50 * MS, UINT32_MAX),
			LOT(0, LOSE, 7, 50 * MS, UINT32_MAX),
			LOT(0, LOSE, 7, 50 * MS - 1, UINT32_MAX),
			LOT(0, PASS, 7, 50 * MS - 1, UINT32_MAX),
			LOT(0, LOSE, 7, IDLE, 0),
			LOT(0, LOSE, 7, IDLE, UINT32_MAX),
		},
	}, {
		.name = "ceiling: the chance is that of the next packet",
		CEILED, .vars = STANDS(7), .input = {
			MUCH(0, PASS, 7, 50 * MS - 1),
			LOT(0, LOSE, 7, 10 * MS, 0),
			MUCH(0, PASS, 7, 50 * MS - 1),
			LOT(0, LOSE, 7, 10 * MS, 0),
			MUCH(0, PASS, 7, 10 * MS),
		},
	}, {
		.name = "ceiling: no chance unless much waits behind a packet",
		CEILED, .vars = STANDS(7), .input = {
			OVER(0, PASS, 7), OVER(0, PASS, 7),
			WAITED(0, PASS, 7, IDLE), LOT(0, LOSE, 7, 50 * MS, ~0U),
			/* not with the chance of the packet before it either */
			WAITED(0, PASS, 7, IDLE),
			MUCH(0, PASS, 7, 25 * MS),
		},
	}, {
		.name = "ceiling: no signal is given for the schedule, and none is counted",
		CEILED, .vars = STANDS(2), .input = {
			MUCH(0, PASS, 2, 49 * MS), LOT(0, PASS, 2, 49 * MS, UINT32_MAX),
			LOT(IDLE, PASS, 2, 49 * MS, UINT32_MAX),
			LOT(STEP_2, PASS, 2, 49 * MS, UINT32_MAX),
		},
	}, {
		.name = "ceiling: without a chance the signals go on, and are counted",
		CEILED, .vars = STANDS(7), .input = {
			LOT(IDLE, LOSE, 7, 50 * MS, 0),
			LOT(0, LOSE, 7, 18 * MS, UINT32_MAX),
			MUCH(37796446, PASS, 7, 18 * MS),
			MUCH(1, SIGNAL, 8, 18 * MS), MUCH(0, PASS, 8, 18 * MS),
			MUCH(35355339, SIGNAL, 9, 18 * MS),
		},
	}, {
		.name = "ceiling: set anew, it holds from the next chance on",
		CEILED, .vars = STANDS(200), .input = {
			MUCH(0, PASS, 200, 30 * MS), { CEILING, 10 * MS },
			LOT(0, LOSE, 200, 30 * MS, UINT32_MAX), { CEILING, 200 * MS },
			LOT(0, LOSE, 200, 30 * MS, UINT32_MAX),
			MUCH(0, PASS, 200, 30 * MS),
		},
	}, {
		.name = "ceiling: the shortest",
		.params = { US, US, US }, .vars = STANDS(UINT32_MAX), .input = {
			LOT(0, LOSE, UINT32_MAX, US, UINT32_MAX),
			LOT(0, LOSE, UINT32_MAX, US, UINT32_MAX),
			LOT(IDLE, LOSE, UINT32_MAX, US, UINT32_MAX),
		},
	}, {
		.name = "ceiling: off, there is no chance at any delay",
		INTERNET, .vars = BEGUN(4), .input = {
			MUCH(0, PASS, 4, IDLE), MUCH(0, PASS, 4, ~0ULL / 2),
			MUCH(IDLE, SIGNAL, 5, IDLE), MUCH(0, PASS, 5, IDLE),
		},
	}, {
		.name = "ceiling: off, a queue does not stand, but in the dropping state",
		CEILED, .vars = STANDS(7), .input = {
			LOT(0, LOSE, 7, 50 * MS, 0), { CEILING, CODEL_CEILING_OFF },
			MUCH(0, PASS, 7, 51 * MS), { CEILING, 50 * MS },
			MUCH(0, PASS, 7, 51 * MS), MUCH(IDLE, SIGNAL, 8, 51 * MS),
		},
	}, {
		.name = "stands: over the ceiling for an interval after an interval, to the ns",
		CEILED, .vars = BEGUN(7), .input = {
			MUCH(100 * MS - 1, PASS, 7, 50 * MS + 1),
			MUCH(1, PASS, 7, 50 * MS + 1),
			MUCH(100 * MS - 1, PASS, 7, 50 * MS + 1),
			MUCH(0, PASS, 7, 50 * MS + 1), GROWN(1, PASS, 7, 50 * MS + 1),
			LOT(0, LOSE, 7, 50 * MS + 1, UINT32_MAX),
		},
	}, {
		.name = "stands: senders have an interval to answer, from the first signal on",
		CEILED, .vars = { STOOD }, .input = {
			MUCH(0, SIGNAL, 1, 51 * MS), MUCH(100 * MS - 1, PASS, 1, 51 * MS),
			MUCH(1, SIGNAL, 2, 51 * MS), MUCH(STEP_2, SIGNAL, 3, 51 * MS),
			MUCH(100 * MS - STEP_2 - 1, PASS, 3, 51 * MS),
			MUCH(0, PASS, 3, 51 * MS), GROWN(1, PASS, 3, 51 * MS),
			LOT(0, LOSE, 3, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: the time to answer is that of each dropping state",
		CEILED, .vars = { START, START + IDLE, 7, 7, true, false, true, false, 0, BYTES },
		.input = {
			MUCH(90 * MS, PASS, 7, 51 * MS), UNDER(0, 7),
			MUCH(0, PASS, 7, 51 * MS), MUCH(100 * MS, SIGNAL, 1, 51 * MS),
			MUCH(100 * MS - 1, PASS, 1, 51 * MS), MUCH(1, SIGNAL, 2, 51 * MS),
			MUCH(STEP_2, SIGNAL, 3, 51 * MS),
			MUCH(100 * MS - STEP_2 - 1, PASS, 3, 51 * MS),
			MUCH(0, PASS, 3, 51 * MS), GROWN(1, PASS, 3, 51 * MS),
			LOT(0, LOSE, 3, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: a packet within the time to answer is not watched",
		CEILED, .vars = BEGUN(7), .input = {
			MUCH(50 * MS, PASS, 7, 50 * MS), MUCH(50 * MS, PASS, 7, 51 * MS),
			GROWN(100 * MS, PASS, 7, 51 * MS),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: a packet at the ceiling begins the interval anew",
		CEILED, .vars = WATCHED(7), .input = {
			MUCH(60 * MS, PASS, 7, 50 * MS),
			MUCH(100 * MS - 1, PASS, 7, 50 * MS + 1),
			MUCH(0, PASS, 7, 50 * MS + 1), GROWN(1, PASS, 7, 50 * MS + 1),
			LOT(0, LOSE, 7, 50 * MS + 1, UINT32_MAX),
		},
	}, {
		.name = "stands: so does a packet without much behind it",
		CEILED, .vars = WATCHED(7), .input = {
			WAITED(60 * MS, PASS, 7, 51 * MS),
			MUCH(100 * MS - 1, PASS, 7, 51 * MS),
			MUCH(0, PASS, 7, 51 * MS), GROWN(1, PASS, 7, 51 * MS),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: a packet below the ceiling at the end, too",
		CEILED, .vars = WATCHED(7), .input = {
			MUCH(100 * MS, PASS, 7, 50 * MS),
			MUCH(100 * MS - 1, PASS, 7, 51 * MS),
			MUCH(0, PASS, 7, 51 * MS), GROWN(1, PASS, 7, 51 * MS),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: packets as old as an interval, with seven eighths of the bytes",
		CEILED, .vars = WATCHED(7), .input = {
			BEHIND(50 * MS, PASS, 7, 51 * MS, 100),
			BEHIND(50 * MS, PASS, 7, 100 * MS, 70000),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: not with a byte less, and from then on these count",
		CEILED, .vars = WATCHED(7), .input = {
			BEHIND(100 * MS, PASS, 7, 100 * MS, 69999),
			BEHIND(100 * MS - 1, PASS, 7, 100 * MS, 69999),
			BEHIND(1, PASS, 7, 100 * MS, 61249),
			BEHIND(100 * MS, PASS, 7, 100 * MS, 53593),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: younger packets, with nine eighths of the bytes",
		CEILED, .vars = WATCHED(7), .input = {
			GROWN(100 * MS, PASS, 7, 100 * MS - 1),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: not with a byte less, nor with as many",
		CEILED, .vars = WATCHED(7), .input = {
			BEHIND(100 * MS, PASS, 7, 100 * MS - 1, 89999),
			BEHIND(100 * MS, PASS, 7, 100 * MS - 1, 89999),
			BEHIND(100 * MS, PASS, 7, 100 * MS - 1, 101247),
			BEHIND(100 * MS, PASS, 7, 100 * MS - 1, 113902),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: younger packets of a queue that has overflowed, with any bytes",
		CEILED, .vars = WATCHED(7), .input = {
			{ OVERFLOW, 1 }, BEHIND(100 * MS - 1, PASS, 8, 51 * MS, 100),
			BEHIND(1, PASS, 8, 51 * MS, 1), LOT(0, LOSE, 8, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: the bytes are those at the begin of the interval",
		CEILED, .vars = BEGUN(7), .input = {
			BEHIND(0, PASS, 7, 51 * MS, 90000), BEHIND(100 * MS, PASS, 7, 51 * MS, 8000),
			BEHIND(50 * MS, PASS, 7, 50 * MS, 16000),
			BEHIND(100 * MS, PASS, 7, 100 * MS, 13999),
			BEHIND(100 * MS, PASS, 7, 100 * MS, 14000),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: one MTU behind a packet ends the dropping state, and the watch",
		CEILED, .vars = WATCHED(7), .input = {
			LITTLE(50 * MS, 7, 51 * MS), MUCH(50 * MS, PASS, 7, 51 * MS),
			MUCH(100 * MS - 1, PASS, 7, 51 * MS), MUCH(1, SIGNAL, 6, 51 * MS),
			MUCH(0, PASS, 6, 51 * MS),
		},
	}, {
		.name = "stands: until there was no chance for two intervals, to the ns",
		CEILED, .vars = STANDS(7), .input = {
			MUCH(200 * MS - 1, PASS, 7, 25 * MS),
			LOT(0, LOSE, 7, 50 * MS, UINT32_MAX),
			LOT(200 * MS - 1, LOSE, 7, 25 * MS, UINT32_MAX),
			MUCH(1, PASS, 7, 25 * MS),
			MUCH(0, PASS, 7, 51 * MS), MUCH(0, PASS, 7, 51 * MS),
		},
	}, {
		.name = "stands: packets without much behind them have no chance",
		CEILED, .vars = STANDS(7), .input = {
			OVER(200 * MS - 1, PASS, 7), OVER(1, PASS, 7),
			MUCH(0, PASS, 7, 51 * MS), MUCH(0, PASS, 7, 51 * MS),
		},
	}, {
		.name = "stands: no longer, the dropping state goes on, and is watched anew",
		CEILED, .vars = STANDS(7), .input = {
			MUCH(200 * MS, PASS, 7, 25 * MS), MUCH(0, PASS, 7, 125 * MS - 1),
			MUCH(0, LOSE, 7, 125 * MS), MUCH(100 * MS - 1, PASS, 7, 51 * MS),
			MUCH(0, PASS, 7, 51 * MS), GROWN(1, PASS, 7, 51 * MS),
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "stands: no longer, the next dropping state needs an interval",
		CEILED, .vars = STANDS(7), .input = {
			{ EMPTY }, MUCH(200 * MS, PASS, 7, 25 * MS),
			MUCH(100 * MS - 1, PASS, 7, 25 * MS), MUCH(1, SIGNAL, 6, 25 * MS),
		},
	}, {
		.name = "stands: no packet below target leads to the dropping state then",
		CEILED, .vars = STANDS(7), .input = {
			UNDER(200 * MS, 7), MUCH(0, PASS, 7, 51 * MS),
			MUCH(100 * MS - 1, PASS, 7, 51 * MS), MUCH(1, SIGNAL, 6, 51 * MS),
		},
	}, {
		.name = "stands: while it is empty, without the chance of a packet before",
		CEILED, .vars = STANDS(7), .input = {
			LOT(0, LOSE, 7, 50 * MS, 0), { EMPTY, 50 * MS },
			MUCH(0, SIGNAL, 6, 20 * MS), MUCH(0, PASS, 6, 30 * MS),
			LOT(0, LOSE, 6, 30 * MS, 0), { EMPTY },
			MUCH(0, SIGNAL, 1, 30 * MS), LOT(0, LOSE, 1, 20 * MS, 0),
		},
	}, {
		.name = "stands: a packet below target has no chance",
		CEILED, .vars = STANDS(7), .input = {
			LOT(0, LOSE, 7, 50 * MS, 0), MUCH(0, PASS, 7, 5 * MS - 1),
			MUCH(0, SIGNAL, 6, 20 * MS), MUCH(0, PASS, 6, 20 * MS),
		},
	}, {
		.name = "stands: the delay needs no interval above target",
		CEILED, .vars = STANDS(7), .input = {
			UNDER(0, 7), MUCH(0, SIGNAL, 6, 5 * MS), SMALL(0, 6),
			MUCH(0, SIGNAL, 1, 5 * MS),
		},
	}, {
		.name = "stands: a chance after a longer time than two intervals renews it",
		CEILED, .vars = STANDS(7), .input = {
			{ EMPTY }, MUCH(150 * MS, SIGNAL, 6, 26 * MS),
			LOT(IDLE, PASS, 6, 26 * MS, UINT32_MAX),
			LOT(0, LOSE, 6, 50 * MS, UINT32_MAX),
		},
	}, {
		.name = "shared: five quarters of an interval in the dropping state",
		CEILED, .vars = BEGUN(7), .input = {
			MUCH(0, PASS, 7, 125 * MS - 1), MUCH(0, LOSE, 7, 125 * MS),
			WAITED(0, PASS, 7, IDLE), MUCH(0, LOSE, 7, IDLE),
			/* a signal that is due marks no such packet, but it is counted */
			MUCH(IDLE, LOSE, 8, 125 * MS),
		},
	}, {
		.name = "shared: not outside the dropping state, nor its first packet",
		CEILED, .input = {
			MUCH(0, PASS, 0, 130 * MS), MUCH(100 * MS - 1, PASS, 0, 230 * MS),
			MUCH(1, SIGNAL, 1, 230 * MS), MUCH(0, LOSE, 1, 230 * MS),
			{ EMPTY }, MUCH(0, PASS, 1, 230 * MS),
		},
	}, {
		.name = "shared: a longer ceiling takes the place of five quarters",
		.params = { 5 * MS, 100 * MS, 200 * MS }, .vars = BEGUN(7), .input = {
			MUCH(0, PASS, 7, 200 * MS - 1), MUCH(0, LOSE, 7, 200 * MS),
			{ CEILING, 125 * MS }, MUCH(0, LOSE, 7, 125 * MS),
			{ CEILING, 125 * MS + 1 }, MUCH(0, PASS, 7, 125 * MS),
			{ CEILING, CODEL_CEILING_OFF }, MUCH(0, PASS, 7, IDLE),
		},
	}, {
		.name = "own queue: no loss in the dropping state until it stands",
		TURNS, .vars = BEGUN(7), .input = {
			MUCH(0, PASS, 7, IDLE), MUCH(100 * MS, PASS, 7, IDLE),
			BEHIND(100 * MS, PASS, 7, IDLE, 69999),
			BEHIND(100 * MS, PASS, 7, IDLE, 69999),
			LOT(0, LOSE, 7, IDLE, UINT32_MAX),
		},
	}, {
		.name = "turns: a wait of five quarters of an interval outside the dropping state",
		TURNS, .input = {
			MUCH(0, PASS, 0, 125 * MS - 1), { EMPTY }, MUCH(0, SIGNAL, 1, 125 * MS),
			LOT(0, LOSE, 1, 50 * MS, UINT32_MAX), { EMPTY },
			MUCH(150 * MS, SIGNAL, 1, 20 * MS),
		},
	}, {
		.name = "turns: no matter how rare",
		TURNS, .input = {
			MUCH(0, SIGNAL, 1, 125 * MS), LOT(SEC, LOSE, 1, 125 * MS, UINT32_MAX),
			LOT(SEC, LOSE, 1, 125 * MS, UINT32_MAX),
		},
	}, {
		.name = "turns: a longer ceiling takes the place of five quarters",
		.params = { 5 * MS, 100 * MS, 200 * MS }, .turns = true, .input = {
			MUCH(0, PASS, 0, 200 * MS - 1), { EMPTY }, MUCH(0, SIGNAL, 1, 200 * MS),
			LOT(0, LOSE, 1, 200 * MS, UINT32_MAX),
		},
	}, {
		.name = "held: not over the ceiling, and not late",
		CEILED, .vars = WATCHED(7), .input = {
			HELD(50 * MS, PASS, 7, 150 * MS, 100 * MS),
			MUCH(100 * MS - 1, PASS, 7, 51 * MS),
			HELD(0, PASS, 7, 150 * MS, 100 * MS - 1),
			{ ASK, 1, PASS, 7, 150 * MS, CODEL_MUCH, false, 0, BYTES / 8 * 9,
			  100 * MS - 1 },
			LOT(0, LOSE, 7, 51 * MS, UINT32_MAX),
		},
	}, {
		.name = "held: no chance",
		CEILED, .vars = STANDS(7), .input = {
			HELD(0, PASS, 7, 120 * MS, 95 * MS),
			HELD(0, PASS, 7, 120 * MS, 95 * MS - 98040),
			LOT(0, LOSE, 7, 20 * MS, 0), MUCH(0, PASS, 7, 20 * MS),
		},
	}, {
		.name = "held: no five quarters, shared",
		CEILED, .vars = BEGUN(7), .input = {
			HELD(0, PASS, 7, 225 * MS, 100 * MS + 1),
			HELD(0, LOSE, 7, 225 * MS, 100 * MS),
		},
	}, {
		.name = "held: no five quarters, turns",
		TURNS, .input = {
			HELD(0, PASS, 0, 225 * MS, 100 * MS + 1), { EMPTY },
			HELD(0, SIGNAL, 1, 225 * MS, 100 * MS),
		},
	}, {
		.name = "held: for CoDel, all of the time counts",
		CEILED, .input = {
			HELD(0, PASS, 0, 50 * MS, 50 * MS),
			HELD(100 * MS, SIGNAL, 1, 50 * MS, 50 * MS),
		},
	}, {
		.name = "link: a busy one holds nothing",
		LINKED, .input = {
			LATE(0, 5 * MS), LATE(50 * MS, 5 * MS), LATE(50 * MS, 5 * MS),
			MUCH(25 * MS, PASS, 0, 125 * MS - 1), { EMPTY },
			MUCH(0, SIGNAL, 1, 125 * MS),
		},
	}, {
		.name = "link: held while it stood still, and half an interval later",
		LINKED, .input = {
			LATE(0, 5 * MS), MUCH(150 * MS, PASS, 0, 275 * MS - 1), { EMPTY },
			MUCH(50 * MS, PASS, 0, 325 * MS - 1), { EMPTY },
			MUCH(0, SIGNAL, 1, 325 * MS),
		},
	}, {
		.name = "link: one that moves after half an interval and a ns has stood still",
		LINKED, .input = {
			LATE(0, 5 * MS), LATE(50 * MS + 1, 5 * MS), LATE(50 * MS - 1, 5 * MS),
			/* held for 50 ms and 1 ns, as the first packet was in time */
			MUCH(25 * MS, PASS, 0, 175 * MS), { EMPTY },
			MUCH(0, SIGNAL, 1, 175 * MS + 1),
		},
	}, {
		.name = "link: the first packet is in time at half an interval",
		LINKED, .input = {
			LATE(0, 5 * MS), LATE(60 * MS, 50 * MS), LATE(50 * MS, 5 * MS),
			MUCH(15 * MS, PASS, 0, 185 * MS - 1), { EMPTY },
			MUCH(0, SIGNAL, 1, 185 * MS),
		},
	}, {
		.name = "link: the first packet is late above half an interval",
		LINKED, .input = {
			LATE(0, 5 * MS), LATE(60 * MS, 50 * MS + 1), LATE(50 * MS, 5 * MS),
			MUCH(15 * MS, PASS, 0, 235 * MS - 1), { EMPTY },
			MUCH(0, SIGNAL, 1, 235 * MS),
		},
	}, {
		.name = "link: packets below target leave one that stands still",
		LINKED, .input = {
			LATE(0, 5 * MS), LATE(50 * MS, 5 * MS - 1),
			MUCH(50 * MS, PASS, 0, 225 * MS - 1), { EMPTY },
			MUCH(0, SIGNAL, 1, 225 * MS),
		},
	}, {
		.name = "link: an idle one holds the packets of a burst for target at most",
		LINKED, .input = {
			LATE(0, 5 * MS), LATE(IDLE, 5 * MS), LATE(50 * MS, 55 * MS),
			LATE(50 * MS, 105 * MS),
			MUCH(25 * MS - 1, PASS, 0, 130 * MS - 1), { EMPTY },
			MUCH(1, SIGNAL, 1, 130 * MS),
		},
	}, {
		.name = "turns: not while at most one MTU waits",
		TURNS, .input = {
			LITTLE(0, 0, IDLE), { EMPTY }, MUCH(0, SIGNAL, 1, 125 * MS),
		},
	}, {
		.name = "turns: not without another packet of the queue",
		TURNS, .input = {
			WAITED(0, PASS, 0, IDLE), { EMPTY }, MUCH(0, SIGNAL, 1, 125 * MS),
		},
	}, {
		.name = "turns: not without a ceiling",
		INTERNET, .turns = true, .input = {
			MUCH(0, PASS, 0, IDLE), { EMPTY }, { CEILING, 50 * MS },
			MUCH(0, SIGNAL, 1, 125 * MS),
		},
	},
};

/* The random number of the present line, and the number of its uses */
static u32 lot;
static unsigned int lots;

static u32 sequence_random(void)
{
	lots++;
	return lot;
}

static bool ask_right(const struct input *in, const struct sequence *sequence,
		      const struct codel_params *params, struct codel_vars *vars,
		      struct codel_link *link, u64 now)
{
	struct codel_head head = {
		.sojourn = in->sojourn,
		.held = in->held,
		.backlog = in->backlog ? in->backlog : BYTES,
		.waiting = in->waiting,
		.shared = !sequence->turns,
	};
	enum codel_verdict verdict;

	lot = in->random;
	lots = 0;
	if (sequence->link) {
		if (in->sojourn >= params->target)
			codel_departure(link, params, now, in->sojourn);
		head.held = codel_held(link, now, in->sojourn);
	}
	verdict = codel_signal(vars, params, now, &head, sequence_random);
	if (verdict == in->verdict && vars->count == in->count &&
	    lots == in->draws)
		return true;
	ktap_note("verdict %d count %u draws %u, expected %d, %u and %u",
		  verdict, vars->count, lots, in->verdict, in->count,
		  in->draws);
	return false;
}

static bool input_right(const struct input *in, const struct sequence *sequence,
			struct codel_params *params, struct codel_vars *vars,
			struct codel_link *link, u64 now)
{
	switch (in->what) {
	case ASK:
		return ask_right(in, sequence, params, vars, link, now);
	case OTHER:
		if (in->sojourn >= params->target)
			codel_departure(link, params, now, in->sojourn);
		break;
	case EMPTY:
		codel_empty(vars);
		break;
	case OVERFLOW:
		codel_overflow(vars, in->ns);
		break;
	case TARGET:
		params->target = in->ns;
		break;
	case INTERVAL:
		params->interval = in->ns;
		break;
	case CEILING:
		params->ceiling = in->ns;
		break;
	default:
		break;
	}
	return true;
}

static bool sequence_right(const struct sequence *sequence)
{
	struct codel_params params = sequence->params;
	struct codel_vars vars = sequence->vars;
	const struct input *in = sequence->input;
	struct codel_link link = { 0 };
	u64 now = START;

	for (; in->what != END; in++) {
		if (in->what == ASK || in->what == EMPTY ||
		    in->what == LATER || in->what == OTHER)
			now += in->ns;
		if (input_right(in, sequence, &params, &vars, &link, now))
			continue;
		ktap_note("in line %td, at %llu ns", in - sequence->input + 1,
			  (unsigned long long)(now - START));
		return false;
	}
	return true;
}

static const struct {
	struct codel_params params;
	u64 ceiling;
} defaults[] = {
	{ { 5 * MS, 100 * MS, 0 }, 50 * MS },
	{ { 12500 * US, 100 * MS, 0 }, 50 * MS },
	{ { 12501 * US, 100 * MS, 0 }, 50004 * US },
	{ { 100 * MS, 100 * MS, 0 }, 400 * MS },
	{ { 0, 100 * MS, 0 }, 50 * MS },
	{ { 0, 2 * US, 0 }, US },
	{ { 0, 2 * US + 2, 0 }, US + 1 },
	{ { 0, US, 0 }, US },
	{ { US, US, 0 }, 4 * US },
	{ { 4294967295 * US, US, 0 }, 4 * 4294967295 * US },
};

static bool defaults_right(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		u64 ceiling = codel_default_ceiling(&defaults[i].params);

		if (ceiling == defaults[i].ceiling)
			continue;
		ktap_note("target %llu, interval %llu: %llu ns, expected %llu",
			  (unsigned long long)defaults[i].params.target,
			  (unsigned long long)defaults[i].params.interval,
			  (unsigned long long)ceiling,
			  (unsigned long long)defaults[i].ceiling);
		return false;
	}
	return true;
}

#define SEQUENCES	((int)(sizeof(sequences) / sizeof(sequences[0])))

int sequence_cases(void)
{
	return SEQUENCES + 1;
}

void sequence_run(void)
{
	int i;

	for (i = 0; i < SEQUENCES; i++)
		ktap_result(sequence_right(&sequences[i]), sequences[i].name);
	ktap_result(defaults_right(), "ceiling: the default");
}
