// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Both front ends in one process, under sanitizers, with a small tc around
 * them. Random options must become the attributes that they stand for, must
 * come back from the JSON that is printed of them, and no bytes from the
 * kernel and no text from the command line may do harm.
 *
 *	fuzz [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>

#include "../../../tc/codel_ext_stats.h"
#include "../../../tc/tc_plugin.h"
#include "../../../uapi/codel_delay.h"
#include "../../../uapi/codel_uapi.h"
#include "../../algorithm/unit/rng.h"

#define WORDS_MAX 64
#define WORD_LEN 48

extern struct qdisc_util codel_qdisc_util, fq_codel_oot_qdisc_util;

static struct rng rng;
static bool json;
static FILE *null;

/* The options in the printed JSON */
static char words[WORDS_MAX][WORD_LEN];
static unsigned int selector;
static int n_words;
static bool effect;	/* the value in force, which is no option */

/* The statistics in the printed JSON */
static struct {
	bool on;
	int depth;	/* of objects and arrays */
	unsigned int buckets;
	unsigned int delays;
	uint64_t last_percentile;
	uint64_t max;
} shown;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stdout, format, args);
	va_end(args);
	fputc('\n', stdout);
	exit(1);
}

static unsigned int below(unsigned int n)
{
	return (unsigned int)rng_even(&rng, 0, n - 1);
}

/* All magnitudes, and the edges more often than chance would have it */
static uint32_t roll_u32(void)
{
	static const uint32_t edges[] = {
		0, 1, 999, 1000, 1001, 5000, 999999, 1000000, 0x7fffffff,
		0x80000000, 0xfffffffe, 0xffffffff
	};

	if (!below(3))
		return edges[below(sizeof(edges) / sizeof(edges[0]))];
	return (uint32_t)(rng_next(&rng) >> (32 + below(32)));
}

/* ---- tc, as far as a plugin sees it ---- */

#pragma GCC diagnostic ignored "-Wunused-parameter"	/* colours and formats */

bool is_json_context(void)
{
	return json;
}

void print_nl(void)
{
	fputc('\n', null);
}

char *sprint_size(__u32 size, char *buf)
{
	snprintf(buf, SPRINT_BSIZE, "%ub", size);
	return buf;
}

char *sprint_time(__u32 time, char *buf)
{
	snprintf(buf, SPRINT_BSIZE, "%uus", time);
	return buf;
}

__attribute__((format(printf, 1, 2)))
static void word(const char *format, ...)
{
	va_list args;

	if (shown.on || effect)
		return;
	if (n_words == WORDS_MAX)
		die("more words than options");
	va_start(args, format);
	vsnprintf(words[n_words++], WORD_LEN, format, args);
	va_end(args);
}

/* They are printed in their order; UINT64_MAX is null */
static void show_percentile(const char *key, uint64_t value)
{
	if (key[0] != 'p' || !strstr(key, "_ns"))
		return;
	if (value < shown.last_percentile)
		die("%s: %" PRIu64 " is less than one before it", key, value);
	shown.last_percentile = value;
}

void open_json_object(const char *name)
{
	shown.depth++;
	if (name && !strcmp(name, "delay")) {
		shown.delays++;
		shown.last_percentile = 0;
	}
}

void close_json_object(void)
{
	shown.depth--;
}

void open_json_array(unsigned int type, const char *name)
{
	shown.depth++;
}

void close_json_array(unsigned int type, const char *name)
{
	shown.depth--;
}

int print_color_string(unsigned int type, unsigned int color, const char *key,
		       const char *fmt, const char *value)
{
	if (strcmp(key, "atm"))
		word("%s", key);
	word("%s", value);
	return 0;
}

int print_color_bool(unsigned int type, unsigned int color, const char *key,
		     const char *fmt, bool value)
{
	if (!strcmp(key, "ingress"))
		word(value ? "ingress" : "egress");
	else if (!strcmp(key, "shared"))
		word(value ? "shared" : "alone");
	else
		word("%s%s%s", value ? "" : "no", value || !strchr(key, '_') ? "" : "_", key);
	return 0;
}

int print_color_null(unsigned int type, unsigned int color, const char *key,
		     const char *fmt, const char *value)
{
	show_percentile(key, UINT64_MAX);
	word("%s", key);
	word("off");
	return 0;
}

int print_color_int(unsigned int type, unsigned int color, const char *key,
		    const char *fmt, int value)
{
	word("%s", key);
	word("%d", value);
	return 0;
}

int print_color_uint(unsigned int type, unsigned int color, const char *key,
		     const char *fmt, unsigned int value)
{
	effect = strstr(key, "_effective");
	if (!strcmp(key, "ce_threshold_selector")) {
		selector = value;
	} else if (!strcmp(key, "ce_threshold_mask")) {
		word("ce_threshold_selector");
		word("%u/%u", selector, value);
	} else {
		word("%s", key);
		word("%u", value);
	}
	effect = false;
	return 0;
}

int print_color_u64(unsigned int type, unsigned int color, const char *key,
		    const char *fmt, uint64_t value)
{
	show_percentile(key, value);
	if (!strcmp(key, "max_ns"))
		shown.max = value;
	shown.buckets += !strcmp(key, "from_ns");
	word("%s", key);
	word("%llu%s", (unsigned long long)value, strcmp(key, "rate") ? "" : "bps");
	return 0;
}

int addattr_l(struct nlmsghdr *n, int maxlen, int type, const void *data,
	      int alen)
{
	const size_t len = RTA_LENGTH((size_t)alen);
	struct rtattr *a = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	if (NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(len) > (size_t)maxlen)
		return -1;
	a->rta_type = (unsigned short)type;
	a->rta_len = (unsigned short)len;
	if (alen)
		memcpy(RTA_DATA(a), data, (size_t)alen);
	n->nlmsg_len = (__u32)(NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(len));
	return 0;
}

struct rtattr *addattr_nest(struct nlmsghdr *n, int maxlen, int type)
{
	struct rtattr *a = (void *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	addattr_l(n, maxlen, type, NULL, 0);
	return a;
}

int addattr_nest_end(struct nlmsghdr *n, struct rtattr *nest)
{
	nest->rta_len = (unsigned short)((char *)n + n->nlmsg_len -
					 (char *)nest);
	return 0;
}

int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *rta,
		       int len, unsigned short flags)
{
	unsigned short type;

	memset(tb, 0, sizeof(*tb) * (size_t)(max + 1));
	while (RTA_OK(rta, len)) {
		type = rta->rta_type & (unsigned short)~flags;
		if (type <= max && !tb[type])
			tb[type] = rta;
		rta = RTA_NEXT(rta, len);
	}
	return 0;
}

/* ---- the meaning of the options, implemented a second time ---- */

enum shape { NUMBER, TIME, SIZE, FLAG, SELECTOR, RATE, SIGNED, WORDS };

/* @ext: in the nest, of the value; @flag: there, of "off". @keyword of WORDS: one for each value, with
 * blanks between them
 */
struct meaning {
	const char *keyword;
	enum shape shape;
	int attr;
	int flag;
	int ext;
};

#define SHAPER_MEANING								\
	{ "rate", RATE, 0, TCA_CODEL_EXT_RATE_OFF, TCA_CODEL_EXT_RATE },	\
	{ "overhead", SIGNED, 0, TCA_CODEL_EXT_OVERHEAD_OFF, TCA_CODEL_EXT_OVERHEAD }, \
	{ "alone shared", WORDS, 0, 0, TCA_CODEL_EXT_SHARED },			\
	{ "mpu", NUMBER, 0, 0, TCA_CODEL_EXT_MPU },				\
	{ "noatm atm ptm", WORDS, 0, 0, TCA_CODEL_EXT_CELLS },			\
	{ "egress ingress", WORDS, 0, 0, TCA_CODEL_EXT_INGRESS },		\
	{ "no_split_gso split_gso", WORDS, 0, 0, TCA_CODEL_EXT_SPLIT_GSO }

static const struct meaning codel_meaning[] = {
	{ "limit", NUMBER, TCA_CODEL_LIMIT, 0, 0 },
	{ "target", TIME, TCA_CODEL_TARGET, 0, 0 },
	{ "interval", TIME, TCA_CODEL_INTERVAL, 0, 0 },
	{ "ecn", FLAG, TCA_CODEL_ECN, 0, 0 },
	{ "ce_threshold", TIME, TCA_CODEL_CE_THRESHOLD,
	  TCA_CODEL_EXT_CE_THRESHOLD_OFF, 0 },
	{ "ceiling", TIME, 0, TCA_CODEL_EXT_CEILING_OFF, TCA_CODEL_EXT_CEILING },
	SHAPER_MEANING,
	{ NULL, NUMBER, 0, 0, 0 }
};

static const struct meaning fq_codel_meaning[] = {
	{ "limit", NUMBER, TCA_FQ_CODEL_LIMIT, 0, 0 },
	{ "memory_limit", SIZE, TCA_FQ_CODEL_MEMORY_LIMIT, 0, 0 },
	{ "flows", NUMBER, TCA_FQ_CODEL_FLOWS, 0, 0 },
	{ "quantum", NUMBER, TCA_FQ_CODEL_QUANTUM, 0, 0 },
	{ "target", TIME, TCA_FQ_CODEL_TARGET, 0, 0 },
	{ "interval", TIME, TCA_FQ_CODEL_INTERVAL, 0, 0 },
	{ "ecn", FLAG, TCA_FQ_CODEL_ECN, 0, 0 },
	{ "ce_threshold", TIME, TCA_FQ_CODEL_CE_THRESHOLD,
	  TCA_CODEL_EXT_CE_THRESHOLD_OFF, 0 },
	{ "ce_threshold_selector", SELECTOR,
	  TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR, 0, 0 },
	{ "drop_batch", NUMBER, TCA_FQ_CODEL_DROP_BATCH_SIZE, 0, 0 },
	{ "ceiling", TIME, 0, TCA_CODEL_EXT_CEILING_OFF, TCA_CODEL_EXT_CEILING },
	SHAPER_MEANING,
	{ NULL, NUMBER, 0, 0, 0 }
};

static const struct {
	struct qdisc_util *util;
	const struct meaning *meaning;
} kinds[] = {
	{ &codel_qdisc_util, codel_meaning },
	{ &fq_codel_oot_qdisc_util, fq_codel_meaning },
};

#define EXPECT_MAX (TCA_CODEL_EXT + 1)

/* The expected request: by attribute, absent or a value */
struct expectation {
	bool present[EXPECT_MAX];
	uint32_t value[EXPECT_MAX];
	bool ext_present[TCA_CODEL_EXT_MAX + 1];
	uint64_t ext_value[TCA_CODEL_EXT_MAX + 1];
};

struct request {
	struct nlmsghdr n;
	char room[1024];
};

static void spell_time(char *buf, uint32_t us)
{
	switch (below(5)) {
	case 0:
		snprintf(buf, WORD_LEN, "%uus", us);
		break;
	case 1:
		snprintf(buf, WORD_LEN, "%u.%03ums", us / 1000, us % 1000);
		break;
	case 2:
		snprintf(buf, WORD_LEN, "%u.%06uSEC", us / 1000000,
			 us % 1000000);
		break;
	case 3:
		snprintf(buf, WORD_LEN, "%u.%06ue6usecs", us / 1000000,
			 us % 1000000);
		break;
	default:
		snprintf(buf, WORD_LEN, "%u", us);
	}
}

static void spell_size(char *buf, uint32_t bytes)
{
	static const char digits[] = "0123456789";
	uint64_t rest = bytes % 1024;
	int len;

	if (below(2)) {
		snprintf(buf, WORD_LEN, "%ub", bytes);
		return;
	}
	/* a 1024th has ten decimals, and they are exact */
	len = snprintf(buf, WORD_LEN, "%u.", bytes / 1024);
	for (int i = 0; i < 10; i++) {
		rest *= 10;
		buf[len++] = digits[rest / 1024];
		rest %= 1024;
	}
	strcpy(buf + len, "kb");
}

/* Bytes per second, up to 1000 Gbit/s */
static uint64_t roll_rate(void)
{
	return rng_next(&rng) >> below(64) & ((1ULL << 36) - 1);
}

static void spell_rate(char *buf, uint64_t rate)
{
	static const char *const units[] = { "k", "M", "G", "t" };
	unsigned long long bits = rate * 8 + below(8), unit = 1000;
	int digits = 3;

	switch (below(3)) {
	case 0:
		snprintf(buf, WORD_LEN, "%llubps", (unsigned long long)rate);
		break;
	case 1:
		snprintf(buf, WORD_LEN, "%llu%s", bits, below(2) ? "" : "bit");
		break;
	default:
		for (unsigned int i = below(4); i; i--, digits += 3)
			unit *= 1000;
		snprintf(buf, WORD_LEN, "%llu.%0*llu%sbit", bits / unit, digits,
			 bits % unit, units[digits / 3 - 1]);
	}
}

/* The word of @keyword that has this number */
static void spell_word(char *buf, const char *keyword, uint64_t number)
{
	while (number--)
		keyword = strchr(keyword, ' ') + 1;
	snprintf(buf, WORD_LEN, "%.*s", (int)strcspn(keyword, " "), keyword);
}

/* An option that is in the nest alone */
static void choose_ext(const struct meaning *m, struct expectation *e)
{
	uint64_t v = roll_u32();

	if (m->shape == WORDS) {
		v = below(m->ext == TCA_CODEL_EXT_CELLS ? 3 : 2);
		spell_word(words[n_words++], m->keyword, v);
	} else {
		word("%s", m->keyword);
	}
	if (m->shape == RATE)
		spell_rate(words[n_words++], v = roll_rate());
	else if (m->shape == TIME)
		spell_time(words[n_words++], (uint32_t)v);
	else if (m->shape == SIGNED)
		word("%d", (int32_t)(v &= 0x7fffffff) * (below(2) ? 1 : -1));
	else if (m->shape == NUMBER)
		word("%" PRIu64, v);
	if (m->shape == SIGNED && words[n_words - 1][0] == '-')
		v = (uint32_t)-v;
	e->ext_present[m->ext] = true;
	e->ext_value[m->ext] = v;
}

static void choose(const struct meaning *m, struct expectation *e)
{
	uint32_t v = roll_u32();

	if (m->flag && below(2)) {
		word("%s", m->keyword);
		word("off");
		e->ext_present[m->flag] = true;
		return;
	}
	if (m->ext) {
		choose_ext(m, e);
		return;
	}
	/* 0 is no legal drop_batch, and no kernel's dump shows it */
	if (!v && !strcmp(m->keyword, "drop_batch"))
		v = 1;
	e->present[m->attr] = true;
	if (m->shape == FLAG) {
		v &= 1;
		word("%s%s", v ? "" : "no", m->keyword);
	} else {
		word("%s", m->keyword);
	}
	if (m->shape == SELECTOR) {
		v &= 255;
		e->present[TCA_FQ_CODEL_CE_THRESHOLD_MASK] = true;
		e->value[TCA_FQ_CODEL_CE_THRESHOLD_MASK] = below(256);
		word(below(2) ? "%u/%u" : "%#x/%#x", v,
		     e->value[TCA_FQ_CODEL_CE_THRESHOLD_MASK]);
	} else if (m->shape == TIME) {
		spell_time(words[n_words++], v);
	} else if (m->shape == SIZE) {
		spell_size(words[n_words++], v);
	} else if (m->shape == NUMBER) {
		word(below(2) ? "%u" : "%#x", v);
	}
	e->value[m->attr] = v;
}

static void choose_all(const struct meaning *m, struct expectation *e)
{
	memset(e, 0, sizeof(*e));
	n_words = 0;
	for (; m->keyword; m++)
		if (below(3))
			choose(m, e);
}

static int parse(struct qdisc_util *util, struct request *r)
{
	char *argv[WORDS_MAX + 1];
	int i;

	for (i = 0; i < n_words; i++)
		argv[i] = strdup(words[i]);
	argv[i] = NULL;
	memset(r, 0, sizeof(*r));
	r->n.nlmsg_len = NLMSG_HDRLEN;
	i = util->parse_qopt(util, n_words, argv, &r->n, "lo");
	for (int j = 0; argv[j]; j++)
		free(argv[j]);
	return i;
}

static struct rtattr *options(struct request *r)
{
	return (struct rtattr *)((char *)&r->n + NLMSG_HDRLEN);
}

static void show_words(const char *what)
{
	printf("%s:", what);
	for (int i = 0; i < n_words; i++)
		printf(" %s", words[i]);
	putchar('\n');
}

/* Bytes of an attribute in the nest */
static size_t ext_size(int number)
{
	switch (number) {
	case TCA_CODEL_EXT_RATE:
		return sizeof(uint64_t);
	case TCA_CODEL_EXT_CEILING:
	case TCA_CODEL_EXT_OVERHEAD:
	case TCA_CODEL_EXT_MPU:
	case TCA_CODEL_EXT_CELLS:
	case TCA_CODEL_EXT_INGRESS:
	case TCA_CODEL_EXT_SPLIT_GSO:
	case TCA_CODEL_EXT_SHARED:
		return sizeof(uint32_t);
	default:
		return 0;
	}
}

/* Those that the meanings name are there, and no others */
static void check_ext(const struct rtattr *nest, const struct expectation *e)
{
	struct rtattr *ext[TCA_CODEL_EXT_MAX + 1] = { 0 };
	uint64_t v;

	if (nest)
		parse_rtattr_flags(ext, TCA_CODEL_EXT_MAX, RTA_DATA(nest),
				   (int)RTA_PAYLOAD(nest), 0);
	for (int i = 0; i <= TCA_CODEL_EXT_MAX; i++) {
		if (e->ext_present[i] != !!ext[i])
			die("in the nest, %d %s", i, ext[i] ? "sent" : "not sent");
		if (!ext[i])
			continue;
		v = 0;
		if (RTA_PAYLOAD(ext[i]) != ext_size(i))
			die("in the nest, %d has %zu bytes", i, RTA_PAYLOAD(ext[i]));
		memcpy(&v, RTA_DATA(ext[i]), RTA_PAYLOAD(ext[i]));
		if (v != e->ext_value[i])
			die("in the nest, %d is %" PRIu64 ", not %" PRIu64, i, v,
			    e->ext_value[i]);
	}
}

static void check_request(struct request *r, const struct expectation *e)
{
	struct rtattr *tb[EXPECT_MAX];
	uint32_t v;

	parse_rtattr_flags(tb, EXPECT_MAX - 1, RTA_DATA(options(r)),
			   (int)RTA_PAYLOAD(options(r)), 0);
	/* the nest is not among these, as its type has the nested flag */
	for (int i = 0; i < EXPECT_MAX; i++) {
		if (e->present[i] != !!tb[i])
			die("attribute %d %s", i, tb[i] ? "sent" : "not sent");
		if (!tb[i])
			continue;
		v = 0;
		memcpy(&v, RTA_DATA(tb[i]), RTA_PAYLOAD(tb[i]));
		if (v != e->value[i])
			die("attribute %d is %u, not %u", i, v, e->value[i]);
	}

	parse_rtattr_flags(tb, EXPECT_MAX - 1, RTA_DATA(options(r)),
			   (int)RTA_PAYLOAD(options(r)), NLA_F_NESTED);
	check_ext(tb[TCA_CODEL_EXT], e);
}

/* An out-of-tree qdisc dumps the options that it was given, and always the nest */
static void dump(struct request *r)
{
	struct rtattr *tb[EXPECT_MAX];

	parse_rtattr_flags(tb, EXPECT_MAX - 1, RTA_DATA(options(r)),
			   (int)RTA_PAYLOAD(options(r)), NLA_F_NESTED);
	if (tb[TCA_CODEL_EXT])
		return;
	addattr_l(&r->n, sizeof(*r), TCA_CODEL_EXT | NLA_F_NESTED, NULL, 0);
	addattr_nest_end(&r->n, options(r));
}

static void round_trip(void)
{
	const unsigned int kind = below(2);
	struct qdisc_util *util = kinds[kind].util;
	struct expectation e;
	struct request r;

	choose_all(kinds[kind].meaning, &e);
	if (parse(util, &r)) {
		show_words("refused");
		exit(1);
	}
	check_request(&r, &e);

	json = false;
	util->print_qopt(util, null, options(&r));
	json = true;
	n_words = 0;
	dump(&r);
	util->print_qopt(util, null, options(&r));
	if (parse(util, &r)) {
		show_words("not read back");
		exit(1);
	}
	check_request(&r, &e);
}

/* The value of the text by strtold(); tc uses double precision */
static void compare_with_libc(const char *text, uint32_t value)
{
	static const struct { const char *unit; long double scale; } units[] = {
		{ "", 1 }, { "us", 1 }, { "usec", 1 }, { "usecs", 1 },
		{ "ms", 1e3L }, { "msec", 1e3L }, { "msecs", 1e3L },
		{ "s", 1e6L }, { "sec", 1e6L }, { "secs", 1e6L },
	};
	char *end;
	const long double x = strtold(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(units[i].unit, end))
			continue;
		if (fabsl(x * units[i].scale - value) > 1e-3L)
			die("\"%s\" was read as %u", text, value);
		return;
	}
	die("\"%s\" was read as %u, and has no unit of time", text, value);
}

static void any_text(void)
{
	static const char alphabet[] = "0001259.e+-xXmsuSUMkbgitTpP /\t\xff";
	struct qdisc_util *util = &fq_codel_oot_qdisc_util;
	struct rtattr *tb[EXPECT_MAX];
	struct request r;
	uint32_t value;
	unsigned int i;
	unsigned int len = below(12);
	const char *keyword = fq_codel_meaning[below(14)].keyword;

	n_words = 0;
	word("%s", keyword);
	for (i = 0; i < len; i++)
		words[1][i] = alphabet[below(sizeof(alphabet) - 1)];
	words[1][i] = '\0';
	n_words = 2;
	if (parse(util, &r) || strcmp(keyword, "target"))
		return;

	parse_rtattr_flags(tb, EXPECT_MAX - 1, RTA_DATA(options(&r)),
			   (int)RTA_PAYLOAD(options(&r)), 0);
	memcpy(&value, RTA_DATA(tb[TCA_FQ_CODEL_TARGET]), sizeof(value));
	compare_with_libc(words[1], value);
}

/* An attribute on the heap that ends where its memory ends */
static struct rtattr *any_attr(unsigned int payload)
{
	struct rtattr *a = malloc(RTA_LENGTH(payload));

	a->rta_type = TCA_OPTIONS;
	a->rta_len = (unsigned short)RTA_LENGTH(payload);
	for (unsigned int i = 0; i < payload; i++)
		((char *)RTA_DATA(a))[i] = (char)rng_next(&rng);
	return a;
}

/* Lengths and types that are nearly right get further than noise does */
static void shape_attrs(struct rtattr *nest)
{
	char *p = RTA_DATA(nest);
	char *end = (char *)nest + nest->rta_len;

	while (end - p >= (ptrdiff_t)sizeof(struct rtattr) && below(20)) {
		struct rtattr *a = (void *)p;

		a->rta_len = (unsigned short)(below(16) ? 4 + below(9) :
							  below(64));
		a->rta_type = (unsigned short)(below(4) ? below(16) :
			      TCA_CODEL_EXT | (below(2) ? NLA_F_NESTED : 0));
		p += RTA_ALIGN(a->rta_len ? a->rta_len : 4);
	}
}

static void print_stats(struct qdisc_util *util, struct rtattr *xstats)
{
	memset(&shown, 0, sizeof(shown));
	shown.on = true;
	json = below(2);
	util->print_xstats(util, null, xstats);
	if (shown.depth)
		die("%d objects or arrays are open", shown.depth);
	shown.on = false;
}

static void any_bytes(void)
{
	struct qdisc_util *util = kinds[below(2)].util;
	struct rtattr *attr;

	attr = any_attr(below(128));
	json = below(2);
	n_words = 0;
	shape_attrs(attr);
	util->print_qopt(util, null, attr);
	free(attr);

	attr = any_attr(below(64));
	if (RTA_PAYLOAD(attr) >= 4 && below(4))
		*(__u32 *)RTA_DATA(attr) = below(2);
	print_stats(util, attr);
	free(attr);
}

/* Set the position of the histogram: right, nearly right, or anywhere */
static void any_place(struct codel_ext_stats *ext, unsigned int buckets)
{
	ext->delay_offset = below(4) ? sizeof(*ext) : CODEL_EXT_STATS_MIN;
	ext->delay_count = (__u16)buckets;
	ext->delay_first = (__u16)below(CODEL_DELAY_BUCKETS - buckets + 1);
	if (!below(8))
		ext->delay_offset = (__u16)(below(2) ? rng_next(&rng) : below(400));
	if (!below(8))
		ext->delay_count = (__u16)(below(2) ? rng_next(&rng) : below(300));
	if (!below(8))
		ext->delay_first = (__u16)(below(2) ? rng_next(&rng) : below(300));
}

/* Whether @payload contains all buckets of @ext: a second implementation */
static bool is_whole(const struct codel_ext_stats *ext, size_t at, size_t payload)
{
	if (payload < at + CODEL_EXT_STATS_MIN)
		return false;
	return ext->delay_offset >= CODEL_EXT_STATS_MIN &&
	       ext->delay_first + ext->delay_count <= CODEL_DELAY_BUCKETS &&
	       (!ext->delay_count ||
		at + ext->delay_offset + 8u * ext->delay_count <= payload);
}

static void any_qdisc_stats(void)
{
	const unsigned int kind = below(2), buckets = below(CODEL_DELAY_BUCKETS + 1);
	const size_t at = kind ? offsetof(struct codel_fq_xstats, ext) :
				 offsetof(struct codel_xstats, ext);
	const size_t full = at + sizeof(struct codel_ext_stats) + 8 * buckets;
	struct rtattr *attr = any_attr((unsigned int)full), *part;
	struct codel_ext_stats ext;
	size_t given = full;
	bool whole;

	if (kind)
		*(__u32 *)RTA_DATA(attr) = TCA_FQ_CODEL_XSTATS_QDISC;
	memcpy(&ext, (char *)RTA_DATA(attr) + at, sizeof(ext));
	any_place(&ext, buckets);
	memcpy((char *)RTA_DATA(attr) + at, &ext, sizeof(ext));
	if (below(2))
		given = below((unsigned int)full + 1);
	part = any_attr((unsigned int)given);
	memcpy(RTA_DATA(part), RTA_DATA(attr), given);
	free(attr);

	whole = is_whole(&ext, at, given);
	print_stats(kinds[kind].util, part);
	if (json && shown.delays != whole)
		die("delay was %sshown, of %zu bytes", whole ? "not " : "", given);
	if (json && whole && shown.buckets != ext.delay_count)
		die("%u buckets of %u", shown.buckets, ext.delay_count);
	if (json && whole && shown.last_percentile != UINT64_MAX &&
	    shown.last_percentile > shown.max)
		die("a percentile above the maximum");
	free(part);
}

static void any_class_stats(void)
{
	const unsigned int full = sizeof(struct codel_fq_class_xstats);
	const unsigned int given = below(2) ? full + below(9) : below(full + 1);
	struct rtattr *attr = any_attr(given);
	const size_t protocol = offsetof(struct codel_fq_class_xstats,
					 flow.tuple.protocol);
	const __be16 types[] = { 0, htons(ETH_P_IP), htons(ETH_P_IPV6) };

	if (given >= sizeof(__u32))
		*(__u32 *)RTA_DATA(attr) = TCA_FQ_CODEL_XSTATS_CLASS;
	if (given >= full && below(4))
		memcpy((char *)RTA_DATA(attr) + protocol, &types[below(3)],
		       sizeof(types[0]));
	print_stats(&fq_codel_oot_qdisc_util, attr);
	if (json && shown.delays != (given >= full))
		die("a flow was %sshown, of %u bytes",
		    shown.delays ? "" : "not ", given);
	free(attr);
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 100000;

	rng_seed(&rng, argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
	null = fopen("/dev/null", "w");
	if (!null || !freopen("/dev/null", "w", stderr))
		die("no /dev/null");

	for (long i = 0; i < rounds; i++) {
		round_trip();
		any_text();
		any_bytes();
		any_qdisc_stats();
		any_class_stats();
	}
	printf("%ld rounds\n", rounds);
	return 0;
}
