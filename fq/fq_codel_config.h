/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Options of fq_codel over netlink: those of codel_config.h, and its own.
 */
#ifndef FQ_CODEL_CONFIG_H
#define FQ_CODEL_CONFIG_H

#include "../qdisc/codel_config.h"
#include "fq_codel_table.h"

/* Defaults: RFC 8290, section 5.2; memory as the kernel's fq_codel */
#define FQ_CODEL_LIMIT_DEFAULT		10240		/* packets */
#define FQ_CODEL_FLOWS_DEFAULT		1024
#define FQ_CODEL_MEMORY_LIMIT_DEFAULT	SZ_32M	/* bytes */
#define FQ_CODEL_DROP_BATCH_DEFAULT	64		/* packets */

#define FQ_CODEL_QUANTUM_MIN		256U		/* bytes; MAX is in pkt_sched.h */

/**
 * struct fq_codel_config - options that only this kind has
 * @flows: queues; fixed once the qdisc exists
 * @quantum: bytes that a flow sends in a round
 * @memory_limit: truesize of all queued packets, bytes
 * @drop_batch: maximum number of packets dropped per overlimit event
 */
struct fq_codel_config {
	u32 flows;
	u32 quantum;
	u32 memory_limit;
	u32 drop_batch;
};

/**
 * fq_codel_config_defaults() - as a user gets them
 * @config: written
 * @mtu: of the device, bytes; the quantum
 */
static inline void fq_codel_config_defaults(struct fq_codel_config *config, u32 mtu)
{
	*config = (struct fq_codel_config) {
		.flows = FQ_CODEL_FLOWS_DEFAULT,
		.quantum = clamp_t(u32, mtu, FQ_CODEL_QUANTUM_MIN,
				   FQ_CODEL_QUANTUM_MAX),
		.memory_limit = FQ_CODEL_MEMORY_LIMIT_DEFAULT,
		.drop_batch = FQ_CODEL_DROP_BATCH_DEFAULT,
	};
}

static struct netlink_range_validation fq_codel_flows_range = {
	.min = 1,
	.max = FQ_CODEL_FLOWS_MAX,
};

static struct netlink_range_validation fq_codel_quantum_range = {
	.max = FQ_CODEL_QUANTUM_MAX,
};

static const struct nla_policy fq_codel_policy[TCA_CODEL_EXT + 1] = {
	[TCA_FQ_CODEL_TARGET]			= { .type = NLA_U32 },
	[TCA_FQ_CODEL_LIMIT]			= { .type = NLA_U32 },
	[TCA_FQ_CODEL_INTERVAL]			= NLA_POLICY_MIN(NLA_U32, 1),
	[TCA_FQ_CODEL_ECN]			= { .type = NLA_U32 },
	[TCA_FQ_CODEL_FLOWS]			=
		NLA_POLICY_FULL_RANGE(NLA_U32, &fq_codel_flows_range),
	[TCA_FQ_CODEL_QUANTUM]			=
		NLA_POLICY_FULL_RANGE(NLA_U32, &fq_codel_quantum_range),
	[TCA_FQ_CODEL_CE_THRESHOLD]		= { .type = NLA_U32 },
	[TCA_FQ_CODEL_DROP_BATCH_SIZE]		= { .type = NLA_U32 },
	[TCA_FQ_CODEL_MEMORY_LIMIT]		= { .type = NLA_U32 },
	[TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR]	= { .type = NLA_U8 },
	[TCA_FQ_CODEL_CE_THRESHOLD_MASK]	= { .type = NLA_U8 },
	[TCA_CODEL_EXT]				= { .type = NLA_NESTED },
};

/* Read the options that only this kind has; their ranges are in the policy. */
static inline void fq_codel_config_get(struct fq_codel_config *config,
				       struct codel_config *common,
				       struct nlattr **tb)
{
	if (tb[TCA_FQ_CODEL_FLOWS])
		config->flows = nla_get_u32(tb[TCA_FQ_CODEL_FLOWS]);
	if (tb[TCA_FQ_CODEL_QUANTUM])
		config->quantum = max(nla_get_u32(tb[TCA_FQ_CODEL_QUANTUM]),
				      FQ_CODEL_QUANTUM_MIN);
	if (tb[TCA_FQ_CODEL_MEMORY_LIMIT])
		config->memory_limit =
			nla_get_u32(tb[TCA_FQ_CODEL_MEMORY_LIMIT]);
	if (tb[TCA_FQ_CODEL_DROP_BATCH_SIZE])
		config->drop_batch =
			max(nla_get_u32(tb[TCA_FQ_CODEL_DROP_BATCH_SIZE]), 1U);
	if (tb[TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR])
		common->ce_selector =
			nla_get_u8(tb[TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR]);
	if (tb[TCA_FQ_CODEL_CE_THRESHOLD_MASK])
		common->ce_mask = nla_get_u8(tb[TCA_FQ_CODEL_CE_THRESHOLD_MASK]);
}

/**
 * fq_codel_config_parse() - read a request
 * @common: in: the values in force; out: with those of the request
 * @config: the same
 * @opt: TCA_OPTIONS
 * @dev: the device
 * @live: the qdisc exists
 * @extack: names an attribute that is refused
 *
 * Return: 0, or an error.
 */
static inline int fq_codel_config_parse(struct codel_config *common,
					struct fq_codel_config *config,
					struct nlattr *opt,
					const struct net_device *dev, bool live,
					struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_CODEL_EXT + 1], *ext[TCA_CODEL_EXT_MAX + 1] = {};
	int err;

	err = codel_config_parse(tb, ext, opt, fq_codel_policy, extack) ? :
	      codel_config_get(common, dev, tb, ext, TCA_FQ_CODEL_CE_THRESHOLD, extack);
	if (err)
		return err;
	if (live && tb[TCA_FQ_CODEL_FLOWS] &&
	    nla_get_u32(tb[TCA_FQ_CODEL_FLOWS]) != config->flows) {
		NL_SET_ERR_MSG_ATTR(extack, tb[TCA_FQ_CODEL_FLOWS],
				    "the number of flows is fixed once the qdisc exists");
		return -EINVAL;
	}
	fq_codel_config_get(config, common, tb);
	return 0;
}

/**
 * fq_codel_config_put() - write all options
 * @skb: the dump
 * @common: values in force
 * @config: the same
 *
 * Return: 0, or -EMSGSIZE if the dump is full.
 */
static inline int fq_codel_config_put(struct sk_buff *skb,
				      const struct codel_config *common,
				      const struct fq_codel_config *config)
{
	if (codel_config_put(skb, common, TCA_FQ_CODEL_CE_THRESHOLD) ||
	    nla_put_u32(skb, TCA_FQ_CODEL_FLOWS, config->flows) ||
	    nla_put_u32(skb, TCA_FQ_CODEL_QUANTUM, config->quantum) ||
	    nla_put_u32(skb, TCA_FQ_CODEL_DROP_BATCH_SIZE,
			config->drop_batch) ||
	    nla_put_u32(skb, TCA_FQ_CODEL_MEMORY_LIMIT,
			config->memory_limit))
		return -EMSGSIZE;
	if ((common->extended || common->ce_threshold != CODEL_QDISC_CE_OFF) &&
	    (nla_put_u8(skb, TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR, common->ce_selector) ||
	     nla_put_u8(skb, TCA_FQ_CODEL_CE_THRESHOLD_MASK, common->ce_mask)))
		return -EMSGSIZE;
	return 0;
}

#endif /* FQ_CODEL_CONFIG_H */
