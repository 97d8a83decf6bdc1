// SPDX-License-Identifier: GPL-2.0
/*
 * A filter that frees every packet and returns TC_ACT_CONSUMED:
 *
 *	insmod cls_consume.ko
 *	tc filter add dev d0 parent 10: protocol ip consume
 *
 * In the tree, act_ct returns this verdict for the fragments of a packet that it
 * reassembles. Newer kernels refuse act_ct below a qdisc; older ones do not.
 */
#include <linux/module.h>
#include <linux/skbuff.h>
#include <net/pkt_cls.h>

static int consume_classify(struct sk_buff *skb, const struct tcf_proto *tp,
			    struct tcf_result *res)
{
	consume_skb(skb);
	return TC_ACT_CONSUMED;
}

static int consume_init(struct tcf_proto *tp)
{
	return 0;
}

static void consume_destroy(struct tcf_proto *tp, bool rtnl_held,
			    struct netlink_ext_ack *extack)
{
}

static void *consume_get(struct tcf_proto *tp, u32 handle)
{
	return NULL;
}

/* The filter is the whole tcf_proto, and has no parts of its own. */
static int consume_change(struct net *net, struct sk_buff *in_skb, struct tcf_proto *tp,
			  unsigned long base, u32 handle, struct nlattr **tca, void **arg,
			  u32 flags, struct netlink_ext_ack *extack)
{
	*arg = tp;
	return 0;
}

static int consume_delete(struct tcf_proto *tp, void *arg, bool *last, bool rtnl_held,
			  struct netlink_ext_ack *extack)
{
	return -EOPNOTSUPP;
}

static void consume_walk(struct tcf_proto *tp, struct tcf_walker *arg, bool rtnl_held)
{
}

static struct tcf_proto_ops consume_ops = {
	.kind = "consume",
	.classify = consume_classify,
	.init = consume_init,
	.destroy = consume_destroy,
	.get = consume_get,
	.change = consume_change,
	.delete = consume_delete,
	.walk = consume_walk,
	.owner = THIS_MODULE,
};

static int __init consume_module_init(void)
{
	return register_tcf_proto_ops(&consume_ops);
}

static void __exit consume_module_exit(void)
{
	unregister_tcf_proto_ops(&consume_ops);
}

module_init(consume_module_init);
module_exit(consume_module_exit);

MODULE_DESCRIPTION("A filter that consumes packets, for tests");
MODULE_LICENSE("GPL");
