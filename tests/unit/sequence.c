// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Tables: what is shown to codel.h, packet by packet, and what it must say. */
#include <stddef.h>

#include "codel.h"
#include "ktap.h"
#include "suite.h"

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
	LATER,		/* time passes, .ns */
};

struct input {
	enum what what;
	u64 ns;		/* ASK: since the last line */
	bool signal;
	u32 count;	/* after it */
	u64 sojourn;
	bool small;	/* no more than one MTU waits behind it */
};

struct sequence {
	const char *name;
	struct codel_params params;
	struct codel_vars vars;
	struct input input[24];
};

#define INTERNET	.params = { 5 * MS, 100 * MS }
#define START		SEC	/* the clock at the first line */

/* time since the last line, verdict, count */
#define OVER(ns, signal, count)	{ ASK, ns, signal, count, 50 * MS, false }
#define UNDER(ns, count)	{ ASK, ns, false, count, 5 * MS - 1, false }
#define SMALL(ns, count)	{ ASK, ns, false, count, 50 * MS, true }

/* a queue that has stood for an interval at @START */
#define STOOD		.first_above_time = START

/* a dropping state at @START in which the signal after @n is due */
#define IN_STATE(n)	{ START, START, n, 1, true, false }

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
			{ ASK, 0, 0, 0, 5 * MS, 0 },
			UNDER(50 * MS, 0),
			{ ASK, 50 * MS, 0, 0, 5 * MS, 0 },
			{ ASK, 100 * MS, 1, 1, 5 * MS, 0 },
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
		.name = "a signal is owed no more once the queue was empty",
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
		.name = "a state that nobody asked about for 75 minutes",
		INTERNET, .vars = { STOOD, START, 10, 2 },
		.input = { { LATER, IDLE }, OVER(0, 1, 1) },
	}, {
		.name = "target and interval of 4294.967295 s",
		.params = { LONGEST, LONGEST }, .input = {
			{ ASK, 0, 0, 0, LONGEST, 0 },
			{ ASK, LONGEST - 1, 0, 0, LONGEST, 0 },
			{ ASK, 1, 1, 1, LONGEST, 0 },
			/* the root has 31 bits, which is 2 us here */
			{ ASK, LONGEST - 10 * US, 0, 1, LONGEST, 0 },
			{ ASK, 10 * US, 1, 2, LONGEST, 0 },
			{ ASK, LONGEST, 1, 3, LONGEST, 0 },
			{ ASK, 0, 0, 3, LONGEST - 1, 0 },
			{ ASK, 0, 0, 3, LONGEST, 0 },
			{ ASK, LONGEST, 1, 2, LONGEST, 0 },
		},
	}, {
		.name = "target 0 accepts no delay at all",
		.params = { 0, 100 * MS }, .input = {
			{ ASK, 0, 0, 0, 0, 0 }, { ASK, 100 * MS, 1, 1, 0, 0 },
			{ ASK, 0, 0, 1, 0, 1 },
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
		.params = { US, US }, .vars = IN_STATE(UINT32_MAX), .input = {
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
};

static bool input_right(const struct input *in, struct codel_params *params,
			struct codel_vars *vars, u64 now)
{
	bool signal;

	switch (in->what) {
	case ASK:
		signal = codel_signal(vars, params, now, in->sojourn,
				      !in->small);
		if (signal == in->signal && vars->count == in->count)
			return true;
		ktap_note("signal %d count %u, expected %d and %u", signal,
			  vars->count, in->signal, in->count);
		return false;
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
	u64 now = START;

	for (; in->what != END; in++) {
		if (in->what == ASK || in->what == EMPTY || in->what == LATER)
			now += in->ns;
		if (input_right(in, &params, &vars, now))
			continue;
		ktap_note("in line %td, at %llu ns", in - sequence->input + 1,
			  (unsigned long long)(now - START));
		return false;
	}
	return true;
}

int sequence_cases(void)
{
	return sizeof(sequences) / sizeof(sequences[0]);
}

void sequence_run(void)
{
	int i;

	for (i = 0; i < sequence_cases(); i++)
		ktap_result(sequence_right(&sequences[i]), sequences[i].name);
}
