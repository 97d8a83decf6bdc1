// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* codel_chance(), codel_square() and codel_draw(), with every ceiling and every sojourn time. */
#include "any.h"

void prove_chance(void)
{
	u64 ceiling = nondet_u64(), sojourn = nondet_u64(), chance;
	bool overload = nondet_bool();

	suppose(ceiling >= CODEL_NSEC_PER_USEC && ceiling <= INTERVAL_MAX + INTERVAL_MAX / 4);
	chance = codel_chance(ceiling, sojourn, overload);
	prove((chance == CODEL_CERTAIN) == (sojourn >= ceiling),
	      "a drop is certain at the ceiling, and not below");
	prove(sojourn > codel_chance_begins(ceiling) || !chance,
	      "there is no chance below three eighths of the ceiling");
	reached();
}

void prove_square(void)
{
	u8 part = nondet_u8(), square = codel_square(part);

	prove(square <= part && (square == CODEL_CERTAIN) == (part == CODEL_CERTAIN),
	      "the square of a part is no more than the part, and certain only if that is");
	reached();
}

void prove_draw(void)
{
	u8 chance = nondet_u8();
	bool drawn = codel_draw(chance, any_random);

	prove(chance != CODEL_CERTAIN || drawn, "what is certain is drawn");
	prove(chance || !drawn, "without a chance nothing is drawn");
	prove(draws == !!chance, "a number is drawn if there is a chance");
	reached();
}
