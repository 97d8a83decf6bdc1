// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * TCA_OPTIONS of both kinds. Most values are usual ones, so that most requests are accepted; the
 * others are at the edges of types and ranges.
 */
#include <string.h>

#include "../../../uapi/codel_uapi.h"
#include "attack.h"

enum type { U8, U32, U64, FLAG };

struct option {
	uint16_t number;
	enum type type;
	uint32_t usual[4];
};

static const uint32_t edges[] = {
	0, 1, 2, 3, 255, 256, 257, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1,
	INT32_MAX, (uint32_t)INT32_MIN, UINT32_MAX - 1, UINT32_MAX,
};

static const struct option codel_options[] = {
	{ TCA_CODEL_TARGET, U32, { 1, 5000, 20000, 1000000 } },
	{ TCA_CODEL_LIMIT, U32, { 1, 10, 1000, 10240 } },
	{ TCA_CODEL_INTERVAL, U32, { 1, 1000, 100000, 1000000 } },
	{ TCA_CODEL_ECN, U32, { 0, 1, 1, 2 } },
	{ TCA_CODEL_CE_THRESHOLD, U32, { 1, 1000, 10000, 100000 } },
};

static const struct option fq_codel_options[] = {
	{ TCA_FQ_CODEL_TARGET, U32, { 1, 5000, 20000, 1000000 } },
	{ TCA_FQ_CODEL_LIMIT, U32, { 1, 10, 1000, 10240 } },
	{ TCA_FQ_CODEL_INTERVAL, U32, { 1, 1000, 100000, 1000000 } },
	{ TCA_FQ_CODEL_ECN, U32, { 0, 1, 1, 2 } },
	{ TCA_FQ_CODEL_FLOWS, U32, { 1, 2, 7, 64 } },
	{ TCA_FQ_CODEL_QUANTUM, U32, { 256, 300, 1514, 100000 } },
	{ TCA_FQ_CODEL_CE_THRESHOLD, U32, { 1, 1000, 10000, 100000 } },
	{ TCA_FQ_CODEL_DROP_BATCH_SIZE, U32, { 1, 2, 64, 1000 } },
	{ TCA_FQ_CODEL_MEMORY_LIMIT, U32, { 1, 5000, 100000, 32 << 20 } },
	{ TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR, U8, { 0, 1, 2, 3 } },
	{ TCA_FQ_CODEL_CE_THRESHOLD_MASK, U8, { 0, 1, 3, 255 } },
};

static const struct option ext_options[] = {
	{ TCA_CODEL_EXT_CE_THRESHOLD_OFF, FLAG, { 0 } },
	{ TCA_CODEL_EXT_CEILING, U32, { 6000, 130000, 1000000, 5000000 } },
	{ TCA_CODEL_EXT_CEILING_OFF, FLAG, { 0 } },
	{ TCA_CODEL_EXT_RATE, U64, { 1000, 100000, 1000000, 100000000 } },
	{ TCA_CODEL_EXT_RATE_OFF, FLAG, { 0 } },
	{ TCA_CODEL_EXT_OVERHEAD, U32, { 0, 18, 256, (uint32_t)-64 } },
	{ TCA_CODEL_EXT_OVERHEAD_OFF, FLAG, { 0 } },
	{ TCA_CODEL_EXT_MPU, U32, { 0, 64, 84, 256 } },
	{ TCA_CODEL_EXT_CELLS, U32, { 0, 1, 2, 2 } },
	{ TCA_CODEL_EXT_INGRESS, U32, { 0, 1, 1, 2 } },
	{ TCA_CODEL_EXT_SPLIT_GSO, U32, { 0, 1, 1, 2 } },
	{ TCA_CODEL_EXT_TARGET_EFFECTIVE, U32, { 0, 1, 5000, 100000 } },
	{ TCA_CODEL_EXT_INTERVAL_EFFECTIVE, U32, { 0, 1, 5000, 100000 } },
	{ TCA_CODEL_EXT_BOTTLENECK, U32, { 0, 1, 1, 2 } },
	{ TCA_CODEL_EXT_ANSWERS, U32, { 1, 2, 3, 9 } },	/* lo and two of the places; none */
	{ TCA_CODEL_EXT_SHARED, U32, { 0, 1, 1, 2 } },
};

static uint32_t value(const struct option *option)
{
	if (one_in(12))
		return edges[random_below(ARRAY_SIZE(edges))];
	return option->usual[random_below(ARRAY_SIZE(option->usual))];
}

static void option_put(struct message *m, const struct option *option)
{
	uint32_t number = value(option);

	switch (option->type) {
	case U8:
		message_u8(m, option->number, number);
		break;
	case U32:
		message_u32(m, option->number, number);
		break;
	case U64:
		message_u64(m, option->number, one_in(40) ? (uint64_t)number << 20 : number);
		break;
	case FLAG:
		message_put(m, option->number, NULL, 0);
		break;
	}
}

/* Some of a table's options, few more often than many */
static void some(struct message *m, const struct option *table, unsigned int count)
{
	unsigned int left = random_below(one_in(8) ? count + 1 : 4);

	while (left--)
		option_put(m, &table[random_below(count)]);
}

const char *kind_random(void)
{
	static const char *const kinds[] = { "codel_oot", "fq_codel_oot", "fq_codel_oot" };

	return kinds[random_below(ARRAY_SIZE(kinds))];
}

void options_put(struct message *m, const char *kind)
{
	size_t nest = message_nest(m, TCA_OPTIONS), ext;

	if (!strcmp(kind, "codel_oot"))
		some(m, codel_options, ARRAY_SIZE(codel_options));
	else
		some(m, fq_codel_options, ARRAY_SIZE(fq_codel_options));
	if (!one_in(3)) {
		ext = message_nest(m, TCA_CODEL_EXT | NLA_F_NESTED);
		some(m, ext_options, ARRAY_SIZE(ext_options));
		message_end(m, ext);
	}
	message_end(m, nest);
}
