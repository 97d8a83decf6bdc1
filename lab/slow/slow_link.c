// SPDX-License-Identifier: GPL-2.0
/*
 * Makes network devices as slow as links:
 *
 *	insmod slow_link.ko
 *	echo "r1 10000000" >/sys/module/slow_link/parameters/link	# bit/s, from now on
 *	echo "r1 0" >/sys/module/slow_link/parameters/link		# as fast as it was
 *	echo "r1 5000000000 1000000 5020000000 3000000" >/sys/module/slow_link/parameters/course
 *
 * A course has times (CLOCK_MONOTONIC, ns) and the rates from then on; each write appends to it. It
 * needs no timer: a packet gets the rate of the moment at which it begins.
 *
 * The device is looked up in the namespace of who writes. It has one transmit queue and a root
 * qdisc. Whenever it was given a packet, its queue is stopped for as long as the packet takes at
 * that rate, which is what a driver does whose ring is full: so that the qdisc has a queue. The
 * length is skb->len: with the Ethernet header; without preamble, checksum and gap.
 *
 * A link that is always busy loses no time, although a packet is handed to it a little after it
 * became free: a packet that waited at that moment counts from then on. So the link carries what
 * was promised over any longer time, and never more: no two packets have the link at once. (When
 * they are handed over is seen some microseconds late, and the next one then so much sooner.) A new
 * rate holds from the next packet on; the packet that is on its way ends at the old rate.
 *
 * While the module is loaded, every device sends packets without skb->hash, as a wire does. A veth
 * would hand the sender's hash to the receiver, and TCP changes that hash after a timeout
 * (net.core.txrehash): a router behind the veth would see one connection as several flows. Without
 * a hash, the router's qdisc computes one from the headers.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/tracepoint.h>
#include <net/sch_generic.h>

#define SLOW_LINKS	64
#define SLOW_STEPS	16384	/* of a course */

/* A packet that comes later than this after the link became free was not held up by softirqs
 * alone: the qdisc did not let it go. ns
 */
#define SLOW_LATE	(1 * NSEC_PER_MSEC)

/**
 * struct slow_step - a rate that is to come
 * @time: begin, CLOCK_MONOTONIC, ns
 * @rate: bit/s
 */
struct slow_step {
	u64 time;
	u64 rate;
};

/**
 * struct slow_link - a device that is slow
 * @dev: NULL if this entry is free
 * @rate: bit/s
 * @free_at: when it has sent what it was given, CLOCK_MONOTONIC, ns
 * @waited: a packet waited when it became free, and none was given to it since
 * @sent: expires then
 * @steps: SLOW_STEPS of a course, NULL without
 * @used: those that have been written
 * @next: the first whose time has not come
 */
struct slow_link {
	struct net_device *dev;
	u64 rate;
	u64 free_at;
	bool waited;
	struct hrtimer sent;
	struct slow_step *steps;
	unsigned int used;
	unsigned int next;
};

static struct slow_link slow_links[SLOW_LINKS];
static unsigned int slow_used;	/* entries from here on were never used */
static bool slow_runs;		/* these three are changed under RTNL only */
static struct tracepoint *slow_start_xmit;

static struct netdev_queue *slow_queue(struct net_device *dev)
{
	return netdev_get_tx_queue(dev, 0);
}

/* Whether there is a packet for the link to go on with */
static bool slow_waits(struct net_device *dev)
{
	bool waits;

	rcu_read_lock();
	waits = qdisc_qlen_sum(rcu_dereference(slow_queue(dev)->qdisc));
	rcu_read_unlock();
	return waits;
}

static enum hrtimer_restart slow_link_sent(struct hrtimer *timer)
{
	struct slow_link *link = container_of(timer, struct slow_link, sent);
	struct net_device *dev = READ_ONCE(link->dev);

	if (dev) {
		WRITE_ONCE(link->waited, slow_waits(dev));
		netif_tx_wake_queue(slow_queue(dev));
	}
	return HRTIMER_NORESTART;
}

static void slow_link_timer(struct slow_link *link)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&link->sent, slow_link_sent, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(&link->sent, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	link->sent.function = slow_link_sent;
#endif /* HAVE_HRTIMER_SETUP */
}

/* When the link began to send a packet that it is given now. It may still be busy: veth wakes
 * its queue on its own account.
 */
static u64 slow_link_begins(const struct slow_link *link, u64 now)
{
	if (link->free_at > now ||
	    (READ_ONCE(link->waited) && now - link->free_at < SLOW_LATE))
		return link->free_at;
	return now;
}

static u64 slow_link_rate(struct slow_link *link, u64 now)
{
	unsigned int used = smp_load_acquire(&link->used); /* pairs with slow_link_append() */

	while (link->next < used && link->steps[link->next].time <= now)
		WRITE_ONCE(link->rate, link->steps[link->next++].rate);
	return READ_ONCE(link->rate);
}

static void slow_link_busy(struct slow_link *link, struct net_device *dev, unsigned int len)
{
	u64 now = ktime_get_ns();
	u64 begin = slow_link_begins(link, now);

	link->free_at = begin + div64_u64(len * 8ULL * NSEC_PER_SEC,
					  slow_link_rate(link, begin));
	if (link->free_at > now) {
		WRITE_ONCE(link->waited, false);
		netif_tx_stop_queue(slow_queue(dev));
		hrtimer_start(&link->sent, ns_to_ktime(link->free_at), HRTIMER_MODE_ABS);
	} else {
		WRITE_ONCE(link->waited, slow_waits(dev));
	}
}

/* The tracepoint net_dev_start_xmit: for each packet of each device */
static void slow_link_xmit(void *data, const struct sk_buff *skb, const struct net_device *dev)
{
	unsigned int i, used = READ_ONCE(slow_used);

	/* The tracepoint's const is a promise that the device does not make */
	skb_clear_hash((struct sk_buff *)skb);
	for (i = 0; i < used; i++) {
		if (READ_ONCE(slow_links[i].dev) == dev) {
			slow_link_busy(&slow_links[i], (struct net_device *)dev, skb->len);
			return;
		}
	}
}

/* The entry of a device, or a free one if that is NULL */
static struct slow_link *slow_link_of(const struct net_device *dev)
{
	unsigned int i;

	for (i = 0; i < SLOW_LINKS; i++)
		if (slow_links[i].dev == dev)
			return &slow_links[i];
	return NULL;
}

static int slow_link_add(struct net_device *dev, u64 rate)
{
	struct slow_link *link = slow_link_of(NULL);

	if (!link)
		return -ENOSPC;
	if (dev->real_num_tx_queues != 1) {
		pr_err("slow_link: %s has more than one transmit queue\n", dev->name);
		return -EOPNOTSUPP;
	}
	link->rate = rate;
	link->free_at = 0;
	link->waited = false;
	slow_link_timer(link);
	slow_used = max_t(unsigned int, slow_used, link - slow_links + 1);
	/* The rest is there when this can be seen */
	smp_store_release(&link->dev, dev);
	return 0;
}

static void slow_link_drop(struct slow_link *link)
{
	struct net_device *dev = link->dev;

	WRITE_ONCE(link->dev, NULL);
	tracepoint_synchronize_unregister();
	hrtimer_cancel(&link->sent);
	netif_tx_wake_queue(slow_queue(dev));
	kvfree(link->steps);
	link->steps = NULL;
	link->used = 0;
	link->next = 0;
}

static int slow_link_append(struct slow_link *link, u64 time, u64 rate)
{
	if (!rate)
		return -EINVAL;
	if (link->used == SLOW_STEPS)
		return -ENOSPC;
	if (!link->steps)
		link->steps = kvcalloc(SLOW_STEPS, sizeof(*link->steps), GFP_KERNEL);
	if (!link->steps)
		return -ENOMEM;
	link->steps[link->used] = (struct slow_step) { time, rate };
	/* The step is there when this can be seen */
	smp_store_release(&link->used, link->used + 1);
	return 0;
}

/* Append the times and rates of a text to the course of a device. */
static int slow_link_course(const char *name, const char *text)
{
	struct net_device *dev = __dev_get_by_name(current->nsproxy->net_ns, name);
	struct slow_link *link = dev ? slow_link_of(dev) : NULL;
	u64 time, rate;
	int len, err;

	if (!link)
		return -ENODEV;
	for (; *text; text += len) {
		len = 0;
		if (sscanf(text, "%llu %llu %n", &time, &rate, &len) != 2 || !len)
			return -EINVAL;
		err = slow_link_append(link, time, rate);
		if (err)
			return err;
	}
	return 0;
}

static int slow_link_change(const char *name, u64 rate)
{
	struct net_device *dev = __dev_get_by_name(current->nsproxy->net_ns, name);
	struct slow_link *link = dev ? slow_link_of(dev) : NULL;

	if (!slow_runs)
		return -EAGAIN;
	if (!dev)
		return -ENODEV;
	if (!link)
		return rate ? slow_link_add(dev, rate) : 0;
	if (rate)
		WRITE_ONCE(link->rate, rate);
	else
		slow_link_drop(link);
	return 0;
}

static int slow_link_set(const char *text, const struct kernel_param *param)
{
	char name[IFNAMSIZ], end;
	u64 rate;
	int err;

	if (sscanf(text, "%15s %llu %c", name, &rate, &end) != 2)
		return -EINVAL;
	rtnl_lock();
	err = slow_link_change(name, rate);
	rtnl_unlock();
	return err;
}

static int slow_link_get(char *text, const struct kernel_param *param)
{
	struct net *net = current->nsproxy->net_ns;
	int len = 0;
	unsigned int i;

	rtnl_lock();
	for (i = 0; i < slow_used; i++) {
		struct slow_link *link = &slow_links[i];

		if (link->dev && net_eq(dev_net(link->dev), net))
			len += scnprintf(text + len, PAGE_SIZE - len, "%s %llu\n",
					 link->dev->name, link->rate);
	}
	rtnl_unlock();
	return len;
}

static const struct kernel_param_ops slow_link_ops = {
	.set = slow_link_set,
	.get = slow_link_get,
};
module_param_cb(link, &slow_link_ops, NULL, 0600);
MODULE_PARM_DESC(link, "write \"DEVICE BIT/S\", once the module is there");

static int slow_course_set(const char *text, const struct kernel_param *param)
{
	char name[IFNAMSIZ];
	int len = 0, err;

	if (sscanf(text, "%15s %n", name, &len) != 1 || !len)
		return -EINVAL;
	rtnl_lock();
	err = slow_link_course(name, text + len);
	rtnl_unlock();
	return err;
}

static const struct kernel_param_ops slow_course_ops = {
	.set = slow_course_set,
};
module_param_cb(course, &slow_course_ops, NULL, 0200);
MODULE_PARM_DESC(course, "write \"DEVICE NS BIT/S NS BIT/S ...\" for a device that is slow");

static int slow_link_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct slow_link *link = slow_link_of(netdev_notifier_info_to_dev(ptr));

	if (link && event == NETDEV_UNREGISTER)
		slow_link_drop(link);
	return NOTIFY_DONE;
}

static struct notifier_block slow_link_notifier = {
	.notifier_call = slow_link_event,
};

static void __init slow_link_find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "net_dev_start_xmit"))
		slow_start_xmit = tp;
}

static void slow_link_run(bool runs)
{
	rtnl_lock();
	slow_runs = runs;
	rtnl_unlock();
}

static int __init slow_link_init(void)
{
	int err;

	for_each_kernel_tracepoint(slow_link_find, NULL);
	if (!slow_start_xmit)
		return -ENOENT;
	err = register_netdevice_notifier(&slow_link_notifier);
	if (err)
		return err;
	err = tracepoint_probe_register(slow_start_xmit, slow_link_xmit, NULL);
	if (err)
		unregister_netdevice_notifier(&slow_link_notifier);
	else
		slow_link_run(true);
	return err;
}

/* The notifier is told once more of every device that it goes: that drops the links */
static void __exit slow_link_exit(void)
{
	slow_link_run(false);
	tracepoint_probe_unregister(slow_start_xmit, slow_link_xmit, NULL);
	tracepoint_synchronize_unregister();
	unregister_netdevice_notifier(&slow_link_notifier);
}

module_init(slow_link_init);
module_exit(slow_link_exit);

MODULE_DESCRIPTION("Links for tests");
MODULE_LICENSE("GPL");
