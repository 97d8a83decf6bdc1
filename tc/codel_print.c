// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Print options and statistics from the netlink dump, as text and as JSON.
 */
#include <net/if.h>
#include <string.h>

#include "codel_json.h"
#include "codel_stock.h"
#include "../uapi/codel_uapi.h"

/* 0 if the attribute is absent or too short, as every tc reads it */
static bool codel_get_attr(__u64 *value, const struct rtattr *attr, size_t len)
{
	__u32 word;

	*value = 0;
	if (!attr || RTA_PAYLOAD(attr) < len)
		return false;
	if (len == sizeof(__u8)) {
		*value = *(const __u8 *)RTA_DATA(attr);
	} else if (len == sizeof(word)) {
		memcpy(&word, RTA_DATA(attr), sizeof(word));
		*value = word;
	} else {
		memcpy(value, RTA_DATA(attr), sizeof(*value));
	}
	return true;
}

/* NULL for a value that only a newer module sends */
static const char *codel_word(const struct codel_option *o, __u64 value)
{
	__u64 i;

	for (i = 0; o->words && o->words[i]; i++)
		if (i == value)
			return o->words[i];
	return NULL;
}

#define CODEL_DEVICE_LEN (IF_NAMESIZE + 4)

/* The name of a device, or, if it is gone, its index: "if7" */
static const char *codel_device(char *name, __u64 index)
{
	if (!index)
		return "self";
	if (!if_indextoname((unsigned int)index, name))
		snprintf(name, CODEL_DEVICE_LEN, "if%u", (__u32)index);
	return name;
}

static void codel_json_value(const struct codel_option *o, __u64 value)
{
	const char *word = codel_word(o, value);
	char device[CODEL_DEVICE_LEN];

	if (o->type == CODEL_RATE)
		codel_json_u64(o->keyword, value);
	else if (o->type == CODEL_SIGNED)
		codel_json_int(o->keyword, (__s32)value);
	else if (o->type == CODEL_SWITCH)
		codel_json_bool(o->keyword, value);
	else if (word)
		codel_json_string(o->keyword, word);
	else if (o->type == CODEL_DEVICE)
		codel_json_string(o->keyword, codel_device(device, value));
	else
		codel_json_uint(o->keyword, (__u32)value);
}

/* In the largest unit without a fraction, so that tc reads the same rate: 20Mbit, 1500Kbit */
static void codel_print_rate(FILE *f, const struct codel_option *o, __u64 rate)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	unsigned long long bits = rate * 8;
	size_t i = 0;

	while (bits && bits % 1000 == 0 && i + 1 < sizeof(units) / sizeof(*units)) {
		bits /= 1000;
		i++;
	}
	fprintf(f, "%s %llu%sbit ", o->keyword, bits, units[i]);
}

static void codel_text_value(FILE *f, const struct codel_option *o, __u64 value)
{
	const char *word = codel_word(o, value);
	char device[CODEL_DEVICE_LEN];
	char buf[SPRINT_BSIZE];

	switch (o->type) {
	case CODEL_PACKETS:
		fprintf(f, "%s %up ", o->keyword, (__u32)value);
		break;
	case CODEL_SIZE:
		fprintf(f, "%s %s ", o->keyword, sprint_size((__u32)value, buf));
		break;
	case CODEL_TIME:
	case CODEL_EFFECT:
		fprintf(f, "%s %s ", o->keyword, sprint_time((__u32)value, buf));
		break;
	case CODEL_SIGNED:
		fprintf(f, "%s %d ", o->keyword, (__s32)value);
		break;
	case CODEL_RATE:
		codel_print_rate(f, o, value);
		break;
	case CODEL_DEVICE:
		fprintf(f, "%s %s ", o->keyword, codel_device(device, value));
		break;
	case CODEL_CHOICE:
		fprintf(f, "%s %s ", o->keyword, word ? word : "?");
		break;
	default:
		if (word)
			fprintf(f, "%s ", word);
		else
			fprintf(f, "%s %u ", o->keyword, (__u32)value);
	}
}

static void codel_print_value(FILE *f, const struct codel_option *o,
			      __u64 value)
{
	if (is_json_context())
		codel_json_value(o, value);
	else
		codel_text_value(f, o, value);
}

static void codel_print_flag(FILE *f, const struct codel_option *o, bool on)
{
	if (is_json_context())
		codel_json_bool(o->keyword, on);
	else
		fprintf(f, "%s%s ", on ? "" : "no", o->keyword);
}

static void codel_print_selector(FILE *f, const struct codel_option *o,
				 __u64 value, __u64 mask)
{
	if (is_json_context()) {
		codel_json_uint(o->keyword, (__u32)value);
		codel_json_uint(o->mask_key, (__u32)mask);
	} else {
		fprintf(f, "%s %#x/%#x ", o->keyword, (__u32)value, (__u32)mask);
	}
}

/*
 * Print an option as the stock tc does: nothing if the option is off, or if only
 * TCA_CODEL_EXT contains it.
 */
static void codel_print_option(FILE *f, const struct codel_option *o,
			       struct rtattr **tb)
{
	__u64 value, mask;

	if (o->ext_value)
		return;
	if (o->type == CODEL_SELECTOR) {
		codel_get_attr(&value, tb[o->attr], sizeof(__u8));
		codel_get_attr(&mask, tb[o->mask_attr], sizeof(__u8));
		if (value || mask)
			codel_print_selector(f, o, value, mask);
		return;
	}

	if (!codel_get_attr(&value, tb[o->attr], sizeof(__u32)))
		return;
	if (!value && (o->hide_zero || o->type == CODEL_FLAG))
		return;
	if (o->type == CODEL_FLAG)
		codel_print_flag(f, o, true);
	else
		codel_print_value(f, o, value);
}

static void codel_print_off(FILE *f, const struct codel_option *o)
{
	if (is_json_context())
		codel_json_null(o->keyword);
	else
		fprintf(f, "%s off ", o->keyword);
}

/* Return whether TCA_CODEL_EXT contains the value of this option. */
static bool codel_get_ext(__u64 *value, const struct codel_option *o,
			  struct rtattr **ext)
{
	return o->ext_value &&
	       codel_get_attr(value, ext[o->ext_value],
			      o->type == CODEL_RATE ? sizeof(__u64) : sizeof(__u32));
}

/* Return whether an option of the shaper differs from its default: it is not off, or not 0. */
static bool codel_is_shaped(const struct codel_option *o, struct rtattr **ext)
{
	__u64 value;

	for (; o->keyword; o++)
		if (o->shaper && codel_get_ext(&value, o, ext) && (o->ext_flag || value))
			return true;
	return false;
}

/*
 * Print the values that the stock tc leaves out. A selector that matches every
 * packet is the default of every qdisc, so only JSON contains it.
 */
static void codel_print_more(FILE *f, const struct codel_option *o,
			     struct rtattr **tb, struct rtattr **ext)
{
	__u64 value, mask;

	if (o->type == CODEL_FLAG) {
		if (codel_get_attr(&value, tb[o->attr], sizeof(__u32)) && !value)
			codel_print_flag(f, o, false);
	} else if (o->type == CODEL_SELECTOR) {
		if (codel_get_attr(&value, tb[o->attr], sizeof(__u8)) &&
		    codel_get_attr(&mask, tb[o->mask_attr], sizeof(__u8)) &&
		    !value && !mask && is_json_context())
			codel_print_selector(f, o, value, mask);
	} else if (codel_get_ext(&value, o, ext)) {
		if (value || !o->hide_zero || is_json_context())
			codel_print_value(f, o, value);
	} else if (o->ext_flag && ext[o->ext_flag] &&
		   (o->ext_value || !tb[o->attr])) {
		codel_print_off(f, o);
	}
}

static void codel_parse_nest(struct rtattr **tb, int max, struct rtattr *nest)
{
	parse_rtattr_flags(tb, max, RTA_DATA(nest), (int)RTA_PAYLOAD(nest),
			   NLA_F_NESTED);
}

int codel_print_options(FILE *f, const struct codel_option *options,
			struct rtattr *opt)
{
	struct rtattr *ext[TCA_CODEL_EXT_MAX + 1];
	struct rtattr *tb[TCA_CODEL_EXT + 1];
	const struct codel_option *o;
	bool shaper;

	if (!opt)
		return 0;

	codel_parse_nest(tb, TCA_CODEL_EXT, opt);
	for (o = options; o->keyword; o++)
		codel_print_option(f, o, tb);

	if (!tb[TCA_CODEL_EXT])
		return 0;

	codel_parse_nest(ext, TCA_CODEL_EXT_MAX, tb[TCA_CODEL_EXT]);
	shaper = is_json_context() || codel_is_shaped(options, ext);
	for (o = options; o->keyword; o++)
		if (shaper || !o->shaper)
			codel_print_more(f, o, tb, ext);
	return 0;
}

bool codel_options_are_own(struct rtattr *opt)
{
	struct rtattr *tb[TCA_CODEL_EXT + 1];

	if (!opt)
		return false;
	codel_parse_nest(tb, TCA_CODEL_EXT, opt);
	return tb[TCA_CODEL_EXT];
}

bool codel_copy_stats(void *to, const struct rtattr *xstats, size_t offset,
		      size_t len)
{
	const size_t given = RTA_PAYLOAD(xstats);
	const size_t there = given > offset ? given - offset : 0;

	memset(to, 0, len);
	memcpy(to, (const char *)RTA_DATA(xstats) + (there ? offset : 0),
	       there < len ? there : len);
	return there >= len;
}

static void codel_json_stat(const struct codel_stat *s, __u64 value)
{
	switch (s->type) {
	case CODEL_STAT_U64:
		codel_json_u64(s->name, value);
		break;
	case CODEL_STAT_INT:
	case CODEL_STAT_STIME:
		codel_json_int(s->name, (__s32)value);
		break;
	case CODEL_STAT_FLAG:
		codel_json_bool(s->name, true);
		break;
	default:
		codel_json_uint(s->name, (__u32)value);
	}
}

static void codel_print_stat(FILE *f, const struct codel_stat *s, __u64 value)
{
	const bool negative = s->type == CODEL_STAT_STIME && (__s32)value < 0;
	char buf[SPRINT_BSIZE];

	fprintf(f, " %s", s->name);
	switch (s->type) {
	case CODEL_STAT_INT:
		fprintf(f, " %d", (__s32)value);
		break;
	case CODEL_STAT_TIME:
	case CODEL_STAT_STIME:
		fprintf(f, " %s%s", negative ? "-" : "",
			sprint_time(negative ? -(__u32)value : (__u32)value,
				    buf));
		break;
	case CODEL_STAT_FLAG:
		break;
	default:
		fprintf(f, " %llu", (unsigned long long)value);
	}
}

static __u64 codel_stat_at(const struct codel_stat *s,
			   const struct rtattr *xstats, size_t offset)
{
	__u64 wide;
	__u32 value;

	if (s->type == CODEL_STAT_U64)
		return codel_copy_stats(&wide, xstats, offset, sizeof(wide)) ?
			       wide : 0;
	codel_copy_stats(&value, xstats, offset, sizeof(value));
	return value;
}

void codel_print_stats(FILE *f, const struct codel_stat *table,
		       const struct rtattr *xstats)
{
	const struct codel_stat *s;
	__u64 value;

	for (s = table; s->name; s++) {
		if (s->conditional && !codel_stat_at(s, xstats, s->condition))
			continue;
		value = codel_stat_at(s, xstats, s->offset);
		if (is_json_context()) {
			codel_json_stat(s, value);
			continue;
		}
		if (s->newline)
			print_nl();
		if (s->newline || s == table)
			fputc(' ', f);
		codel_print_stat(f, s, value);
	}
}
