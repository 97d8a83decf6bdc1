// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * codel_shaper.h, with any state of the clock, any rate, any framing and any packet in range. CBMC
 * adds its own checks of overflow, conversion, shifts, division and memory.
 */
#include "any.h"
#include "codel_shaper.h"

/* The time of a byte has less than this; shifted, it is that of CODEL_RATE_MIN at most */
#define BYTE_TIME_MAX	((1ULL << 39) - 1)
#define SHIFT_MAX	24

/* The longest time of a packet on the link: that of CODEL_WIRE_MAX at CODEL_RATE_MIN, ns */
#define WIRE_TIME_MAX	((u64)CODEL_WIRE_MAX * CODEL_NSEC_PER_SEC)

/* A clock is as far ahead as a packet and what it pays for */
#define AHEAD_MAX	(WIRE_TIME_MAX + CODEL_SHAPER_OWED_MAX)
#define SHAPER_NOW_MAX	(NOW_MAX - AHEAD_MAX)

/* The longest packet that is shaped: CODEL_SHAPE_LEN_MAX in qdisc/codel_shape.h */
#define LEN_MAX		(1U << 20)

s32 nondet_s32(void);

static bool pace_is_right(const struct codel_pace *pace)
{
	return pace->byte_time <= BYTE_TIME_MAX && pace->shift >= 1 && pace->shift <= SHIFT_MAX &&
	       pace->byte_time <= (CODEL_NSEC_PER_SEC << 8) << pace->shift;
}

/* ---- contracts, which arithmetic.smt2 proves ---- */

u64 contract_pace_time(const struct codel_pace *pace, u32 wire)
{
	u64 time = nondet_u64();

	prove(pace_is_right(pace) && wire <= CODEL_WIRE_MAX, "codel_pace_time: the product fits");
	suppose(time <= WIRE_TIME_MAX * 256);
	return time;
}

/* The last quotient */
static u64 divided, divisor, quotient;

u64 contract_divide(u64 a, u64 b)
{
	prove(b >= CODEL_RATE_MIN && b <= CODEL_RATE_MAX, "div64_u64: by a rate in range");
	divided = a;
	divisor = b;
	quotient = nondet_u64();
	suppose(quotient <= a);
	return quotient;
}

/* The time that is left at another rate */
u64 contract_scaled(u64 a, u64 mul, u64 div)
{
	u64 scaled = nondet_u64();

	prove(div && mul == divisor && a <= quotient && divided == WIRE_TIME_MAX,
	      "codel_clock_change: less is left than a packet takes");
	suppose(scaled <= WIRE_TIME_MAX);
	return scaled;
}

static struct codel_framing any_framing(void)
{
	struct codel_framing framing = { nondet_s32(), nondet_u32(), nondet_u8() };

	suppose(framing.overhead >= CODEL_OVERHEAD_MIN && framing.overhead <= CODEL_OVERHEAD_MAX);
	suppose(framing.mpu <= CODEL_MPU_MAX);
	return framing;
}

static struct codel_pace any_pace(void)
{
	struct codel_pace pace = { nondet_u64(), nondet_u8() };

	suppose(pace_is_right(&pace));
	return pace;
}

static u64 any_rate(void)
{
	u64 rate = nondet_u64();

	suppose(rate >= CODEL_RATE_MIN && rate <= CODEL_RATE_MAX);
	return rate;
}

static bool clock_is_right(const struct codel_clock *clock, u64 now)
{
	return clock->next <= now + AHEAD_MAX && codel_clock_owed(clock) <= CODEL_SHAPER_OWED_MAX;
}

static struct codel_clock any_clock(u64 now)
{
	struct codel_clock clock = {
		.next = nondet_u64(), .settled = nondet_u64(), .fraction = nondet_u8(),
	};

	codel_clock_wait(&clock, nondet_bool());
	suppose(now <= SHAPER_NOW_MAX && clock_is_right(&clock, now));
	return clock;
}

static u32 any_wire(void)
{
	u32 wire = nondet_u32();

	suppose(wire <= CODEL_WIRE_MAX);
	return wire;
}

void prove_shaper_due(void)
{
	u64 now = nondet_u64();
	struct codel_clock clock = any_clock(now), old = clock;
	bool due = codel_clock_is_due(&clock, now);
	u64 owed = codel_clock_owed(&clock), paid = codel_clock_owed(&old) - owed;

	prove(due == (now >= old.next), "a packet leaves when the link is free");
	prove(due || clock.next == old.next, "the departure of a packet that waits stays");
	prove(clock.next >= old.next, "the next departure does not move back");
	prove(!due || clock.next <= now, "the link does not begin later than now");
	prove(!due || clock.next + old.late_max >= now,
	      "a late packet regains 10 ms at most, and nothing after an idle time");
	prove(paid <= clock.next - old.next && (!owed || paid == clock.next - old.next),
	      "an idle time pays for what was dropped, and no other time does");
	prove(clock.late_max == old.late_max, "all else stays");
	reached();
}

void prove_shaper_send(void)
{
	u64 now = nondet_u64();
	struct codel_clock clock = any_clock(now), old = clock;
	struct codel_pace pace = any_pace();
	bool last = nondet_bool();

	suppose(old.next <= now);
	codel_clock_send(&clock, &pace, any_wire(), last);
	prove(clock_is_right(&clock, now), "the clock is a packet and 100 ms ahead at most");
	prove(clock.next >= old.next, "the next departure does not move back");
	prove(codel_clock_owed(&clock) <= codel_clock_owed(&old), "what is owed does not grow");
	prove(clock.late_max == (last ? 0 : CODEL_SHAPER_LATE_MAX),
	      "the link is idle after the last packet");
	reached();
}

void prove_shaper_drop(void)
{
	u64 now = nondet_u64();
	struct codel_clock clock = any_clock(now), old = clock;
	struct codel_pace pace = any_pace();

	codel_clock_drop(&clock, &pace, any_wire());
	prove(clock_is_right(&clock, now), "100 ms are owed at most");
	prove(codel_clock_owed(&clock) >= codel_clock_owed(&old), "what is owed does not shrink");
	prove(clock.next == old.next, "a drop moves no departure");
	reached();
}

/* A packet pays for dropped ones as much again as it takes itself, at most. */
void prove_shaper_pay(void)
{
	u64 now = nondet_u64();
	struct codel_clock clock = any_clock(now), old = clock;
	struct codel_pace pace = any_pace();
	u64 time, pays;

	suppose(old.next <= now);
	time = codel_pace_time(&pace, any_wire()) >> 8;
	pays = codel_clock_pay(&clock, time) - time;
	clock.next += time + pays;
	prove(pays <= time && pays == codel_clock_owed(&old) - codel_clock_owed(&clock),
	      "what is paid is owed no longer, and is as much as the packet takes at most");
	prove(clock_is_right(&clock, now), "the clock is right after a payment");
	reached();
}

void prove_shaper_change(void)
{
	u64 now = nondet_u64();
	struct codel_clock clock = any_clock(now), old = clock;

	codel_clock_change(&clock, now, any_rate(), any_rate());
	prove(clock_is_right(&clock, now), "the clock is a packet ahead at most at another rate");
	prove(old.next > now ? clock.next >= now : clock.next == old.next,
	      "what is on the link does not become late by another rate");
	prove(codel_clock_owed(&clock) == codel_clock_owed(&old), "what is owed stays");
	reached();
}

void prove_shaper_pace(void)
{
	struct codel_pace pace;

	codel_pace_set(&pace, any_rate());
	prove(pace_is_right(&pace), "the time of CODEL_WIRE_MAX bytes has 64 bits");
	reached();
}

void prove_shaper_wire(void)
{
	struct codel_framing framing = any_framing();
	u32 len = nondet_u32();
	s64 wire;
	s32 size;

	suppose(framing.cells <= CODEL_CELLS_PTM && len <= 1U << 30);
	size = (s32)len + framing.overhead;
	if (size < (s32)framing.mpu)
		size = (s32)framing.mpu;
	wire = codel_wire_length(&framing, len);
	prove(wire >= size, "a packet has mpu bytes, and its overhead, at least");
	prove(len > LEN_MAX || wire < CODEL_WIRE_MAX, "it is shorter than CODEL_WIRE_MAX");
	prove(framing.cells || wire == size, "without cells, it has no more");
	prove(framing.cells != CODEL_CELLS_ATM ||
	      (48 * wire >= 53LL * size && 48 * wire < 53LL * (size + 48LL)),
	      "ATM adds 5 bytes to 48, and less than a cell");
	prove(framing.cells != CODEL_CELLS_PTM ||
	      (64 * wire >= 65LL * size && 64 * wire < 65LL * size + 64),
	      "PTM adds a byte to 64, and less than another");
	reached();
}

void prove_shaper_target(void)
{
	struct codel_params params = any_params(), old = params;
	struct codel_pace pace = any_pace();
	u32 packet = nondet_u32();

	suppose(packet <= CODEL_WIRE_MAX / 3 * 2);
	codel_slow_target(&params, &pace, packet);
	prove(params.target >= old.target && params.interval >= old.interval,
	      "target and interval are not shortened");
	prove(params.target <= TARGET_MAX && params.interval <= INTERVAL_MAX,
	      "target and interval stay in range");
	prove(params.ceiling == old.ceiling, "the ceiling stays");
	reached();
}
