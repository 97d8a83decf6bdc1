// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Numbers and names as people read them. */
#include <arpa/inet.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../codel_flow.h"
#include "text.h"

/* Lists of a thousand queues are made of these: printf() would be most of their cost. */

static char *cs_put_digits(char *to, uint64_t value, unsigned int base)
{
	char digits[CS_TEXT];
	char *first = digits + sizeof(digits);

	*--first = '\0';
	do {
		*--first = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	return stpcpy(to, first);
}

/* Round to @places (2 at most), without zeros at the end */
static char *cs_put_fixed(char *to, double value, unsigned int places)
{
	const unsigned int scale = places == 2 ? 100 : places ? 10 : 1;
	uint64_t n = (uint64_t)(value * scale + 0.5);
	unsigned int rest = (unsigned int)(n % scale);

	to = cs_put_digits(to, n / scale, 10);
	if (!rest)
		return to;
	*to++ = '.';
	if (scale == 100) {
		*to++ = (char)('0' + rest / 10);
		rest %= 10;
	}
	if (rest)
		*to++ = (char)('0' + rest);
	*to = '\0';
	return to;
}

char *cs_text_time(char text[CS_TEXT], double ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	if (ns <= 0)
		return strcpy(text, "0");
	while (i < 3 && ns >= 999.5) {
		ns /= 1000;
		i++;
	}
	/* two digits: as many as a bucket is worth */
	strcpy(cs_put_fixed(text, ns, i && ns < 9.95), unit[i]);
	return text;
}

char *cs_text_number(char text[CS_TEXT], double value)
{
	static const char *const unit[] = { "", "k", "M", "G", "T", "P" };
	size_t i = 0;

	while (i < 5 && value >= 999.5) {
		value /= 1000;
		i++;
	}
	strcpy(cs_put_fixed(text, value, value < 9.995 ? 2 : value < 99.95), unit[i]);
	return text;
}

char *cs_text_rate(char text[CS_TEXT], double count, double seconds)
{
	if (seconds <= 0)
		return strcpy(text, "-");
	return cs_text_number(text, count / seconds);
}

char *cs_text_uint(char text[CS_TEXT], uint64_t value)
{
	cs_put_digits(text, value, 10);
	return text;
}

char *cs_text_handle(char text[CS_TEXT], uint32_t handle)
{
	char *end;

	if (handle == TC_H_ROOT)
		return strcpy(text, "root");
	end = stpcpy(cs_put_digits(text, TC_H_MAJ(handle) >> 16, 16), ":");
	if (TC_H_MIN(handle))
		cs_put_digits(end, TC_H_MIN(handle), 16);
	return text;
}

char *cs_text_add(char *to, const char *end, const char *text)
{
	while (to < end && *text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static char *cs_pad(char *to, const char *end, int n)
{
	for (; to < end && n > 0; n--)
		*to++ = ' ';
	return to;
}

char *cs_text_column(char *to, const char *end, const char *text, int width)
{
	const int pad = abs(width) - (int)strlen(text);

	if (width > 0)
		to = cs_pad(to, end, pad);
	to = cs_text_add(to, end, text);
	if (width < 0)
		to = cs_pad(to, end, pad);
	*to = '\0';
	return to;
}

void cs_text_cut(FILE *out, const char *line, size_t width, bool utf8)
{
	if (strlen(line) <= width)
		fputs(line, out);
	else
		fprintf(out, "%.*s%s", (int)width - !!width, line, utf8 ? "…" : "+");
}

static void cs_end_point(char *text, size_t size, const struct codel_tuple *tuple,
			 const unsigned char *address, __be16 port)
{
	const int family = codel_family(tuple);
	const bool ports = tuple->sport || tuple->dport;
	char name[INET6_ADDRSTRLEN];

	if (!inet_ntop(family, address, name, sizeof(name)))
		*name = '\0';
	if (ports)
		snprintf(text, size, family == AF_INET6 ? "[%s]:%u" : "%s:%u", name, ntohs(port));
	else
		snprintf(text, size, "%s", name);
}

char *cs_text_flow(char text[CS_TEXT_FLOW], const struct codel_tuple *tuple)
{
	const char *proto = codel_ip_protocol(tuple->ip_proto);
	char from[INET6_ADDRSTRLEN + 10], to[INET6_ADDRSTRLEN + 10];

	if (!tuple->protocol) {
		snprintf(text, CS_TEXT_FLOW, "unknown");
	} else if (codel_family(tuple) == AF_UNSPEC) {
		snprintf(text, CS_TEXT_FLOW, "ethertype %04x", ntohs(tuple->protocol));
	} else {
		cs_end_point(from, sizeof(from), tuple, tuple->src, tuple->sport);
		cs_end_point(to, sizeof(to), tuple, tuple->dst, tuple->dport);
		if (proto)
			snprintf(text, CS_TEXT_FLOW, "%s %s > %s", proto, from, to);
		else
			snprintf(text, CS_TEXT_FLOW, "proto %u %s > %s", tuple->ip_proto, from, to);
	}
	return text;
}
