// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "exact.h"

#define CELLS	(CODEL_CELLS_PTM + 1)

/* bytes on the wire of each number of bytes, by enum codel_cells */
static u32 table[CELLS][EXACT_LENGTH_MAX + 1];

/* One byte more: it needs a new cell, or a new block, if the last one is full. */
static void table_fill(void)
{
	unsigned int atm_room = 0, ptm_room = 0;
	u32 size;

	for (size = 1; size <= EXACT_LENGTH_MAX; size++) {
		u32 cell = atm_room ? 0 : 53;
		u32 sync = ptm_room ? 0 : 1;

		table[CODEL_CELLS_NONE][size] = size;
		table[CODEL_CELLS_ATM][size] = table[CODEL_CELLS_ATM][size - 1] + cell;
		table[CODEL_CELLS_PTM][size] = table[CODEL_CELLS_PTM][size - 1] + 1 + sync;
		atm_room = (atm_room ? atm_room : 48) - 1;
		ptm_room = (ptm_room ? ptm_room : 64) - 1;
	}
}

u32 exact_wire(const struct codel_framing *framing, u32 len)
{
	exact size = (exact)len + framing->overhead;

	if (!table[CODEL_CELLS_NONE][1])
		table_fill();
	size = size > 0 ? size : 0;
	size = size > framing->mpu ? size : framing->mpu;
	return table[framing->cells][size];
}

exact exact_time(exact bytes, u64 rate)
{
	return bytes * 256 * 1000000000 / rate;
}

exact exact_now(const struct codel_clock *clock)
{
	return (exact)clock->next * 256 + clock->fraction;
}
