// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * From the command line to TCA_OPTIONS. An option that was given is sent with any
 * value; an option that was not given is not sent.
 */
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "codel_common.h"
#include "codel_number.h"
#include "../uapi/codel_uapi.h"

#define CODEL_REQUEST_MAX 1024	/* bytes of request up to the last option */
#define CODEL_SELECTOR_LEN 32	/* "VALUE", without the "/MASK" */

/* One option as parsed from the command line */
struct codel_value {
	enum { CODEL_NOT_GIVEN, CODEL_GIVEN, CODEL_BY_FLAG } state;
	__u64 value;
	__u32 mask;
};

/* The words of each type in help and in errors. Ranges narrower than the type are the modules'. */
static const struct {
	const char *arg;
	const char *noun;
	const char *range;
} codel_types[] = {
	[CODEL_COUNT] = { "NUMBER", "a number", "0 to 4294967295" },
	[CODEL_PACKETS] = { "PACKETS", "a number", "0 to 4294967295" },
	[CODEL_BYTES] = { "BYTES", "a number of bytes", "0 to 256" },
	[CODEL_SIGNED] = { "BYTES", "a number of bytes", "-64 to 256" },
	[CODEL_RATE] = { "RATE", "a rate (bit, kbit, mbit, gbit or tbit; bps, kbps, ... in bytes)",
			 "8bit to 1000gbit" },
	[CODEL_SIZE] = { "SIZE", "a size (b, k, m or g)",
			 "0 to 4294967295 bytes; b, k, m or g" },
	[CODEL_TIME] = { "TIME", "a time (us, ms or s)",
			 "0us to 4294967295us; us, ms or s" },
	[CODEL_FLAG] = { "", "", "" },
	[CODEL_SELECTOR] = { "VALUE/MASK", "of the form VALUE/MASK",
			     "0/0 to 255/255" },
	[CODEL_WORD] = { "", "", "" },
	[CODEL_CHOICE] = { "", "one of its words", "" },
	[CODEL_DEVICE] = { "DEV", "a device", "" },
	[CODEL_SWITCH] = { "", "", "" },
	[CODEL_EFFECT] = { "", "", "" },
};

/* "noatm | atm | ptm" */
static void codel_join_words(char *to, size_t size, const char *const *words)
{
	size_t len = 0;

	for (; *words && len < size; words++)
		len += (size_t)snprintf(to + len, size - len, "%s%s", len ? " | " : "", *words);
}

/* "bottleneck here | downstream | upstream" */
static void codel_join_choice(char *to, size_t size, const struct codel_option *o)
{
	const size_t len = (size_t)snprintf(to, size, "%s ", o->keyword);

	if (len < size)
		codel_join_words(to + len, size - len, o->words);
}

static void codel_usage_line(const struct codel_option *o)
{
	char name[64];

	if (o->type == CODEL_FLAG)
		snprintf(name, sizeof(name), "%s | no%s", o->keyword,
			 o->keyword);
	else if (o->type == CODEL_CHOICE)
		codel_join_choice(name, sizeof(name), o);
	else if (o->words)
		codel_join_words(name, sizeof(name), o->words);
	else
		snprintf(name, sizeof(name), "%s %s%s", o->keyword,
			 codel_types[o->type].arg, o->ext_flag ? " | off" : "");
	fprintf(stderr, "\t%-32s  %s\n", name, o->help);
}

static void codel_usage(const char *kind, const struct codel_option *options)
{
	bool size = false;

	fprintf(stderr, "Usage: ... %s [ OPTION ]...\nOPTION is one of\n", kind);
	for (; options->keyword; options++) {
		if (options->type != CODEL_EFFECT)
			codel_usage_line(options);
		size |= options->type == CODEL_SIZE;
	}
	fprintf(stderr, "TIME is in us, ms or s; us if it has no unit\n");
	fprintf(stderr, "RATE is in bit, kbit, mbit, gbit or tbit; bps, kbps, ... are in bytes; bit if it has no unit\n");
	if (size)
		fprintf(stderr, "SIZE is in b, k, m or g; bytes if it has no unit\n");
}

static void codel_say(const char *kind, const char *keyword, const char *format, va_list args)
{
	fprintf(stderr, "%s: %s: ", kind, keyword);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

/* Return -1: tc then prints no error of its own. */
__attribute__((format(printf, 3, 4)))
static int codel_error(const char *kind, const char *keyword,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	codel_say(kind, keyword, format, args);
	va_end(args);
	return -1;
}

__attribute__((format(printf, 3, 4)))
static void codel_warn(const char *kind, const char *keyword, const char *format, ...)
{
	va_list args;

	fputs("Warning: ", stderr);
	va_start(args, format);
	codel_say(kind, keyword, format, args);
	va_end(args);
}

/* 0, -EINVAL, -ERANGE, or -EDOM for a time between two microseconds */
static int codel_read_time(struct codel_value *v, const char *str)
{
	bool rest;
	int err;

	err = codel_read_scaled(&v->value, &rest, str, codel_time_units,
				UINT32_MAX);
	if (!err && rest)
		err = -EDOM;
	return err;
}

static bool codel_is_in_bits(const char *str)
{
	const size_t len = strlen(str);

	return len > 3 && !strcasecmp(str + len - 3, "bit");
}

/* Round down to whole bytes ("1.3mb"), as the stock tc does. */
static int codel_read_size(struct codel_value *v, const char *str)
{
	bool rest;

	return codel_read_scaled(&v->value, &rest, str, codel_size_units,
				 UINT32_MAX);
}

/* Round down to whole bytes per second, as the stock tc does. */
static int codel_read_rate(struct codel_value *v, const char *str)
{
	bool rest;
	int err;

	err = codel_read_scaled(&v->value, &rest, str, codel_rate_units,
				CODEL_BITS_MAX);
	v->value /= 8;
	return err;
}

static int codel_read_number(struct codel_value *v, const char *str, __u32 max)
{
	__u32 number;
	int err;

	err = codel_read_integer(&number, str, max);
	if (!err)
		v->value = number;
	return err;
}

static int codel_read_bytes(struct codel_value *v, const char *str)
{
	__s32 number;
	int err;

	err = codel_read_signed(&number, str);
	if (!err)
		v->value = (__u32)number;
	return err;
}

static int codel_read_selector(struct codel_value *v, const char *str)
{
	const char *slash = strchr(str, '/');
	char value[CODEL_SELECTOR_LEN];
	int err;

	if (!slash || slash - str >= (ptrdiff_t)sizeof(value))
		return -EINVAL;
	memcpy(value, str, (size_t)(slash - str));
	value[slash - str] = '\0';

	err = codel_read_number(v, value, UINT8_MAX);
	if (err)
		return err;
	return codel_read_integer(&v->mask, slash + 1, UINT8_MAX);
}

static int codel_read_choice(struct codel_value *v, const char *str, const char *const *words)
{
	__u32 i;

	for (i = 0; words[i]; i++)
		if (!strcmp(str, words[i])) {
			v->value = i;
			return 0;
		}
	return -EINVAL;
}

static int codel_read_device(struct codel_value *v, const char *str)
{
	v->value = strcmp(str, "self") ? if_nametoindex(str) : 0;
	return v->value || !strcmp(str, "self") ? 0 : -EINVAL;
}

static int codel_read_typed(struct codel_value *v, const char *str, const struct codel_option *o)
{
	switch (o->type) {
	case CODEL_CHOICE:
		return codel_read_choice(v, str, o->words);
	case CODEL_DEVICE:
		return codel_read_device(v, str);
	case CODEL_TIME:
		return codel_read_time(v, str);
	case CODEL_SIZE:
		return codel_read_size(v, str);
	case CODEL_SELECTOR:
		return codel_read_selector(v, str);
	case CODEL_RATE:
		return codel_read_rate(v, str);
	case CODEL_SIGNED:
		return codel_read_bytes(v, str);
	default:
		return codel_read_number(v, str, UINT32_MAX);
	}
}

/* @str is NULL if the command line ends after the keyword */
static int codel_read_value(const char *kind, const struct codel_option *o,
			    struct codel_value *v, const char *str)
{
	if (!str)
		return codel_error(kind, o->keyword, "%s%s is missing",
				   codel_types[o->type].arg,
				   o->ext_flag ? " or \"off\"" : "");
	if (o->ext_flag && !strcmp(str, "off")) {
		v->state = CODEL_BY_FLAG;
		return 0;
	}

	v->state = CODEL_GIVEN;
	switch (codel_read_typed(v, str, o)) {
	case 0:
		if (o->type == CODEL_SIZE && codel_is_in_bits(str))
			codel_warn(kind, o->keyword, "\"%s\" is in bits: %u bytes", str,
				   (__u32)v->value);
		if (v->value < o->least)
			codel_warn(kind, o->keyword, "%s", o->below);
		return 0;
	case -ERANGE:
		return codel_error(kind, o->keyword,
				   "\"%s\" is out of range (%s)", str,
				   codel_types[o->type].range);
	case -EDOM:
		return codel_error(kind, o->keyword,
				   "\"%s\" is not a whole number of microseconds",
				   str);
	default:
		return codel_error(kind, o->keyword, "\"%s\" is not %s", str,
				   codel_types[o->type].noun);
	}
}

/* Return the value for which @arg stands alone; -1 if it is no such word of the option. */
static int codel_find_word(const struct codel_option *o, const char *arg)
{
	int i;

	if (o->type == CODEL_FLAG) {
		if (!strcmp(arg, o->keyword))
			return 1;
		return !strncmp(arg, "no", 2) && !strcmp(arg + 2, o->keyword) ? 0 : -1;
	}
	for (i = 0; o->words && o->type != CODEL_CHOICE && o->words[i]; i++)
		if (!strcmp(arg, o->words[i]))
			return i;
	return -1;
}

/* @word is set as codel_find_word() returns it. */
static const struct codel_option *
codel_find_option(const struct codel_option *options, const char *arg, int *word)
{
	const struct codel_option *o;

	for (o = options; o->keyword; o++) {
		*word = codel_find_word(o, arg);
		if (*word >= 0)
			return o;
		if ((!o->words || o->type == CODEL_CHOICE) && o->type != CODEL_EFFECT &&
		    !strcmp(arg, o->keyword))
			return o;
	}
	return NULL;
}

/* The last of several values counts, so that scripts can override defaults */
static int codel_read_options(const char *kind,
			      const struct codel_option *options,
			      struct codel_value *values, int argc, char **argv)
{
	const struct codel_option *o;
	struct codel_value *v;
	int word;
	int i;

	for (i = 0; i < argc; i++) {
		o = codel_find_option(options, argv[i], &word);
		if (!o) {
			if (strcmp(argv[i], "help"))
				fprintf(stderr, "%s: \"%s\" is not an option\n",
					kind, argv[i]);
			codel_usage(kind, options);
			return -1;
		}
		v = &values[o - options];
		if (word >= 0) {
			v->state = CODEL_GIVEN;
			v->value = (__u32)word;
			continue;
		}
		i++;
		if (codel_read_value(kind, o, v, i < argc ? argv[i] : NULL))
			return -1;
	}
	return 0;
}

static int codel_put_u8(struct nlmsghdr *n, int attr, __u32 value)
{
	const __u8 byte = (__u8)value;

	return addattr_l(n, CODEL_REQUEST_MAX, attr, &byte, sizeof(byte));
}

static int codel_put_u32(struct nlmsghdr *n, int attr, __u64 value)
{
	const __u32 word = (__u32)value;

	return addattr_l(n, CODEL_REQUEST_MAX, attr, &word, sizeof(word));
}

static int codel_put_value(struct nlmsghdr *n, const struct codel_option *o,
			   const struct codel_value *v)
{
	if (o->type != CODEL_SELECTOR)
		return codel_put_u32(n, o->attr, v->value);
	if (codel_put_u8(n, o->mask_attr, v->mask))
		return -1;
	return codel_put_u8(n, o->attr, (__u32)v->value);
}

/* Whether the request needs TCA_CODEL_EXT for this option */
static bool codel_is_in_ext(const struct codel_option *o,
			    const struct codel_value *v)
{
	return v->state == CODEL_BY_FLAG ||
	       (v->state == CODEL_GIVEN && o->ext_value);
}

static int codel_put_in_ext(struct nlmsghdr *n, const struct codel_option *o,
			    const struct codel_value *v)
{
	if (v->state == CODEL_BY_FLAG)
		return addattr_l(n, CODEL_REQUEST_MAX, o->ext_flag, NULL, 0);
	if (o->type != CODEL_RATE)
		return codel_put_u32(n, o->ext_value, v->value);
	return addattr_l(n, CODEL_REQUEST_MAX, o->ext_value, &v->value,
			 sizeof(v->value));
}

/* In-tree qdiscs ignore this nest */
static int codel_put_ext(struct nlmsghdr *n, const struct codel_option *options,
			 const struct codel_value *values)
{
	struct rtattr *ext = NULL;
	int i;

	for (i = 0; options[i].keyword; i++) {
		if (!codel_is_in_ext(&options[i], &values[i]))
			continue;
		if (!ext)
			ext = addattr_nest(n, CODEL_REQUEST_MAX,
					   TCA_CODEL_EXT | NLA_F_NESTED);
		if (codel_put_in_ext(n, &options[i], &values[i]))
			return -1;
	}
	if (ext)
		addattr_nest_end(n, ext);
	return 0;
}

static const struct codel_value *codel_given(const struct codel_option *options,
					     const struct codel_value *values,
					     const char *keyword)
{
	int i;

	for (i = 0; options[i].keyword; i++)
		if (!strcmp(options[i].keyword, keyword) && values[i].state == CODEL_GIVEN)
			return &values[i];
	return NULL;
}

/* A target is usually 5% to 10% of the interval (RFC 8289, section 4.3): is a unit missing? */
static void codel_warn_of_times(const char *kind, const struct codel_option *options,
				const struct codel_value *values)
{
	const struct codel_value *interval = codel_given(options, values, "interval");
	const struct codel_value *target = codel_given(options, values, "target");

	if (!target || !interval)
		return;
	if (target->value > interval->value || target->value * 100 < interval->value)
		codel_warn(kind, "target",
			   "%lluus with an interval of %lluus; 5%% to 10%% of it is usual (us, ms or s; us without a unit)",
			   (unsigned long long)target->value, (unsigned long long)interval->value);
}

int codel_parse_options(const char *kind, const struct codel_option *options,
			int argc, char **argv, struct nlmsghdr *n)
{
	struct codel_value values[CODEL_OPTIONS_MAX] = { 0 };
	struct rtattr *nest;
	int i;

	if (codel_read_options(kind, options, values, argc, argv))
		return -1;
	codel_warn_of_times(kind, options, values);

	nest = addattr_nest(n, CODEL_REQUEST_MAX, TCA_OPTIONS);
	for (i = 0; options[i].keyword; i++)
		if (values[i].state == CODEL_GIVEN && !options[i].ext_value &&
		    codel_put_value(n, &options[i], &values[i]))
			return -1;
	if (codel_put_ext(n, options, values))
		return -1;
	addattr_nest_end(n, nest);
	return 0;
}
