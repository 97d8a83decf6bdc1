/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The device of the answers: a packet_type hears them. It sees packets that come in before ingress
 * filters, bridges and redirection may take them. Upstream, the data may come from another device
 * through an ifb: then the time stamps leave through that device, and packets that leave are heard,
 * too. Also the begin and the end of a far queue, of which this is a part.
 */
#ifndef CODEL_FAR_DEVICE_H
#define CODEL_FAR_DEVICE_H

#include <linux/random.h>

#include "codel_far_hold.h"
#include "codel_far_signal.h"

/* Those whose device of the answers may go away; under RTNL */
static LIST_HEAD(codel_far_list);

/* A segment may be an answer, or a mark. If a packet was held back for it, ask the qdisc. */
static inline void codel_far_hear(struct codel_far *far, const struct sk_buff *skb, u64 now)
{
	struct codel_far_segment seg;
	bool kick = false;

	if (!codel_far_parse(skb, skb->pkt_type != PACKET_OUTGOING, true, &far->seed, &seg))
		return;
	spin_lock(&far->lock);
	far->heard++;
	if (far->bottleneck == CODEL_BOTTLENECK_DOWNSTREAM)
		kick = codel_far_hear_down(far, &seg, now);
	else
		codel_far_hear_up(far, &seg, now);
	spin_unlock(&far->lock);
	if (kick)
		__netif_schedule(qdisc_root(far->sch));
}

/*
 * The core holds rcu_read_lock() and has bottom halves off, both for packets that come in and for
 * packets that leave: the handlers of packet sockets need the same.
 */
static int codel_far_receive(struct sk_buff *skb, struct net_device *dev, struct packet_type *type,
			     struct net_device *orig)
{
	struct codel_far *far = container_of(type, struct codel_far, answers);
	u64 now = ktime_get_ns();

	atomic64_add(skb->len, &far->arrived);
	if (now >= READ_ONCE(far->deaf_until) && skb->pkt_type != PACKET_OTHERHOST)
		codel_far_hear(far, skb, now);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

/* Stop hearing. May sleep; under RTNL. */
static inline void codel_far_deafen(struct codel_far *far)
{
	if (!far->listens)
		return;
	far->listens = false;
	list_del(&far->list);
	dev_remove_pack(&far->answers);
}

static inline void codel_far_free(struct codel_far *far)
{
	if (!far)
		return;
	codel_far_deafen(far);
	kvfree(far);
}

static inline struct codel_far *codel_far_new(struct Qdisc *sch, const struct codel_config *config,
					      struct net_device *dev)
{
	struct codel_far *far = kvzalloc(sizeof(*far), GFP_KERNEL);

	if (!far)
		return NULL;
	spin_lock_init(&far->lock);
	far->sch = sch;
	far->bottleneck = config->bottleneck;
	get_random_bytes(&far->seed, sizeof(far->seed));
	far->answers.type = htons(ETH_P_ALL);
	far->answers.dev = dev;
	far->answers.func = codel_far_receive;
	far->answers.ignore_outgoing = config->bottleneck == CODEL_BOTTLENECK_DOWNSTREAM ||
				       !config->answers;
	codel_far_window_start(&far->window, codel_device_mtu(qdisc_dev(sch)));
	codel_far_up_start(&far->up, far->window.packet);
	codel_far_marks_start(&far->marks);
	return far;
}

/**
 * codel_far_prepare() - allocate what a validated configuration needs, under RTNL
 * @sch: the qdisc
 * @config: to be put in force
 * @extack: says what is wrong
 *
 * codel_far_apply() and codel_far_finish() follow, or codel_far_abort().
 *
 * Return: 0, or -ENOMEM.
 */
static inline int codel_far_prepare(struct Qdisc *sch, const struct codel_config *config,
				    struct netlink_ext_ack *extack)
{
	struct codel_qdisc *c = codel_qdisc(sch);
	struct net_device *dev = qdisc_dev(sch);

	c->far_next = c->far;
	if (config->bottleneck == c->config.bottleneck && config->answers == c->config.answers)
		return 0;
	c->far_next = NULL;
	if (config->bottleneck == CODEL_BOTTLENECK_HERE)
		return 0;
	if (config->answers)
		dev = __dev_get_by_index(dev_net(dev), config->answers);
	if (dev)
		c->far_next = codel_far_new(sch, config, dev);
	if (c->far_next)
		return 0;
	c->far_next = c->far;
	NL_SET_ERR_MSG(extack, "bottleneck: out of memory");
	return -ENOMEM;
}

static inline void codel_far_abort(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	if (c->far_next != c->far)
		codel_far_free(c->far_next);
	c->far_next = c->far;
}

/* Hear the answers, and free the former one, without the lock. */
static inline void codel_far_finish(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	if (c->far_next == c->far)
		return;
	codel_far_free(c->far_next);
	c->far_next = c->far;
	if (!c->far)
		return;
	c->far->listens = true;
	list_add(&c->far->list, &codel_far_list);
	dev_add_pack(&c->far->answers);
}

/* Also of a half-built qdisc */
static inline void codel_far_destroy(struct Qdisc *sch)
{
	struct codel_qdisc *c = codel_qdisc(sch);

	codel_far_abort(sch);
	codel_far_free(c->far);
	c->far = NULL;
	c->far_next = NULL;
}

/* The device of the answers goes away. */
static int codel_far_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct codel_far *far, *next;

	if (event == NETDEV_UNREGISTER)
		list_for_each_entry_safe(far, next, &codel_far_list, list)
			if (far->answers.dev == dev)
				codel_far_deafen(far);
	return NOTIFY_DONE;
}

static struct notifier_block codel_far_notifier = { .notifier_call = codel_far_event };

#endif /* CODEL_FAR_DEVICE_H */
