/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The options of the shaper over netlink.
 */
#ifndef CODEL_CONFIG_SHAPE_H
#define CODEL_CONFIG_SHAPE_H

#include <linux/rtnetlink.h>
#include <net/netlink.h>

#include "codel_queue.h"
#include "../uapi/codel_uapi.h"

static inline int codel_config_get_rate(struct codel_shape *shape, struct nlattr **tb,
					struct netlink_ext_ack *extack)
{
	const struct nlattr *rate = tb[TCA_CODEL_EXT_RATE];
	const struct nlattr *off = tb[TCA_CODEL_EXT_RATE_OFF];

	if (rate && off) {
		NL_SET_ERR_MSG_ATTR(extack, rate, "rate: both a value and off are given");
		return -EINVAL;
	}
	if (off)
		shape->rate = 0;
	if (!rate)
		return 0;
	shape->rate = nla_get_u64(rate);
	if (shape->rate >= CODEL_RATE_MIN && shape->rate <= CODEL_RATE_MAX)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, rate, "rate: 8bit to 1000gbit, or off, is expected");
	return -EINVAL;
}

static inline int codel_config_get_framing(struct codel_shape *shape, struct nlattr **tb,
					   struct netlink_ext_ack *extack)
{
	const struct nlattr *overhead = tb[TCA_CODEL_EXT_OVERHEAD];
	const struct nlattr *off = tb[TCA_CODEL_EXT_OVERHEAD_OFF];
	struct codel_framing *framing = &shape->framing;
	u32 cells = framing->cells;

	if (overhead && off) {
		NL_SET_ERR_MSG_ATTR(extack, overhead, "overhead: both a value and off are given");
		return -EINVAL;
	}
	if (overhead || off) {
		shape->has_overhead = overhead;
		framing->overhead = overhead ? nla_get_s32(overhead) : 0;
	}
	if (framing->overhead < CODEL_OVERHEAD_MIN || framing->overhead > CODEL_OVERHEAD_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, overhead,
				    "overhead: -64 to 256 bytes, or off, is expected");
		return -EINVAL;
	}
	if (tb[TCA_CODEL_EXT_MPU])
		framing->mpu = nla_get_u32(tb[TCA_CODEL_EXT_MPU]);
	if (framing->mpu > CODEL_MPU_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_CODEL_EXT_MPU],
				    "mpu: 0 to 256 bytes are expected");
		return -EINVAL;
	}
	if (tb[TCA_CODEL_EXT_CELLS])
		cells = nla_get_u32(tb[TCA_CODEL_EXT_CELLS]);
	if (cells > CODEL_CELLS_PTM) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_CODEL_EXT_CELLS],
				    "cells: noatm, atm or ptm is expected");
		return -EINVAL;
	}
	framing->cells = cells;
	shape->framed = shape->has_overhead || framing->mpu || cells;
	return 0;
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
 * @extack: says what is wrong
 *
 * Return: 0, or -EINVAL if a value is out of range.
 */
static inline int codel_config_get_shape(struct codel_shape *shape, struct nlattr **tb,
					 struct netlink_ext_ack *extack)
{
	const struct nlattr *split = tb[TCA_CODEL_EXT_SPLIT_GSO];
	int err;

	err = codel_config_get_rate(shape, tb, extack);
	if (!err)
		err = codel_config_get_framing(shape, tb, extack);
	if (err)
		return err;
	if (tb[TCA_CODEL_EXT_INGRESS])
		shape->ingress = nla_get_u32(tb[TCA_CODEL_EXT_INGRESS]);
	shape->split_set |= !!split;
	if (split)
		shape->split = nla_get_u32(split);
	else if (!shape->split_set)
		shape->split = codel_config_should_split(shape->rate);
	return 0;
}

/* A shaper below another one: the slower of the two decides. */
static inline void codel_config_warn_shape(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	static const char * const shapers[] = { "htb", "hfsc", "tbf", "cake" };
	const struct Qdisc *root = rtnl_dereference(qdisc_dev(sch)->qdisc);

	if (!codel_qdisc(sch)->config.shape.rate || sch->parent == TC_H_ROOT || !root)
		return;
	if (match_string(shapers, ARRAY_SIZE(shapers), root->ops->id) >= 0)
		NL_SET_ERR_MSG_WEAK(extack,
				    "rate: the root qdisc shapes as well; the slower of the two decides");
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
	    nla_put_u32(skb, TCA_CODEL_EXT_SPLIT_GSO, shape->split))
		return -EMSGSIZE;
	return 0;
}

#endif /* CODEL_CONFIG_SHAPE_H */
