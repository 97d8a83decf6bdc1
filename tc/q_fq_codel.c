// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * tc front end of fq_codel and fq_codel_oot: many flows, each under CoDel.
 */
#include "codel_common.h"
#include "codel_ext_stats.h"
#include "codel_shaper_options.h"
#include "codel_stock.h"
#include "../uapi/codel_uapi.h"

static const struct codel_option fq_codel_options[] = {
	{
		.keyword = "limit",
		.type = CODEL_PACKETS,
		.attr = TCA_FQ_CODEL_LIMIT,
		.least = 1,
		.below = "the qdisc drops every packet",
		.help = "maximum number of packets in all queues",
	}, {
		.keyword = "flows",
		.type = CODEL_COUNT,
		.attr = TCA_FQ_CODEL_FLOWS,
		.help = "queues that packets are hashed to",
	}, {
		.keyword = "quantum",
		.type = CODEL_COUNT,
		.attr = TCA_FQ_CODEL_QUANTUM,
		.least = 256,
		.below = "raised to the minimum of 256 bytes",
		.help = "bytes a queue may send in one round",
	}, {
		.keyword = "target",
		.type = CODEL_TIME,
		.attr = TCA_FQ_CODEL_TARGET,
		.help = "standing delay that is acceptable",
	}, {
		.keyword = "ce_threshold",
		.type = CODEL_TIME,
		.attr = TCA_FQ_CODEL_CE_THRESHOLD,
		.ext_flag = TCA_CODEL_EXT_CE_THRESHOLD_OFF,
		.help = "mark every ECN-capable packet delayed longer",
	}, {
		.keyword = "ce_threshold_selector",
		.type = CODEL_SELECTOR,
		.attr = TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR,
		.mask_attr = TCA_FQ_CODEL_CE_THRESHOLD_MASK,
		.mask_key = "ce_threshold_mask",
		.help = "only packets whose DS field AND MASK is VALUE",
	}, {
		.keyword = "interval",
		.type = CODEL_TIME,
		.attr = TCA_FQ_CODEL_INTERVAL,
		.help = "how long the delay may stay above target; a long round trip",
	}, {
		.keyword = "memory_limit",
		.type = CODEL_SIZE,
		.attr = TCA_FQ_CODEL_MEMORY_LIMIT,
		.help = "maximum memory of the packets in all queues",
	}, {
		.keyword = "ecn",
		.type = CODEL_FLAG,
		.attr = TCA_FQ_CODEL_ECN,
		.help = "mark ECN-capable packets instead of dropping them",
	}, {
		.keyword = "drop_batch",
		.type = CODEL_COUNT,
		.attr = TCA_FQ_CODEL_DROP_BATCH_SIZE,
		.least = 1,
		.below = "raised to the minimum of 1 packet",
		.hide_zero = true,
		.help = "maximum number of packets dropped per overlimit event",
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

/* Statistics of qdiscs and of classes are two members of a union. */
#define FQ_CODEL_STAT_AT(part, member, label) \
	.name = label, .offset = offsetof(struct tc_fq_codel_xstats, part.member)
#define FQ_CODEL_STAT_IF(part, member) \
	.conditional = true, \
	.condition = offsetof(struct tc_fq_codel_xstats, part.member)
#define FQ_CODEL_QDISC(member) FQ_CODEL_STAT_AT(qdisc_stats, member, #member)
#define FQ_CODEL_QDISC_IF(member) FQ_CODEL_STAT_IF(qdisc_stats, member)
#define FQ_CODEL_CLASS(member) FQ_CODEL_STAT_AT(class_stats, member, #member)
#define FQ_CODEL_CLASS_IF(member) FQ_CODEL_STAT_IF(class_stats, member)

static const struct codel_stat fq_codel_qdisc_stats[] = {
	{ FQ_CODEL_QDISC(maxpacket) },
	{ FQ_CODEL_QDISC(drop_overlimit) },
	{ FQ_CODEL_QDISC(new_flow_count) },
	{ FQ_CODEL_QDISC(ecn_mark) },
	{ FQ_CODEL_QDISC(ce_mark), FQ_CODEL_QDISC_IF(ce_mark) },
	{ FQ_CODEL_STAT_AT(qdisc_stats, memory_usage, "memory_used"),
	  FQ_CODEL_QDISC_IF(memory_usage) },
	{ FQ_CODEL_QDISC(drop_overmemory), FQ_CODEL_QDISC_IF(drop_overmemory) },
	{ FQ_CODEL_QDISC(new_flows_len), .newline = true },
	{ FQ_CODEL_QDISC(old_flows_len) },
	{ .name = "shared", .type = CODEL_STAT_U64,
	  .offset = offsetof(struct codel_fq_xstats, shared),
	  .conditional = true,
	  .condition = offsetof(struct codel_fq_xstats, shared) },
	{ }
};

static const struct codel_stat fq_codel_class_stats[] = {
	{ FQ_CODEL_CLASS(deficit), .type = CODEL_STAT_INT },
	{ FQ_CODEL_CLASS(count) },
	{ FQ_CODEL_CLASS(lastcount) },
	{ FQ_CODEL_CLASS(ldelay), .type = CODEL_STAT_TIME },
	{ FQ_CODEL_CLASS(dropping), FQ_CODEL_CLASS_IF(dropping),
	  .type = CODEL_STAT_FLAG },
	{ FQ_CODEL_CLASS(drop_next), FQ_CODEL_CLASS_IF(dropping),
	  .type = CODEL_STAT_STIME },
	{ }
};

static int fq_codel_parse_opt(CODEL_QDISC_UTIL *qu, int argc, char **argv,
			      struct nlmsghdr *n, const char *dev)
{
	(void)dev;
	return codel_parse_options(qu->id, fq_codel_options, argc, argv, n);
}

static int fq_codel_print_opt(CODEL_QDISC_UTIL *qu, FILE *f,
			      struct rtattr *opt)
{
	(void)qu;
	return codel_print_options(f, fq_codel_options, opt);
}

static int fq_codel_print_xstats(CODEL_QDISC_UTIL *qu, FILE *f,
				 struct rtattr *xstats)
{
	__u32 type;

	(void)qu;
	if (!xstats)
		return 0;

	codel_copy_stats(&type, xstats,
			 offsetof(struct tc_fq_codel_xstats, type),
			 sizeof(type));
	if (type == TCA_FQ_CODEL_XSTATS_QDISC) {
		codel_print_stats(f, fq_codel_qdisc_stats, xstats);
		codel_print_ext_stats(f, xstats,
				  offsetof(struct codel_fq_xstats, ext));
	}
	if (type == TCA_FQ_CODEL_XSTATS_CLASS) {
		codel_print_stats(f, fq_codel_class_stats, xstats);
		codel_print_flow(f, xstats,
				 offsetof(struct codel_fq_class_xstats, flow));
	}
	return 0;
}

static int fq_codel_parse_plain(CODEL_QDISC_UTIL *qu, int argc, char **argv,
				struct nlmsghdr *n, const char *dev)
{
	const struct qdisc_util *stock = codel_stock_parser(qu->id);

	return stock ? stock->parse_qopt(stock, argc, argv, n, dev) :
		       fq_codel_parse_opt(qu, argc, argv, n, dev);
}

static int fq_codel_print_plain(CODEL_QDISC_UTIL *qu, FILE *f,
				struct rtattr *opt)
{
	const struct qdisc_util *stock =
		codel_stock_printer(qu->id, codel_options_are_own(opt));

	return stock ? stock->print_qopt(stock, f, opt) :
		       fq_codel_print_opt(qu, f, opt);
}

/* The statistics of a flow are shorter than those that a module adds to a qdisc's. */
static bool fq_codel_are_own(const struct rtattr *xstats)
{
	__u32 type;

	if (!xstats)
		return false;
	codel_copy_stats(&type, xstats, offsetof(struct tc_fq_codel_xstats, type),
			 sizeof(type));
	return codel_stats_are_own(xstats, type == TCA_FQ_CODEL_XSTATS_CLASS ?
		sizeof(struct codel_fq_class_xstats) :
		offsetof(struct codel_fq_xstats, ext) + CODEL_EXT_STATS_MIN);
}

static int fq_codel_print_plain_xstats(CODEL_QDISC_UTIL *qu, FILE *f,
				       struct rtattr *xstats)
{
	const struct qdisc_util *stock =
		codel_stock_printer(qu->id, fq_codel_are_own(xstats));

	return stock ? stock->print_xstats(stock, f, xstats) :
		       fq_codel_print_xstats(qu, f, xstats);
}

CODEL_EXPORT
struct qdisc_util fq_codel_qdisc_util = {
	.id = "fq_codel",
	.parse_qopt = fq_codel_parse_plain,
	.print_qopt = fq_codel_print_plain,
	.print_xstats = fq_codel_print_plain_xstats,
};

CODEL_EXPORT
struct qdisc_util fq_codel_oot_qdisc_util = {
	.id = "fq_codel_oot",
	.parse_qopt = fq_codel_parse_opt,
	.print_qopt = fq_codel_print_opt,
	.print_xstats = fq_codel_print_xstats,
};
