// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* See tc_json.h. Names need no escapes: decode.c has escaped them. */
#include <inttypes.h>

#include <libmnl/libmnl.h>

#include "raw.h"
#include "row.h"
#include "tc_json.h"

static struct {
	FILE *out;
	bool comma;	/* a member or an element precedes */
} tc_json;

/* @key NULL: an element of an array */
static FILE *tc_json_key(const char *key)
{
	FILE *out = tc_json.out;

	if (tc_json.comma)
		putc_unlocked(',', out);
	tc_json.comma = true;
	if (key) {
		putc_unlocked('"', out);
		cs_put(out, key);
		putc_unlocked('"', out);
		putc_unlocked(':', out);
	}
	return out;
}

static void tc_json_open(const char *key, const char *bracket)
{
	cs_put(tc_json_key(key), bracket);
	tc_json.comma = false;
}

static void tc_json_close(const char *bracket)
{
	cs_put(tc_json.out, bracket);
	tc_json.comma = true;
}

void tc_json_begin(FILE *out)
{
	tc_json.out = out;
	tc_json.comma = false;
	tc_json_open(NULL, "{");
}

void tc_json_end(void)
{
	tc_json_close("}\n");
}

void tc_json_seconds(const char *key, uint64_t ns)
{
	cs_put_seconds(tc_json_key(key), ns);
}

void tc_json_real(const char *key, double value, int digits)
{
	cs_put_real(tc_json_key(key), value, digits);
}

/* The functions of tc. The plugins call those for text only if this is not JSON. */
bool is_json_context(void)
{
	return true;
}

void print_nl(void)
{
}

char *sprint_size(__u32 size, char *buf)
{
	(void)size;
	return buf;
}

char *sprint_time(__u32 time, char *buf)
{
	(void)time;
	return buf;
}

int codel_parse_options(const char *kind, const struct codel_option *options, int argc,
			char **argv, struct nlmsghdr *n)
{
	(void)kind;
	(void)options;
	(void)argc;
	(void)argv;
	(void)n;
	return -1;	/* only tc changes options */
}

/* Struct rtattr is struct nlattr. @flags are those to ignore in the type. */
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta, int len,
		       unsigned short flags)
{
	(void)flags;
	cs_attrs((const struct nlattr **)tb, (uint16_t)max, rta, (size_t)len);
	return 0;
}

void open_json_object(const char *name)
{
	tc_json_open(name, "{");
}

void close_json_object(void)
{
	tc_json_close("}");
}

void open_json_array(unsigned int type, const char *name)
{
	(void)type;
	tc_json_open(name, "[");
}

void close_json_array(unsigned int type, const char *name)
{
	(void)type;
	(void)name;
	tc_json_close("]");
}

int print_color_u64(unsigned int type, unsigned int color, const char *key, const char *fmt,
		    uint64_t value)
{
	(void)type;
	(void)color;
	(void)fmt;
	cs_put_uint(tc_json_key(key), value);
	return 0;
}

int print_color_uint(unsigned int type, unsigned int color, const char *key, const char *fmt,
		     unsigned int value)
{
	return print_color_u64(type, color, key, fmt, value);
}

int print_color_int(unsigned int type, unsigned int color, const char *key, const char *fmt,
		    int value)
{
	FILE *out = tc_json_key(key);

	(void)type;
	(void)color;
	(void)fmt;
	cs_put(out, value < 0 ? "-" : "");
	cs_put_uint(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
	return 0;
}

int print_color_bool(unsigned int type, unsigned int color, const char *key, const char *fmt,
		     bool value)
{
	(void)type;
	(void)color;
	(void)fmt;
	cs_put(tc_json_key(key), value ? "true" : "false");
	return 0;
}

int print_color_null(unsigned int type, unsigned int color, const char *key, const char *fmt,
		     const char *value)
{
	(void)type;
	(void)color;
	(void)fmt;
	(void)value;
	cs_put(tc_json_key(key), "null");
	return 0;
}

int print_color_string(unsigned int type, unsigned int color, const char *key, const char *fmt,
		       const char *value)
{
	FILE *out = tc_json_key(key);

	(void)type;
	(void)color;
	(void)fmt;
	cs_put(out, "\"");
	cs_put(out, value);
	cs_put(out, "\"");
	return 0;
}
