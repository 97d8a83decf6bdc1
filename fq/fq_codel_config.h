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
 * @flows: queues; the packets of a live qdisc move when it changes
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
	[TCA_FQ_CODEL_INTERVAL]			= { .type = NLA_U32 },
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

/* Say what is expected, as codel_config_expect(). */
static inline void fq_codel_config_expect(struct netlink_ext_ack *extack, int type)
{
	switch (type) {
	case TCA_FQ_CODEL_FLOWS:
		NL_SET_ERR_MSG(extack, "flows: 1 to 65536 are expected");
		break;
	case TCA_FQ_CODEL_QUANTUM:
		NL_SET_ERR_MSG(extack, "quantum: 256 to 1048576 bytes are expected");
		break;
	case TCA_FQ_CODEL_CE_THRESHOLD:
		NL_SET_ERR_MSG(extack, CODEL_CONFIG_CE_THRESHOLD_ERR);
		break;
	case TCA_FQ_CODEL_DROP_BATCH_SIZE:
		NL_SET_ERR_MSG(extack, "drop_batch: a 32-bit number of packets is expected");
		break;
	case TCA_FQ_CODEL_MEMORY_LIMIT:
		NL_SET_ERR_MSG(extack, "memory_limit: a 32-bit number of bytes is expected");
		break;
	case TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR:
		NL_SET_ERR_MSG(extack, "ce_threshold_selector: an 8-bit value is expected");
		break;
	case TCA_FQ_CODEL_CE_THRESHOLD_MASK:
		NL_SET_ERR_MSG(extack, "ce_threshold_selector: an 8-bit mask is expected");
		break;
	default:
		codel_config_expect(extack, type);
	}
}

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

/* Warn as codel_config_warn() does. */
static inline void fq_codel_config_warn(struct nlattr **tb, u32 mtu,
					struct netlink_ext_ack *extack)
{
	if (tb[TCA_FQ_CODEL_MEMORY_LIMIT] &&
	    nla_get_u32(tb[TCA_FQ_CODEL_MEMORY_LIMIT]) < SKB_TRUESIZE(mtu))
		NL_SET_ERR_MSG_WEAK(extack,
				    "memory_limit: less than one packet of the device's MTU takes; such packets are dropped (b, k, m or g; bytes without a unit)");
	if (tb[TCA_FQ_CODEL_QUANTUM] &&
	    nla_get_u32(tb[TCA_FQ_CODEL_QUANTUM]) < FQ_CODEL_QUANTUM_MIN)
		NL_SET_ERR_MSG_WEAK(extack, "quantum: raised to the minimum of 256 bytes");
	if (tb[TCA_FQ_CODEL_DROP_BATCH_SIZE] &&
	    !nla_get_u32(tb[TCA_FQ_CODEL_DROP_BATCH_SIZE]))
		NL_SET_ERR_MSG_WEAK(extack, "drop_batch: raised to the minimum of 1 packet");
}

/**
 * fq_codel_config_parse() - read a request
 * @common: in: the values in force; out: with those of the request
 * @config: the same
 * @reset_stats: set if the counters are to be cleared
 * @opt: TCA_OPTIONS
 * @dev: the device
 * @extack: says what is wrong, or warns
 *
 * Return: 0, or -EINVAL.
 */
static inline int fq_codel_config_parse(struct codel_config *common,
					struct fq_codel_config *config,
					bool *reset_stats, struct nlattr *opt,
					const struct net_device *dev,
					struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_CODEL_EXT + 1];
	int err;

	err = codel_config_parse(tb, opt, fq_codel_policy, fq_codel_config_expect,
				 extack);
	if (!err)
		err = codel_config_get(common, dev, reset_stats, tb,
				       tb[TCA_FQ_CODEL_CE_THRESHOLD], extack);
	if (err)
		return err;
	fq_codel_config_get(config, common, tb);
	fq_codel_config_warn(tb, codel_device_mtu(dev), extack);
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
			config->memory_limit) ||
	    nla_put_u8(skb, TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR,
		       common->ce_selector) ||
	    nla_put_u8(skb, TCA_FQ_CODEL_CE_THRESHOLD_MASK, common->ce_mask))
		return -EMSGSIZE;
	return 0;
}

#endif /* FQ_CODEL_CONFIG_H */
