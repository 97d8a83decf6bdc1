// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a network device as slow as a link: insmod slow_link.ko dev=r1 rate=10000000
 *
 * The device is looked up in the namespace of who loads this. Whenever it was given a packet,
 * its transmit queue is stopped for as long as the packet takes at that rate, which is what a
 * driver does whose ring is full: so that a root qdisc has a queue. To be unloaded before
 * the device goes.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/tracepoint.h>

#ifndef HAVE_HRTIMER_SETUP
#define hrtimer_setup(timer, callback, clock, mode)	\
	do {						\
		hrtimer_init(timer, clock, mode);	\
		(timer)->function = callback;		\
	} while (0)
#endif

static char *dev;
module_param(dev, charp, 0);
MODULE_PARM_DESC(dev, "name of the device, which has one transmit queue");

static ulong rate;
module_param(rate, ulong, 0);
MODULE_PARM_DESC(rate, "bit/s");

static struct net_device *slow;
static struct tracepoint *start_xmit;
static struct hrtimer sent;

static enum hrtimer_restart slow_link_sent(struct hrtimer *timer)
{
	netif_tx_wake_queue(netdev_get_tx_queue(slow, 0));
	return HRTIMER_NORESTART;
}

/* The tracepoint net_dev_start_xmit */
static void slow_link_xmit(void *data, const struct sk_buff *skb,
			   const struct net_device *where)
{
	if (where != slow)
		return;
	netif_tx_stop_queue(netdev_get_tx_queue(slow, 0));
	hrtimer_start(&sent, ns_to_ktime(skb->len * 8ULL * NSEC_PER_SEC / rate),
		      HRTIMER_MODE_REL);
}

static void __init slow_link_find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "net_dev_start_xmit"))
		start_xmit = tp;
}

static int __init slow_link_init(void)
{
	int err;

	if (!dev || !rate)
		return -EINVAL;
	for_each_kernel_tracepoint(slow_link_find, NULL);
	if (!start_xmit)
		return -ENOENT;
	slow = dev_get_by_name(current->nsproxy->net_ns, dev);
	if (!slow)
		return -ENODEV;
	hrtimer_setup(&sent, slow_link_sent, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	err = tracepoint_probe_register(start_xmit, slow_link_xmit, NULL);
	if (err)
		dev_put(slow);
	return err;
}

static void __exit slow_link_exit(void)
{
	tracepoint_probe_unregister(start_xmit, slow_link_xmit, NULL);
	tracepoint_synchronize_unregister();
	hrtimer_cancel(&sent);
	netif_tx_wake_queue(netdev_get_tx_queue(slow, 0));
	dev_put(slow);
}

module_init(slow_link_init);
module_exit(slow_link_exit);

MODULE_DESCRIPTION("A link for tests");
MODULE_LICENSE("GPL");
