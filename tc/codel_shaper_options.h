/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The options of the shaper, which both kinds have.
 */
#ifndef CODEL_SHAPER_OPTIONS_H
#define CODEL_SHAPER_OPTIONS_H

#include "codel_common.h"
#include "../uapi/codel_uapi.h"

static const char *const codel_cells_words[] = {
	[CODEL_CELLS_NONE] = "noatm",
	[CODEL_CELLS_ATM] = "atm",
	[CODEL_CELLS_PTM] = "ptm",
	NULL
};

static const char *const codel_ingress_words[] = { "egress", "ingress", NULL };
static const char *const codel_shared_words[] = { "alone", "shared", NULL };
static const char *const codel_split_words[] = { "no_split_gso", "split_gso", NULL };

static const char *const codel_bottleneck_words[] = {
	[CODEL_BOTTLENECK_HERE] = "here",
	[CODEL_BOTTLENECK_DOWNSTREAM] = "downstream",
	[CODEL_BOTTLENECK_UPSTREAM] = "upstream",
	NULL
};

/* The options of the far queue: entries of a table of options */
#define CODEL_FAR_OPTIONS							\
	{									\
		.keyword = "bottleneck",					\
		.type = CODEL_CHOICE,						\
		.words = codel_bottleneck_words,				\
		.ext_value = TCA_CODEL_EXT_BOTTLENECK,				\
		.hide_zero = true,						\
		.help = "where the queue of the slowest link is",		\
	}, {									\
		.keyword = "answers",						\
		.type = CODEL_DEVICE,						\
		.ext_value = TCA_CODEL_EXT_ANSWERS,				\
		.hide_zero = true,						\
		.help = "device that answers pass; self: that of the qdisc",	\
	}

/* Entries of a table of options, in the order of cake's: programs read "noatm overhead 44" */
#define CODEL_SHAPER_OPTIONS							\
	{									\
		.keyword = "rate",						\
		.type = CODEL_RATE,						\
		.ext_value = TCA_CODEL_EXT_RATE,				\
		.ext_flag = TCA_CODEL_EXT_RATE_OFF,				\
		.shaper = true,							\
		.help = "send no faster than this",				\
	}, {									\
		.keyword = "shared",						\
		.type = CODEL_SWITCH,						\
		.words = codel_shared_words,					\
		.ext_value = TCA_CODEL_EXT_SHARED,				\
		.hide_zero = true,						\
		.shaper = true,							\
		.help = "shared: one rate for all queues of the device",	\
	}, {									\
		.keyword = "atm",						\
		.type = CODEL_WORD,						\
		.words = codel_cells_words,					\
		.ext_value = TCA_CODEL_EXT_CELLS,				\
		.shaper = true,							\
		.help = "what the link cuts packets into",			\
	}, {									\
		.keyword = "overhead",						\
		.type = CODEL_SIGNED,						\
		.ext_value = TCA_CODEL_EXT_OVERHEAD,				\
		.ext_flag = TCA_CODEL_EXT_OVERHEAD_OFF,				\
		.shaper = true,							\
		.help = "bytes that the link adds to an IP packet",		\
	}, {									\
		.keyword = "mpu",						\
		.type = CODEL_BYTES,						\
		.ext_value = TCA_CODEL_EXT_MPU,					\
		.shaper = true,							\
		.help = "least bytes of a packet on the link",			\
	}, {									\
		.keyword = "ingress",						\
		.type = CODEL_SWITCH,						\
		.words = codel_ingress_words,					\
		.ext_value = TCA_CODEL_EXT_INGRESS,				\
		.hide_zero = true,						\
		.shaper = true,							\
		.help = "ingress: packets that are dropped count, too",		\
	}, {									\
		.keyword = "split_gso",						\
		.type = CODEL_SWITCH,						\
		.words = codel_split_words,					\
		.ext_value = TCA_CODEL_EXT_SPLIT_GSO,				\
		.shaper = true,							\
		.help = "segment super-packets before they are queued",		\
	}, {									\
		.keyword = "target_effective",					\
		.type = CODEL_EFFECT,						\
		.ext_value = TCA_CODEL_EXT_TARGET_EFFECTIVE,			\
		.shaper = true,							\
	}, {									\
		.keyword = "interval_effective",				\
		.type = CODEL_EFFECT,						\
		.ext_value = TCA_CODEL_EXT_INTERVAL_EFFECTIVE,			\
		.shaper = true,							\
	}

#endif /* CODEL_SHAPER_OPTIONS_H */
