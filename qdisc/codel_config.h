/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Options and statistics over netlink: what both kinds share.
 *
 * A request is parsed into a copy of the configuration and validated there as a
 * whole; only then is the copy put in force, under the lock. A refused request
 * has changed nothing, and the answer points to the attribute at fault.
 */
#ifndef CODEL_CONFIG_H
#define CODEL_CONFIG_H

#include <linux/pkt_sched.h>
#include <net/netlink.h>
#include <net/sch_generic.h>

#include "codel_config_far.h"
#include "codel_shape.h"
#include "compat.h"
#include "../uapi/codel_uapi.h"

/* The four options that have the same number in both kinds. */
static_assert((int)TCA_CODEL_TARGET == (int)TCA_FQ_CODEL_TARGET);
static_assert((int)TCA_CODEL_LIMIT == (int)TCA_FQ_CODEL_LIMIT);
static_assert((int)TCA_CODEL_INTERVAL == (int)TCA_FQ_CODEL_INTERVAL);
static_assert((int)TCA_CODEL_ECN == (int)TCA_FQ_CODEL_ECN);

/**
 * codel_config_parse() - split TCA_OPTIONS into attributes, strictly
 * @tb: the attributes by number, TCA_CODEL_EXT + 1 of them
 * @ext: those inside TCA_CODEL_EXT, TCA_CODEL_EXT_MAX + 1 of them
 * @opt: TCA_OPTIONS
 * @policy: types and ranges of @tb
 * @extack: names an attribute that is refused
 *
 * Return: 0, or an error if an attribute is unknown, cut off, of another type or out of range.
 */
static inline int codel_config_parse(struct nlattr **tb, struct nlattr **ext,
				     const struct nlattr *opt, const struct nla_policy *policy,
				     struct netlink_ext_ack *extack)
{
	static struct netlink_range_validation rate = {
		.min = CODEL_RATE_MIN,
		.max = CODEL_RATE_MAX,
	};
	static const struct nla_policy ext_policy[TCA_CODEL_EXT_MAX + 1] = {
		[TCA_CODEL_EXT_CE_THRESHOLD_OFF] = { .type = NLA_FLAG },
		[__TCA_CODEL_EXT_2] = { .type = NLA_REJECT },
		[TCA_CODEL_EXT_CEILING] = NLA_POLICY_MIN(NLA_U32, 1),
		[TCA_CODEL_EXT_CEILING_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_PAD] = { .type = NLA_REJECT },
		[TCA_CODEL_EXT_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &rate),
		[TCA_CODEL_EXT_RATE_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_OVERHEAD] =
			NLA_POLICY_RANGE(NLA_S32, CODEL_OVERHEAD_MIN, CODEL_OVERHEAD_MAX),
		[TCA_CODEL_EXT_OVERHEAD_OFF] = { .type = NLA_FLAG },
		[TCA_CODEL_EXT_MPU] = NLA_POLICY_MAX(NLA_U32, CODEL_MPU_MAX),
		[TCA_CODEL_EXT_CELLS] = NLA_POLICY_MAX(NLA_U32, CODEL_CELLS_PTM),
		[TCA_CODEL_EXT_INGRESS] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_SPLIT_GSO] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_TARGET_EFFECTIVE] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_INTERVAL_EFFECTIVE] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_BOTTLENECK] = NLA_POLICY_MAX(NLA_U32, CODEL_BOTTLENECK_UPSTREAM),
		[TCA_CODEL_EXT_ANSWERS] = { .type = NLA_U32 },
		[TCA_CODEL_EXT_SHARED] = { .type = NLA_U32 },
	};
	int err = nla_parse(tb, TCA_CODEL_EXT, nla_data(opt), nla_len(opt), policy, extack);

	if (err || !tb[TCA_CODEL_EXT])
		return err;
	return nla_parse_nested(ext, TCA_CODEL_EXT_MAX, tb[TCA_CODEL_EXT], ext_policy, extack);
}

/* Refuse a value together with the flag that switches its option off. */
static inline int codel_config_check_off(const struct nlattr *value, const struct nlattr *off,
					 struct netlink_ext_ack *extack)
{
	if (!value || !off)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, value, "both a value and off are given");
	return -EINVAL;
}

static inline u64 codel_config_get_us(const struct nlattr *attr)
{
	return nla_get_u32(attr) * CODEL_NSEC_PER_USEC;
}

/* Return whether a super-packet would hold a link of this rate for too long. */
static inline bool codel_config_should_split(u64 rate)
{
	struct codel_pace pace;

	if (!rate)
		return false;
	codel_pace_set(&pace, rate);
	return codel_pace_time(&pace, CODEL_SPLIT_BYTES) >> 8 > CODEL_SPLIT_TIME;
}

/**
 * codel_config_get_shape() - read the options of the shaper
 * @shape: in: the values in force; out: with those of the request
 * @tb: attributes of TCA_CODEL_EXT
 */
static inline void codel_config_get_shape(struct codel_shape *shape, struct nlattr **tb)
{
	struct codel_framing *framing = &shape->framing;

	if (tb[TCA_CODEL_EXT_RATE_OFF])
		shape->rate = 0;
	if (tb[TCA_CODEL_EXT_RATE])
		shape->rate = nla_get_u64(tb[TCA_CODEL_EXT_RATE]);
	if (tb[TCA_CODEL_EXT_OVERHEAD] || tb[TCA_CODEL_EXT_OVERHEAD_OFF]) {
		shape->has_overhead = tb[TCA_CODEL_EXT_OVERHEAD];
		framing->overhead = shape->has_overhead ?
				    nla_get_s32(tb[TCA_CODEL_EXT_OVERHEAD]) : 0;
	}
	if (tb[TCA_CODEL_EXT_MPU])
		framing->mpu = nla_get_u32(tb[TCA_CODEL_EXT_MPU]);
	if (tb[TCA_CODEL_EXT_CELLS])
		framing->cells = nla_get_u32(tb[TCA_CODEL_EXT_CELLS]);
	shape->framed = shape->has_overhead || framing->mpu || framing->cells;
	if (tb[TCA_CODEL_EXT_INGRESS])
		shape->ingress = nla_get_u32(tb[TCA_CODEL_EXT_INGRESS]);
	if (tb[TCA_CODEL_EXT_SHARED])
		shape->shared = nla_get_u32(tb[TCA_CODEL_EXT_SHARED]);
	shape->split_set |= !!tb[TCA_CODEL_EXT_SPLIT_GSO];
	if (tb[TCA_CODEL_EXT_SPLIT_GSO])
		shape->split = nla_get_u32(tb[TCA_CODEL_EXT_SPLIT_GSO]);
	else if (!shape->split_set)
		shape->split = codel_config_should_split(shape->rate);
}

/* A request that sets a time may not set one that gives way at once. */
static inline int codel_config_check_ceiling(const struct codel_config *config,
					     struct nlattr **tb, struct nlattr **ext,
					     struct netlink_ext_ack *extack)
{
	const struct nlattr *cause = ext[TCA_CODEL_EXT_CEILING] ? : tb[TCA_CODEL_TARGET] ? :
				     ext[TCA_CODEL_EXT_RATE];

	if (!cause || !config->ceiling || config->ceiling > config->params.target)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, cause,
			    "a ceiling above target and 1.5 packets at the rate is expected");
	return -EINVAL;
}

/*
 * The queue downstream is one, but each qdisc would have a window for it. A change that shares no
 * rate may be the one to a bottleneck.
 */
static inline int codel_config_check_shared(const struct codel_config *config,
					    struct nlattr **ext, struct netlink_ext_ack *extack)
{
	if (!config->shape.shared || config->bottleneck != CODEL_BOTTLENECK_DOWNSTREAM)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, ext[TCA_CODEL_EXT_SHARED] ? : ext[TCA_CODEL_EXT_BOTTLENECK],
			    "shared: a bottleneck here or upstream is expected");
	return -EINVAL;
}

/**
 * codel_config_get() - read the options that both kinds have
 * @config: in: the values in force; out: with those of the request
 * @dev: the device
 * @tb: attributes of the request
 * @ext: those inside TCA_CODEL_EXT
 * @ce_attr: number of ce_threshold in this kind
 * @extack: names an attribute that is refused
 *
 * Return: 0, or -EINVAL if values contradict each other.
 */
static inline int codel_config_get(struct codel_config *config, const struct net_device *dev,
				   struct nlattr **tb, struct nlattr **ext, int ce_attr,
				   struct netlink_ext_ack *extack)
{
	const struct nlattr *ce_off = ext[TCA_CODEL_EXT_CE_THRESHOLD_OFF];
	int err = codel_config_check_off(tb[ce_attr], ce_off, extack) ? :
		  codel_config_check_off(ext[TCA_CODEL_EXT_CEILING],
					 ext[TCA_CODEL_EXT_CEILING_OFF], extack) ? :
		  codel_config_check_off(ext[TCA_CODEL_EXT_RATE],
					 ext[TCA_CODEL_EXT_RATE_OFF], extack) ? :
		  codel_config_check_off(ext[TCA_CODEL_EXT_OVERHEAD],
					 ext[TCA_CODEL_EXT_OVERHEAD_OFF], extack);

	if (err)
		return err;
	if (tb[TCA_CODEL_TARGET])
		config->target = codel_config_get_us(tb[TCA_CODEL_TARGET]);
	if (tb[TCA_CODEL_INTERVAL])
		config->interval = codel_config_get_us(tb[TCA_CODEL_INTERVAL]);
	if (tb[TCA_CODEL_LIMIT])
		config->limit = nla_get_u32(tb[TCA_CODEL_LIMIT]);
	if (tb[TCA_CODEL_ECN])
		config->ecn = nla_get_u32(tb[TCA_CODEL_ECN]);
	if (tb[ce_attr])
		config->ce_threshold = codel_config_get_us(tb[ce_attr]);
	if (ce_off)
		config->ce_threshold = CODEL_QDISC_CE_OFF;
	if (ext[TCA_CODEL_EXT_CEILING])
		config->ceiling = codel_config_get_us(ext[TCA_CODEL_EXT_CEILING]);
	if (ext[TCA_CODEL_EXT_CEILING_OFF])
		config->ceiling = CODEL_CEILING_OFF;
	config->extended |= !!tb[TCA_CODEL_EXT];
	codel_config_get_shape(&config->shape, ext);
	codel_shape_set_times(config, dev);
	return codel_config_get_far(config, dev, ext, extack) ? :
	       codel_config_check_shared(config, ext, extack) ? :
	       codel_config_check_ceiling(config, tb, ext, extack);
}

/**
 * codel_config_put_shape() - write the options of the shaper
 * @skb: the dump, in TCA_CODEL_EXT
 * @config: values in force
 *
 * Return: 0, or -EMSGSIZE if the dump is full.
 */
static inline int codel_config_put_shape(struct sk_buff *skb, const struct codel_config *config)
{
	const struct codel_shape *shape = &config->shape;

	if (shape->rate ?
	    nla_put_u64_64bit(skb, TCA_CODEL_EXT_RATE, shape->rate, TCA_CODEL_EXT_PAD) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_TARGET_EFFECTIVE,
			codel_qdisc_us(config->params.target)) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_INTERVAL_EFFECTIVE,
			codel_qdisc_us(config->params.interval)) :
	    nla_put_flag(skb, TCA_CODEL_EXT_RATE_OFF))
		return -EMSGSIZE;
	if (shape->has_overhead ?
	    nla_put_s32(skb, TCA_CODEL_EXT_OVERHEAD, shape->framing.overhead) :
	    nla_put_flag(skb, TCA_CODEL_EXT_OVERHEAD_OFF))
		return -EMSGSIZE;
	if (nla_put_u32(skb, TCA_CODEL_EXT_MPU, shape->framing.mpu) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_CELLS, shape->framing.cells) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_INGRESS, shape->ingress) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_SPLIT_GSO, shape->split) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_SHARED, shape->shared))
		return -EMSGSIZE;
	return 0;
}

/* Empty or not, the nest tells tc that off values are to be shown. */
static inline int codel_config_put_ext(struct sk_buff *skb,
				       const struct codel_config *config)
{
	struct nlattr *ext = nla_nest_start(skb, TCA_CODEL_EXT);

	if (!ext)
		return -EMSGSIZE;
	if (config->ce_threshold == CODEL_QDISC_CE_OFF &&
	    nla_put_flag(skb, TCA_CODEL_EXT_CE_THRESHOLD_OFF))
		return -EMSGSIZE;
	if (config->params.ceiling == CODEL_CEILING_OFF ?
	    nla_put_flag(skb, TCA_CODEL_EXT_CEILING_OFF) :
	    nla_put_u32(skb, TCA_CODEL_EXT_CEILING,
			codel_qdisc_us(config->params.ceiling)))
		return -EMSGSIZE;
	if (codel_config_put_far(skb, config) || codel_config_put_shape(skb, config))
		return -EMSGSIZE;
	nla_nest_end(skb, ext);
	return 0;
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

	return config->extended ? codel_config_put_ext(skb, config) : 0;
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
 * @config: written; all zero before
 * @sch: the qdisc
 * @limit: packets
 * @ecn: mark by default
 *
 * Strict clients refuse attributes that the in-tree qdisc of a plain name does not have. There, a
 * dump has them from the first request on that has.
 */
static inline void codel_config_defaults(struct codel_config *config, const struct Qdisc *sch,
					 u32 limit, bool ecn)
{
	config->target = CODEL_TARGET_US * CODEL_NSEC_PER_USEC;
	config->interval = CODEL_INTERVAL_US * CODEL_NSEC_PER_USEC;
	config->ce_threshold = CODEL_QDISC_CE_OFF;
	config->limit = limit;
	config->ecn = ecn;
	config->extended = strstr(sch->ops->id, "_oot");
	codel_shape_set_times(config, qdisc_dev(sch));
}

#endif /* CODEL_CONFIG_H */
