// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* codel_chance() and codel_draw(), with every ceiling and every sojourn time. */
#include "any.h"

void prove_chance(void)
{
	u64 ceiling = nondet_u64(), sojourn = nondet_u64(), chance;

	suppose(ceiling_is_right(ceiling) && sojourn <= NOW_MAX);
	chance = codel_chance(ceiling, sojourn);
	prove((chance == CODEL_CERTAIN) == (sojourn >= ceiling),
	      "a drop is certain at the ceiling, and not below");
	prove(sojourn > ceiling / 2 || !chance,
	      "there is no chance up to half of the ceiling");
	prove(ceiling != CODEL_CEILING_OFF || !chance, "without a ceiling there is no chance");
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
