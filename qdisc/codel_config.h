/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Options and statistics over netlink: what both kinds share.
 *
 * A request is parsed into a copy of the configuration and validated there as a
 * whole; only then is the copy put in force, under the lock. A refused request
 * has changed nothing, and names the attribute at fault.
 */
#ifndef CODEL_CONFIG_H
#define CODEL_CONFIG_H

#include <linux/pkt_sched.h>
#include <net/netlink.h>
#include <net/sch_generic.h>

#include "codel_config_shape.h"
#include "codel_queue.h"
#include "compat.h"
#include "../uapi/codel_uapi.h"

/* The four options that have the same number in both kinds. */
static_assert((int)TCA_CODEL_TARGET == (int)TCA_FQ_CODEL_TARGET);
static_assert((int)TCA_CODEL_LIMIT == (int)TCA_FQ_CODEL_LIMIT);
static_assert((int)TCA_CODEL_INTERVAL == (int)TCA_FQ_CODEL_INTERVAL);
static_assert((int)TCA_CODEL_ECN == (int)TCA_FQ_CODEL_ECN);

#define CODEL_CONFIG_INTERVAL_ERR \
	"interval: 1us to 4294967295us is expected (us, ms or s)"
#define CODEL_CONFIG_CE_THRESHOLD_ERR \
	"ce_threshold: a 32-bit number of microseconds is expected"
#define CODEL_CONFIG_EXT_ERR \
	"TCA_CODEL_EXT: a nest of attributes of codel_uapi.h is expected"

/* Below interval divided by this, a target hardly is what the user wants. */
#define CODEL_CONFIG_TARGET_SHARE	100

/**
 * codel_config_expect() - say what is expected of an attribute that was refused
 * @extack: where to
 * @type: its number; the kinds have other messages for the numbers that differ
 */
static inline void codel_config_expect(struct netlink_ext_ack *extack, int type)
{
	switch (type) {
	case TCA_CODEL_TARGET:
		NL_SET_ERR_MSG(extack, "target: a 32-bit number of microseconds is expected");
		break;
	case TCA_CODEL_LIMIT:
		NL_SET_ERR_MSG(extack, "limit: a 32-bit number of packets is expected");
		break;
	case TCA_CODEL_INTERVAL:
		NL_SET_ERR_MSG(extack, CODEL_CONFIG_INTERVAL_ERR);
		break;
	case TCA_CODEL_ECN:
		NL_SET_ERR_MSG(extack, "ecn: a 32-bit number is expected, 0 for off");
		break;
	case TCA_CODEL_EXT:
		NL_SET_ERR_MSG(extack, CODEL_CONFIG_EXT_ERR);
		break;
	default:
		NL_SET_ERR_MSG(extack, "TCA_OPTIONS: an attribute is unknown to this module");
	}
}

/**
 * codel_config_parse() - split TCA_OPTIONS into attributes, strictly
 * @tb: the attributes by number, TCA_CODEL_EXT + 1 of them
 * @opt: TCA_OPTIONS
 * @policy: their types
 * @expect: codel_config_expect(), with the messages of the kind
 * @extack: says what is wrong
 *
 * Return: 0, or -EINVAL if an attribute is unknown, cut off or of another type.
 */
static inline int codel_config_parse(struct nlattr **tb, const struct nlattr *opt,
				     const struct nla_policy *policy,
				     void (*expect)(struct netlink_ext_ack *extack, int type),
				     struct netlink_ext_ack *extack)
{
	if (!__nla_parse(tb, TCA_CODEL_EXT, nla_data(opt), nla_len(opt), policy,
			 NL_VALIDATE_STRICT, extack))
		return 0;
	if (extack && extack->bad_attr)
		expect(extack, nla_type(extack->bad_attr));
	else
		NL_SET_ERR_MSG_ATTR(extack, opt, "TCA_OPTIONS: the last attribute is cut off");
	return -EINVAL;
}

static inline u64 codel_config_get_us(const struct nlattr *attr)
{
	return nla_get_u32(attr) * CODEL_NSEC_PER_USEC;
}

/* Read the ceiling. The default follows target and interval. */
static inline int codel_config_get_ceiling(struct codel_config *config,
					   struct nlattr **tb,
					   const struct nlattr *target,
					   struct netlink_ext_ack *extack)
{
	const struct nlattr *ceiling = tb[TCA_CODEL_EXT_CEILING];
	const struct nlattr *off = tb[TCA_CODEL_EXT_CEILING_OFF];

	if (ceiling && off) {
		NL_SET_ERR_MSG_ATTR(extack, ceiling, "ceiling: both a value and off are given");
		return -EINVAL;
	}
	if (off)
		config->params.ceiling = CODEL_CEILING_OFF;
	else if (ceiling)
		config->params.ceiling = codel_config_get_us(ceiling);
	config->ceiling_set |= ceiling || off;
	if (!config->ceiling_set)
		config->params.ceiling = codel_default_ceiling(&config->params);
	/* a dump has 32 bits, and a change accepts every value of a dump */
	if (config->params.ceiling > U32_MAX * CODEL_NSEC_PER_USEC)
		config->params.ceiling = CODEL_CEILING_OFF;
	if (config->params.ceiling > config->params.target)
		return 0;
	if (config->params.ceiling > config->target)
		NL_SET_ERR_MSG_ATTR(extack, ceiling ? : tb[TCA_CODEL_EXT_RATE],
				    "ceiling: more than the time of 1.5 packets at the rate is expected");
	else if (ceiling)
		NL_SET_ERR_MSG_ATTR(extack, ceiling,
				    "ceiling: more than target, up to 4294967295us is expected (us, ms or s)");
	else
		NL_SET_ERR_MSG_ATTR(extack, target,
				    "target: less than the ceiling that was set is expected (us, ms or s)");
	return -EINVAL;
}

/* The target and the interval that are in force with this rate and the device's MTU */
static inline void codel_config_set_times(struct codel_config *config,
					  const struct net_device *dev)
{
	const struct codel_shape *shape = &config->shape;
	u32 packet = codel_device_mtu(dev);
	struct codel_pace pace;

	config->params.target = config->target;
	config->params.interval = config->interval;
	if (!shape->rate)
		return;
	codel_pace_set(&pace, shape->rate);
	if (shape->has_overhead)
		packet -= min_t(u32, packet, dev->hard_header_len);
	codel_slow_target(&config->params, &pace, codel_wire_length(&shape->framing, packet));
}

static inline int codel_config_get_ext(struct codel_config *config,
				       const struct net_device *dev, bool *reset_stats,
				       struct nlattr **options,
				       const struct nlattr *ce_threshold,
				       struct netlink_ext_ack *extack)
{
	static const struct nla_policy policy[TCA_CODEL_EXT_MAX + 1] = {
		[TCA_CODEL_EXT_CE_THRESHOLD_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_RESET_STATS] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_CEILING] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_CEILING_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_PAD] = { .type = NLA_REJECT },
		[TCA_CODEL_EXT_RATE] = { .type = NLA_U64 },
		[TCA_CODEL_EXT_RATE_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_OVERHEAD] = { .type = NLA_S32 },
		[TCA_CODEL_EXT_OVERHEAD_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_MPU] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_CELLS] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_INGRESS] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_SPLIT_GSO] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_TARGET_EFFECTIVE] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_INTERVAL_EFFECTIVE] = { .type = NLA_U32 },
	};
	const struct nlattr *ext = options[TCA_CODEL_EXT];
	struct nlattr *tb[TCA_CODEL_EXT_MAX + 1] = {};
	int err;

	if (ext && nla_parse_nested(tb, TCA_CODEL_EXT_MAX, ext, policy, NULL)) {
		NL_SET_ERR_MSG_ATTR(extack, ext, CODEL_CONFIG_EXT_ERR);
		return -EINVAL;
	}
	*reset_stats = tb[TCA_CODEL_EXT_RESET_STATS];
	if (ce_threshold && tb[TCA_CODEL_EXT_CE_THRESHOLD_OFF]) {
		NL_SET_ERR_MSG_ATTR(extack, ce_threshold,
				    "ce_threshold: both a value and off are given");
		return -EINVAL;
	}
	if (tb[TCA_CODEL_EXT_CE_THRESHOLD_OFF])
		config->ce_threshold = CODEL_QDISC_CE_OFF;
	err = codel_config_get_shape(&config->shape, tb, extack);
	if (err)
		return err;
	codel_config_set_times(config, dev);
	return codel_config_get_ceiling(config, tb, options[TCA_CODEL_TARGET],
					extack);
}

/*
 * Warn of values that the qdisc accepts, as in-tree qdiscs do, although they hardly do what
 * the user wants: a time without its unit, for example. A target is usually 5% to 10% of
 * the interval (RFC 8289, section 4.3). Only a request that contains a value warns of it.
 */
static inline void codel_config_warn(const struct codel_config *config,
				     struct nlattr **tb,
				     struct netlink_ext_ack *extack)
{
	if (tb[TCA_CODEL_LIMIT] && !config->limit)
		NL_SET_ERR_MSG_WEAK(extack, "limit: with 0 the qdisc drops every packet");
	if (!tb[TCA_CODEL_TARGET] && !tb[TCA_CODEL_INTERVAL])
		return;
	if (config->target > config->interval)
		NL_SET_ERR_MSG_WEAK(extack,
				    "target: above interval; 5% to 10% of interval is usual (us, ms or s; us without a unit)");
	else if (config->target * CODEL_CONFIG_TARGET_SHARE < config->interval)
		NL_SET_ERR_MSG_WEAK(extack,
				    "target: below 1% of interval; 5% to 10% is usual (us, ms or s; us without a unit)");
}

/**
 * codel_config_get() - read the options that both kinds have
 * @config: in: the values in force; out: with those of the request
 * @dev: the device
 * @reset_stats: set if the counters are to be cleared
 * @tb: attributes of the request
 * @ce_threshold: the attribute of that option, whose number differs
 * @extack: says what is wrong, or warns
 *
 * Return: 0, or -EINVAL if a value is out of range.
 */
static inline int codel_config_get(struct codel_config *config,
				   const struct net_device *dev, bool *reset_stats,
				   struct nlattr **tb,
				   const struct nlattr *ce_threshold,
				   struct netlink_ext_ack *extack)
{
	int err;

	if (tb[TCA_CODEL_TARGET])
		config->target = codel_config_get_us(tb[TCA_CODEL_TARGET]);
	if (tb[TCA_CODEL_INTERVAL])
		config->interval = codel_config_get_us(tb[TCA_CODEL_INTERVAL]);
	if (tb[TCA_CODEL_LIMIT])
		config->limit = nla_get_u32(tb[TCA_CODEL_LIMIT]);
	if (tb[TCA_CODEL_ECN])
		config->ecn = nla_get_u32(tb[TCA_CODEL_ECN]);
	if (ce_threshold)
		config->ce_threshold = codel_config_get_us(ce_threshold);

	if (!config->interval) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_CODEL_INTERVAL], CODEL_CONFIG_INTERVAL_ERR);
		return -EINVAL;
	}
	err = codel_config_get_ext(config, dev, reset_stats, tb, ce_threshold, extack);
	if (!err)
		codel_config_warn(config, tb, extack);
	return err;
}

/* The request has reset_stats: say what it does not do. */
static inline void codel_config_warn_reset(const struct Qdisc *sch,
					   struct netlink_ext_ack *extack)
{
	if (rcu_access_pointer(sch->rate_est))
		NL_SET_ERR_MSG(extack,
			       "reset_stats: what was sent is not cleared, as an estimator reads it");
}

static inline int codel_config_put_ext(struct sk_buff *skb,
				       const struct codel_config *config)
{
	if (config->ce_threshold == CODEL_QDISC_CE_OFF &&
	    nla_put_flag(skb, TCA_CODEL_EXT_CE_THRESHOLD_OFF))
		return -EMSGSIZE;
	if (config->params.ceiling == CODEL_CEILING_OFF ?
	    nla_put_flag(skb, TCA_CODEL_EXT_CEILING_OFF) :
	    nla_put_u32(skb, TCA_CODEL_EXT_CEILING,
			codel_qdisc_us(config->params.ceiling)))
		return -EMSGSIZE;
	return codel_config_put_shape(skb, config);
}

/**
 * codel_config_put() - write the options that both kinds have
 * @skb: the dump
 * @config: values in force
 * @ce_attr: number of ce_threshold in this kind
 *
 * Return: 0, or -EMSGSIZE if the dump is full.
 */
static inline int codel_config_put(struct sk_buff *skb,
				   const struct codel_config *config,
				   int ce_attr)
{
	struct nlattr *ext;

	if (nla_put_u32(skb, TCA_CODEL_TARGET,
			codel_qdisc_us(config->target)) ||
	    nla_put_u32(skb, TCA_CODEL_LIMIT, config->limit) ||
	    nla_put_u32(skb, TCA_CODEL_INTERVAL,
			codel_qdisc_us(config->interval)) ||
	    nla_put_u32(skb, TCA_CODEL_ECN, config->ecn))
		return -EMSGSIZE;

	if (config->ce_threshold != CODEL_QDISC_CE_OFF &&
	    nla_put_u32(skb, ce_attr, codel_qdisc_us(config->ce_threshold)))
		return -EMSGSIZE;

	/* empty or not, it tells tc that off values are to be shown */
	ext = nla_nest_start(skb, TCA_CODEL_EXT);
	if (!ext || codel_config_put_ext(skb, config))
		return -EMSGSIZE;
	nla_nest_end(skb, ext);
	return 0;
}

/**
 * codel_config_drop_next() - time until CoDel's next signal
 * @config: values in force
 * @vars: state of a queue
 *
 * Return: us, negative if it is overdue; 0 outside of the dropping state.
 */
static inline s32 codel_config_drop_next(const struct codel_config *config,
					 const struct codel_vars *vars)
{
	s64 left;

	if (!vars->dropping)
		return 0;
	left = div_s64(codel_next_signal(vars, &config->params) - ktime_get_ns(),
		       CODEL_NSEC_PER_USEC);
	return clamp_t(s64, left, S32_MIN, S32_MAX);
}

/**
 * codel_config_defaults() - the options that both kinds have, as a user gets them
 * @config: written
 * @limit: packets
 * @ecn: mark by default
 */
static inline void codel_config_defaults(struct codel_config *config, u32 limit,
					 bool ecn)
{
	config->target = CODEL_TARGET_US * CODEL_NSEC_PER_USEC;
	config->interval = CODEL_INTERVAL_US * CODEL_NSEC_PER_USEC;
	config->params.target = config->target;
	config->params.interval = config->interval;
	config->params.ceiling = codel_default_ceiling(&config->params);
	config->ce_threshold = CODEL_QDISC_CE_OFF;
	config->limit = limit;
	config->ecn = ecn;
}

#endif /* CODEL_CONFIG_H */
