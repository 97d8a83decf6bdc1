// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A model of the scheduler of RFC 8290, section 4.2, with three flows: STEADY always has packets,
 * and the senders of OTHER and THIRD time their packets. CBMC has to refute the share that
 * exhaust/share.c proves of fq/. Few lengths, in 16ths of a quantum, are enough for that.
 *
 * With @early, a flow that becomes empty on new_flows leaves at once, in place of moving to
 * old_flows. The RFC warns of that, and FPerf found that it starves flows.
 */
#include "any.h"

typedef __s16 s16;

#define QUANTUM	16
#define LONGEST	QUANTUM

/* The bound of exhaust/share.c, and another quantum for a flow that waits */
#define SHARE	(2 * QUANTUM + 2 * (LONGEST - 1))
#define MOST	(SHARE + QUANTUM)

enum place { NEW, OLD, IDLE };

enum { STEADY, OTHER, THIRD, FLOWS };

static struct flow {
	enum place place;
	u8 since;	/* the first of a list is there for longest */
	bool waits;	/* has packets */
	s16 deficit;
	s16 sent;
} flows[FLOWS];

static u8 clock;
static unsigned int senders;	/* flows that have ever packets: FLOWS or less */
static bool early;
static s16 starved;	/* sent by OTHER since the last packet of STEADY */

static bool is_before(const struct flow *a, const struct flow *b)
{
	return a->place < b->place || (a->place == b->place && a->since < b->since);
}

static void become(struct flow *flow, enum place place)
{
	flow->place = place;
	flow->since = clock++;
}

static void arrive(struct flow *flow)
{
	flow->waits = true;
	if (flow->place != IDLE)
		return;
	flow->deficit = QUANTUM;
	become(flow, NEW);
}

/* Return whether the flow may send. */
static bool take_turn(struct flow *flow)
{
	if (flow->deficit <= 0) {
		flow->deficit += QUANTUM;
		become(flow, OLD);
	} else if (flow->waits) {
		return true;
	} else {
		become(flow, flow->place == NEW && !early ? OLD : IDLE);
	}
	return false;
}

/* STEADY sends a quantum at a time, and the others one packet at a time. */
static void take_packet(struct flow *flow)
{
	s16 len = flow == &flows[STEADY] || nondet_bool() ? QUANTUM : QUANTUM - 1;

	flow->deficit -= len;
	flow->sent += len;
	flow->waits = flow == &flows[STEADY];
	starved = flow->waits ? 0 : starved + (flow == &flows[OTHER] ? len : 0);
}

/* The turn of the first flow; packets arrive after one has left. */
static bool turn(void)
{
	unsigned int i, first = STEADY;

	for (i = 1; i < senders; i++)
		if (is_before(&flows[i], &flows[first]))
			first = i;
	for (i = 0; i < senders; i++)
		if (i == first && take_turn(&flows[i])) {
			take_packet(&flows[i]);
			return true;
		}
	return false;
}

static void run(unsigned int turns)
{
	bool arrivals = true;
	unsigned int i;

	for (i = 0; i < FLOWS; i++)
		flows[i].place = IDLE;
	arrive(&flows[STEADY]);
	while (turns--) {
		for (i = 1; i < senders; i++)
			if (arrivals && nondet_bool())
				arrive(&flows[i]);
		arrivals = turn();
	}
}

void prove_rfc_share(void)
{
	senders = 2;
	run(32);
	prove(flows[OTHER].sent - flows[STEADY].sent <= SHARE,
	      "no flow sends more than its share and two quanta");
	reached();
}

void prove_rfc_turn(void)
{
	senders = FLOWS;
	run(28);
	prove(starved <= MOST, "no flow waits for more than three quanta of another");
	reached();
}

void prove_rfc_early(void)
{
	early = true;
	senders = FLOWS;
	run(28);
	prove(starved <= MOST, "no flow waits for more than three quanta of another");
	reached();
}
