/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Common code of the tc front ends of codel and fq_codel. A kind is a table of
 * options and tables of statistics; this code parses, prints and documents them
 * from the tables alone.
 */
#ifndef CODEL_COMMON_H
#define CODEL_COMMON_H

#include <stddef.h>

#ifdef CODEL_IN_IPROUTE2
#include "utils.h"
#include "tc_util.h"
#else
#include "tc_plugin.h"
#endif

/* Older iproute2 sources have no const in front of the first argument */
#ifndef CODEL_QDISC_UTIL
#define CODEL_QDISC_UTIL const struct qdisc_util
#endif

#define CODEL_EXPORT __attribute__((visibility("default")))

enum codel_option_type {
	CODEL_COUNT,		/* u32 */
	CODEL_BYTES,		/* u32, a number without a unit */
	CODEL_SIGNED,		/* s32, bytes; a number without a unit */
	CODEL_RATE,		/* u64, bytes/s; bit/s on the command line */
	CODEL_PACKETS,		/* u32, printed with a "p" */
	CODEL_SIZE,		/* u32, bytes */
	CODEL_TIME,		/* u32, microseconds */
	CODEL_FLAG,		/* u32, 0 or 1: "KEYWORD" or "noKEYWORD" */
	CODEL_SELECTOR,		/* u8/u8: a value, and a mask in an attribute of its own */
	CODEL_WORD,		/* u32, the number of a word; a string in JSON */
	CODEL_CHOICE,		/* the same, after the keyword */
	CODEL_DEVICE,		/* u32, the index of a device: its name; 0 for none */
	CODEL_SWITCH,		/* CODEL_WORD of two words; false or true in JSON */
	CODEL_EFFECT,		/* u32, microseconds: shown, and never given */
};

/**
 * struct codel_option - one option of a kind
 * @keyword: its name on the command line and in JSON; with @words, in JSON alone
 * @help: what it does, in one line
 * @type: how it is written and printed
 * @attr: its attribute in TCA_OPTIONS, unless @ext_value is set
 * @mask_attr: CODEL_SELECTOR: the attribute of the mask
 * @mask_key: CODEL_SELECTOR: the mask's name in JSON
 * @words: CODEL_WORD, CODEL_SWITCH: a word for each value, then NULL
 * @ext_value: its attribute in TCA_CODEL_EXT; or 0
 * @ext_flag: the flag in TCA_CODEL_EXT that stands for "KEYWORD off"; or 0
 * @least: a value below this is accepted, but hardly does what the user wants
 * @below: then what the qdisc does, for a warning
 * @hide_zero: 0 means that the qdisc does not have the option; in TCA_CODEL_EXT, that
 *	the text does not need it
 * @shaper: as text, shown only if one of these differs from its default
 */
struct codel_option {
	const char *keyword;
	const char *help;
	enum codel_option_type type;
	__u16 attr;
	__u16 mask_attr;
	const char *mask_key;
	const char *const *words;
	__u16 ext_value;
	__u16 ext_flag;
	__u32 least;
	const char *below;
	bool hide_zero;
	bool shaper;
};

enum codel_stat_type {
	CODEL_STAT_UINT,
	CODEL_STAT_INT,
	CODEL_STAT_TIME,	/* unsigned, microseconds */
	CODEL_STAT_STIME,	/* signed, microseconds */
	CODEL_STAT_FLAG,	/* the name alone */
	CODEL_STAT_U64,		/* 64 bits; only out-of-tree qdiscs send it; 0 if incomplete */
};

/**
 * struct codel_stat - one statistic; 32 bits unless its type is CODEL_STAT_U64
 * @name: its name, in JSON too
 * @type: how it is printed
 * @newline: it starts a line
 * @conditional: print only if the value at @condition is not 0
 * @offset: where in the statistics it is
 * @condition: offset of the value that @conditional checks
 */
struct codel_stat {
	const char *name;
	enum codel_stat_type type;
	bool newline;
	bool conditional;
	size_t offset;
	size_t condition;
};

/*
 * Options are listed in the order in which the stock tc prints them; those that
 * the stock tc does not have come last. Tables end with an entry without a name. Both
 * kinds have fewer options than this.
 */
#define CODEL_OPTIONS_MAX 28

int codel_parse_options(const char *kind, const struct codel_option *options,
			int argc, char **argv, struct nlmsghdr *n);
int codel_print_options(FILE *f, const struct codel_option *options,
			struct rtattr *opt);

/*
 * Copy @len bytes at @offset; missing bytes are 0. Return whether the attribute
 * contains all of them.
 */
bool codel_copy_stats(void *to, const struct rtattr *xstats, size_t offset,
		      size_t len);
void codel_print_stats(FILE *f, const struct codel_stat *table,
		       const struct rtattr *xstats);

/* The extended statistics begin at @offset. If they are incomplete, print nothing. */
void codel_print_ext_stats(FILE *f, const struct rtattr *xstats, size_t offset);
void codel_print_flow(FILE *f, const struct rtattr *xstats, size_t offset);

#endif /* CODEL_COMMON_H */
