// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * From the command line to TCA_OPTIONS. An option that was given is sent with any
 * value; an option that was not given is not sent.
 */
#include <errno.h>
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
	__u32 value;
	__u32 mask;
};

/* The words of each type in help and in errors */
static const struct {
	const char *arg;
	const char *noun;
	const char *range;
} codel_types[] = {
	[CODEL_COUNT] = { "NUMBER", "a number", "0 to 4294967295" },
	[CODEL_PACKETS] = { "PACKETS", "a number", "0 to 4294967295" },
	[CODEL_SIZE] = { "SIZE", "a size (b, k, m or g)",
			 "0 to 4294967295 bytes; b, k, m or g" },
	[CODEL_TIME] = { "TIME", "a time (us, ms or s)",
			 "0us to 4294967295us; us, ms or s" },
	[CODEL_FLAG] = { "", "", "" },
	[CODEL_SELECTOR] = { "VALUE/MASK", "of the form VALUE/MASK",
			     "0/0 to 255/255" },
	[CODEL_ACTION] = { "", "", "" },
};

static bool codel_can_be_off(const struct codel_option *o)
{
	return o->ext_flag && o->type != CODEL_ACTION;
}

static void codel_usage_line(const struct codel_option *o)
{
	char name[64];

	if (o->type == CODEL_FLAG)
		snprintf(name, sizeof(name), "%s | no%s", o->keyword,
			 o->keyword);
	else
		snprintf(name, sizeof(name), "%s%s%s%s", o->keyword,
			 o->type == CODEL_ACTION ? "" : " ",
			 codel_types[o->type].arg,
			 codel_can_be_off(o) ? " | off" : "");
	fprintf(stderr, "\t%-32s  %s\n", name, o->help);
}

static void codel_usage(const char *kind, const struct codel_option *options)
{
	bool size = false;

	fprintf(stderr, "Usage: ... %s [ OPTION ]...\nOPTION is one of\n", kind);
	for (; options->keyword; options++) {
		codel_usage_line(options);
		size |= options->type == CODEL_SIZE;
	}
	fprintf(stderr, "TIME is in us, ms or s; us if it has no unit\n");
	if (size)
		fprintf(stderr, "SIZE is in b, k, m or g; bytes if it has no unit\n");
}

/* Return -1: tc then prints no error of its own. */
__attribute__((format(printf, 3, 4)))
static int codel_error(const char *kind, const char *keyword,
		       const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: %s: ", kind, keyword);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

/* 0, -EINVAL, -ERANGE, or -EDOM for a time between two microseconds */
static int codel_read_time(struct codel_value *v, const char *str)
{
	bool rest;
	int err;

	err = codel_read_scaled(&v->value, &rest, str, codel_time_units);
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

	return codel_read_scaled(&v->value, &rest, str, codel_size_units);
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

	err = codel_read_integer(&v->value, value, UINT8_MAX);
	if (err)
		return err;
	return codel_read_integer(&v->mask, slash + 1, UINT8_MAX);
}

static int codel_read_typed(struct codel_value *v, const char *str,
			    enum codel_option_type type)
{
	switch (type) {
	case CODEL_TIME:
		return codel_read_time(v, str);
	case CODEL_SIZE:
		return codel_read_size(v, str);
	case CODEL_SELECTOR:
		return codel_read_selector(v, str);
	default:
		return codel_read_integer(&v->value, str, UINT32_MAX);
	}
}

/* @str is NULL if the command line ends after the keyword */
static int codel_read_value(const char *kind, const struct codel_option *o,
			    struct codel_value *v, const char *str)
{
	if (!str)
		return codel_error(kind, o->keyword, "%s%s is missing",
				   codel_types[o->type].arg,
				   codel_can_be_off(o) ? " or \"off\"" : "");
	if (codel_can_be_off(o) && !strcmp(str, "off")) {
		v->state = CODEL_BY_FLAG;
		return 0;
	}

	v->state = CODEL_GIVEN;
	switch (codel_read_typed(v, str, o->type)) {
	case 0:
		if (o->type == CODEL_SIZE && codel_is_in_bits(str))
			fprintf(stderr, "Warning: %s: %s: \"%s\" is in bits: %u bytes\n",
				kind, o->keyword, str, v->value);
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

/* Flags answer to "no" in front of their keyword as well */
static const struct codel_option *
codel_find_option(const struct codel_option *options, const char *arg,
		  bool *negated)
{
	const struct codel_option *o;

	for (o = options; o->keyword; o++) {
		*negated = o->type == CODEL_FLAG && !strncmp(arg, "no", 2) &&
			   !strcmp(arg + 2, o->keyword);
		if (*negated || !strcmp(arg, o->keyword))
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
	bool negated;
	int i;

	for (i = 0; i < argc; i++) {
		o = codel_find_option(options, argv[i], &negated);
		if (!o) {
			if (strcmp(argv[i], "help"))
				fprintf(stderr, "%s: \"%s\" is not an option\n",
					kind, argv[i]);
			codel_usage(kind, options);
			return -1;
		}
		v = &values[o - options];
		if (o->type == CODEL_FLAG) {
			v->state = CODEL_GIVEN;
			v->value = !negated;
			continue;
		}
		if (o->type == CODEL_ACTION) {
			v->state = CODEL_BY_FLAG;
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

static int codel_put_value(struct nlmsghdr *n, const struct codel_option *o,
			   const struct codel_value *v)
{
	if (o->type != CODEL_SELECTOR)
		return addattr_l(n, CODEL_REQUEST_MAX, o->attr, &v->value,
				 sizeof(v->value));
	if (codel_put_u8(n, o->mask_attr, v->mask))
		return -1;
	return codel_put_u8(n, o->attr, v->value);
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

int codel_parse_options(const char *kind, const struct codel_option *options,
			int argc, char **argv, struct nlmsghdr *n)
{
	struct codel_value values[CODEL_OPTIONS_MAX] = { 0 };
	struct rtattr *nest;
	int i;

	if (codel_read_options(kind, options, values, argc, argv))
		return -1;

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
