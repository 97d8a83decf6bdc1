/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The options of the far queue over netlink.
 */
#ifndef CODEL_CONFIG_FAR_H
#define CODEL_CONFIG_FAR_H

#include <linux/netdevice.h>
#include <net/netlink.h>

#include "codel_queue.h"
#include "../uapi/codel_uapi.h"

/**
 * codel_config_get_far() - read the options of the far queue, after those of the shaper
 * @config: in: the values in force; out: with those of the request
 * @dev: the device of the qdisc
 * @tb: attributes of TCA_CODEL_EXT
 * @extack: names the attribute that is refused
 *
 * With the bottleneck elsewhere, super-packets are split by default: each segment is seen.
 *
 * Return: 0, or -EINVAL if a value is out of range.
 */
static inline int codel_config_get_far(struct codel_config *config, const struct net_device *dev,
				       struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct nlattr *bottleneck = tb[TCA_CODEL_EXT_BOTTLENECK];
	const struct nlattr *answers = tb[TCA_CODEL_EXT_ANSWERS];
	u32 index;

	if (bottleneck)
		config->bottleneck = nla_get_u32(bottleneck);
	if (config->bottleneck == CODEL_BOTTLENECK_HERE)
		config->answers = 0;
	else if (!config->shape.split_set)
		config->shape.split = true;
	if (!answers)
		return 0;
	index = nla_get_u32(answers);
	if (index == dev->ifindex)
		index = 0;
	if (index && config->bottleneck == CODEL_BOTTLENECK_HERE) {
		NL_SET_ERR_MSG_ATTR(extack, answers,
				    "answers: a bottleneck downstream or upstream is expected");
		return -EINVAL;
	}
	if (index && !__dev_get_by_index(dev_net(dev), index)) {
		NL_SET_ERR_MSG_ATTR(extack, answers,
				    "answers: a device of the network namespace is expected");
		return -EINVAL;
	}
	config->answers = index;
	return 0;
}

/* Write them. Return: 0, or -EMSGSIZE if the dump is full. */
static inline int codel_config_put_far(struct sk_buff *skb, const struct codel_config *config)
{
	if (nla_put_u32(skb, TCA_CODEL_EXT_BOTTLENECK, config->bottleneck) ||
	    nla_put_u32(skb, TCA_CODEL_EXT_ANSWERS, config->answers))
		return -EMSGSIZE;
	return 0;
}

#endif /* CODEL_CONFIG_FAR_H */
