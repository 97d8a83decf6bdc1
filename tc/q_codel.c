// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * tc front end of codel and codel_oot: one queue under CoDel.
 */
#include "codel_common.h"
#include "codel_ext_stats.h"
#include "codel_shaper_options.h"
#include "codel_stock.h"
#include "../uapi/codel_uapi.h"

static const struct codel_option codel_options[] = {
	{
		.keyword = "limit",
		.type = CODEL_PACKETS,
		.attr = TCA_CODEL_LIMIT,
		.least = 1,
		.below = "the qdisc drops every packet",
		.help = "maximum number of packets in the queue",
	}, {
		.keyword = "target",
		.type = CODEL_TIME,
		.attr = TCA_CODEL_TARGET,
		.help = "standing delay that is acceptable",
	}, {
		.keyword = "ce_threshold",
		.type = CODEL_TIME,
		.attr = TCA_CODEL_CE_THRESHOLD,
		.ext_flag = TCA_CODEL_EXT_CE_THRESHOLD_OFF,
		.help = "mark every ECN-capable packet delayed longer",
	}, {
		.keyword = "interval",
		.type = CODEL_TIME,
		.attr = TCA_CODEL_INTERVAL,
		.help = "how long the delay may stay above target; a long round trip",
	}, {
		.keyword = "ecn",
		.type = CODEL_FLAG,
		.attr = TCA_CODEL_ECN,
		.help = "mark ECN-capable packets instead of dropping them",
	}, {
		.keyword = "ceiling",
		.type = CODEL_TIME,
		.ext_value = TCA_CODEL_EXT_CEILING,
		.ext_flag = TCA_CODEL_EXT_CEILING_OFF,
		.help = "delay at which senders that ignore signals lose every packet",
	},
	CODEL_SHAPER_OPTIONS,
	CODEL_FAR_OPTIONS,
	{ }
};

#define CODEL_STAT_AT(member) \
	.name = #member, .offset = offsetof(struct tc_codel_xstats, member)
#define CODEL_STAT_IF_SET(member) \
	CODEL_STAT_AT(member), .conditional = true, \
	.condition = offsetof(struct tc_codel_xstats, member)

static const struct codel_stat codel_stats[] = {
	{ CODEL_STAT_AT(count) },
	{ CODEL_STAT_AT(lastcount) },
	{ CODEL_STAT_AT(ldelay), .type = CODEL_STAT_TIME },
	{ CODEL_STAT_IF_SET(dropping), .type = CODEL_STAT_FLAG },
	{ CODEL_STAT_AT(drop_next), .type = CODEL_STAT_STIME },
	{ CODEL_STAT_AT(maxpacket), .newline = true },
	{ CODEL_STAT_AT(ecn_mark) },
	{ CODEL_STAT_AT(drop_overlimit) },
	{ CODEL_STAT_IF_SET(ce_mark) },
	{ }
};

static int codel_parse_opt(CODEL_QDISC_UTIL *qu, int argc, char **argv,
			   struct nlmsghdr *n, const char *dev)
{
	(void)dev;
	return codel_parse_options(qu->id, codel_options, argc, argv, n);
}

static int codel_print_opt(CODEL_QDISC_UTIL *qu, FILE *f, struct rtattr *opt)
{
	(void)qu;
	return codel_print_options(f, codel_options, opt);
}

static int codel_print_xstats(CODEL_QDISC_UTIL *qu, FILE *f,
			      struct rtattr *xstats)
{
	(void)qu;
	if (!xstats)
		return 0;

	codel_print_stats(f, codel_stats, xstats);
	codel_print_ext_stats(f, xstats, offsetof(struct codel_xstats, ext));
	return 0;
}

static int codel_parse_plain(CODEL_QDISC_UTIL *qu, int argc, char **argv,
			     struct nlmsghdr *n, const char *dev)
{
	const struct qdisc_util *stock = codel_stock_parser(qu->id);

	return stock ? stock->parse_qopt(stock, argc, argv, n, dev) :
		       codel_parse_opt(qu, argc, argv, n, dev);
}

static int codel_print_plain(CODEL_QDISC_UTIL *qu, FILE *f, struct rtattr *opt)
{
	const struct qdisc_util *stock =
		codel_stock_printer(qu->id, codel_options_are_own(opt));

	return stock ? stock->print_qopt(stock, f, opt) :
		       codel_print_opt(qu, f, opt);
}

static int codel_print_plain_xstats(CODEL_QDISC_UTIL *qu, FILE *f,
				    struct rtattr *xstats)
{
	const size_t end = offsetof(struct codel_xstats, ext) + CODEL_EXT_STATS_MIN;
	const struct qdisc_util *stock =
		codel_stock_printer(qu->id, codel_stats_are_own(xstats, end));

	return stock ? stock->print_xstats(stock, f, xstats) :
		       codel_print_xstats(qu, f, xstats);
}

CODEL_EXPORT
struct qdisc_util codel_qdisc_util = {
	.id = "codel",
	.parse_qopt = codel_parse_plain,
	.print_qopt = codel_print_plain,
	.print_xstats = codel_print_plain_xstats,
};

CODEL_EXPORT
struct qdisc_util codel_oot_qdisc_util = {
	.id = "codel_oot",
	.parse_qopt = codel_parse_opt,
	.print_qopt = codel_print_opt,
	.print_xstats = codel_print_xstats,
};
