/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the proofs of codel.h have in common: any value that a hypothesis allows, and contracts.
 *
 * A function nondet_NAME() or any_NAME() returns every value at once. suppose() states a
 * hypothesis. prove() states a property, which CBMC proves or refutes. reached() has to be
 * refuted: hypotheses that contradict each other would prove everything.
 */
#ifndef PROOF_ANY_H
#define PROOF_ANY_H

#include "codel.h"

#define suppose(condition)	__CPROVER_assume(condition)

/* A solver with one answer for all properties is asked twice. */
#ifdef ASK_REACHED
#define prove(condition, text)	((void)(condition))
#else
#define prove(condition, text)	__CPROVER_assert(condition, text)
#endif
#ifdef ASK_PROVED
#define reached()		((void)0)
#else
#define reached()		__CPROVER_assert(0, "reached")
#endif

#define INTERVAL_MAX	(1ULL << 43)
#define INTERVAL_MIN	CODEL_NSEC_PER_USEC
#define TARGET_MAX	(1ULL << 43)

/* The kernel's ktime_t is signed */
#define NOW_MAX		((1ULL << 63) - 1)

u64 nondet_u64(void);
u32 nondet_u32(void);
u8 nondet_u8(void);
bool nondet_bool(void);

static unsigned int draws;

static u32 any_random(void)
{
	draws++;
	return nondet_u32();
}

static bool ceiling_is_right(u64 ceiling)
{
	return ceiling == CODEL_CEILING_OFF ||
	       (ceiling >= CODEL_NSEC_PER_USEC && ceiling <= INTERVAL_MAX);
}

static struct codel_params any_params(void)
{
	struct codel_params params = {
		.target = nondet_u64(), .interval = nondet_u64(), .ceiling = nondet_u64(),
	};

	suppose(params.target <= TARGET_MAX);
	suppose(params.interval >= INTERVAL_MIN && params.interval <= INTERVAL_MAX);
	suppose(ceiling_is_right(params.ceiling));
	return params;
}

static enum codel_waiting any_waiting(void)
{
	u8 waiting = nondet_u8();

	suppose(waiting <= CODEL_MUCH);
	return waiting;
}

/* A time that is not before @last */
static u64 any_now(u64 last)
{
	u64 now = nondet_u64();

	suppose(now >= 1 && now >= last && now <= NOW_MAX);
	return now;
}

/* A packet at the head of a queue at the time @now */
static struct codel_head any_head(u64 now)
{
	struct codel_head head = {
		.sojourn = nondet_u64(), .held = nondet_u64(), .backlog = nondet_u32(),
		.waiting = any_waiting(), .shared = nondet_bool(),
	};

	suppose(head.sojourn <= now && head.held <= head.sojourn);
	return head;
}

/*
 * ---- contracts: the driver puts them in the place of the functions ----
 *
 * proof/exhaust/rsqrt.c proves the first one, for every input; the harnesses step, chance and
 * draw prove the others.
 */

u32 contract_rsqrt(u32 m)
{
	u32 root = nondet_u32();

	prove(m >= 1U << 30, "codel_rsqrt: its argument is normalised");
	suppose(root >= (1U << 30) - 1 && root <= (1U << 31) - 1);
	return root;
}

/* arithmetic.smt2 proves this one and the next one. */
u64 contract_product(u64 a, u32 mul, unsigned int shift)
{
	u64 product = nondet_u64();

	prove(a <= INTERVAL_MAX && mul <= 1U << 31 && shift == 23, "codel_step: the product fits");
	suppose(product <= a * 256);
	return product;
}

u64 contract_quotient(u64 a, u64 b)
{
	u64 quotient = nondet_u64();

	prove(b && b <= INTERVAL_MAX, "codel_chance: the divisor is in range");
	suppose(quotient <= a && (quotient < CODEL_CERTAIN) == (a < CODEL_CERTAIN * b));
	return quotient;
}

u64 contract_step(u64 interval, u32 count)
{
	u64 step = nondet_u64();

	prove(interval >= 1 && interval <= INTERVAL_MAX, "codel_step: interval is in range");
	prove(count, "codel_step: count is not 0");
	suppose(step >= 1 && step <= interval);
	return step;
}

u8 contract_chance(u64 ceiling, u64 sojourn)
{
	u8 chance = nondet_u8();

	prove(ceiling_is_right(ceiling) && sojourn <= NOW_MAX,
	      "codel_chance: ceiling and sojourn time are in range");
	suppose((chance == CODEL_CERTAIN) == (sojourn >= ceiling));
	suppose(sojourn > ceiling / 2 || !chance);
	return chance;
}

bool contract_draw(u8 chance, codel_random_fn random)
{
	(void)random;
	draws += !!chance;
	return chance == CODEL_CERTAIN || (chance && nondet_bool());
}

#endif /* PROOF_ANY_H */
