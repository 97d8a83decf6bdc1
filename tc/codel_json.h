/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Wrappers of tc's functions that print JSON. The plugins print all other output
 * themselves, without colours.
 */
#ifndef CODEL_JSON_H
#define CODEL_JSON_H

#include "codel_common.h"

#define CODEL_NO_COLOUR 0

static inline void codel_json_bool(const char *key, bool value)
{
	print_color_bool(PRINT_JSON, CODEL_NO_COLOUR, key, NULL, value);
}

static inline void codel_json_int(const char *key, __s32 value)
{
	print_color_int(PRINT_JSON, CODEL_NO_COLOUR, key, NULL, value);
}

static inline void codel_json_uint(const char *key, __u32 value)
{
	print_color_uint(PRINT_JSON, CODEL_NO_COLOUR, key, NULL, value);
}

static inline void codel_json_u64(const char *key, __u64 value)
{
	print_color_u64(PRINT_JSON, CODEL_NO_COLOUR, key, NULL, value);
}

static inline void codel_json_string(const char *key, const char *value)
{
	print_color_string(PRINT_JSON, CODEL_NO_COLOUR, key, NULL, value);
}

static inline void codel_json_null(const char *key)
{
	print_color_null(PRINT_JSON, CODEL_NO_COLOUR, key, NULL, NULL);
}

#endif /* CODEL_JSON_H */
