// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The length of a packet on the wire. */
#include "cases.h"
#include "exact.h"
#include "ktap.h"
#include "rng.h"

#define NONE	CODEL_CELLS_NONE
#define ATM	CODEL_CELLS_ATM
#define PTM	CODEL_CELLS_PTM

#define SHORT	2000

struct by_hand {
	u32 len;
	struct codel_framing framing;
	u32 wire;
};

static const struct by_hand by_hand[] = {
	/* nothing is added */
	{ 0, { 0, 0, NONE }, 0 },
	{ 1514, { 0, 0, NONE }, 1514 },
	/* Ethernet: preamble 8, header 14, check sequence 4 and gap 12; 84 at least */
	{ 1500, { 38, 84, NONE }, 1538 },
	{ 45, { 38, 84, NONE }, 84 },	/* 45 + 38 = 83 */
	{ 46, { 38, 84, NONE }, 84 },	/* 46 + 38 = 84 */
	{ 47, { 38, 84, NONE }, 85 },
	{ 60, { 38, 84, NONE }, 98 },	/* the minimum counts the overhead */
	/* less than nothing is nothing */
	{ 1514, { -14, 0, NONE }, 1500 },
	{ 63, { -64, 0, NONE }, 0 },
	{ 64, { -64, 0, NONE }, 0 },
	{ 65, { -64, 0, NONE }, 1 },
	{ 0, { -64, 0, ATM }, 0 },
	{ 0, { -64, 0, PTM }, 0 },
	{ 65, { -64, 0, ATM }, 53 },
	{ 20, { -64, 64, NONE }, 64 },
	{ 20, { -64, 1, ATM }, 53 },
	/* ATM: cells of 53 bytes, each for 48 bytes */
	{ 0, { 0, 0, ATM }, 0 },
	{ 1, { 0, 0, ATM }, 53 },
	{ 47, { 0, 0, ATM }, 53 },
	{ 48, { 0, 0, ATM }, 53 },	/* 1 cell is full */
	{ 49, { 0, 0, ATM }, 106 },	/* 2 * 53 */
	{ 95, { 0, 0, ATM }, 106 },
	{ 96, { 0, 0, ATM }, 106 },	/* 2 cells are full */
	{ 97, { 0, 0, ATM }, 159 },	/* 3 * 53 */
	{ 40, { 40, 0, ATM }, 106 },	/* 80 bytes: 2 cells, 96 */
	{ 40, { 8, 0, ATM }, 53 },	/* 48 bytes: PPP over ATM, and an acknowledgement */
	{ 40, { 9, 0, ATM }, 106 },	/* 49 bytes */
	{ 1500, { 10, 0, ATM }, 1696 },	/* 1510 bytes: 32 cells, 1536; 32 * 53 */
	{ 1500, { 36, 0, ATM }, 1696 },	/* 1536 bytes: the 32 cells are full */
	{ 1500, { 40, 0, ATM }, 1749 },	/* 1540 bytes: 33 cells, 1584; 33 * 53 */
	{ 65535, { 0, 0, ATM }, 72398 },	/* 1366 cells, 65568; 1366 * 53 */
	{ 20, { 8, 48, ATM }, 53 },	/* 28 bytes; the minimum of 48 is a cell */
	{ 20, { 8, 49, ATM }, 106 },	/* the minimum is put into cells as well */
	/* PTM: one byte for each 64, and for the rest */
	{ 0, { 0, 0, PTM }, 0 },
	{ 1, { 0, 0, PTM }, 2 },
	{ 63, { 0, 0, PTM }, 64 },
	{ 64, { 0, 0, PTM }, 65 },
	{ 65, { 0, 0, PTM }, 67 },	/* 65 + 2 */
	{ 128, { 0, 0, PTM }, 130 },	/* 128 + 2 */
	{ 129, { 0, 0, PTM }, 132 },	/* 129 + 3 */
	{ 1500, { 22, 0, PTM }, 1546 },	/* 1522 = 23 * 64 + 50: 1522 + 24 */
	{ 1500, { 36, 0, PTM }, 1560 },	/* 1536 = 24 * 64: 1536 + 24 */
	{ 1500, { 37, 0, PTM }, 1562 },	/* 1537: 1537 + 25 */
	{ 40, { 18, 64, PTM }, 65 },	/* 58 bytes; the minimum of 64 is full */
	{ 40, { 18, 65, PTM }, 67 },
	/* the longest */
	{ 1 << 30, { 256, 256, NONE }, 1073742080 },
	{ 1 << 30, { 0, 0, ATM }, 1185589966 },	/* 2^30 - 16 are 22369621 cells, and one more */
	{ 1 << 30, { 0, 0, PTM }, 1090519040 },	/* 2^30 + 2^24 */
};

static bool is_wire(u32 len, const struct codel_framing *framing, u32 wire)
{
	u32 got = codel_wire_length(framing, len);

	if (got == wire)
		return true;
	ktap_note("%u bytes, overhead %d, mpu %u, cells %u: %u on the wire, not %u",
		  len, framing->overhead, framing->mpu, framing->cells, got, wire);
	return false;
}

static bool wire_by_hand(uint64_t seed)
{
	bool good = true;
	unsigned int i;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(by_hand); i++)
		good &= is_wire(by_hand[i].len, &by_hand[i].framing, by_hand[i].wire);
	return good;
}

/* Every length up to SHORT, with each kind of cells */
static bool each_length(s32 overhead, u32 mpu)
{
	struct codel_framing framing = { .overhead = overhead, .mpu = mpu };
	u32 len;

	for (framing.cells = NONE; framing.cells <= PTM; framing.cells++)
		for (len = 0; len <= SHORT; len++)
			if (!is_wire(len, &framing, exact_wire(&framing, len)))
				return false;
	return true;
}

static bool wire_overheads(uint64_t seed)
{
	static const u32 mpus[] = { 0, 1, 48, 64, 84, 256 };
	unsigned int i;
	s32 overhead;

	(void)seed;
	for (overhead = CODEL_OVERHEAD_MIN; overhead <= CODEL_OVERHEAD_MAX; overhead++)
		for (i = 0; i < ARRAY_SIZE(mpus); i++)
			if (!each_length(overhead, mpus[i]))
				return false;
	return true;
}

static bool wire_minima(uint64_t seed)
{
	static const s32 overheads[] = { -64, -14, 0, 1, 18, 44 };
	unsigned int i;
	u32 mpu;

	(void)seed;
	for (i = 0; i < ARRAY_SIZE(overheads); i++)
		for (mpu = 0; mpu <= CODEL_MPU_MAX; mpu++)
			if (!each_length(overheads[i], mpu))
				return false;
	return true;
}

static bool wire_long(uint64_t seed)
{
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, seed);
	for (i = 0; i < 100000; i++) {
		const struct codel_framing framing = {
			.overhead = (s32)rng_even(&rng, 0, 320) + CODEL_OVERHEAD_MIN,
			.mpu = rng_even(&rng, 0, CODEL_MPU_MAX),
			.cells = rng_even(&rng, NONE, PTM),
		};
		u32 len = i % 16 ? rng_pick(&rng, (struct range) { 0, 1 << 20 }) : 1 << 20;

		if (!is_wire(len, &framing, exact_wire(&framing, len)))
			return false;
	}
	return true;
}

static const struct test_case cases[] = {
	{ "wire: as computed by hand", wire_by_hand },
	{ "wire: all overheads, all lengths up to 2000", wire_overheads },
	{ "wire: all minima, all lengths up to 2000", wire_minima },
	{ "wire: random packets up to 2^20", wire_long },
};

const struct group wire_group = { cases, ARRAY_SIZE(cases) };
